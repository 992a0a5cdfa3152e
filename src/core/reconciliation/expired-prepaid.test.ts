import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { calendarDate } from '../values/dates.ts';
import { decimal, isNegative, minus, sum, zero } from '../values/decimal.ts';
import { expiredPrepaid, type UnusedPrepaid } from './expired-prepaid.ts';
import { entryOf } from './testing.ts';

const asOf = calendarDate('2025-06-30');
const unused = (left: string, endsOn: string | null, customer: string | null = 'Acme Dental'): UnusedPrepaid => ({
  contract: 'Acme block',
  customer,
  endsOn: endsOn === null ? null : calendarDate(endsOn),
  left: decimal(left),
});
const entry = (amount: string, datedOn: string, partyName: string | null = 'Acme Dental') =>
  entryOf(amount, { type: 'Journal Entry', datedOn: calendarDate(datedOn), partyName });
const listed = (
  all: readonly UnusedPrepaid[],
  others: readonly ReturnType<typeof entry>[] = [],
  more: { readonly graceMonths?: number; readonly balance?: string } = {},
) => {
  const sold = more.balance ?? sum(all.map(({ left }) => left));
  const entries = [entry(sold, '2025-01-03', all[0]?.customer ?? null), ...others];
  return expiredPrepaid({ unused: all, entries, others, asOf, graceMonths: more.graceMonths ?? 0 }).map(
    ({ endedOn, months, left, isDue }) => [endedOn, months, left, isDue],
  );
};

test('lists ended purchases with their age, oldest first, and those that are due', () => {
  const all = [unused('30', '2025-06-30'), unused('20', '2025-03-31'), unused('10', null), unused('5', '2025-07-01')];
  expect(listed(all, [], { graceMonths: 3 })).toEqual([
    ['2025-03-31', 3, '20', true],
    ['2025-06-30', 0, '30', false],
  ]);
  expect(listed([unused('20', '2025-04-01')], [], { graceMonths: 3 })).toEqual([['2025-04-01', 2, '20', false]]);
  expect(listed([unused('20', '2025-04-30')], [], { graceMonths: 2 })).toEqual([['2025-04-30', 2, '20', true]]);
});

test('an earlier entry to income settles the purchase of its amount, then the oldest', () => {
  const all = [unused('20', '2025-03-31'), unused('30', '2025-04-30')];
  expect(listed(all, [entry('-30', '2025-05-31')])).toEqual([['2025-03-31', 3, '20', true]]);
  expect(listed(all, [entry('-25', '2025-05-31')])).toEqual([['2025-04-30', 2, '25', true]]);
  expect(listed(all, [entry('-20', '2025-05-31', null)])).toEqual([['2025-04-30', 2, '30', true]]);
  // Another customer's entry, and one from before the end.
  expect(listed(all, [entry('-20', '2025-05-31', 'Birch Legal')])).toHaveLength(2);
  expect(listed([unused('20', '2025-03-31')], [entry('-20', '2025-02-01')], { balance: '60' })).toHaveLength(1);
});

test('a reversed entry is proposed again', () => {
  const others = [entry('-20', '2025-05-01'), entry('20', '2025-05-31')];
  expect(listed([unused('20', '2025-03-31')], others)).toEqual([['2025-03-31', 3, '20', true]]);
});

test('never proposes more than the account has beside purchases that have not ended', () => {
  expect(listed([unused('20', '2025-03-31'), unused('50', null)], [], { balance: '63' })).toEqual([
    ['2025-03-31', 3, '13', true],
  ]);
  expect(listed([unused('20', '2025-03-31'), unused('50', null)], [], { balance: '50' })).toEqual([]);
});

test('the proposed entries never bring the account into debit', () => {
  const cents = fc.integer({ min: 1, max: 90_000 }).map((amount) => (amount / 100).toFixed(2));
  const day = fc.integer({ min: 1, max: 9 }).map((month) => `2025-0${month}-15`);
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cents, day), { minLength: 1, maxLength: 5 }),
      fc.array(fc.tuple(cents, fc.boolean(), day), { maxLength: 5 }),
      cents,
      (sales, hand, balance) => {
        const all = sales.map(([left, endsOn]) => unused(left, endsOn));
        const others = hand.map(([amount, isCredit, on]) => entry(isCredit ? amount : `-${amount}`, on));
        const proposed = sum(listed(all, others, { balance }).map((row) => decimal(String(row[2]))));
        const whole = sum([decimal(balance), ...others.map(({ amount }) => amount)]);
        expect(proposed === zero || !isNegative(minus(whole, proposed))).toBe(true);
      },
    ),
  );
});
