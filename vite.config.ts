import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { byteBudgets } from './scripts/vite/byte-budgets.ts';
import { compressedFiles } from './scripts/vite/compressed-files.ts';
import { contractForBrowsers } from './scripts/vite/contract-for-browsers.ts';
import { loadedAhead } from './scripts/vite/loaded-ahead.ts';

const api = process.env['API_URL'] ?? 'http://127.0.0.1:3000';
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Modules for the login and every other screen. */
const everywhere =
  /node_modules\/(react|react-dom|scheduler)\/|preload-helper|rolldown\/runtime|\/web\/(main|shell\/(root|bare-frame|router|brand|busy-widget|guard|access|screens|load-application|message-bar|crash-page|message-page|message-page\.module|color-scheme-button|shell\.module)|ui\/(font|icons|with-component-library|notice|page(?=\.css)|native-button|native\.module|tab-title|tokens|color-scheme)|lib\/(prefetched|call|current-session|environment|event-stream|flash|log-out|expire-session|match-path|no-schemas|requested-path|router|session|sign-on-code))\.|\/contract\/(auth|define|environment|health)\.|\/core\/(roles|values\/own-path)\./;
/** Modules for every screen of the application. */
const inTheApplication =
  /node_modules\/@tanstack\/(?!.*([qQ]ueriesObserver|useQueries))|\/contract\/(attention|clients|drafts|fields|jobs|logs|month|subscription)\.|\/core\/(kinds|tenant|values\/dates)\.|\/web\/(shell\/(application|menu-frame|busy|keyboard|menu|lazy-user-menu|account-button)|ui\/(badge|button|export-button|icon-button|page(?!\.css)|find-screen|states|table|row-checkbox|time)|screens\/(jobs\/recent-jobs|security\/confirm-email-notice|sync\/review-address)|lib\/(add-amounts|download|format|job-list|lazy|locale|use-now|queries|subscription))\./;
const frame = '/shell/application.tsx';
const library = '/ui/component-library.tsx';
/** In bytes after gzip. React alone has 66 kB. */
const visits = {
  login: { modules: ['/screens/login/login.tsx'], javascript: 150_000, css: 12_000 },
  overview: { modules: ['/screens/overview/overview.tsx', frame], javascript: 210_000, css: 20_000 },
  logs: { modules: ['/screens/logs/logs.tsx', library, frame], javascript: 300_000, css: 35_000 },
} as const;
const budgets = { visits, screen: 40_000, report: here('.cache/bytes.json') };

const overview = '/screens/overview/overview.tsx';
const overviewCalls = [
  '/api/my',
  '/api/my/attention',
  '/api/my/drafts?page=1&page_size=1',
  '/api/my/jobs',
  '/api/environment',
];
const ahead = {
  script: 'color-scheme.js',
  sessionKey: 'token',
  loggedOut: ['/screens/login/login.tsx'],
  loggedIn: [frame],
  byPath: { '/': overview, '/my': overview },
  asked: { role: 'clientadmin', byPath: { '/': overviewCalls, '/my': overviewCalls } },
};

/** Builds the web application into dist/web, which the server serves; `vite` serves it with live reload. */
export default defineConfig({
  plugins: [contractForBrowsers(), react(), byteBudgets(budgets), loadedAhead(ahead), compressedFiles()],
  publicDir: here('src/web/public'),
  // The browser needs the contract's paths and types, not its validators.
  resolve: { alias: { zod: here('src/web/lib/no-schemas.ts') } },
  build: {
    outDir: 'dist/web',
    emptyOutDir: true,
    target: 'es2023',
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'],
    // A data: URL for a small file would need an exception in the content security policy.
    assetsInlineLimit: 0,
    rolldownOptions: {
      checks: { pluginTimings: false },
      output: {
        // Each file costs a request and a kilobyte of headers, so modules shared by all screens are in two files.
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'base', test: everywhere },
            { name: 'frame', test: inTheApplication },
          ],
        },
      },
      treeshake: {
        // Call descriptions have no side effects, so unused ones are removed with their schemas.
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
