import { describe, expect, test } from 'vitest';
import { calendarDate } from './values/dates.ts';
import { decimal } from './values/decimal.ts';
import { documentData, eventOf, type LoggedDocument } from './webhook-event.ts';

const logged: LoggedDocument = {
  type: 'invoice',
  psaId: 48_213,
  success: true,
  awaitsApproval: false,
  what: 'Credit memo',
  number: '1042',
  party: 'Acme Dental',
  on: calendarDate('2025-03-03'),
  amount: decimal('-180.5'),
  currency: null,
  message: 'Done.',
  problems: [],
  isPosted: true,
  markedPaid: null,
  target: { type: 'CreditMemo', id: '9179', number: '1042' },
};
const failed = (...treatments: readonly ('person' | 'held' | 'transient' | 'warning')[]) =>
  ({ success: false, isPosted: false, problems: treatments.map((treatment) => ({ treatment })) }) as const;

describe('a log entry', () => {
  test.each([
    ['a posted document', {}, 'document.posted'],
    ['a purchase order', { type: 'purchase_order' }, 'document.posted'],
    ['a billed difference', { type: 'difference' }, 'document.posted'],
    ['a skipped document', { isPosted: false }, null],
    ['a draft', { awaitsApproval: true, isPosted: false }, 'document.waiting_for_approval'],
    ['a void', { type: 'void' }, 'document.voided'],
    ['a void that found nothing to void', { type: 'void', isPosted: false }, null],
    ['a failed void', { type: 'void', ...failed('person') }, 'document.failed'],
    ['a failure', failed('person'), 'document.failed'],
    ['a failure without a known cause', failed(), 'document.failed'],
    ['a document on hold', failed('held'), 'document.on_hold'],
    ['a document on hold that also needs a person', failed('held', 'person'), 'document.failed'],
    ['a document that is retried', failed('transient'), null],
    ['a payment that was recorded in QuickBooks', { type: 'payment' }, 'document.paid'],
    ['a paid date that was set', { type: 'payment', isPosted: false, markedPaid: true }, 'document.paid'],
    [
      'a paid date that was removed',
      { type: 'payment', isPosted: false, markedPaid: false },
      'document.payment_reversed',
    ],
    ['a payment sync without a change', { type: 'payment', isPosted: false }, null],
  ] as const)('of %s is %s %s', (_, change, event) => {
    expect(eventOf({ ...logged, ...change })).toBe(event);
  });
});

test('data has all keys, exact amounts and the home currency', () => {
  expect(documentData(logged, 'USD')).toEqual({
    kind: 'invoice',
    document_type: 'Credit memo',
    psa_id: 48_213,
    number: '1042',
    customer: 'Acme Dental',
    vendor: null,
    date: '2025-03-03',
    amount: '-180.50',
    currency: 'USD',
    quickbooks_type: 'CreditMemo',
    quickbooks_id: '9179',
    message: 'Done.',
  });
  expect(documentData({ ...logged, type: 'payment', number: 'P-1' }, null)).toMatchObject({ number: '1042' });
  expect(documentData({ ...logged, type: 'expense_report' }, null)).toMatchObject({
    customer: null,
    vendor: 'Acme Dental',
  });
});
