import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const api = process.env['API_URL'] ?? 'http://127.0.0.1:3000';
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Builds the web application into dist/web, which the server serves; `vite` alone serves it with reload. */
export default defineConfig({
  plugins: [react()],
  publicDir: here('src/web/public'),
  // The browser needs the contract's addresses and types, not its validators.
  resolve: { alias: { zod: here('src/web/lib/no-schemas.ts') } },
  build: {
    outDir: 'dist/web',
    emptyOutDir: true,
    target: 'es2023',
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // A data: address for a small file would need an exception in the content security policy.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/auth', '/connect/', '/register/', '/r1c', '/demo/'].map((path) => [path, api]),
    ),
  },
});
