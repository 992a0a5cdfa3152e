import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimal, format, isNegative, isPositive, negate, sum } from '../values/decimal.ts';
import { shortfallAfter, shortfallWithout } from './prepaid-shortfall.ts';

const entry = (id: string, partyName: string, amount: string, type = 'Invoice') => ({
  type,
  id,
  partyName,
  amount: decimal(amount),
});
const sale = entry('1', 'Acme', '1350');

test.each([
  ['nothing was used', [sale], '0'],
  ['its money was used', [sale, entry('2', 'Acme', '-810')], '810'],
  ['the block was invoiced again', [sale, entry('2', 'Acme', '-810'), entry('3', 'Acme', '1350')], '0'],
  ['another sale covers a part', [sale, entry('2', 'Acme', '-810'), entry('3', 'Acme', '500')], '310'],
  ['another customer used money', [sale, entry('2', 'Birch', '-810')], '0'],
  ['a credit memo has the same id', [sale, entry('1', 'Acme', '-200', 'Credit Memo')], '200'],
  ['it sold no prepaid work', [entry('2', 'Acme', '-810')], '0'],
])('the balance without the sale, when %s', (_when, entries, shortfall) => {
  expect(format(shortfallWithout(entries, '1'))).toBe(format(decimal(shortfall)));
});

test('without a shortfall, the void of a sale never makes the balance negative', () => {
  const amounts = fc.integer({ min: -100_000, max: 100_000 }).map((cents) => decimal(String(cents / 100)));
  fc.assert(
    fc.property(fc.array(amounts, { minLength: 1, maxLength: 12 }), (all) => {
      const entries = all.map((amount, index) => ({ ...entry(String(index), 'Acme', '0'), amount }));
      for (const { id, amount } of entries) {
        const left = sum(entries.filter((other) => other.id !== id).map((other) => other.amount));
        if (isPositive(amount)) expect(isPositive(shortfallWithout(entries, id))).toBe(isNegative(left));
      }
    }),
    { seed: 20_250_303 },
  );
});

test('without a shortfall, a lower sale never makes the balance negative', () => {
  const cents = fc.integer({ min: -100_000, max: 100_000 }).map((whole) => decimal(String(whole / 100)));
  fc.assert(
    fc.property(fc.array(cents, { minLength: 1, maxLength: 12 }), cents, (all, change) => {
      const entries = all.map((amount, index) => ({ ...entry(String(index), 'Acme', '0'), amount }));
      const left = sum([...all, change]);
      expect(isPositive(shortfallAfter(entries, '0', change))).toBe(isNegative(change) && isNegative(left));
      if (isNegative(change) && isNegative(left)) expect(shortfallAfter(entries, '0', change)).toBe(negate(left));
    }),
    { seed: 20_250_303 },
  );
});
