import { afterAll, beforeAll, expect, test } from 'vitest';
import { Company } from './run.ts';
import { playSeed } from './seed.ts';

/** Sequences that share a world. A proof reads the whole month, so each sequence makes the next one slower. */
const perWorld = 10;
/** In milliseconds. A failing sequence is played many times to find the shortest one. */
const timeout = 900_000;

/** Registers a test for each seed. */
export function testSeeds(seeds: readonly number[]): void {
  let company: Company;
  let played = 0;
  beforeAll(async () => {
    company = await Company.start();
  });
  afterAll(() => company.close());
  test.each(seeds)(
    'seed %i agrees with the double entry in ledger, advice and proof',
    async (seed) => {
      if (played >= perWorld) {
        await company.close();
        company = await Company.start();
        played = 0;
      }
      played += 1;
      const found = await playSeed(company, seed);
      // Reducing a failing sequence leaves many documents behind, so the next sequence needs a new world.
      if (found !== '') played = perWorld;
      expect(found).toBe('');
    },
    timeout,
  );
}
