import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { byteBudgets } from './scripts/vite/byte-budgets.ts';
import { compressedFiles } from './scripts/vite/compressed-files.ts';
import { contractForBrowsers } from './scripts/vite/contract-for-browsers.ts';

const api = process.env['API_URL'] ?? 'http://127.0.0.1:3000';
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const frame = '/shell/application.tsx';
/** In bytes after gzip. React with its DOM alone is 66 kB. */
const visits = {
  login: { modules: ['/screens/login/login.tsx'], javascript: 90_000, css: 10_000 },
  overview: { modules: ['/screens/overview/overview.tsx', frame], javascript: 145_000, css: 24_000 },
  logs: { modules: ['/screens/logs/logs.tsx', frame], javascript: 200_000, css: 26_000 },
} as const;
const budgets = { visits, screen: 15_000, report: here('.cache/bytes.json') };

/** Builds the web application into dist/web, which the server serves; `vite` alone serves it with reload. */
export default defineConfig({
  plugins: [contractForBrowsers(), react(), byteBudgets(budgets), compressedFiles()],
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
    rolldownOptions: {
      checks: { pluginTimings: false },
      treeshake: {
        // Describing a call has no effect: descriptions and schemas that no screen asks for are left out.
        manualPureFunctions: ['z', 'route', 'narrowed'],
        moduleSideEffects: (id) => !/\/src\/(contract|core)\//.test(id),
      },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/auth', '/connect/', '/register/', '/r1c', '/demo/'].map((path) => [path, api]),
    ),
  },
});
