import { expect, test } from 'vitest';
import { nextReadMonth, readMonth, readPercent } from './metered-reads.ts';
import { instant } from './values/dates.ts';

test.each([
  ['2026-11-26T12:00:00Z', '2026-11', '2026-12-01'],
  ['2026-12-01T07:59:59Z', '2026-11', '2026-12-01'],
  ['2026-12-01T08:00:00Z', '2026-12', '2027-01-01'],
  ['2026-07-01T06:59:59Z', '2026-06', '2026-07-01'],
  ['2024-02-29T20:00:00Z', '2024-02', '2024-03-01'],
])('reads at %s count for %s, and the next month begins on %s', (at, month, next) => {
  expect(readMonth(instant(at))).toBe(month);
  expect(nextReadMonth(instant(at))).toBe(next);
});

test.each([
  [0, 0],
  [349_999, 69],
  [350_000, 70],
  [499_999, 99],
  [500_000, 100],
  [600_000, 120],
])('%i reads are %i percent of the limit', (reads, percent) => {
  expect(readPercent(reads, 500_000)).toBe(percent);
});
