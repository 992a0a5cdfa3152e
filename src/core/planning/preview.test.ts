import { expect, test } from 'vitest';
import { decimal, zero } from '../values/decimal.ts';
import type { DocumentView } from './plan-view.ts';
import { isSamePrint, amountInQuickBooks } from './preview.ts';

const view: DocumentView = {
  form: 'invoice',
  party: 'Maple Clinic',
  number: null,
  datedOn: null,
  dueOn: null,
  terms: null,
  currency: null,
  lines: [],
  subtotal: decimal('1200'),
  tax: zero,
  isTaxKnown: true,
  total: decimal('1200'),
  newRecords: [],
};

test('values a document in home currency when QuickBooks has only one currency', () => {
  expect(amountInQuickBooks({ view, homeCurrency: 'USD' })).toEqual({ amount: '1200', currency: 'USD' });
  expect(amountInQuickBooks({ view: { ...view, currency: 'CAD' }, homeCurrency: 'USD' })).toMatchObject({
    currency: 'CAD',
  });
});

test('counts a credit memo as negative', () => {
  expect(amountInQuickBooks({ view: { ...view, form: 'credit_memo' }, homeCurrency: 'USD' }).amount).toBe('-1200');
});

test.each([
  ['the same', { document: 'd', records: { 'item Toner': 'i' } }, true],
  ['another document', { document: 'e', records: { 'item Toner': 'i' } }, false],
  ['one whose record exists now', { document: 'd', records: {} }, true],
  ['one whose record differs', { document: 'd', records: { 'item Toner': 'j' } }, false],
  ['one with a record that no user reviewed', { document: 'd', records: { 'item Ink': 'i' } }, false],
])('a new plan of %s matches the reviewed one: %s', (_, fresh, isSame) => {
  expect(isSamePrint({ document: 'd', records: { 'item Toner': 'i' } }, fresh)).toBe(isSame);
});
