import { mapping, openIn, person, screens, setting, type Source } from './entry.ts';

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
  NEGATIVE_BILL: person<{ readonly advance: string; readonly expenses: string; readonly owed: string } | null>({
    message: (of) =>
      of === null
        ? 'Nothing to reimburse.'
        : `The cash advance (${of.advance}) exceeds the expenses (${of.expenses}). The employee owes ${of.owed}; record it in QuickBooks by hand.`,
    remedy: 'Record it in QuickBooks by hand: nothing is paid to the employee.',
  }),
  NO_REIMBURSABLE_ITEMS: person<{ readonly psa: string }>({
    message: () => 'The report has no reimbursable items.',
    remedy:
      'Nothing is owed to the employee. If that is wrong, mark in {psa} what is to be paid back, then sync it again.',
  }),
  PAYABLE_ACCOUNT_REQUIRED: person({
    message: () => 'No usable payable account is chosen.',
    remedy: 'Choose a payable account in Settings, Purchase Orders.',
    screen: screens.settings,
    repairs: () => [setting('po_payable_account')],
  }),
  FREIGHT_ACCOUNT_REQUIRED: person({
    message: () => 'The order has freight but no usable expense account is chosen.',
    remedy: 'Choose an expense account in Settings, Purchase Orders.',
    screen: screens.settings,
    repairs: () => [setting('po_default_expense_account')],
  }),
  ORDER_CANCELED: person<{ readonly psa: string; readonly number: string }>({
    message: ({ psa, number }) => `Purchase order ${number} was canceled in ${psa} after it was synced.`,
    remedy: 'Close or delete it in QuickBooks; a cancellation is not sent.',
    repairs: ({ number }) => [openIn('accounting', `purchase order ${number}`)],
  }),
} as const;
