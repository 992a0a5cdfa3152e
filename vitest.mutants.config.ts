import { defineConfig } from 'vitest/config';

/** The tests of the rules, which Stryker repeats for each mutant (see stryker.config.json). */
export default defineConfig({
  test: {
    include: ['src/core/**/*.test.ts', 'test/cases/**/*.test.ts', 'test/invariants/plans.test.ts'],
    setupFiles: 'test/support/fixed-seed.ts',
    testTimeout: 120_000,
  },
});
