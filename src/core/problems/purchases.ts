import { mapping, openIn, person, screens, setting, updateAccounting, warning, type Source } from './entry.ts';

/** Purchase orders and expense reports. */
export const purchaseProblems = {
  EXPENSE_CATEGORY_NOT_MAPPED: person<{
    readonly billable: boolean;
    readonly list: string;
    readonly categories?: readonly Source[];
  }>({
    message: ({ billable, list }) => `No ${billable ? 'billable' : 'non-billable'} account is mapped for ${list}.`,
    remedy: 'Map the categories under Expense Mappings.',
    screen: screens.expenses,
    repairs: ({ billable, categories = [] }) =>
      categories.map((category) =>
        mapping(billable ? 'ExpenseCategoryBillable' : 'ExpenseCategoryNonBillable', category),
      ),
  }),
  CASH_ADVANCE_ACCOUNT_REQUIRED: person({
    message: () => 'The report has a cash advance, but no cash advance account is chosen.',
    remedy: 'Choose a cash advance account in Settings, Expense Reports.',
    screen: screens.settings,
    repairs: () => [setting('exp_cash_advance_expense_account')],
  }),
  NEGATIVE_BILL: person<{ readonly amount: string }>({
    message: ({ amount }) => `The refunds of the report exceed its expenses by ${amount}. A bill cannot be negative.`,
    remedy:
      'Enter a vendor credit for the employee in QuickBooks (+ New > Vendor credit) with the lines of the report, or add the refund to a report with larger expenses.',
    repairs: () => [openIn('psa', 'the expense report')],
  }),
  ADVANCE_EXCEEDS_EXPENSES: warning<{
    readonly advance: string;
    readonly expenses: string;
    readonly left: string;
    readonly account: string;
  }>({
    message: ({ advance, expenses, left, account }) =>
      `The cash advance of ${advance} exceeds the expenses of ${expenses}. The bill is 0.00, and ${left} stays in ${account}.`,
    remedy: 'The employee still owes the rest. Deduct it from the next report, or record its return in QuickBooks.',
  }),
  REIMBURSED_IN_ANOTHER_CURRENCY: person<{
    readonly psa: string;
    readonly amount: string;
    readonly currency: string;
    readonly home: string;
  }>({
    message: ({ psa, amount, currency, home }) =>
      `${psa} reimburses the employee ${currency} ${amount}, but the item amounts are in ${home}.`,
    remedy:
      'Enter the bill in QuickBooks in the reimbursed currency, then mark the report in {psa} as paid. Do not post it in the home currency: the employee would get a different amount.',
    repairs: () => [openIn('psa', 'the expense report')],
  }),
  PAYABLE_ACCOUNT_REQUIRED: person({
    message: () => 'No usable payable account is chosen.',
    remedy: 'Choose a payable account in Settings, Purchase Orders.',
    screen: screens.settings,
    repairs: () => [setting('po_payable_account')],
  }),
  FREIGHT_ACCOUNT_REQUIRED: person({
    message: () => 'The order has freight, but no usable freight account is chosen.',
    remedy: 'Choose a freight account in Settings, Purchase Orders.',
    screen: screens.settings,
    repairs: () => [setting('po_freight_account')],
  }),
  REPORT_WITHDRAWN: person<{
    readonly psa: string;
    /** Number of its bill. */
    readonly number: string;
    /** Present amount of an approved report from which items were withdrawn; null: the report is not approved. */
    readonly now: string | null;
    readonly before: string;
  }>({
    message: ({ psa, number, now, before }) =>
      now === null
        ? `The expense report of bill ${number} (${before}) is no longer approved in ${psa}. The bill is still in QuickBooks.`
        : `Items of the expense report of bill ${number} were withdrawn in ${psa}: it was ${before} and is now ${now}.`,
    remedy: ({ now }) =>
      now === null
        ? 'If the employee is not to be paid, delete the bill in QuickBooks: Expenses > Bills > the bill > More > Delete. Otherwise approve the report in {psa} again.'
        : 'If the bill is unpaid, update QuickBooks. Otherwise agree on the difference with the employee.',
    repairs: ({ number, now }) => [...(now === null ? [] : [updateAccounting]), openIn('accounting', `bill ${number}`)],
  }),
  ORDER_CANCELED: person<{ readonly psa: string; readonly number: string }>({
    message: ({ psa, number }) => `Purchase order ${number} was canceled in ${psa} after it was synced.`,
    remedy: 'Close or delete it in QuickBooks. Cancellations are not synced.',
    repairs: ({ number }) => [openIn('accounting', `purchase order ${number}`)],
  }),
} as const;
