import type { CloseReply } from '#contract/closes.ts';
import type { Settlement } from '#core/reconciliation/exception-actions.ts';
import { formatMoney } from '../../data/format.ts';

type Exception = Pick<
  CloseReply['exceptions'][number],
  'kind' | 'class' | 'accounting' | 'amount' | 'currency' | 'since'
>;

/** What an update replaces in QuickBooks, by the difference. */
const updated: Readonly<Partial<Record<Exception['class'], string>>> = {
  customer_differs: 'customer',
  number_differs: 'number',
  date_differs: 'date',
  date_edited: 'date',
  dated_elsewhere_in_psa: 'date',
  due_differs: 'due date',
  item_differs: 'items',
  account_differs: 'account',
  amounts_moved: 'line amounts',
  rate_differs: 'exchange rate',
  class_differs: 'classes',
  location_differs: 'location',
  tax_code_differs: 'tax code',
  tax_moved: 'tax code',
};

/** Returns what an action does to a difference. @param psa the PSA's label */
export function actionText(action: Settlement, one: Exception, psa: string): string {
  const size = formatMoney(one.amount.replace('-', ''), one.currency);
  const isGone = one.class === 'deleted_in_accounting' || one.class === 'voided_in_accounting';
  switch (action) {
    case 'post':
      return 'Post to QuickBooks';
    case 'post_again':
      return 'Post again';
    case 'link':
      return 'Link to this document';
    case 'update_accounting':
      return `Update ${updated[one.class] ?? 'amounts'}`;
    case 'bill_difference':
      if (isGone) return 'Bill the difference again';
      // QuickBooks is lower than the PSA by a negative amount.
      return one.amount.startsWith('-') ? `Bill ${size}` : `Credit ${size}`;
    case 'void':
      return isGone ? 'Post the credit memo again' : 'Void in QuickBooks';
    default:
      if (one.kind === 'payment') return 'Create the payment again';
      // Only a payment in QuickBooks has a time of the change.
      return one.since === null ? 'Create payment in QuickBooks' : `Set paid date in ${psa}`;
  }
}
