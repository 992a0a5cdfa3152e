import { expect, test } from 'vitest';
import { calendarDate } from '../values/dates.ts';
import { zero } from '../values/decimal.ts';
import {
  differenceMessages,
  expenseReportMessages,
  invoiceMessages,
  nameOfSales,
  paymentMessages,
  purchaseOrderMessages,
  updateMessages,
  voidMessages,
  withWarnings,
} from './messages.ts';
import { nameOf, type Command, type Plan } from './plan.ts';

/** A command with only the parts that the sentence needs. */
const commandOf = (of: object) => of as Command;
const planOf = (...made: readonly Command['do'][]): Plan => ({
  commands: made.map((one) => commandOf({ do: one })),
  notes: [],
  warnings: [],
  expected: { subtotal: zero, tax: zero, dueOn: null },
});

/** Messages at the end of attempts, exactly as users read them in the log. */
test.each([
  [invoiceMessages.created(48_213, '1042'), 'Invoice 48213 was created in QuickBooks as 1042.'],
  [invoiceMessages.created(48_213, '1043', true), 'Invoice 48213 was created in QuickBooks as credit memo 1043.'],
  [
    invoiceMessages.wouldBeCreated(48_213, planOf('create_invoice')),
    'Invoice 48213 would be created. Nothing was sent.',
  ],
  [
    invoiceMessages.wouldBeCreated(48_213, planOf('create_item', 'create_invoice')),
    'Invoice 48213 would be created; 1 item would be created. Nothing was sent.',
  ],
  [
    invoiceMessages.wouldBeCreated(
      48_214,
      planOf('create_customer', 'create_item', 'create_item', 'create_credit_memo'),
    ),
    'Invoice 48214 would be created as a credit memo; 1 customer and 2 items would be created. Nothing was sent.',
  ],
  [
    purchaseOrderMessages.wouldBeCreated(3_310, planOf('create_vendor', 'create_purchase_order')),
    'Purchase order 3310 would be created; 1 vendor would be created. Nothing was sent.',
  ],
  [
    expenseReportMessages.wouldBeCreated(1_207, planOf('create_bill')),
    'Expense report 1207 would be created as a bill. Nothing was sent.',
  ],
  [withWarnings('Done.', 0), 'Done.'],
  [withWarnings('Done.', 1), 'Done. (1 warning)'],
  [withWarnings('Done.', 2), 'Done. (2 warnings)'],
  [nameOf(commandOf({ do: 'create_customer', customer: { displayName: 'Birch Legal' } })), 'customer Birch Legal'],
  [nameOf(commandOf({ do: 'create_credit_memo' })), 'credit memo'],
  [nameOf(commandOf({ do: 'update', to: { do: 'create_purchase_order' } })), 'change of purchase order'],
  [invoiceMessages.alreadySynced('1042'), 'Skipped: already synced as 1042.'],
  [invoiceMessages.voided('Autotask'), 'Skipped: voided in Autotask.'],
  [
    invoiceMessages.nothingMapped(2, '350.00', '"Projects"'),
    'Skipped: no line belongs to a mapped line of business (2 lines, 350.00: "Projects").',
  ],
  [
    invoiceMessages.nothingMapped(1, '50.00', '"Projects"'),
    'Skipped: no line belongs to a mapped line of business (1 line, 50.00: "Projects").',
  ],
  [purchaseOrderMessages.created(3_310, '1009'), 'Purchase order 3310 was created in QuickBooks as 1009.'],
  [purchaseOrderMessages.notSubmitted('Autotask'), 'Skipped: not submitted in Autotask.'],
  [expenseReportMessages.created(1_207, '9203'), 'Expense report 1207 was created in QuickBooks as bill 9203.'],
  [expenseReportMessages.notApproved('Autotask'), 'Skipped: not approved for payment in Autotask.'],
  [
    expenseReportMessages.paid(1_207, '9203', calendarDate('2025-03-10'), 'Autotask'),
    'The bill 9203 of expense report 1207 was paid in QuickBooks on Mar 10, 2025. Autotask lets no program set the status of a report: somebody has to mark it as paid there.',
  ],
  [expenseReportMessages.nothingOwed(0, '0.00'), 'Nothing to reimburse: the report has no items.'],
  [
    expenseReportMessages.nothingOwed(1, '35.00'),
    'Nothing to reimburse: 1 item paid by the company or rejected (35.00).',
  ],
  [voidMessages.voided(48_213, '1042', false), 'Invoice 48213 was voided in QuickBooks (1042).'],
  [voidMessages.voided(48_213, '1043', true), 'Invoice 48213 was voided in QuickBooks (credit memo 1043).'],
  [
    voidMessages.credited(48_213, '1050', calendarDate('2025-04-02')),
    'Invoice 48213 was credited in QuickBooks by credit memo 1050, dated Apr 2, 2025; its own month stays as it was.',
  ],
  [
    voidMessages.wouldBeCredited(48_213, '120.00'),
    'Invoice 48213 would be credited in QuickBooks by a credit memo of 120.00. Nothing was sent.',
  ],
  [voidMessages.wouldBeVoided(48_213), 'Invoice 48213 would be voided in QuickBooks. Nothing was sent.'],
  [voidMessages.alreadyCredited('1050'), 'Credit memo 1050 takes it back already.'],
  [voidMessages.notVoided('Autotask'), 'Skipped: not voided in Autotask.'],
  [paymentMessages.paid('1042', calendarDate('2025-03-12'), null), 'Invoice 1042 was paid on Mar 12, 2025.'],
  [
    paymentMessages.paid('1042', calendarDate('2025-03-12'), '50.00'),
    'Invoice 1042 was paid on Mar 12, 2025. 50.00 that came in is not applied to any invoice.',
  ],
  [paymentMessages.applied('1043', calendarDate('2025-03-12')), 'Credit memo 1043 was used up on Mar 12, 2025.'],
  [
    paymentMessages.closed('Invoice', '1042', calendarDate('2025-03-12')),
    'Closed without a payment: invoice 1042, on Mar 12, 2025.',
  ],
  [paymentMessages.reversed('Invoice', '1042', '966.25'), 'Payment reversed: invoice 1042 has 966.25 open again.'],
  [paymentMessages.created(48_213, '966.25'), 'A payment of 966.25 for invoice 48213 was created in QuickBooks.'],
  [
    paymentMessages.wouldBeCreated(48_213, '966.25'),
    'A payment of 966.25 for invoice 48213 would be created. Nothing was sent.',
  ],
  [updateMessages.updated('Invoice 48213', '1042'), 'Invoice 48213 was updated in QuickBooks (1042).'],
  [updateMessages.wouldBeUpdated('Invoice 48213'), 'Invoice 48213 would be updated in QuickBooks. Nothing was sent.'],
  [updateMessages.sameAlready('Autotask'), 'Nothing to do: QuickBooks says what Autotask says.'],
  [
    differenceMessages.billed(48_213, '1042-D1', false),
    'What invoice 48213 comes to more was billed in QuickBooks by invoice 1042-D1.',
  ],
  [
    differenceMessages.billed(48_213, '1042-D2', true),
    'What invoice 48213 comes to less was credited in QuickBooks by credit memo 1042-D2.',
  ],
  [
    differenceMessages.wouldBeBilled(48_213, '20.00', false),
    'The difference of invoice 48213 would become an invoice of 20.00. Nothing was sent.',
  ],
  [
    differenceMessages.wouldBeBilled(48_213, '20.00', true),
    'The difference of invoice 48213 would become a credit memo of 20.00. Nothing was sent.',
  ],
  [differenceMessages.none('Autotask'), 'Nothing to bill: QuickBooks comes to what Autotask comes to.'],
  [nameOfSales('CreditMemo'), 'Credit memo'],
  [nameOfSales('Invoice'), 'Invoice'],
])('%s', (sentence, wanted) => {
  expect(sentence).toBe(wanted);
});
