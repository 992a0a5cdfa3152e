import { isOpen } from '../planning/plan-update.ts';
import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { CalendarDate } from '../values/dates.ts';
import { equals, minus } from '../values/decimal.ts';
import { wasMovedByUs, type DocumentRow, type PsaDocument } from './completeness.ts';
import type { ExtraOfRow } from './completeness-facts.ts';
import type { FingerprintField } from './fingerprint.ts';
import { differenceClasses, type DifferenceClass } from './difference-classes.ts';

/** Live syncs that settle a difference of a document. */
export const settlements = [
  'post',
  'post_again',
  'link',
  'update_accounting',
  'bill_difference',
  'void',
  'sync_payment',
] as const;
export type Settlement = (typeof settlements)[number];

/** Actions that a user can take on a difference. */
export const exceptionActions = [...settlements, 'accept', 'carry'] as const;
export type ExceptionAction = (typeof exceptionActions)[number];

/** Differences that are settled by updating the QuickBooks document to the PSA's values. */
const updated: ReadonlySet<DifferenceClass> = new Set([
  'date_edited',
  'dated_elsewhere_in_psa',
  'edited_in_accounting',
  'edited_in_psa',
  'lines_differ',
  'customer_differs',
  'number_differs',
  'date_differs',
  'due_differs',
  'item_differs',
  'account_differs',
  'amounts_moved',
  'rate_differs',
  'class_differs',
  'location_differs',
  'tax_code_differs',
  'tax_moved',
]);

/** Differences by which field of the document in QuickBooks changed. */
const fieldsOf: Readonly<Partial<Record<DifferenceClass, readonly FingerprintField[]>>> = {
  item_differs: ['item', 'lines'],
  account_differs: ['account'],
  class_differs: ['class'],
  location_differs: ['location'],
  tax_code_differs: ['tax_code'],
  tax_moved: ['tax_code'],
};

/** Differences that the PSA caused if their field did not change in QuickBooks. */
const eitherSide: Readonly<Partial<Record<DifferenceClass, FingerprintField>>> = {
  customer_differs: 'customer',
  date_differs: 'date',
  due_differs: 'due',
};

/** Returns whether the PSA changed after posting, so that an update brings its change. */
const isByPsa = ({ changes }: DocumentRow, of: DifferenceClass): boolean =>
  of === 'edited_in_psa' ||
  of === 'dated_elsewhere_in_psa' ||
  (eitherSide[of] !== undefined && !changes.some(({ field }) => field === eitherSide[of]));

/**
 * Returns whether an update settles a difference. It sends only what was posted: it neither clears a value that was empty,
 * nor removes a line that a user added, nor chooses the receivable account. While the PSA changed the document as well, an
 * update brings only the PSA's changes.
 */
function isRestorable(row: DocumentRow, of: DifferenceClass): boolean {
  const { kind, findings, changes } = row;
  if (isByPsa(row, of)) return true;
  if (findings.some((finding) => isByPsa(row, finding.class))) return false;
  const isAdded = changes.some((change) => change.field === 'lines' && Number(change.after) > Number(change.before));
  if (isAdded && (of === 'edited_in_accounting' || of === 'item_differs')) return false;
  const fields = fieldsOf[of];
  return (
    fields === undefined ||
    changes.some(
      ({ field, line, before }) =>
        fields.includes(field) && before !== null && (field !== 'account' || line !== null || kind !== 'invoice'),
    )
  );
}

/** Reasons for a missing document that would stop it again: its state, its cause in Needs attention, or its approval. */
const waiting: ReadonlySet<DifferenceClass> = new Set([
  'missing_not_posting',
  'missing_held',
  'missing_awaits_approval',
]);

/**
 * Returns whether the document can be updated: nothing is applied to it, and both its date and the PSA's are in an open
 * period.
 */
const isChangeable = ({ psa, accounting, findings }: DocumentRow, closedThrough: CalendarDate | null): boolean =>
  psa !== null &&
  accounting !== null &&
  !psa.isVoided &&
  !accounting.isVoided &&
  hasAgreeingLines(psa) &&
  // A difference that was already billed would be posted twice.
  !findings.some((finding) => finding.class === 'difference_billed') &&
  // A document that was moved to the first open day would be posted on that day again.
  !wasMovedByUs(accounting) &&
  isOpen(accounting) &&
  (closedThrough === null || (accounting.datedOn > closedThrough && psa.datedOn > closedThrough));

