import { afterAll, expect, test } from 'vitest';
import { minimize } from './minimize.ts';
import { runScenario } from './run-scenario.ts';
import { scenarioOf, type Scenario } from './scenario.ts';
import { stepText } from './step.ts';

/** Set by scripts/chaos.ts. */
const from = Number(process.env['CHAOS_FROM'] ?? 1);
const count = Number(process.env['CHAOS_COUNT'] ?? 10);
/** Minimizing runs a scenario many times, so only `--seed` does it. */
const isMinimized = process.env['CHAOS_MINIMISE'] === 'true';
const timeoutMs = isMinimized ? 3_600_000 : 300_000;

/** Prints progress after this many seeds. */
const progressInterval = 25;

const totals = { scenarios: 0, crashes: 0, faultedRequests: 0, userActions: 0 };
afterAll(() => {
  const { scenarios, crashes, faultedRequests, userActions } = totals;
  process.stdout.write(
    `${scenarios} scenarios: ${faultedRequests} failed requests, ${crashes} crashed workers, ${userActions} user actions\n`,
  );
});

test.each(Array.from({ length: count }, (_, index) => from + index))(
  'seed %i: both services agree after random faults, crashes and user actions',
  { timeout: timeoutMs },
  async (seed) => {
    const scenario = scenarioOf(seed);
    const { violations, crashes, faultedRequests, userActions, history } = await runScenario(scenario);
    totals.scenarios += 1;
    totals.crashes += crashes;
    totals.faultedRequests += faultedRequests;
    totals.userActions += userActions;
    const [first] = violations;
    // Reports failures and progress immediately.
    if (first !== undefined) process.stdout.write(`seed ${seed}: ${first.rule}: ${first.detail}\n`);
    else if (totals.scenarios % progressInterval === 0) process.stdout.write(`${totals.scenarios} of ${count} seeds\n`);
    if (first === undefined) return;
    const isSame = async (shorter: Scenario) =>
      (await runScenario(shorter)).violations.some(({ rule }) => rule === first.rule);
    const minimized = isMinimized ? await minimize(scenario, isSame) : scenario;
    const last = isMinimized ? await runScenario(minimized) : { history };
    expect.fail(
      [
        ...violations.map(({ rule, detail }) => `${rule}: ${detail}`),
        `npm run chaos -- --seed=${seed}, requestid ${scenario.requestid}, invoices numbered by ${scenario.numbering}:`,
        ...minimized.steps.map(stepText),
        'What happened:',
        ...last.history,
      ].join('\n'),
    );
  },
);
