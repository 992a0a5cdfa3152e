import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    name: 'sandbox',
    include: ['src/**/*.test.ts'],
    pool: 'forks',
    // Projects that run together must have the same number of workers.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    // Each test starts its services on free ports, so files can share a process.
    isolate: false,
    // In milliseconds. High, so no test fails on a busy machine.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