/** Returns whether the PSA's total is the sum of its lines, as far as they were read: otherwise nothing is posted. */
const hasAgreeingLines = ({ linesNet, total, tax, linesAddUp }: PsaDocument): boolean =>
  linesNet === null || (linesAddUp ?? equals(minus(total, tax), linesNet));

/**
 * Returns the settlements of a difference that will work in the current state of both sides, apart from accepting and
 * carrying.
 */
export function actionsOf(
  row: DocumentRow,
  of: DifferenceClass,
  closedThrough: CalendarDate | null,
): readonly ExceptionAction[] {
  const { kind, psa, accounting } = row;
  if (row.extra !== undefined) return actionsOfExtra(row.extra, of);
  // A report with several bills can only be posted whole, so one of its bills cannot be posted or updated alone.
  if (kind === 'payment') {
    const isGone = of === 'deleted_in_accounting' || of === 'voided_in_accounting';
    return isGone && psa?.paymentSync?.toAccounting === true ? ['sync_payment'] : [];
  }
  if (psa === null || psa.part !== undefined) return [];
  const isHeld = psa.isHeldWhenClosed === true && isClosed(psa.datedOn, closedThrough);
  if (
    isHeld &&
    (differenceClasses[of].group === 'missing' || of === 'deleted_in_accounting' || of === 'voided_in_accounting')
  )
    return [];
  if (of === 'entered_again') return isHeld ? ['link'] : ['link', 'post_again'];
  if (of === 'deleted_in_accounting' || of === 'voided_in_accounting')
    return hasAgreeingLines(psa) ? ['post_again'] : [];
  if (differenceClasses[of].group === 'missing') return waiting.has(of) || !hasAgreeingLines(psa) ? [] : ['post'];
  if (of === 'voided_in_psa') return accounting !== null && isVoidable(row, accounting, closedThrough) ? ['void'] : [];
  if (of === 'paid_differs')
    return accounting !== null && isPaymentSynced(psa, accounting, closedThrough) ? ['sync_payment'] : [];
  // Updating QuickBooks does not restore a number that was changed in the PSA.
  if (of === 'number_differs' && psa.isNumberWritten === true && !row.changes.some(({ field }) => field === 'number'))
    return [];
  if (updated.has(of) && isRestorable(row, of) && isChangeable(row, closedThrough)) return ['update_accounting'];
  return billed.has(of) && isBillable(row) ? ['bill_difference'] : [];
}

/** Returns how a missing reversal or difference document is posted again: by what posted it. */
const actionsOfExtra = ({ role, canRepeat }: ExtraOfRow, of: DifferenceClass): readonly ExceptionAction[] =>
  canRepeat && (of === 'deleted_in_accounting' || of === 'voided_in_accounting')
    ? [role === 'reversal' ? 'void' : 'bill_difference']
    : [];

/** Differences that a separate invoice or credit memo can settle. */
const billed: ReadonlySet<DifferenceClass> = new Set(['edited_in_accounting', 'edited_in_psa', 'lines_differ']);

/** Returns whether a separate document can bill the difference. */
const isBillable = ({ kind, psa, accounting }: DocumentRow): boolean =>
  kind === 'invoice' &&
  psa !== null &&
  accounting !== null &&
  !psa.isVoided &&
  !accounting.isVoided &&
  hasAgreeingLines(psa);

const isClosed = (on: CalendarDate, closedThrough: CalendarDate | null): boolean =>
  closedThrough !== null && on <= closedThrough;

/**
 * Returns whether the document can be voided in QuickBooks: only an invoice in an open period with nothing applied to
 * it, and whose prepaid money was not used.
 */
const isVoidable = (
  { kind, psa, findings }: DocumentRow,
  accounting: AccountingDocument,
  closedThrough: CalendarDate | null,
): boolean =>
  kind === 'invoice' &&
  accounting.type === 'Invoice' &&
  psa?.isPrepaidUsed !== true &&
  !accounting.isVoided &&
  isOpen(accounting) &&
  !isClosed(accounting.datedOn, closedThrough) &&
  !findings.some((finding) => finding.class === 'difference_billed');

/** Returns whether the payment sync can bring the paid state from one side to the other. */
function isPaymentSynced(
  { paymentSync, isPaid, paidOn = null }: PsaDocument,
  accounting: AccountingDocument,
  closedThrough: CalendarDate | null,
): boolean {
  if (paymentSync === undefined || accounting.type !== 'Invoice') return false;
  if (isPaid !== true) return paymentSync.toPsa;
  return paymentSync.toAccounting && paidOn !== null && !isClosed(paidOn, closedThrough);
}
