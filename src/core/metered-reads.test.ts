import { expect, test } from 'vitest';
import {
  beyondSentence,
  costBeyond,
  isBlockedBeyond,
  nextReadMonth,
  readMonth,
  readPercent,
  type TierName,
  tierNames,
  tiers,
} from './metered-reads.ts';
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

test.each([
  ['silver', 999_999, 0],
  ['silver', 1_000_001, 3.5],
  ['silver', 1_250_000, 875],
  ['platinum', 75_002_000, 0.5],
  ['builder', 600_000, null],
  ['gold', 11_000_000, null],
] as const)('%s: %i calls cost %o dollars beyond the share', (tier, calls, cost) => {
  expect(costBeyond(calls, { tier, calls: tiers[tier].calls })).toBe(cost);
});

test('only Builder blocks, and each tier tells what follows', () => {
  const of = (tier: TierName) => ({ tier, calls: tiers[tier].calls });
  expect(tierNames.filter((tier) => isBlockedBeyond(of(tier)))).toEqual(['builder']);
  expect(beyondSentence(of('builder'), 'Dec 1, 2026')).toContain('blocks reads until Dec 1, 2026');
  expect(beyondSentence(of('silver'), 'Dec 1, 2026')).toBe(
    'Nothing is blocked. Intuit bills $3.50 per 1,000 further calls of the Silver tier.',
  );
  expect(beyondSentence(of('platinum'), 'Dec 1, 2026')).toContain('$0.25 per 1,000');
  expect(beyondSentence(of('gold'), 'Dec 1, 2026')).toContain('the price of the Gold tier is in');
});
