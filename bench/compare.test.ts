import { expect, test } from 'vitest';
import { kolmogorovSmirnov, quantile } from './compare.ts';

/** Returns a fixed sequence between 0 and 1. */
function numbers(count: number, seed: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  });
}

test('does not distinguish two samples of one distribution, but a shift by a tenth of the range', () => {
  const one = numbers(1_000, 20_250_303);
  const other = numbers(1_000, 7);
  expect(kolmogorovSmirnov(one, other).p).toBeGreaterThan(0.05);
  expect(kolmogorovSmirnov(one, one)).toEqual({ distance: 0, p: 1 });
  expect(
    kolmogorovSmirnov(
      one,
      other.map((value) => value + 0.1),
    ).p,
  ).toBeLessThan(0.001);
});

test('distinguishes a wider spread around the same center', () => {
  const one = numbers(1_000, 3);
  const wider = numbers(1_000, 5).map((value) => 0.5 + (value - 0.5) * 1.5);
  expect(kolmogorovSmirnov(one, wider).p).toBeLessThan(0.001);
});

test('matches a known textbook example', () => {
  expect(kolmogorovSmirnov([1, 2, 3, 4], [3, 4, 5, 6]).distance).toBe(0.5);
  expect(quantile([4, 1, 3, 2], 0.5)).toBe(3);
});
