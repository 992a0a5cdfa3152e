import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AccountingDocument } from '../documents/accounting-document.ts';
import { calendarDate } from '../values/dates.ts';
import {
  decimal,
  format,
  isNegative,
  isPositive,
  negate,
  sum,
  equals,
  minus,
  round2,
  times,
  zero,
} from '../values/decimal.ts';
import {
  balanceInCurrency,
  ledgerNamesOf,
  shortfallAfter,
  shortfallWithout,
  recordedRate,
} from './prepaid-shortfall.ts';
import { documentOf } from '../reconciliation/testing.ts';

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
  ['it used money itself', [sale, entry('2', 'Acme', '-810'), entry('1', 'Acme', '-500')], '810'],
  ['it sold no prepaid work', [entry('2', 'Acme', '-810')], '0'],
])('the balance without the sale, when %s', (_when, entries, shortfall) => {
  expect(format(shortfallWithout(entries, { type: 'Invoice', id: '1' }))).toBe(format(decimal(shortfall)));
});

test('without a shortfall, the void of a sale never makes the balance negative', () => {
  const amounts = fc.integer({ min: -100_000, max: 100_000 }).map((cents) => decimal(String(cents / 100)));
  fc.assert(
    fc.property(fc.array(amounts, { minLength: 1, maxLength: 12 }), (all) => {
      const entries = all.map((amount, index) => ({ ...entry(String(index), 'Acme', '0'), amount }));
      for (const { id, amount } of entries) {
        const left = sum(entries.filter((other) => other.id !== id).map((other) => other.amount));
        if (isPositive(amount))
          expect(isPositive(shortfallWithout(entries, { type: 'Invoice', id }))).toBe(isNegative(left));
      }
    }),
    { seed: 20_250_303 },
  );
});

test('without a shortfall, a change never makes the balance negative', () => {
  const cents = fc.integer({ min: -100_000, max: 100_000 }).map((whole) => decimal(String(whole / 100)));
  fc.assert(
    fc.property(cents, cents, (balance, change) => {
      const left = sum([balance, change]);
      expect(isPositive(shortfallAfter(balance, change))).toBe(isNegative(change) && isNegative(left));
      if (isNegative(change) && isNegative(left)) expect(shortfallAfter(balance, change)).toBe(negate(left));
    }),
    { seed: 20_250_303 },
  );
});

test('finds the entries of a sub-customer under its full name', () => {
  const customer = (id: string, displayName: string, parentId: string | null = null) => ({
    id,
    displayName,
    companyName: null,
    isActive: true,
    email: null,
    billingAddress: null,
    shippingAddress: null,
    currency: null,
    parentId,
  });
  const customers = [customer('1', 'Acme'), customer('2', 'North', '1'), customer('3', 'Lab', '2')];
  expect([...ledgerNamesOf('Lab', { customers })]).toEqual(['Lab', 'Acme:North:Lab']);
  expect([...ledgerNamesOf('Acme', { customers })]).toEqual(['Acme']);
  expect([...ledgerNamesOf('New', { customers })]).toContain('New');
});

test('a foreign balance has the amounts of its documents, and other entries at the rate of the day', () => {
  const documents = [
    { ...documentFor('1', '1000'), exchangeRate: decimal('0.74') },
    { ...documentFor('2', '-400'), exchangeRate: decimal('0.76') },
  ];
  const entries = [entry('1', 'Maple', '740'), entry('2', 'Maple', '-304'), entry('9', 'Maple', '75', 'Journal Entry')];
  const amountOf = ({ total }: AccountingDocument) => total;
  expect(format(balanceInCurrency(entries, documents, decimal('0.75'), amountOf))).toBe('700.00');
});

const documentFor = (id: string, total: string) =>
  documentOf(Number(id), total, {
    number: id,
    party: { id: '60', name: 'Maple' },
    datedOn: calendarDate('2025-03-03'),
    currency: 'CAD',
    balance: decimal('0'),
    lines: [],
  });

test('a balance that is taken at its recorded rate ends at 0 in both currencies', () => {
  const cents = fc.integer({ min: 1, max: 100_000_000 }).map((whole) => decimal((whole / 100).toFixed(2)));
  const rates = fc.integer({ min: 10, max: 300_000 }).map((whole) => decimal((whole / 10_000).toFixed(4)));
  fc.assert(
    fc.property(
      cents,
      rates,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
      (own, at, parts) => {
        let balance = { own, home: round2(times(own, at)) };
        fc.pre(!equals(balance.home, zero));
        for (const part of [...parts, 1]) {
          const taken = part === 1 ? balance.own : round2(times(balance.own, decimal(part.toFixed(4))));
          const home = round2(times(taken, recordedRate(balance)));
          balance = { own: minus(balance.own, taken), home: minus(balance.home, home) };
          if (equals(balance.own, zero) || !balance.home.match(/[1-9]/)) break;
        }
        if (equals(balance.own, zero)) expect(balance.home).toBe(zero);
      },
    ),
    { seed: 20_250_303 },
  );
});

test('a rate has as few decimals as give the amount in the home currency', () => {
  expect(recordedRate({ own: decimal('1350'), home: decimal('999.27') })).toBe('0.7402');
  expect(recordedRate({ own: decimal('945'), home: decimal('699.49') })).toBe('0.7402');
});
