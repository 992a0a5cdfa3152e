import { expect, test } from 'vitest';
import { zero } from '../values/decimal.ts';
import {
  differenceMessages,
  expenseReportMessages,
  invoiceMessages,
  nameOfSales,
  voidMessages,
  withWarnings,
} from './messages.ts';
import { type Command, nameOf, type Plan } from './plan.ts';

/** A command with only the parts that the message needs. */
const commandOf = (of: object) => of as Command;
const planOf = (...commands: readonly Command['do'][]): Plan => ({
  commands: commands.map((one) => commandOf({ do: one })),
  notes: [],
  warnings: [],
  expected: { subtotal: zero, tax: zero, dueOn: null },
});

test.each([
  ['no record', planOf('create_invoice'), 'would be created.'],
  ['an item', planOf('create_item', 'create_invoice'), 'would be created; 1 item would be created.'],
  [
    'several records',
    planOf('create_customer', 'create_item', 'create_item', 'create_credit_memo'),
    'as a credit memo; 1 customer and 2 items would be created.',
  ],
])('a test lists the new records of a plan with %s', (_, plan, text) => {
  expect(invoiceMessages.wouldBeCreated(48_213, plan)).toContain(text);
});

test.each([
  [0, 'Done.'],
  [1, 'Done. (1 warning)'],
  [2, 'Done. (2 warnings)'],
])('counts %i warnings', (count, text) => {
  expect(withWarnings('Done.', count)).toBe(text);
});

test.each([
  [{ do: 'create_customer', customer: { displayName: 'Birch Legal' } }, 'customer Birch Legal'],
  [{ do: 'create_credit_memo' }, 'credit memo'],
  [{ do: 'update', to: { do: 'create_purchase_order' } }, 'change of purchase order'],
])('names the command %j', (command, name) => {
  expect(nameOf(commandOf(command))).toBe(name);
});

test.each([
  [invoiceMessages.nothingMapped(1, '50.00', '"Projects"'), /\b1 line\b/],
  [invoiceMessages.nothingMapped(2, '350.00', '"Projects"'), /\b2 lines\b/],
  [expenseReportMessages.nothingOwed(0, '0.00', null), /no amounts\.$/],
  [expenseReportMessages.nothingOwed(1, '35.00', '50.00'), /\b1 item\b.*35\.00.*50\.00 is not used/],
])('counts left-out lines: %s', (message, text) => {
  expect(message).toMatch(text);
});

test.each([
  [invoiceMessages.created(48_213, '1043', true), /credit memo 1043/],
  [voidMessages.voided(48_213, '1043', true), /credit memo 1043/],
  [voidMessages.voided(48_213, '1042', false), /\(1042\)/],
  [differenceMessages.billed(48_213, '1042-D1', false), /invoice 1042-D1/],
  [differenceMessages.billed(48_213, '1042-D2', true), /credit memo 1042-D2/],
  [differenceMessages.wouldBeBilled(48_213, '20.00', false), /an invoice of 20\.00/],
  [differenceMessages.wouldBeBilled(48_213, '20.00', true), /a credit memo of 20\.00/],
  [nameOfSales('CreditMemo'), /^Credit memo$/],
  [nameOfSales('Invoice'), /^Invoice$/],
])('distinguishes invoices and credit memos: %s', (message, text) => {
  expect(message).toMatch(text);
});
