import { expect, test } from 'vitest';
import { calendarDate } from '../values/dates.ts';
import { decimal, zero } from '../values/decimal.ts';
import { truncate } from '../values/text.ts';
import { purchaseForm, salesDocument, salesLine } from '#test/cases/sample-documents.ts';
import { withCutTexts } from './cut-texts.ts';
import type { Command, Plan } from './plan.ts';

const about = { what: 'Invoice', psaId: 7, number: '1042', party: 'Acme', on: null, amount: null, currency: null };
const planOf = (...commands: Command[]): Plan => ({
  commands,
  notes: [],
  warnings: [],
  expected: { subtotal: zero, tax: zero, dueOn: null },
});
const listed = (...commands: Command[]) =>
  withCutTexts(planOf(...commands), about).warnings.map(({ message }) => message);
const long = (limit: number) => truncate('x'.repeat(limit + 1), limit, '…');
const invoice = (description: string, customerMessage: string | null = null): Command => ({
  do: 'create_invoice',
  document: salesDocument([salesLine('1.00'), { ...salesLine('2.00'), description }], {
    datedOn: calendarDate('2026-02-10'),
    customerMessage,
  }),
});

const newCustomer = (displayName: string, companyName: string | null) => ({
  companyId: 175,
  displayName,
  companyName,
  billingAddress: null,
  shippingAddress: null,
  phone: null,
  email: null,
  isTaxable: true,
  resaleNumber: null,
  termId: null,
  currency: null,
});
const payment = (reference: string) => ({
  customerId: '58',
  invoiceId: '9177',
  amount: decimal('1'),
  paidOn: calendarDate('2026-02-10'),
  depositAccountId: null,
  reference,
  privateNote: 'Autotask invoice 7 marked paid',
  currency: null,
});

test('names each text that was cut, with its limit', () => {
  const [warning] = withCutTexts(planOf(invoice(long(4_000))), about).warnings;
  expect(warning).toMatchObject({ code: 'TEXT_CUT', treatment: 'warning', document: about });
  expect(listed(invoice(long(4_000), long(1_000)))).toEqual([
    'QuickBooks allows fewer characters, so these texts were shortened: message to the customer (1,000 characters), line 2 (4,000 characters).',
  ]);
  const order = purchaseForm(['1.00'], { messageToVendor: long(4_000) });
  expect(listed({ do: 'create_purchase_order', order })[0]).toContain('message to the vendor (4,000 characters)');
  const bill = purchaseForm(['1.00'], { number: 'EXP-7-2' });
  const cut = { ...bill, number: 'EXP-7', lines: bill.lines.map((line) => ({ ...line, description: long(4_000) })) };
  expect(listed({ do: 'create_bill', bill: cut }, { do: 'create_bill', bill })[0]).toContain('line 1 of bill EXP-7 (');
  expect(listed({ do: 'create_bill', bill: cut })[0]).toContain('line 1 (');
});

test.each([
  ['a text before a letter of two characters', truncate(`${'x'.repeat(3_998)}😀😀`, 4_000, '…'), true],
  ['a text with a remark behind it', `${long(3_977)} (covered by contract)`, true],
  ['a text of the maximum length', 'x'.repeat(4_000), false],
  ['a short text that ends with an ellipsis', 'and so on…', false],
])('%s counts as cut: %s', (_, text, isCut) => {
  expect(listed(invoice(text))).toHaveLength(isCut ? 1 : 0);
});

test.each([
  [
    'a customer',
    { do: 'create_customer', customer: newCustomer('x'.repeat(100), null) },
    'customer name (100 characters)',
  ],
  [
    'a payment',
    { do: 'create_payment', payment: payment('PSA-INV-2025-00000000') },
    'payment reference (21 characters)',
  ],
] as const)('names the cut name or reference of %s', (_, command, text) => {
  expect(listed(command, invoice('short'))[0]).toContain(text);
});

test.each([
  ['a customer with a long name', { do: 'create_customer', customer: newCustomer('x'.repeat(100), 'x'.repeat(100)) }],
  ['a customer without a company name', { do: 'create_customer', customer: newCustomer('Acme', null) }],
  ['a payment', { do: 'create_payment', payment: payment('PSA-1042') }],
] as const)('nothing of %s is cut', (_, command) => {
  expect(listed(command, invoice('short'))).toEqual([]);
});
