import { expect, test } from 'vitest';
import { decimal, zero } from '../values/decimal.ts';
import type { DocumentView } from './plan-view.ts';
import { worthInBooks } from './preview.ts';

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

test('a document is worth what it is posted with: home amounts where the books know one currency alone', () => {
  expect(worthInBooks({ view, homeCurrency: 'USD' })).toEqual({ amount: '1200', currency: 'USD' });
  expect(worthInBooks({ view: { ...view, currency: 'CAD' }, homeCurrency: 'USD' })).toMatchObject({ currency: 'CAD' });
});

test('a credit memo takes away', () => {
  expect(worthInBooks({ view: { ...view, form: 'credit_memo' }, homeCurrency: 'USD' }).amount).toBe('-1200');
});
