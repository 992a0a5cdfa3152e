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
const planned = (...of: Parameters<typeof line>) => ({ ...blank, ...line(...of) });

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
  lines: [planned('Managed Workstation', '4.00', '25', '100.00'), planned('3 × 33.333 Setup', '1', '100', '100')],
  subtotal: '200',
  tax: '8.25',
  tax_known: true,
  total: '208.25',
  source,
};
const marked = (one: DocumentViewReply) =>
  compareFacts(one, 'QuickBooks').flatMap(({ label, why }) => why ?? [label].slice(1));

describe('comparison with the PSA’s document', () => {
  test('ignores equal values in different notation', () => {
    expect(marked(document)).toEqual([]);
    expect(compareAmounts(document, 'QuickBooks')).toEqual({ tax: null, total: null });
    expect(compareLines(document, 'Autotask')[0]?.why).toBeNull();
  });

  test('explains a changed price', () => {
    expect(compareLines(document, 'Autotask')[1]?.why).toMatch(/^Quantity and price changed/);
  });

  test('explains differences of customer, number, dates, tax and total', () => {
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
      'Mapped or matched to this name in QuickBooks',
      'Numbered by QuickBooks',
      'Moved because the books are closed for that day',
      'QuickBooks calculates it from the terms',
    ]);
    expect(compareAmounts(other, 'QuickBooks')).toEqual({
      tax: 'Calculated with QuickBooks tax rates',
      total: 'Sum of lines and tax',
    });
    expect(compareAmounts({ ...document, tax_known: false }, 'QuickBooks').tax).toBe('QuickBooks decides the tax');
  });

  test('matches lines in any order; added and grouped lines have no match', () => {
    const [first, second] = document.lines;
    const rounding = planned('Rounding', null, null, '0.01');
    const reordered = { ...document, lines: [second ?? rounding, first ?? rounding, rounding] };
    expect(compareLines(reordered, 'Autotask').map(({ psa }) => psa?.description ?? null)).toEqual([
      'Setup',
      'Managed Workstation',
      null,
    ]);
    expect(compareLines(reordered, 'Autotask')[2]?.why).toMatch(/corrects the total$/);
    const grouped = { ...document, lines: [planned('All', '1', '200', '200')] };
    expect(compareLines(grouped, 'Autotask').map(({ accounting }) => accounting?.description ?? null)).toEqual([
      'All',
      null,
      null,
    ]);
  });

  test('the sign of a credit memo is not a difference', () => {
    const memo: DocumentViewReply = {
      ...document,
      form: 'credit_memo',
      due: null,
      lines: [planned('Returned', '1', '50', '50')],
      subtotal: '50',
      tax: '0',
      total: '50',
      source: { ...source, due: null, lines: [line('Returned', '1', '-50', '-50')], tax: '0', total: '-50' },
    };
    expect(compareLines(memo, 'Autotask')).toMatchObject([{ why: null, psa: { amount: '-50' } }]);
    expect(compareAmounts(memo, 'QuickBooks')).toEqual({ tax: null, total: null });
  });

  test('marks nothing without the PSA’s document', () => {
    const alone = { ...document, source: null };
    expect(marked(alone)).toEqual([]);
    expect(compareLines(alone, 'Autotask').every(({ why }) => why === null)).toBe(true);
  });
});

describe('comparison of a posted document as both services have it now', () => {
  const reasons = (now: DocumentViewReply) => [
    ...compareFacts(now, 'QuickBooks', document).map(({ why }) => why),
    ...compareLines(now, 'Autotask', 'QuickBooks', document).map(({ why }) => why),
    compareAmounts(now, 'QuickBooks', document, 'Autotask').total,
  ];
  const changes = (now: DocumentViewReply) =>
    reasons(now).filter((why) => why !== null && !why.startsWith('Quantity and price changed'));

  test('names nothing while both are unchanged', () => {
    expect(changes(document)).toEqual([]);
  });

  test('names each value that changed in QuickBooks, with the value as posted', () => {
    const [first] = document.lines;
    const now = { ...document, date: '2026-10-06', total: '218.25', lines: [...document.lines] };
    if (first !== undefined) now.lines[0] = { ...first, amount: '110.00' };
    expect(changes(now)).toEqual([
      'Changed in QuickBooks after posting; was Oct 5, 2026',
      'Changed in QuickBooks after posting',
      'Changed in QuickBooks after posting; was 208.25',
    ]);
  });

  test('names a total that changed in Autotask', () => {
    expect(changes({ ...document, source: { ...source, total: '308.25' } })).toEqual([
      'Changed in Autotask after posting; was 208.25',
    ]);
  });
});
