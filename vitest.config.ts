import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests without process, database, network, or the machine's clock. */
const pure = [
  'src/{core,contract,web}/**/*.test.{ts,tsx}',
  'src/store/server-output.test.ts',
  'src/flows/access/passwords.test.ts',
  'scripts/{check-imports,migration,release}.test.ts',
  'test/cases/**/*.test.ts',
  'test/invariants/{pairs,plans}.test.ts',
  'test/docs.test.ts',
  'test/help.test.ts',
  'test/disasters/mutants.test.ts',
];

/** Disasters, the image, and tests of test tools: `npm run test:nightly`. */
const nightly = [
  'test/image/**/*.test.ts',
  'test/disasters/{checker,crash-points,disasters,scenario}.test.ts',
  'test/double-entry/seeds.test.ts',
  'test/scenarios/company-life.test.ts',
  'scripts/soak-*.test.ts',
  'bench/**/*.test.ts',
];

/** The slowest files. They start first, so none of them runs alone at the end. */
const slowest = [
  'test/scenarios/stopping.test.ts',
  'test/scenarios/starting.test.ts',
  'test/scenarios/killed.test.ts',
  'test/isolation/matrix.test.ts',
  'test/scenarios/clock-skew.test.ts',
  'test/scenarios/database-restart.test.ts',
  'test/scenarios/ledger-restored.test.ts',
  'test/scenarios/prepaid.test.ts',
  'test/scenarios/voids.test.ts',
];

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = slowest.findIndex((name) => moduleId.endsWith(`/${name}`));
      return at === -1 ? slowest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

/** In milliseconds. High, so no test fails on a busy machine. */
const hangTimeoutMs = 120_000;

/** Tests with a database and services. */
const withServices = {
  pool: 'forks' as const,
  // Each test world has a separate database, services, and ports, so files can share a process.
  isolate: false,
  globalSetup: 'test/support/postgres.ts',
  setupFiles: ['test/support/fixed-seed.ts', 'test/support/quick-passwords.ts'],
  testTimeout: hangTimeoutMs,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  unstubEnvs: true,
};

/** All tests except the browser journeys, which Playwright runs (see playwright.config.ts). */
export default defineConfig({
  test: {
    // Tests often wait for processes and services, so three files run at once even on two cores.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    sequence: { sequencer: SlowestFirst },
    projects: [
      {
        test: {
          name: 'rules',
          include: pure,
          pool: 'forks',
          // Starting a process costs more than most of these files.
          isolate: false,
          setupFiles: 'test/support/fixed-seed.ts',
          testTimeout: hangTimeoutMs,
          unstubEnvs: true,
        },
      },
      {
        test: {
          name: 'services',
          include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.{ts,tsx}'],
          exclude: [...pure, ...nightly, 'node_modules/**', 'dist/**', 'test/browser/**'],
          ...withServices,
        },
      },
      'packages/*',
      { test: { name: 'nightly', include: nightly, ...withServices } },
    ],
  },
});
