import { expect, test } from 'vitest';
import { askOf, nameOfResult, postLabel, theseOf } from './review-words.ts';

const one = {
  type: 'invoice',
  force: false,
  update: false,
  posts: true,
  what: 'Invoice',
  amount: '1000.10',
  currency: 'USD',
} as const;
const order = { ...one, type: 'purchase_order', what: 'Purchase order', amount: '50' } as const;

test('the post button shows count, amounts per currency, and target', () => {
  expect(postLabel([one, one], 'QuickBooks')).toBe('Post 2 invoices, $2,000.20, to QuickBooks');
  expect(postLabel([one, { ...one, currency: 'CAD' }], 'QuickBooks')).toBe(
    'Post 2 invoices, $1,000.10 and CAD 1,000.10, to QuickBooks',
  );
  expect(postLabel([{ ...one, force: true }], 'QuickBooks')).toBe('Post 1 invoice, $1,000.10, to QuickBooks again');
});

test('updated documents are not called posted', () => {
  expect(postLabel([{ ...one, update: true }], 'QuickBooks')).toBe('Update 1 invoice, $1,000.10, in QuickBooks');
});

test('the confirmation matches the button', () => {
  expect(askOf([one, one], 'QuickBooks')).toBe(
    'Please confirm you want to sync these 2 invoices. Nothing was sent yet; what you post is exactly what stands here.',
  );
  expect(askOf([{ ...one, update: true }], 'QuickBooks')).toBe(
    'Please confirm you want to update this invoice in QuickBooks. Nothing was sent yet; it becomes exactly what stands here, and debits and credits are what that changes.',
  );
});

test('counts documents by kind and posts all with one button', () => {
  expect(postLabel([one, order, one], 'QuickBooks')).toBe(
    'Post 2 invoices and 1 purchase order, $2,050.20, to QuickBooks',
  );
  expect(theseOf([one, order, one])).toBe('these 2 invoices and 1 purchase order');
});

test('uses the singular for one document', () => {
  expect(theseOf([one])).toBe('this invoice');
  expect(theseOf([one, one])).toBe('these 2 invoices');
});

test('uses another label when nothing is posted', () => {
  expect(postLabel([], 'QuickBooks')).toBe('Nothing is selected');
  expect(postLabel([{ ...one, type: 'payment', what: null, posts: false }], 'QuickBooks')).toBe(
    'Bring 1 payment into step',
  );
});

test('names a document by its number, or by its ID without one', () => {
  expect(nameOfResult({ what: 'Invoice', number: null, entityid: 48_213 })).toBe('Invoice 48213');
  expect(nameOfResult({ what: 'Credit memo', number: '1042', entityid: 48_213 })).toBe('Credit memo 1042');
});
