import { afterAll, expect, test } from 'vitest';
import { minimise } from './minimise.ts';
import { play } from './play.ts';
import { scenarioOf, type Scenario } from './scenario.ts';
import { stepText } from './step.ts';

/** `npm run chaos` sets both (scripts/chaos.ts). */
const from = Number(process.env['CHAOS_FROM'] ?? 1);
const count = Number(process.env['CHAOS_COUNT'] ?? 10);
/** Shortening a scenario plays it again and again: only where somebody waits for it. */
const isShortened = process.env['CHAOS_MINIMISE'] === 'true';
const longestMs = isShortened ? 3_600_000 : 300_000;

/** Seeds between two lines that say how far a long run is. */
const toldEvery = 25;

const totals = { scenarios: 0, deaths: 0, struck: 0, deeds: 0 };
afterAll(() => {
  const { scenarios, deaths, struck, deeds } = totals;
  process.stdout.write(
    `${scenarios} scenarios: ${struck} requests struck, ${deaths} workers died, ${deeds} things done by people\n`,
  );
});

test.each(Array.from({ length: count }, (_, index) => from + index))(
  'seed %i: whatever is struck, killed or done by people, both sides agree in the end',
  { timeout: longestMs },
  async (seed) => {
    const scenario = scenarioOf(seed);
    const { violations, deaths, struck, deeds, history } = await play(scenario);
    totals.scenarios += 1;
    totals.deaths += deaths;
    totals.struck += struck;
    totals.deeds += deeds;
    const [first] = violations;
    // Failures are told at once, and how far a long run is.
    if (first !== undefined) process.stdout.write(`seed ${seed}: ${first.rule}: ${first.detail}\n`);
    else if (totals.scenarios % toldEvery === 0) process.stdout.write(`${totals.scenarios} of ${count} seeds\n`);
    if (first === undefined) return;
    const isSame = async (shorter: Scenario) =>
      (await play(shorter)).violations.some(({ rule }) => rule === first.rule);
    const shortest = isShortened ? await minimise(scenario, isSame) : scenario;
    const last = isShortened ? await play(shortest) : { history };
    expect.fail(
      [
        ...violations.map(({ rule, detail }) => `${rule}: ${detail}`),
        `npm run chaos -- --seed=${seed}, requestid ${scenario.requestid}, numbered by the ${scenario.numbering}:`,
        ...shortest.steps.map(stepText),
        'What happened:',
        ...last.history,
      ].join('\n'),
    );
  },
);
