import { expect, test } from 'vitest';
import { roundingLimit, roundingOf } from './verify.ts';

test.each([
  [0, '0', '0.05'],
  [1, '0.005', '0.05'],
  [10, '0.05', '0.05'],
  [11, '0.055', '0.055'],
  [40, '0.2', '0.2'],
])('%i amounts round by at most %s and may differ by %s', (count, rounding, limit) => {
  expect([roundingOf(count), roundingLimit(count)]).toEqual([rounding, limit]);
});
