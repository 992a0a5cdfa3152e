import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BatchPlace, In } from '#core/attempt.ts';
import type { Command } from '#core/planning/plan.ts';
import { newAttempt, toPosting } from '#test/support/attempts.ts';
import { composeCalls } from './send-call.ts';

const waiting = (psaId: number, batch: BatchPlace | null = null, command?: Command) => {
  const planning: In<'planning'> = {
    ...newAttempt({ psaId }),
    id: String(psaId),
    state: 'planning',
    generation: 1,
    revision: 0,
    transcript: [],
    warnings: [],
    notBefore: null,
  };
  const posting: In<'posting'> = toPosting(planning);
  const plan = command === undefined ? posting.plan : { ...posting.plan, commands: [command] };
  return { ready: { from: planning, to: { ...posting, plan, batch } } };
};
const idsOf = (calls: readonly (readonly ReturnType<typeof waiting>[])[]): number[][] =>
  calls.map((call) => call.map(({ ready }) => ready.from.psaId));

test('puts every command in exactly one call within the limit', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 5_000 }), { maxLength: 120 }),
      fc.integer({ min: 1, max: 2_000 }),
      fc.boolean(),
      (ids, total, isOrdered) => {
        const calls = idsOf(
          composeCalls(
            ids.map((id) => waiting(id)),
            { total, isOrdered, max: 30, sent: 100 },
          ),
        );
        expect(calls.flat()).toEqual(ids.toSorted((a, b) => a - b));
        for (const call of calls) expect(call.length).toBeLessThanOrEqual(30);
      },
    ),
    { seed: 20250303, numRuns: 60 },
  );
});

test.each([
  { isOrdered: false, total: 1_000, sizes: [2, 4, 8, 16, 30, 30, 10] },
  { isOrdered: false, total: 480, sizes: [2, 4, 8, 16, 20, 20, 20, 10] },
  { isOrdered: false, total: 24, sizes: Array.from({ length: 24 }, () => 1) },
  { isOrdered: false, total: 3, sizes: [1, 1, 1] },
  { isOrdered: true, total: 1_000, sizes: [2, 4, 8, 16, 30, 30, 10] },
  { isOrdered: true, total: 40, sizes: [2, 4, 8, 16, 10] },
])('doubles the calls of a job up to the largest: %j', ({ isOrdered, total, sizes }) => {
  const all = Array.from({ length: Math.min(total, 100) }, (_, index) => waiting(index + 1));
  const composed = composeCalls(all, { total, isOrdered, max: 30, sent: 0 });
  expect(composed.map((call) => call.length)).toEqual(sizes);
});

test('makes later calls larger when a job has already sent some', () => {
  const all = Array.from({ length: 40 }, (_, index) => waiting(index + 1));
  const lengths = (sent: number) =>
    composeCalls(all, { total: 1_000, isOrdered: true, max: 30, sent }).map((call) => call.length);
  expect(lengths(2)).toEqual([8, 16, 16]);
  expect(lengths(4)).toEqual([30, 10]);
});

test('resends the same batches, separate from new commands', () => {
  const place = (id: string, item: string) => ({ id, item });
  const all = [
    waiting(9),
    waiting(3, place('b', '3')),
    waiting(1, place('a', '1')),
    waiting(2, place('b', '2')),
    waiting(8),
  ];
  const calls = composeCalls(all, { total: 200, isOrdered: false, max: 30, sent: 100 });
  expect(idsOf(calls)).toEqual([[1], [2, 3], [8, 9]]);
});

test('sends a void alone', () => {
  const command = { do: 'void', type: 'Invoice', id: '1', syncToken: '0' } as const;
  const calls = composeCalls([waiting(1), waiting(2, null, command), waiting(3)], {
    total: 200,
    isOrdered: true,
    max: 30,
    sent: 100,
  });
  expect(idsOf(calls)).toEqual([[1, 3], [2]]);
});
