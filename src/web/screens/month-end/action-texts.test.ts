import { expect, test } from 'vitest';
import type { Settlement } from '#core/reconciliation/exception-actions.ts';
import { actionText } from './action-texts.ts';

type Exception = Parameters<typeof actionText>[1];
const of = (name: Exception['class'], more: Partial<Exception> = {}): Exception => ({
  kind: 'invoice',
  class: name,
  accounting: { type: 'Invoice', id: '1' },
  amount: '0',
  currency: 'USD',
  since: null,
  ...more,
});

test.each<[Settlement, Exception, string]>([
  ['post', of('missing_not_taken_up'), 'Post to QuickBooks'],
  ['update_accounting', of('due_differs'), 'Update due date'],
  ['update_accounting', of('edited_in_psa', { amount: '-12.5' }), 'Update amounts'],
  ['bill_difference', of('edited_in_psa', { amount: '-12.5' }), 'Bill $12.50'],
  ['bill_difference', of('edited_in_accounting', { amount: '12.5' }), 'Credit $12.50'],
  ['bill_difference', of('deleted_in_accounting', { amount: '-12.5' }), 'Bill the difference again'],
  ['void', of('voided_in_psa'), 'Void in QuickBooks'],
  ['void', of('voided_in_accounting'), 'Post the credit memo again'],
  ['sync_payment', of('paid_differs'), 'Create payment in QuickBooks'],
  ['sync_payment', of('paid_differs', { since: '2025-03-02T15:00:00Z' }), 'Set paid date in Autotask'],
  ['sync_payment', of('deleted_in_accounting', { kind: 'payment' }), 'Create the payment again'],
])('%s says what it does', (action, one, text) => {
  expect(actionText(action, one, 'Autotask')).toBe(text);
});
