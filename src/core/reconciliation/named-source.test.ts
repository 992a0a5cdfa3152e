import { expect, test } from 'vitest';
import { namedSource } from './named-source.ts';

test.each([
  ['Invoice', 'Autotask invoice 48213, number NW-7', { kind: 'invoice', psaId: 48_213 }],
  ['Invoice', 'Voided - Autotask invoice 48213', { kind: 'invoice', psaId: 48_213 }],
  ['CreditMemo', 'Autotask invoice 48213', { kind: 'invoice', psaId: 48_213 }],
  ['CreditMemo', 'Autotask invoice 48213 voided · credits 1042 of 2025-03-03', { kind: 'void', psaId: 48_213 }],
  ['Payment', 'Autotask invoice 48213 marked paid', { kind: 'payment', psaId: 48_213 }],
  ['PurchaseOrder', 'Autotask purchase order 3310, PO-1', { kind: 'purchase_order', psaId: 3_310 }],
  ['Bill', 'Autotask expense report 1207: Week 9', { kind: 'expense_report', psaId: 1_207 }],
  ['CreditMemo', 'Difference 2 of Autotask invoice 48213 · 1042 of 2025-03-03', { kind: 'difference', psaId: 48_213 }],
  // Users enter documents of other types, even if the note names a source.
  ['Bill', 'Autotask invoice 48213', null],
  ['Invoice', 'Autotask invoice 48213 voided · credits 1042 of 2025-03-03', null],
  ['Invoice', 'as in Autotask invoice 48213', null],
  ['Invoice', 'Halo invoice 48213', null],
  ['Invoice', null, null],
])('%s “%s” was created from %j', (type, privateNote, source) => {
  expect(namedSource({ type, privateNote }, 'Autotask')).toEqual(source);
});
