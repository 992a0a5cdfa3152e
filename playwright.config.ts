import { defineConfig } from '@playwright/test';

interface Browser {
  readonly path: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Found by scripts/browser.ts; without it Playwright's own browser is used. */
const found = process.env['TALLYBRIDGE_BROWSER'];
const browser = found === undefined ? null : (JSON.parse(found) as Browser);

/** Files that take longest begin first, in this order, so that none of them is left alone at the end. */
const longest = [
  'sync-screens',
  'extreme-names',
  'accessible',
  'first-invoice',
  'tour',
  'navigation',
  'security',
  'setup',
  'hostile',
  'approval',
].map((name) => `**/${name}.spec.ts`);

/** Journeys through the whole product in a real browser; each test file starts a product of its own. */
export default defineConfig({
  testDir: 'test/browser',
  globalSetup: './test/support/browser-run.ts',
  outputDir: '.cache/browser-results',
  // Only what hangs is ended: a busy machine is no reason to fail.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  // Much of the time is spent waiting for the page and the services.
  workers: 3,
  retries: 0,
  forbidOnly: true,
  reporter: [['list'], ['json']],
  projects: [...longest.map((file) => ({ name: '', testMatch: file })), { name: '', testIgnore: longest }],
  use: {
    actionTimeout: 30_000,
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    timezoneId: 'America/Chicago',
    screenshot: 'only-on-failure',
    // A trace of each journey took a quarter of the processor time: ask for it with --trace=on.
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
