import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { compression } from 'vite-plugin-compression2';

const api = process.env['API_URL'] ?? 'http://127.0.0.1:3000';
const apiPaths = ['/api', '/auth', '/connect/', '/register/', '/r1c', '/demo/', '/help'];

/** The chunks that a logged-in user needs on every visit. The menu is in the one of the Overview. */
const sharedChunks = ['overview', 'screens'] as const;

/** Names the files of these chunks in the page, so that `color-scheme.js` loads them beside the first one. */
const sharedFiles: Plugin = {
  name: 'shared-files',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      sharedChunks.flatMap((name) => {
        const chunk = Object.values(bundle).find((one) => one.type === 'chunk' && one.name === name);
        return chunk === undefined
          ? []
          : [
              {
                tag: 'meta',
                attrs: { name: `chunk-${name}`, content: `/${chunk.fileName}` },
                injectTo: 'head-prepend',
              },
            ];
      }),
  },
};

/** Builds the web application into dist/web, which the server serves; `vite` alone serves it with reload. */
export default defineConfig({
  // The server sends the Brotli or gzip copy of a file.
  plugins: [react(), sharedFiles, compression({ algorithms: ['brotliCompress', 'gzip'], threshold: 1024 })],
  publicDir: fileURLToPath(new URL('src/web/public', import.meta.url)),
  build: {
    outDir: 'dist/web',
    target: 'es2023',
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // A data: address for a small file would need an exception in the content security policy.
    assetsInlineLimit: 0,
    // Read by .size-limit.js.
    manifest: true,
    // Many small files load slowly. The login, the Overview with its menu, the messages, and what at least three
    // screens share are one file each.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'login', tags: ['$initial'], priority: 1 },
            { name: 'overview', test: /shell[\\/]frame\.tsx|overview[\\/]overview\.tsx/ },
            { name: 'messages', test: /message-bar\.tsx/ },
            { name: 'screens', minShareCount: 3 },
          ],
        },
      },
    },
  },
  server: { proxy: Object.fromEntries(apiPaths.map((path) => [path, api])) },
});
