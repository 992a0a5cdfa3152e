import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Tests that need nothing but the code: no process, no database, no network, no clock but the one they are given. */
const pure = [
  'src/{core,contract,web}/**/*.test.{ts,tsx}',
  'src/store/server-output.test.ts',
  'scripts/**/*.test.ts',
  'bench/**/*.test.ts',
  'test/cases/**/*.test.ts',
  'test/invariants/plans.test.ts',
  'test/words.test.ts',
  'test/docs.test.ts',
  'test/sweep/mutants.test.ts',
];

/**
 * Files that take longest, or wait for processes most of their time: they begin first, so that the others fill their
 * pauses and none of them is left alone at the end. A machine that ran them before would know; a fresh one does not.
 */
const longest = [
  'test/scenarios/killed.test.ts',
  'test/scenarios/company-life.test.ts',
  'test/isolation/matrix.test.ts',
  'test/scenarios/clock-skew.test.ts',
  'test/sweep/sweep.test.ts',
  'test/scenarios/starting.test.ts',
  'test/scenarios/database-restart.test.ts',
  'test/chaos/chaos.test.ts',
  'src/main/admin.test.ts',
  'test/scenarios/seed.test.ts',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((name) => moduleId.endsWith(`/${name}`));
      return at === -1 ? longest.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

/** In milliseconds: a busy machine is no reason to fail. */
const onlyWhatHangs = 120_000;

/** Everything but the browser journeys, which Playwright runs (see playwright.config.ts). */
export default defineConfig({
  test: {
    // Much of the time is spent waiting for processes and services: three files at once even on two cores.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'rules',
          include: pure,
          pool: 'forks',
          // They share no state, so files share a process: starting one costs more than most of them.
          isolate: false,
          testTimeout: onlyWhatHangs,
          unstubEnvs: true,
        },
      },
      {
        test: {
          name: 'services',
          include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.{ts,tsx}'],
          exclude: [...pure, 'node_modules/**', 'dist/**', 'test/browser/**'],
          pool: 'forks',
          // Every world has a database, services and ports of its own; a process for each file took a quarter of the time.
          isolate: false,
          globalSetup: ['test/support/postgres.ts'],
          testTimeout: onlyWhatHangs,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 60_000 } },
          unstubEnvs: true,
        },
      },
    ],
  },
});
