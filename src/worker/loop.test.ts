import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startLoop } from './loop.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const unexpected = (error: unknown) => {
  throw error;
};

test('runs at once, repeats after the interval, and stops', async () => {
  let rounds = 0;
  const loop = startLoop(1_000, async () => void (rounds += 1), unexpected);
  await vi.advanceTimersByTimeAsync(2_500);
  expect(rounds).toBe(3);
  await loop.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(rounds).toBe(3);
});

test('never overlaps runs; requests meanwhile cause one more run', async () => {
  const ends: (() => void)[] = [];
  const loop = startLoop(1_000, () => new Promise<void>((end) => ends.push(end)), unexpected);
  loop.now();
  loop.now();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(ends).toHaveLength(2);
  const stopped = loop.stop();
  ends[1]?.();
  await stopped;
  expect(ends).toHaveLength(2);
});

test('reports a failed run and continues', async () => {
  const errors: unknown[] = [];
  let rounds = 0;
  const loop = startLoop(
    1_000,
    async () => {
      rounds += 1;
      if (rounds === 1) throw new Error('failed');
    },
    (error) => errors.push(error),
  );
  await vi.advanceTimersByTimeAsync(1_000);
  expect([rounds, errors.length]).toEqual([2, 1]);
  await loop.stop();
});

test('aborts the signal of a run when the loop stops', async () => {
  let handed: AbortSignal | undefined;
  const loop = startLoop(1_000, async (signal) => void (handed = signal), unexpected);
  expect(handed?.aborted).toBe(false);
  await loop.stop();
  expect(handed?.aborted).toBe(true);
});
