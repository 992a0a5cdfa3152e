import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseCreators } from './records.ts';
import type { Row } from './rows.ts';

const planned = (needs: readonly (readonly string[])[]) =>
  needs.map((keys, psaId) => ({ row: { attempt: { psaId } } as Row, keys }));
const idsOf = (rows: readonly Row[]) => rows.map(({ attempt }) => attempt.psaId);

test('rows that need one record create it, before rows that need several', () => {
  const needs = [['a', 'b', 'c'], ['a'], [], ['b'], ['b'], ['c', 'd'], ['e']];
  expect(idsOf(chooseCreators(planned(needs)))).toEqual([1, 3, 6, 5]);
});

test('no record is created by two rows, and there is a creator as long as one is needed', () => {
  const keys = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(keys, { maxLength: 12 }), (needs) => {
      const chosen = idsOf(chooseCreators(planned(needs))).flatMap((index) => needs[index] ?? []);
      expect(new Set(chosen).size).toBe(chosen.length);
      expect(chosen.length > 0).toBe(needs.some((one) => one.length > 0));
    }),
    { seed: 20250303, numRuns: 100 },
  );
});
