import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Everything but the browser journeys, which Playwright runs (see playwright.config.ts). */
export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.{ts,tsx}', 'scripts/**/*.test.ts', 'bench/**/*.test.ts'],
    exclude: ['node_modules/**', 'dist/**', 'test/browser/**'],
    pool: 'forks',
    // Half of the time is spent waiting for processes and services: two files at once even on two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    globalSetup: ['test/support/postgres.ts'],
    // Only what hangs is ended: a busy machine is no reason to fail.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
    unstubEnvs: true,
  },
});
