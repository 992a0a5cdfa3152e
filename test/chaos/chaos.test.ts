import { expect, test } from 'vitest';
import { minimise } from './minimise.ts';
import { play } from './play.ts';
import { scenarioOf, stepText } from './scenario.ts';

/** `npm run chaos` sets both (scripts/chaos.ts). */
const from = Number(process.env['CHAOS_FROM'] ?? 1);
const count = Number(process.env['CHAOS_COUNT'] ?? 10);
/** Shortening a scenario plays it again and again: only where somebody waits for it. */
const isShortened = process.env['CHAOS_MINIMISE'] === 'true';
const longestMs = isShortened ? 3_600_000 : 300_000;

test.each(Array.from({ length: count }, (_, index) => from + index))(
  'seed %i: whatever is struck, killed or done by people, both sides agree in the end',
  { timeout: longestMs },
  async (seed) => {
    const scenario = scenarioOf(seed);
    const { violations } = await play(scenario);
    const [first] = violations;
    if (first === undefined) return;
    const shortest = isShortened
      ? await minimise(scenario, async (shorter) =>
          (await play(shorter)).violations.some(({ rule }) => rule === first.rule),
        )
      : scenario;
    expect.fail(
      [
        ...violations.map(({ rule, detail }) => `${rule}: ${detail}`),
        `npm run chaos -- --seed=${seed}, requestid ${scenario.requestid}:`,
        ...shortest.steps.map(stepText),
      ].join('\n'),
    );
  },
);
