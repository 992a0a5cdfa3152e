import { mapping, openIn, person, screens, setting, warning, type Source } from './entry.ts';

/** Purchase orders and expense reports. */
export const purchaseProblems = {
  EXPENSE_CATEGORY_NOT_MAPPED: person<{
    readonly billable: boolean;
    readonly list: string;
    readonly categories?: readonly Source[];
  }>({
    message: ({ billable, list }) => `No ${billable ? 'billable' : 'non-billable'} account for: ${list}.`,
    remedy: 'Map the categories under Expense Mappings.',
    screen: screens.expenses,
    repairs: ({ billable, categories = [] }) =>
      categories.map((one) => mapping(billable ? 'ExpenseCategoryBillable' : 'ExpenseCategoryNonBillable', one)),
  }),
  CASH_ADVANCE_ACCOUNT_REQUIRED: person({
    message: () => 'The report has a cash advance but no cash advance account is set.',
    remedy: 'Choose a cash advance account in Settings, Expense Reports.',
    screen: screens.settings,
    repairs: () => [setting('exp_cash_advance_expense_account')],
  }),
  ADVANCE_EXCEEDS_EXPENSES: warning<{
    readonly advance: string;
    readonly expenses: string;
    readonly left: string;
    readonly account: string;
  }>({
    message: ({ advance, expenses, left, account }) =>
      `The cash advance of ${advance} exceeds the expenses of ${expenses}: the bill comes to 0.00, and ${left} stays in ${account}.`,
    remedy:
      'Nothing is paid to the employee, who still owes the rest: take it off the next report, or record its return in QuickBooks.',
  }),
  REIMBURSED_IN_ANOTHER_CURRENCY: person<{
    readonly psa: string;
    readonly amount: string;
    readonly currency: string;
    readonly home: string;
  }>({
    message: ({ psa, amount, currency, home }) =>
      `${psa} owes the employee ${currency} ${amount}, and the amounts of the items are in ${home}.`,
    remedy:
      'Enter the bill in QuickBooks in the currency that is paid back, then mark the report in {psa} as paid. Do not post it in the home currency: the employee would be paid another amount.',
    repairs: () => [openIn('psa', 'the expense report')],
  }),
  PAYABLE_ACCOUNT_REQUIRED: person({
    message: () => 'No usable payable account is chosen.',
    remedy: 'Choose a payable account in Settings, Purchase Orders.',
    screen: screens.settings,
    repairs: () => [setting('po_payable_account')],
  }),
  FREIGHT_ACCOUNT_REQUIRED: person({
    message: () => 'The order has freight but no usable freight account is chosen.',
    remedy: 'Choose a freight account in Settings, Purchase Orders.',
    screen: screens.settings,
    repairs: () => [setting('po_freight_account')],
  }),
  ORDER_CANCELED: person<{ readonly psa: string; readonly number: string }>({
    message: ({ psa, number }) => `Purchase order ${number} was canceled in ${psa} after it was synced.`,
    remedy: 'Close or delete it in QuickBooks; a cancellation is not sent.',
    repairs: ({ number }) => [openIn('accounting', `purchase order ${number}`)],
  }),
} as const;
