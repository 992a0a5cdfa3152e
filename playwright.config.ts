import { defineConfig } from '@playwright/test';

interface Browser {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Set by scripts/browser.ts; the default is Playwright's browser. */
const found = process.env['TALLYBRIDGE_BROWSER'];
const browser = found === undefined ? null : (JSON.parse(found) as Browser);

/** The slowest files. They start first, so none of them runs alone at the end. */
const slowest = [
  'screens',
  'sync-screens',
  'integrations',
  'many-documents',
  'first-invoice',
  'accessible',
  'security',
  'setup',
  'navigation',
  'accounts',
  'feedback',
  'json-psa',
].map((name) => `**/${name}.spec.ts`);

/** Runs user journeys in a real browser. The tests of a file share a product and usually a login. */
export default defineConfig({
  testDir: 'test/browser',
  globalSetup: './test/support/browser-run.ts',
  outputDir: '.cache/browser-results',
  // Node.js runs these files as they are.
  build: { external: ['**/src/**', '**/packages/**', '**/scripts/**'] },
  // High, so only a hanging test fails, even on a busy machine.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  // Tests often wait for pages and services.
  workers: 4,
  retries: 0,
  forbidOnly: true,
  reporter: [['list'], ['json']],
  projects: [...slowest.map((file) => ({ name: '', testMatch: file })), { name: '', testIgnore: slowest }],
  use: {
    actionTimeout: 30_000,
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'America/Chicago',
    screenshot: 'only-on-failure',
    // Traces take a quarter of the CPU time; turn them on with --trace=on.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions:
      browser === null
        ? {}
        : {
            executablePath: browser.path,
            args: [...browser.args],
            env: { ...(process.env as Record<string, string>), ...browser.env },
          },
  },
});
