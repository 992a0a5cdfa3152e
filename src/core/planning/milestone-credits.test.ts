import { expect, test } from 'vitest';
import type { BillingKind, InvoiceLine } from '../documents/invoice.ts';
import { decimal } from '../values/decimal.ts';
import { creditMilestones } from './milestone-credits.ts';

const byCode = {
  amountOf: ({ amount }: InvoiceLine) => amount,
  itemOf: ({ billingCodeId }: InvoiceLine) => String(billingCodeId),
};

type Short = readonly [kind: BillingKind, amount: string, billingCodeId: number | null, contractId?: number | null];

/** Sets the fields that the rule reads; all others are empty. */
const linesOf = (short: readonly Short[]): readonly InvoiceLine[] =>
  short.map(([kind, amount, billingCodeId, contractId = null], id) => ({
    id,
    sortOrder: id,
    kind,
    itemName: `line ${id}`,
    description: null,
    fullDescription: null,
    groupDescription: null,
    servedOn: null,
    quantity: decimal('1'),
    rate: decimal(amount),
    extendedPrice: decimal(amount),
    amount: decimal(amount),
    internalAmount: decimal(amount),
    internalRate: decimal(amount),
    tax: decimal('0'),
    internalTax: decimal('0'),
    taxCategoryId: null,
    billingCodeId,
    roleId: null,
    contractId,
    productId: null,
    lineOfBusinessId: null,
  }));

test.each<readonly [what: string, lines: readonly Short[], codes: readonly (number | null)[]]>([
  [
    'the whole milestone',
    [
      ['milestone', '500', 71],
      ['service', '-500', 61],
    ],
    [71, 71],
  ],
  [
    'a part of a milestone',
    [
      ['milestone', '500', 71],
      ['service', '-120.50', 61],
    ],
    [71, 71],
  ],
  [
    'a milestone that comes after it',
    [
      ['service', '-500', 61],
      ['milestone', '500', 71],
    ],
    [71, 71],
  ],
  [
    'the milestone of the same amount',
    [
      ['milestone', '900', 71],
      ['milestone', '500', 72],
      ['service', '-500', 61],
    ],
    [71, 72, 72],
  ],
  [
    'one milestone twice',
    [
      ['milestone', '500', 71],
      ['service', '-300', 61],
      ['service', '-200', 61],
    ],
    [71, 71, 71],
  ],
  [
    'no more than the milestone',
    [
      ['milestone', '500', 71],
      ['service', '-300', 61],
      ['service', '-300', 61],
    ],
    [71, 71, 61],
  ],
  [
    'a milestone, without a billing code',
    [
      ['milestone', '500', 71],
      ['service', '-500', null],
    ],
    [71, 71],
  ],
  [
    'no milestone of another contract',
    [
      ['milestone', '500', 71, 8],
      ['service', '-500', 61, 9],
    ],
    [71, 61],
  ],
  [
    'nothing when the service itself is charged',
    [
      ['milestone', '500', 71],
      ['service', '800', 61],
      ['service', '-500', 61],
    ],
    [71, 61, 61],
  ],
  [
    'nothing when it is for work or goods',
    [
      ['milestone', '500', 71],
      ['labor', '-500', 29],
      ['charge', '-500', 51],
    ],
    [71, 29, 51],
  ],
  [
    'several milestones together',
    [
      ['milestone', '1000', 71],
      ['milestone', '500', 71],
      ['milestone', '200', 71],
      ['service', '-1300', 61],
    ],
    [71, 71, 71, 71],
  ],
  ['nothing without a milestone', [['service', '-500', 61]], [61]],
])('a service adjustment credits %s', (_what, short, codes) => {
  const { lines, credits } = creditMilestones(linesOf(short), byCode);
  expect(lines.map(({ billingCodeId }) => billingCodeId)).toEqual(codes);
  expect(lines.map(({ amount }) => amount)).toEqual(linesOf(short).map(({ amount }) => amount));
  for (const { credit, milestone } of credits)
    expect([credit.kind, milestone.kind, lines[credit.id]?.kind]).toEqual(['service', 'milestone', 'milestone']);
});

/** Returns each line as `billing code amount`, and the number of credits that are unclear. */
function credited(short: readonly Short[], others: readonly (readonly Short[])[] = [], isBefore = true) {
  const { lines, unclear } = creditMilestones(linesOf(short), {
    ...byCode,
    others: others.map((one) => ({ lines: linesOf(one), isBefore })),
  });
  return [...lines.map(({ billingCodeId, amount }) => `${billingCodeId} ${amount}`), ...unclear.map(() => 'unclear')];
}

