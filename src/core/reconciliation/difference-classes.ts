/**
 * All reasons why the two sides of a month differ, in the order of the proof. A class with `moves: false` is shown but
 * changes no total.
 *
 * - group `missing`: in the PSA but not in QuickBooks; each class names the reason
 * - group `one_side`: voided, deleted or duplicated
 * - group `cut_off`: dated in another month on the other side
 * - group `amount`: on both sides with different amounts
 * - group `only_in_accounting`: without a document in the PSA
 * - group `detail`: same amounts, but another field differs
 */
export const differenceClasses = {
  missing_not_taken_up: { group: 'missing', moves: true, label: 'Not picked up yet' },
  missing_held: { group: 'missing', moves: true, label: 'Held' },
  missing_awaits_approval: { group: 'missing', moves: true, label: 'Waiting for approval' },
  missing_error: { group: 'missing', moves: true, label: 'Refused with an error' },
  missing_outside_age: { group: 'missing', moves: true, label: 'Older than the age window' },
  missing_before_start: { group: 'missing', moves: true, label: 'Before the sync start date' },
  missing_test_only: { group: 'missing', moves: true, label: 'Tested only, never synced' },
  missing_not_posting: { group: 'missing', moves: true, label: 'Not in a state that is synced' },
  zero_skipped: { group: 'missing', moves: false, label: 'Zero total, nothing to post' },
  deleted_in_accounting: { group: 'one_side', moves: true, label: 'Deleted in QuickBooks' },
  voided_in_accounting: { group: 'one_side', moves: true, label: 'Voided in QuickBooks only' },
  voided_in_psa: { group: 'one_side', moves: true, label: 'Voided in the PSA only' },
  void_taken_back: {
    group: 'one_side',
    moves: true,
    label: 'Credit memo without an invoice to reverse',
  },
  credited_later: { group: 'one_side', moves: true, label: 'Voided in the PSA, reversed by a credit memo' },
  closed_in_accounting: { group: 'one_side', moves: true, label: 'Canceled in the PSA, closed in QuickBooks' },
  duplicate: { group: 'one_side', moves: true, label: 'In QuickBooks more than once' },
  possible_duplicate: { group: 'one_side', moves: true, label: 'Possible duplicate' },
  date_moved: { group: 'cut_off', moves: true, label: 'Posted into another month (books were closed)' },
  date_edited: { group: 'cut_off', moves: true, label: 'Moved to another month in QuickBooks' },
  dated_elsewhere_in_psa: { group: 'cut_off', moves: true, label: 'Dated in another month in the PSA' },
  edited_in_accounting: { group: 'amount', moves: true, label: 'Amount changed in QuickBooks since posting' },
  discounted_in_accounting: { group: 'amount', moves: true, label: 'Discount given in QuickBooks' },
  edited_in_psa: { group: 'amount', moves: true, label: 'Amount changed in the PSA since posting' },
  lines_differ: { group: 'amount', moves: true, label: 'Lines differ' },
  header_differs: { group: 'amount', moves: true, label: 'PSA total is not the sum of its lines' },
  tax_differs: { group: 'amount', moves: true, label: 'Sales tax differs' },
  difference_billed: { group: 'amount', moves: true, label: 'Changed since posting, billed by a separate document' },
  rounding: { group: 'amount', moves: true, label: 'Rounding' },
  currency_differs: { group: 'amount', moves: true, label: 'Another currency in QuickBooks' },
  accounting_made_by_us: { group: 'only_in_accounting', moves: true, label: 'Posted by us, gone from the PSA' },
  credit_of_void: { group: 'only_in_accounting', moves: true, label: 'Credit memos for invoices of earlier months' },
  difference_document: {
    group: 'only_in_accounting',
    moves: true,
    label: 'Documents that bill differences of invoices',
  },
  accounting_by_hand: { group: 'only_in_accounting', moves: true, label: 'Entered by hand, mapped customer' },
  accounting_unmapped: { group: 'only_in_accounting', moves: true, label: 'Entered by hand, customer not mapped' },
  sales_receipt: { group: 'only_in_accounting', moves: true, label: 'Sales receipts' },
  refund_receipt: { group: 'only_in_accounting', moves: true, label: 'Refund receipts' },
  vendor_document: { group: 'only_in_accounting', moves: true, label: 'Entered in QuickBooks for a vendor' },
  received_in_accounting: { group: 'only_in_accounting', moves: true, label: 'Payments received in QuickBooks' },
  entered_again: { group: 'detail', moves: false, label: 'Deleted or voided, and entered again by hand' },
  not_recorded: { group: 'detail', moves: false, label: 'Posted by us, not in our records' },
  customer_differs: { group: 'detail', moves: false, label: 'Another customer' },
  number_differs: { group: 'detail', moves: false, label: 'Another number' },
  date_differs: { group: 'detail', moves: false, label: 'Another day of the month' },
  due_differs: { group: 'detail', moves: false, label: 'Another due date' },
  item_differs: { group: 'detail', moves: false, label: 'Another item' },
  account_differs: { group: 'detail', moves: false, label: 'Another account' },
  amounts_moved: { group: 'detail', moves: false, label: 'Amounts moved between lines' },
  rate_differs: { group: 'detail', moves: false, label: 'Another exchange rate' },
  class_differs: { group: 'detail', moves: false, label: 'Another class' },
  location_differs: { group: 'detail', moves: false, label: 'Another location' },
  tax_code_differs: { group: 'detail', moves: false, label: 'Another tax code' },
  tax_moved: { group: 'detail', moves: false, label: 'Sales tax moved to another rate or agency' },
  paid_differs: { group: 'detail', moves: false, label: 'Paid on one side only' },
} as const satisfies Readonly<Record<string, ClassOfDifference>>;

interface ClassOfDifference {
  readonly group: 'missing' | 'one_side' | 'cut_off' | 'amount' | 'only_in_accounting' | 'detail';
  readonly moves: boolean;
  readonly label: string;
}

export type DifferenceClass = keyof typeof differenceClasses;
export const differenceClassNames = Object.keys(differenceClasses) as readonly DifferenceClass[];

/** Reasons why a document of the PSA is not in QuickBooks. */
export type MissingClass = Extract<DifferenceClass, `missing_${string}`>;
