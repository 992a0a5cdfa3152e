import { expect, test } from 'vitest';
import type { BillingKind, InvoiceLine } from '../documents/invoice.ts';
import { decimal } from '../values/decimal.ts';
import { creditMilestones } from './milestone-credits.ts';

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
  ['nothing without a milestone', [['service', '-500', 61]], [61]],
])('a service adjustment credits %s', (_what, short, codes) => {
  const { lines, credits } = creditMilestones(linesOf(short), ({ amount }) => amount);
  expect(lines.map(({ billingCodeId }) => billingCodeId)).toEqual(codes);
  expect(lines.map(({ amount }) => amount)).toEqual(linesOf(short).map(({ amount }) => amount));
  for (const { credit, milestone } of credits)
    expect([credit.kind, milestone.kind, lines[credit.id]?.kind]).toEqual(['service', 'milestone', 'milestone']);
});