test('a credit of three milestones reverses the account of each', () => {
  expect(
    credited([
      ['milestone', '1000', 71],
      ['milestone', '500', 72],
      ['milestone', '200.25', 73],
      ['milestone', '90', 74],
      ['service', '-1700.25', 61],
    ]),
  ).toEqual(['71 1000', '72 500', '73 200.25', '74 90', '71 -1000', '72 -500', '73 -200.25']);
});

test.each<[what: string, short: readonly Short[]]>([
  [
    'a part of either milestone',
    [
      ['milestone', '1000', 71],
      ['milestone', '500', 72],
      ['service', '-400', 61],
    ],
  ],
  [
    'either of two milestones of the same amount',
    [
      ['milestone', '500', 71],
      ['milestone', '500', 72],
      ['service', '-500', 61],
    ],
  ],
  [
    'parts of both milestones',
    [
      ['milestone', '1000', 71],
      ['milestone', '500', 72],
      ['service', '-1200', 61],
    ],
  ],
])('a credit is unclear when it may reverse %s', (_what, short) => {
  expect(credited(short).at(-1)).toBe('unclear');
});

test.each<[what: string, short: readonly Short[], others: readonly Short[], code: string]>([
  ['the milestone of another invoice', [['service', '-500', 61, 8]], [['milestone', '500', 71, 8]], '71 -500'],
  ['a part of it', [['service', '-120', 61, 8]], [['milestone', '500', 71, 8]], '71 -120'],
  [
    'the milestone of the same amount',
    [['service', '-500', 61, 8]],
    [
      ['milestone', '900', 72, 8],
      ['milestone', '500', 71, 8],
    ],
    '71 -500',
  ],
  [
    'nothing when another invoice charges the service',
    [['service', '-500', 61, 8]],
    [
      ['milestone', '500', 71, 8],
      ['service', '800', 61, 8],
    ],
    '61 -500',
  ],
  ['nothing of another contract', [['service', '-500', 61, 9]], [['milestone', '500', 71, 8]], '61 -500'],
  ['nothing without a contract', [['service', '-500', 61]], [['milestone', '500', 71, 8]], '61 -500'],
  ['an unclear part of them', [['service', '-600', 61, 8]], [['milestone', '500', 71, 8]], 'unclear'],
  [
    'an unclear one of two',
    [['service', '-300', 61, 8]],
    [
      ['milestone', '500', 71, 8],
      ['milestone', '400', 72, 8],
    ],
    'unclear',
  ],
])('a service adjustment without a milestone on its invoice credits %s', (_what, short, others, code) => {
  expect(credited(short, [others]).at(-1)).toBe(code);
});

test('parts of a credit add up to it, with its tax', () => {
  const lines = linesOf([
    ['milestone', '1000', 71],
    ['milestone', '500', 72],
    ['service', '-1500', 61],
  ]).map((line) => ({ ...line, tax: decimal(line.kind === 'service' ? '-123.75' : '0') }));
  const parts = creditMilestones(lines, byCode).lines.slice(2);
  expect(parts.map(({ tax, quantity, rate }) => [tax, quantity, rate])).toEqual([
    ['-82.5', '1', '-1000'],
    ['-41.25', '1', '-500'],
  ]);
});

const milestones: readonly Short[] = [
  ['milestone', '500', 71, 8],
  ['milestone', '900', 72, 8],
];
const credit: readonly Short[] = [['service', '-500', 61, 8]];

test.each<[what: string, others: readonly (readonly Short[])[], isBefore: boolean, code: string]>([
  ['is credited for the first time', [milestones], true, '71 -500'],
  ['was credited on an earlier invoice', [milestones, credit], true, '72 -500'],
  ['is credited on a later invoice that is not posted', [milestones, credit], false, '71 -500'],
  [
    'was credited in part on an earlier invoice',
    [milestones.slice(0, 1), [['service', '-200', 61, 8]]],
    true,
    'unclear',
  ],
])('a credit of another invoice’s milestone, which %s', (_what, others, isBefore, code) => {
  expect(credited(credit, others, isBefore).at(-1)).toBe(code);
});

test('distinguishes milestones of one billing code by their items', () => {
  const lines = linesOf([
    ['milestone', '500', 71],
    ['milestone', '900', 71],
    ['service', '-400', 61],
  ]);
  const facts = { ...byCode, itemOf: ({ itemName }: InvoiceLine) => String(itemName) };
  expect(creditMilestones(lines, facts).unclear).toHaveLength(1);
  const whole = lines.map((line) => (line.kind === 'service' ? { ...line, amount: decimal('-900') } : line));
  expect(creditMilestones(whole, facts).lines.at(-1)).toMatchObject({ namedLike: 'line 1', itemName: 'line 2' });
});
