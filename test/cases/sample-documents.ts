import type { SalesState } from '#core/documents/sales-state.ts';
import type { NewPayment, PurchaseForm, SalesDocument, SalesLine } from '#core/planning/plan.ts';
import { calendarDate, instant } from '#core/values/dates.ts';
import { decimal, zero } from '#core/values/decimal.ts';

/** Sample documents of the first invoice of the sample data, for tests of single rules. */

const on = calendarDate('2025-03-03');

/** Returns the state of an invoice over 1,966.25 in QuickBooks. */
export const salesState = (more: Partial<SalesState> = {}): SalesState => ({
  type: 'Invoice',
  id: '9177',
  syncToken: '3',
  number: '1042',
  customer: { id: '58', name: 'Acme Dental' },
  datedOn: on,
  total: decimal('1966.25'),
  balance: decimal('1966.25'),
  currency: 'USD',
  isVoided: false,
  tax: zero,
  isMailed: false,
  privateNote: null,
  changedAt: instant('2025-03-03T15:00:00Z'),
  applied: [],
  document: { Id: '9177' },
  ...more,
});

/** Returns a line with the quantity 1. */
export const salesLine = (amount: string, more: Partial<SalesLine> = {}): SalesLine => ({
  amount: decimal(amount),
  quantity: decimal(1),
  unitPrice: decimal(amount),
  description: 'Remote support',
  item: { id: '11' },
  servedOn: null,
  classId: null,
  taxCode: 'NON',
  ...more,
});

/** Returns a planned invoice with no optional field. */
export const salesDocument = (lines: readonly SalesLine[], more: Partial<SalesDocument> = {}): SalesDocument => ({
  customer: { id: '58' },
  number: null,
  datedOn: on,
  termId: null,
  dueOn: null,
  billingAddress: null,
  shippingAddress: null,
  customerMessage: null,
  privateNote: 'Autotask invoice 48213 · synced 2025-03-03T15:00:07Z',
  email: null,
  onlinePayment: null,
  currency: null,
  classId: null,
  customFields: [],
  taxCodeId: null,
  taxExcluded: false,
  lines,
  ...more,
});

/** Returns a planned purchase order or bill with a line by account for each amount. */
export const purchaseForm = (amounts: readonly string[], more: Partial<PurchaseForm> = {}): PurchaseForm => ({
  vendor: { id: '41' },
  number: null,
  datedOn: on,
  payableAccountId: null,
  termId: null,
  shipTo: null,
  messageToVendor: null,
  privateNote: 'Autotask purchase order 7',
  currency: null,
  taxExcluded: false,
  lines: amounts.map((amount) => ({
    by: 'account',
    accountId: '14',
    amount: decimal(amount),
    description: 'Fuel',
    customer: null,
    classId: null,
    taxCode: null,
  })),
  ...more,
});

/** Returns a planned payment of the invoice. */
export const newPayment = (more: Partial<NewPayment> = {}): NewPayment => ({
  customerId: '58',
  invoiceId: '9177',
  amount: decimal('1966.25'),
  paidOn: on,
  depositAccountId: null,
  reference: 'PSA-1042',
  privateNote: 'Autotask invoice 48213 marked paid',
  currency: null,
  ...more,
});
