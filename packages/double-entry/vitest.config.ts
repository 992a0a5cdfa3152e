import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'double-entry',
    include: ['src/**/*.test.ts'],
    pool: 'forks',
    // Projects that run together must have the same number of workers.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    isolate: false,
    // In milliseconds. High, so no test fails on a busy machine.
    testTimeout: 120_000,
  },
});
