import { describe, expect, test } from 'vitest';
import type { AccountingDocument } from '../documents/accounting-document.ts';
import { calendarDate } from '../values/dates.ts';
import { decimal, zero } from '../values/decimal.ts';
import { documentOf, lineOf, postingOf, provedOf, sourceOf } from './testing.ts';

const changedLine = (more: Parameters<typeof lineOf>[1]) => ({ lines: [lineOf('412.37', more)] });

describe.each([
  ['purchase_order', 'PurchaseOrder', 'purchase order', 'item_differs', { itemId: '11', accountId: null }],
  ['expense_report', 'Bill', 'expense report', 'account_differs', { itemId: null, accountId: '25' }],
] as const)('a posted %s', (kind, type, noun, ofCoding, coded) => {
  const source = sourceOf(7, '412.37');
  const posted = documentOf(70, '412.37', { type, lines: [lineOf('412.37', { ...coded, classId: '3' })] });
  /** Returns the differences of the month with their amounts. */
  const found = (documents: readonly AccountingDocument[], of: Partial<typeof source> = {}) => {
    const mappedPartyIds = new Set(['58']);
    const postings = [postingOf(source, posted)];
    const recorded = new Map([[`${type} 70`, 7]]);
    const { rows } = provedOf({
      kind,
      sources: [{ ...source, ...of }],
      documents,
      postings,
      mappedPartyIds,
      recorded,
    });
    expect(rows.map(({ unexplained }) => unexplained)).toEqual(rows.map(() => zero));
    return rows.flatMap(({ findings }) => findings.map((one) => [one.class, one.amount])).sort();
  };
  const copy = (more: Partial<AccountingDocument>) => documentOf(71, '412.37', { type, lines: posted.lines, ...more });

  test('agrees as it was posted', () => {
    expect(found([posted])).toEqual([]);
  });

  test.each([
    [
      'a raised amount',
      { total: decimal('500'), lines: [lineOf('500', { ...coded, classId: '3' })] },
      'edited_in_accounting',
      '87.63',
    ],
    [
      'a lowered amount',
      { total: decimal('400.36'), lines: [lineOf('400.36', { ...coded, classId: '3' })] },
      'edited_in_accounting',
      '-12.01',
    ],
    ['another class', changedLine({ ...coded, classId: '4' }), 'class_differs', '0'],
    ['no class', changedLine({ ...coded, classId: null }), 'class_differs', '0'],
    ['another vendor', { party: { id: '59', name: 'Birch Legal' } }, 'customer_differs', '0'],
    ['another day', { datedOn: calendarDate('2026-02-11') }, 'date_differs', '0'],
    ['a day of the next month', { datedOn: calendarDate('2026-03-01') }, 'date_edited', '-412.37'],
    ['a void', { isVoided: true, total: zero, balance: zero }, 'voided_in_accounting', '-412.37'],
  ] as const)('%s', (_what, change, of, amount) => {
    expect(found([{ ...posted, ...change }])).toEqual([[of, amount]]);
  });

  test.each([
    ['item', { itemId: '12', accountId: null }],
    ['account', { itemId: null, accountId: '26' }],
  ])('has another %s on its line', (_what, now) => {
    expect(found([{ ...posted, ...changedLine({ ...now, classId: '3' }) }])).toEqual([[ofCoding, '0']]);
  });

  test('is deleted', () => {
    expect(found([])).toEqual([['deleted_in_accounting', '-412.37']]);
  });

  test('is changed or canceled in the PSA', () => {
    expect(found([posted], { total: decimal('400') })).toEqual([['edited_in_psa', '12.37']]);
    expect(found([posted], { isVoided: true })).toEqual([['voided_in_psa', '412.37']]);
    expect(found([{ ...posted, isOpen: true }], { isVoided: true })).toEqual([['voided_in_psa', '412.37']]);
    expect(found([{ ...posted, isOpen: false }], { isVoided: true })).toEqual([['closed_in_accounting', '412.37']]);
    expect(found([{ ...posted, isOpen: false }])).toEqual([]);
  });

  test('is typed a second time, or posted a second time', () => {
    expect(found([posted, copy({})])).toEqual([['possible_duplicate', '412.37']]);
    expect(found([posted, copy({ privateNote: `Autotask ${noun} 7` })])).toEqual([['possible_duplicate', '412.37']]);
  });

  test('has beside it a document of the vendor with other lines', () => {
    expect(found([posted, copy({ total: decimal('90'), lines: [lineOf('90', coded)] })])).toEqual([
      ['vendor_document', '90'],
    ]);
  });
});
