import type { InvoiceHead } from '../documents/invoice.ts';
import type { ExpenseReportHead } from '../documents/expense-report.ts';
import type { PurchaseOrderHead } from '../documents/purchase-order.ts';
import { hasSentinel, inProcessSentinel, syncStatusOf, withoutSentinel } from '../sync-status.ts';
import { addDays, dateIn, startOfDay, type CalendarDate, type Instant } from '../values/dates.ts';
import { textOrNull } from '../values/text.ts';

/**
 * Returns the start of the window that a run considers: midnight N days ago in the PSA's time zone, inclusive (domain
 * reference 5.1). With 14 days, a run on Mar 3, 2025 considers everything from Feb 17, 2025.
 *
 * @param timeZone IANA name of the PSA's zone
 * @param startOn the tenant's sync start date, for automatic runs; null if it does not apply
 */
export function thresholdOf(
  now: Instant,
  timeZone: string,
  maxAgeDays: number,
  startOn: CalendarDate | null = null,
): Instant {
  const oldest = addDays(dateIn(now, timeZone), -maxAgeDays);
  return startOfDay(startOn !== null && startOn > oldest ? startOn : oldest, timeZone);
}

export interface EligibilityRules {
  readonly usesPsaNumber: boolean;
  /** Start of the window, from {@link thresholdOf}. */
  readonly from: Instant;
  /** “Sync it again”: includes documents that already have a reference. */
  readonly force: boolean;
}

/** Returns whether an automatic run picks up the invoice (domain reference 6.1 and 5.3). */
export function isEligible(invoice: InvoiceHead, rules: EligibilityRules): boolean {
  if (invoice.isVoided || invoice.createdAt < rules.from) return false;
  if (rules.force) return true;
  return rules.usesPsaNumber
    ? invoice.exportedAt === null && !hasSentinel(invoice.number)
    : textOrNull(invoice.number) === null;
}

/**
 * Age at which a running mark of another tool is stale (domain reference 5.2). Tallybridge writes nothing to an invoice
 * before it is posted, so another tool or an earlier version left the mark.
 */
export const staleAfterSeconds = 1_800;

/** Returns whether only a running mark in the PSA keeps the invoice from being picked up. */
export const hasOnlyRunningMark = (invoice: InvoiceHead, rules: EligibilityRules): boolean =>
  invoice.number.trim().endsWith(inProcessSentinel) &&
  isEligible({ ...invoice, number: withoutSentinel(invoice.number) }, rules);

/** Returns whether the vendor has the order. Its receiving status does not matter: each order is posted once. */
export const isOrdered = ({ status }: Pick<PurchaseOrderHead, 'status'>): boolean =>
  status === 'submitted' || status === 'partly_received' || status === 'received';

/** Returns whether an automatic run picks up the order (domain reference 9.1 and 5.3). */
export function isOrderEligible(
  order: PurchaseOrderHead,
  { from, force }: Pick<EligibilityRules, 'from' | 'force'>,
): boolean {
  if (!isOrdered(order) || order.createdAt < from) return false;
  return force || textOrNull(order.externalNumber) === null;
}

/** Returns the reference that shows that the order was already synced; null if there is none. */
export const syncedOrderReference = ({ externalNumber }: PurchaseOrderHead): string | null =>
  syncStatusOf('purchase_order', { reference: externalNumber }, noRules) === 'synced' ? externalNumber.trim() : null;

/**
 * Returns whether an automatic run picks up the report (domain reference 10.1 and 5.3). A report with a running mark is
 * picked up again if no attempt is in progress, because the mark is stale (5.2).
 *
 * @param isBusy whether an attempt for the report is in progress
 */
export function isReportEligible(
  report: ExpenseReportHead,
  { from, force }: Pick<EligibilityRules, 'from' | 'force'>,
  isBusy: boolean,
): boolean {
  if (report.status !== 'approved' || report.submittedAt === null || report.submittedAt < from) return false;
  const reference = report.reference.trim();
  return force || reference === '' || (reference === inProcessSentinel && !isBusy);
}

/** Returns the reference that shows that the report was already synced; null if there is none. */
export const syncedReportReference = ({ reference }: ExpenseReportHead): string | null =>
  syncStatusOf('expense_report', { reference }, noRules) === 'synced' ? reference.trim() : null;

/** The status of orders and reports depends only on their reference. */
const noRules = { usesPsaNumber: false } as const;

/** Returns the reference that shows that the invoice was already synced; null if there is none. */
export function syncedReference(invoice: InvoiceHead, usesPsaNumber: boolean): string | null {
  const fields = { reference: invoice.number, exportedAt: invoice.exportedAt };
  return syncStatusOf('invoice', fields, { usesPsaNumber }) === 'synced' ? invoice.number.trim() : null;
}
