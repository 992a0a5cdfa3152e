import { expect, test } from 'vitest';
import { confirmQuestion, describeSelection, nameOfResult, postLabel } from './review-text.ts';

const one = {
  type: 'invoice',
  force: false,
  update: false,
  choice: null,
  posts: true,
  what: 'Invoice',
  amount: '1000.10',
  currency: 'USD',
} as const;
const order = { ...one, type: 'purchase_order', what: 'Purchase order', amount: '50' } as const;

test('the last button names the number, the total per currency, and the service', () => {
  expect(postLabel([one, one], 'QuickBooks')).toBe('Post 2 invoices, $2,000.20, to QuickBooks');
  expect(postLabel([one, { ...one, currency: 'CAD' }], 'QuickBooks')).toBe(
    'Post 2 invoices, $1,000.10 and CAD\u00A01,000.10, to QuickBooks',
  );
  expect(postLabel([{ ...one, force: true }], 'QuickBooks')).toBe('Post 1 invoice, $1,000.10, to QuickBooks again');
});

test('the last button of an update says Update', () => {
  expect(postLabel([{ ...one, update: true }], 'QuickBooks')).toBe('Update 1 invoice, $1,000.10, in QuickBooks');
});

test('does not say Post if existing money is applied', () => {
  const payment = { ...one, type: 'payment', what: null, choice: 'apply' } as const;
  expect(postLabel([payment], 'QuickBooks')).toBe('Apply existing money for 1 payment, $1,000.10, in QuickBooks');
  expect(confirmQuestion([payment, payment], 'QuickBooks')).toBe(
    'Please confirm you want to apply existing money in QuickBooks to pay these 2 invoices. An uncovered rest becomes a new payment. Nothing was sent yet.',
  );
  expect(postLabel([{ ...payment, choice: 'create' }], 'QuickBooks')).toBe('Post 1 payment, $1,000.10, to QuickBooks');
});

test('asks to confirm a sync or an update', () => {
  expect(confirmQuestion([one, one], 'QuickBooks')).toBe(
    'Please confirm you want to sync these 2 invoices. Nothing was sent yet.',
  );
  expect(confirmQuestion([{ ...one, update: true }], 'QuickBooks')).toBe(
    'Please confirm you want to update this invoice in QuickBooks. Nothing was sent yet. Debits and credits show only the change.',
  );
});

test('counts documents of several kinds by kind', () => {
  expect(postLabel([one, order, one], 'QuickBooks')).toBe(
    'Post 2 invoices and 1 purchase order, $2,050.20, to QuickBooks',
  );
  expect(describeSelection([one, order, one])).toBe('these 2 invoices and 1 purchase order');
});

test('says “this” for one document', () => {
  expect(describeSelection([one])).toBe('this invoice');
  expect(describeSelection([one, one])).toBe('these 2 invoices');
});

test('the last button does not say Post if nothing is posted', () => {
  expect(postLabel([], 'QuickBooks')).toBe('Nothing is selected');
  expect(postLabel([{ ...one, type: 'payment', what: null, posts: false }], 'QuickBooks')).toBe('Sync 1 payment');
});

test('names a document by its number, or by its id without one', () => {
  expect(nameOfResult({ what: 'Invoice', number: null, entityid: 48_213 })).toBe('Invoice 48213');
  expect(nameOfResult({ what: 'Credit memo', number: '1042', entityid: 48_213 })).toBe('Credit memo 1042');
});
