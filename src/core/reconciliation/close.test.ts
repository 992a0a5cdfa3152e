import { expect, test } from 'vitest';
import { calendarDate } from '../values/dates.ts';
import { decimal, minus, zero } from '../values/decimal.ts';
import { exceptionsOf, leftOutOf } from './close.ts';
import type { DocumentRow } from './completeness.ts';
import { documentOf, sourceOf } from './testing.ts';

const row = (id: number, of: Partial<DocumentRow>): DocumentRow => ({
  kind: 'invoice',
  currency: 'USD',
  psa: sourceOf(id, '100'),
  books: documentOf(id, '100'),
  psaAmount: decimal('100'),
  booksAmount: decimal('100'),
  difference: zero,
  findings: [],
  unexplained: zero,
  changes: [],
  ...of,
});

const exceptions = (rows: readonly DocumentRow[], closedThrough: string | null = null) =>
  exceptionsOf({ rows, closedThrough: closedThrough === null ? null : calendarDate(closedThrough) });
const actionsOf = (of: Partial<DocumentRow>, closedThrough: string | null = null) =>
  exceptions([row(1, of)], closedThrough).map(({ actions }) => actions);

test('each difference is an exception, the largest first, and ordinary business is none', () => {
  const found = exceptions([
    row(1, { findings: [{ class: 'number_differs', amount: zero }] }),
    row(2, {
      findings: [
        { class: 'edited_in_books', amount: decimal('-30') },
        { class: 'zero_skipped', amount: zero },
      ],
      unexplained: decimal('5'),
    }),
    row(3, { findings: [{ class: 'received_in_books', amount: decimal('900') }] }),
  ]);
  expect(found.map(({ psaId, class: of, amount }) => [psaId, of, Number(amount)])).toEqual([
    [2, 'edited_in_books', -30],
    [2, 'unexplained', 5],
    [1, 'number_differs', 0],
  ]);
});

test('what nothing explains can be accepted or carried, and no button mends it', () => {
  expect(actionsOf({ unexplained: decimal('5') })).toEqual([['accept', 'carry']]);
});

test.each([
  ['missing_error', ['post']],
  ['missing_not_posting', []],
  ['deleted_in_books', ['post_again']],
  ['voided_in_books', ['post_again']],
  ['number_differs', ['update_books']],
  ['currency_differs', []],
] as const)('%s is mended by %j', (of, actions) => {
  const findings = [{ class: of, amount: zero }];
  expect(actionsOf({ findings })).toEqual([[...actions, 'accept', 'carry']]);
  // Payments, and documents that the PSA does not have, are nobody's to post.
  expect(actionsOf({ findings, kind: 'payment' })).toEqual([['accept', 'carry']]);
  expect(actionsOf({ findings, psa: null })).toEqual([['accept', 'carry']]);
});

test('a document of a closed day, or one that was billed for its difference, is not updated', () => {
  const findings = [{ class: 'edited_in_psa', amount: decimal('5') }] as const;
  const { datedOn } = documentOf(1, '100');
  expect(actionsOf({ findings })).toEqual([['update_books', 'accept', 'carry']]);
  expect(actionsOf({ findings }, datedOn)).toEqual([['bill_difference', 'accept', 'carry']]);
  expect(actionsOf({ findings: [...findings, { class: 'difference_billed', amount: zero }] })).toEqual([
    ['bill_difference', 'accept', 'carry'],
  ]);
  expect(actionsOf({ findings, kind: 'purchase_order' }, datedOn)).toEqual([['accept', 'carry']]);
});

test.each([
  ['missing_outside_age', 'age'],
  ['missing_before_start', 'start'],
  ['missing_not_posting', 'status'],
] as const)('%s is left out by the %s', (of, because) => {
  const left = row(1, { books: null, findings: [{ class: of, amount: decimal('-100') }] });
  expect(leftOutOf({ rows: [left] }, null)).toMatchObject([{ psaId: 1, kind: 'invoice', because }]);
  expect(leftOutOf({ rows: [{ ...left, psa: null }] }, null)).toEqual([]);
});

test('a paid date before the first day of payments is left out while the books show the invoice as open', () => {
  const psa = sourceOf(1, '100', { paidOn: calendarDate('2026-02-10') });
  const open = row(1, { psa, books: documentOf(1, '100', { balance: decimal('40') }) });
  expect(leftOutOf({ rows: [open] }, calendarDate('2026-02-11'))).toMatchObject([
    { kind: 'payment', because: 'age', amount: decimal('40') },
  ]);
  expect(leftOutOf({ rows: [open] }, calendarDate('2026-02-10'))).toEqual([]);
  expect(leftOutOf({ rows: [open] }, null)).toEqual([]);
  const paid = row(1, { psa, books: documentOf(1, '100', { balance: minus(decimal('40'), decimal('40')) }) });
  expect(leftOutOf({ rows: [paid] }, calendarDate('2026-02-11'))).toEqual([]);
});
