import { expect, test } from 'vitest';
import type { AttentionDocument } from '#contract/attention.ts';
import { documentsOf, describeDocuments } from './summaries.ts';

const invoice = { type: 'invoice', what: 'Invoice', amount: '100.10', currency: 'USD' } as const;
const memo = { ...invoice, what: 'Credit memo', amount: '-20' } as const;

test('counts documents by kind and adds up their amounts by currency', () => {
  expect(describeDocuments([invoice, invoice])).toBe('2 invoices, $200.20');
  expect(describeDocuments([invoice, memo])).toBe('1 invoice and 1 credit memo, $80.10');
  expect(describeDocuments([{ ...invoice, currency: 'CAD' }, invoice])).toBe('2 invoices, $100.10 and CAD\u00A0100.10');
  expect(describeDocuments([{ type: 'purchase_order', what: null, amount: null, currency: null }])).toBe(
    '1 purchase order',
  );
});

test('lists a document with two causes once', () => {
  const document = { ...invoice, entityid: 7 } as AttentionDocument;
  const order = { ...document, type: 'purchase_order' } as const;
  expect(documentsOf([{ documents: [document] }, { documents: [document, order] }])).toEqual([document, order]);
});
