import { describe, expect, test } from 'vitest';
import type { DocumentViewReply, SourceReply } from '#contract/planned.ts';
import { compareAmounts, compareFacts, compareLines } from './compare.ts';

const blank = { item: null, account: null, class: null, tax: null, customer: null };
const line = (description: string, quantity: string | null, price: string | null, amount: string) => ({
  description,
  quantity,
  unit_price: price,
  amount,
});
const inBooks = (...of: Parameters<typeof line>) => ({ ...blank, ...line(...of) });

const source: SourceReply = {
  party: 'Acme Dental',
  number: '48213',
  date: '2026-10-05',
  due: '2026-11-04',
  lines: [line('Managed Workstation', '4', '25', '100'), line('Setup', '3', '33.333', '100')],
  tax: '8.25',
  total: '208.25',
};
const document: DocumentViewReply = {
  form: 'invoice',
  party: 'Acme Dental',
  number: '48213',
  date: '2026-10-05',
  due: '2026-11-04',
  terms: null,
  currency: null,
  lines: [inBooks('Managed Workstation', '4.00', '25', '100.00'), inBooks('3 × 33.333 Setup', '1', '100', '100')],
  subtotal: '200',
  tax: '8.25',
  tax_known: true,
  total: '208.25',
  source,
};
const marked = (one: DocumentViewReply) =>
  compareFacts(one, 'QuickBooks').flatMap(({ label, why }) => why ?? [label].slice(1));

describe('comparing a document with the PSA', () => {
  test('marks no equal values in any notation', () => {
    expect(marked(document)).toEqual([]);
    expect(compareAmounts(document, 'QuickBooks')).toEqual({ tax: null, total: null });
    expect(compareLines(document, 'Autotask')[0]?.why).toBeNull();
  });

  test('explains a price that was computed from the amount', () => {
    expect(compareLines(document, 'Autotask')[1]?.why).toMatch(/^Priced so that/);
  });

  test('explains differences of customer, number, date, due date, tax, and total', () => {
    const other = {
      ...document,
      party: 'Acme Dental Group',
      number: null,
      date: '2026-11-01',
      due: '2026-12-01',
      terms: 'Net 30',
      tax: '9',
      total: '209',
    };
    expect(marked(other)).toEqual([
      'Goes by this name in QuickBooks: mapped, or found there',
      'Numbered by QuickBooks',
      'Moved: the books are closed for that day',
      'QuickBooks counts it from the terms',
    ]);
    expect(compareAmounts(other, 'QuickBooks')).toEqual({
      tax: 'By the rates of QuickBooks',
      total: 'Follows from the lines and the tax',
    });
    expect(compareAmounts({ ...document, tax_known: false }, 'QuickBooks').tax).toBe('QuickBooks decides the tax');
  });

  test('aligns lines in any order; an added or grouped line has no counterpart', () => {
    const [first, second] = document.lines;
    const rounding = inBooks('Rounding', null, null, '0.01');
    const turned = { ...document, lines: [second ?? rounding, first ?? rounding, rounding] };
    expect(compareLines(turned, 'Autotask').map(({ psa }) => psa?.description ?? null)).toEqual([
      'Setup',
      'Managed Workstation',
      null,
    ]);
    expect(compareLines(turned, 'Autotask')[2]?.why).toMatch(/added to come to the same total$/);
    const grouped = { ...document, lines: [inBooks('All', '1', '200', '200')] };
    expect(compareLines(grouped, 'Autotask').map(({ books }) => books?.description ?? null)).toEqual([
      'All',
      null,
      null,
    ]);
  });

  test('a credit memo is negative in the PSA and positive in QuickBooks without a difference', () => {
    const memo: DocumentViewReply = {
      ...document,
      form: 'credit_memo',
      due: null,
      lines: [inBooks('Returned', '1', '50', '50')],
      subtotal: '50',
      tax: '0',
      total: '50',
      source: { ...source, due: null, lines: [line('Returned', '1', '-50', '-50')], tax: '0', total: '-50' },
    };
    expect(compareLines(memo, 'Autotask')).toMatchObject([{ why: null, psa: { amount: '-50' } }]);
    expect(compareAmounts(memo, 'QuickBooks')).toEqual({ tax: null, total: null });
  });

  test('marks nothing without the PSA document', () => {
    const alone = { ...document, source: null };
    expect(marked(alone)).toEqual([]);
    expect(compareLines(alone, 'Autotask').every(({ why }) => why === null)).toBe(true);
  });
});
