import { expect, test } from 'vitest';
import { summarize, type Summed } from './approval-run.ts';
import type { PostedSum } from './records/drafts.ts';
import type { Problem } from './problems.ts';
import { decimal } from './values/decimal.ts';

const warning = (code: Problem['code'], message: string): Problem => ({
  code,
  treatment: 'warning',
  message,
  remedy: null,
  screen: null,
});
const draft = (
  id: string,
  party: string | null,
  amount: string | null,
  of: { kind?: Summed['kind']; currency?: string; makes?: readonly string[]; warnings?: readonly Problem[] } = {},
): Summed =>
  ({
    id,
    kind: of.kind ?? 'invoice',
    about: { party, amount: amount === null ? null : decimal(amount), currency: of.currency ?? null },
    homeCurrency: 'USD',
    effect: {
      entries: [
        {
          account: 'Debtors',
          className: null,
          taxAgency: null,
          debit: amount === null ? null : decimal(amount.replace('-', '')),
          credit: null,
        },
      ],
      isTaxKnown: true,
    },
    view: { newRecords: (of.makes ?? []).map((name) => ({ list: 'item', name, account: null })) },
    warnings: of.warnings ?? [],
  }) as unknown as Summed;

const drafts = [
  draft('1', 'Birch', '100', { makes: ['Toner'], warnings: [warning('TERM_NOT_FOUND', 'First.')] }),
  draft('2', 'Acme', '-300', { makes: ['Toner', 'Ink'], warnings: [warning('ROUNDING', 'A cent.')] }),
  draft('3', 'Birch', '50', { warnings: [warning('ROUNDING', 'Two cents.'), warning('ROUNDING', 'Three cents.')] }),
  draft('4', 'Cedar', '150', { kind: 'purchase_order', warnings: [warning('DATE_MOVED', 'Moved.')] }),
  draft('5', 'Birch', '7', { currency: 'CAD' }),
  draft('6', null, null),
];
const posted = (kind: Summed['kind'], party: string, currency: string | null, amount: string): PostedSum => ({
  kind,
  party,
  currency,
  count: 2,
  amount: decimal(amount),
});

test("sums drafts by kind and currency and lists parties by amount with last month's total", () => {
  const { count, sums, parties } = summarize(drafts, [
    posted('invoice', 'Birch', null, '80'),
    posted('invoice', 'Birch', 'USD', '5'),
    posted('invoice', 'Birch', 'CAD', '9'),
    posted('purchase_order', 'Birch', null, '1000'),
    posted('invoice', 'Acme', 'CAD', '1000'),
  ]);
  expect(count).toBe(6);
  expect(sums.map((one) => [one.kind, one.currency, one.count, one.amount])).toEqual([
    ['invoice', 'USD', 4, '-150'],
    ['purchase_order', 'USD', 1, '150'],
    ['invoice', 'CAD', 1, '7'],
  ]);
  expect(
    parties.map((one) => [one.party, one.currency, one.count, one.amount, one.lastMonth.count, one.lastMonth.amount]),
  ).toEqual([
    ['Acme', 'USD', 1, '-300', 0, '0'],
    ['Birch', 'USD', 2, '150', 4, '85'],
    ['Cedar', 'USD', 1, '150', 0, '0'],
    ['Birch', 'CAD', 1, '7', 2, '9'],
    ['', 'USD', 1, '0', 0, '0'],
  ]);
});

test('counts documents per new record and groups warnings by code, most drafts first', () => {
  const { newRecords, warnings, effects } = summarize(drafts, []);
  expect(newRecords.map(({ name, documents }) => [name, documents])).toEqual([
    ['Toner', 2],
    ['Ink', 1],
  ]);
  expect(warnings).toEqual([
    { code: 'ROUNDING', message: 'A cent.', draftIds: ['2', '3'] },
    { code: 'DATE_MOVED', message: 'Moved.', draftIds: ['4'] },
    { code: 'TERM_NOT_FOUND', message: 'First.', draftIds: ['1'] },
  ]);
  expect(effects.map(({ currency, entries }) => [currency, entries.map(({ debit }) => debit)])).toEqual([
    ['USD', ['600']],
    ['CAD', ['7']],
  ]);
});
