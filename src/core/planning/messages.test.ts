import { expect, test, describe } from 'vitest';
import { zero, decimal } from '../values/decimal.ts';
import {
  differenceMessages,
  expenseReportMessages,
  invoiceMessages,
  nameOfSales,
  voidMessages,
  withWarnings,
  postedMessage,
  testMessage,
} from './messages.ts';
import { type Command, nameOf, type Plan } from './plan.ts';
import { documentName, kindNames, type Kind } from '../kinds.ts';
import { referenceOf } from '../sync-status.ts';

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

const planWith = (command: Command): Plan => ({
  commands: [command],
  notes: [],
  warnings: [],
  expected: { subtotal: decimal('100'), tax: decimal('8.25'), dueOn: null },
});

/** Only the command matters for a message. */
const made = (command: object): Plan => planWith(command as Command);
const creditMemo = made({ do: 'create_credit_memo', document: { datedOn: '2025-04-02' } });
const voided = (type: string) => made({ do: 'void', type, id: '9', syncToken: '0' });

const results: readonly [Kind, Plan, posted: string, tested: string][] = [
  [
    'invoice',
    made({ do: 'create_invoice' }),
    'Invoice 7 was created in QuickBooks as 1042.',
    'Invoice 7 would be created. Nothing was sent.',
  ],
  [
    'invoice',
    creditMemo,
    'Invoice 7 was created in QuickBooks as credit memo 1042.',
    'Invoice 7 would be created as a credit memo. Nothing was sent.',
  ],
  [
    'expense_report',
    made({ do: 'update' }),
    'Expense report 7 was updated in QuickBooks (1042).',
    'Expense report 7 would be updated in QuickBooks. Nothing was sent.',
  ],
  [
    'purchase_order',
    made({ do: 'create_purchase_order' }),
    'Purchase order 7 was created in QuickBooks as 1042.',
    'Purchase order 7 would be created. Nothing was sent.',
  ],
  [
    'expense_report',
    made({ do: 'create_bill' }),
    'Expense report 7 was created in QuickBooks as bill 1042.',
    'Expense report 7 would be created as a bill. Nothing was sent.',
  ],
  [
    'difference',
    creditMemo,
    'Invoice 7 totals less: the difference was credited in QuickBooks by credit memo 1042.',
    'The difference of invoice 7 would become a credit memo of 108.25. Nothing was sent.',
  ],
  [
    'payment',
    made({ do: 'create_payment', payment: { amount: decimal('50') } }),
    'A payment of 50.00 for invoice 7 was created in QuickBooks.',
    'A payment of 50.00 for invoice 7 would be created. Nothing was sent.',
  ],
  [
    'void',
    voided('Invoice'),
    'Invoice 7 was voided in QuickBooks (1042).',
    'Invoice 7 would be voided in QuickBooks. Nothing was sent.',
  ],
  [
    'void',
    voided('CreditMemo'),
    'Invoice 7 was voided in QuickBooks (credit memo 1042).',
    'Invoice 7 would be voided in QuickBooks. Nothing was sent.',
  ],
  [
    'void',
    creditMemo,
    'Invoice 7 was credited in QuickBooks by credit memo 1042, dated Apr 2, 2025; its month did not change.',
    'Invoice 7 would be credited in QuickBooks by a credit memo of 108.25. Nothing was sent.',
  ],
];

describe('the message of a result', () => {
  test.each(results)('of kind %s names the document and what was created', (kind, plan, posted, tested) => {
    expect(postedMessage({ kind, psaId: 7, plan }, '1042')).toBe(posted);
    expect(testMessage({ kind, psaId: 7, plan })).toBe(tested);
  });

  test('uses the name of the invoice for the kinds that follow one', () => {
    expect(kindNames.map((kind) => documentName(kind, 7))).toEqual([
      'Invoice 7',
      'Purchase order 7',
      'Expense report 7',
      'Invoice 7',
      'Invoice 7',
      'Invoice 7',
    ]);
  });
});

test('the reference is the number, or the id without one; always the id for an expense report', () => {
  const document = { number: '1042', id: '9' };
  expect([
    referenceOf('invoice', document),
    referenceOf('invoice', { ...document, number: null }),
    referenceOf('purchase_order', document),
    referenceOf('expense_report', document),
  ]).toEqual(['1042', '9', '1042', '9']);
});
