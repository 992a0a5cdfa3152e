import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BatchPlace, In } from '#core/attempt.ts';
import type { Command } from '#core/planning/plan.ts';
import { newAttempt, toPosting } from '#test/support/attempts.ts';
import { composeCalls, sizeFor } from './compose-calls.ts';

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
        if (isOrdered || Math.max(total, ids.length) > 100) expect(calls).toHaveLength(Math.ceil(ids.length / 30));
      },
    ),
    { seed: 20250303, numRuns: 60 },
  );
});

test('sends few documents in about ten calls, many in full ones', () => {
  expect([1, 10, 11, 40, 100, 101, 10_000].map((total) => sizeFor(total, 30))).toEqual([1, 1, 2, 4, 10, 30, 30]);
});

test.each([
  { isOrdered: false, total: 1_000, sizes: [2, 4, 8, 16, 30, 30, 30] },
  { isOrdered: false, total: 450, sizes: [2, 2, 3, 4, 5, 4, 5, 7, 9, 12, 16, 20, 11, 14, 17, 20, 23, 26, 25] },
  { isOrdered: false, total: 100, sizes: [2, 2, 3, 4, 5, 4, 5, 7, 9, 10, 10, 10, 10, 10, 9] },
  { isOrdered: false, total: 3, sizes: [1, 1, 1] },
  { isOrdered: true, total: 100, sizes: [2, 4, 8, 16, 24, 24, 22] },
])('starts a job with small calls, so the first documents are posted early: %j', ({ isOrdered, total, sizes }) => {
  const count = Math.min(total, 300);
  const all = Array.from({ length: count }, (_, index) => waiting(index + 1));
  const composed = composeCalls(all, { total, isOrdered, max: 30, sent: 0 });
  const lengths = composed.map((call) => call.length);
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(count);
  expect(lengths.slice(0, sizes.length)).toEqual(sizes);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(30);
});

test.each([101, 150, 200, 300, 400, 450])('write-backs to the PSA run without a pause for a job of %i', (total) => {
  // Seconds, as measured with both services: `ofObject` for one object in a call; `ofWriteBack` for one write-back, of
  // which three run in parallel; `at` when the documents of a manual job are ready to send.
  const [ofObject, ofWriteBack] = [0.3, 0.25];
  const ready = [
    { count: 16, at: 1.4 },
    { count: 84, at: 2 },
    { count: 300, at: 5 },
    { count: 300, at: 16 },
  ];
  const places = Array.from({ length: 8 }, () => 0);
  const made: { readonly count: number; readonly at: number }[] = [];
  let [from, sent] = [0, 0];
  for (const { count, at } of ready) {
    const chunk = Array.from({ length: Math.min(count, total - from) }, (_, index) => waiting(from + index + 1));
    const calls = composeCalls(chunk, { total, isOrdered: false, max: 30, sent });
    for (const { length } of calls) {
      const began = Math.max(at, Math.min(...places));
      places[places.indexOf(Math.min(...places))] = began + length * ofObject;
      made.push({ count: length, at: began + length * ofObject });
    }
    from += chunk.length;
    sent += calls.length;
  }
  // `written`: documents that could have been written back when the call ends. `posted`: documents available for
  // write-back.
  const inOrder = made.toSorted((a, b) => a.at - b.at);
  const [first] = inOrder;
  let written = 0;
  for (const [index, { at }] of inOrder.entries()) {
    const posted = inOrder.slice(0, index).reduce((sum, { count }) => sum + count, 0);
    written = ((at - (first?.at ?? 0)) * 3) / ofWriteBack;
    // In the first seconds only the first call causes a pause, of less than half a second.
    if (at > 4) expect([at, posted]).toEqual([at, expect.toSatisfy((count: number) => count >= written - 6)]);
  }
});

test('makes later calls larger when a job has already sent some', () => {
  const all = Array.from({ length: 40 }, (_, index) => waiting(index + 1));
  const lengths = (sent: number) =>
    composeCalls(all, { total: 1_000, isOrdered: true, max: 30, sent }).map((call) => call.length);
  expect(lengths(2)).toEqual([8, 16, 16]);
  expect(lengths(4)).toEqual([20, 20]);
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
