import type { InvoiceHead } from '../documents/invoice.ts';
import type { ExpenseReportHead } from '../documents/expense-report.ts';
import type { PurchaseOrderHead } from '../documents/purchase-order.ts';
import { hasSentinel, inProcessSentinel, syncStatusOf, withoutSentinel } from '../sync-status.ts';
import { addDays, dateIn, startOfDay, type CalendarDate, type Instant } from '../values/dates.ts';
import { presence } from '../values/text.ts';

/**
 * The oldest moment that a run considers: midnight so many days ago in the PSA's zone, inclusive (domain reference
 * 5.1). With 14 days, on 2025-03-03, everything from 2025-02-17 on.
 *
 * @param timeZone IANA name of the PSA's zone
 * @param startOn the tenant's sync start date, for automatic runs; null where it does not count
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
  /** First moment that counts, from {@link thresholdOf}. */
  readonly from: Instant;
  /** “Sync it again”: documents that have a reference are taken too. */
  readonly force: boolean;
}

/** True when a run that searches by itself takes up the invoice (domain reference 6.1 and 5.3). */
export function isEligible(invoice: InvoiceHead, rules: EligibilityRules): boolean {
  if (invoice.isVoided || invoice.createdAt < rules.from) return false;
  if (rules.force) return true;
  return rules.usesPsaNumber
    ? invoice.exportedAt === null && !hasSentinel(invoice.number)
    : presence(invoice.number) === null;
}

/**
 * How long a word of somebody else's run may stand before it is stale (domain reference 5.2). Nothing is written to an
 * invoice before it is posted, so a running mark there was left by another tool, or by an earlier version.
 */
export const staleAfterSeconds = 1_800;

/** True when the invoice would be taken up but for a word in the PSA that says that it runs. */
export const saysItRuns = (invoice: InvoiceHead, rules: EligibilityRules): boolean =>
  invoice.number.trim().endsWith(inProcessSentinel) &&
  isEligible({ ...invoice, number: withoutSentinel(invoice.number) }, rules);

/** True when a person may pick the invoice by hand: the window does not count, a void does. */
export const maySelect = (invoice: InvoiceHead): boolean => !invoice.isVoided;

/** True of an order that the vendor has, whether or not goods came in between two runs: it is owed to the books once. */
export const isOrdered = ({ status }: Pick<PurchaseOrderHead, 'status'>): boolean =>
  status === 'submitted' || status === 'partly_received' || status === 'received';

/** True when a run that searches by itself takes up the order (domain reference 9.1 and 5.3). */
export function isOrderEligible(
  order: PurchaseOrderHead,
  { from, force }: Pick<EligibilityRules, 'from' | 'force'>,
): boolean {
  if (!isOrdered(order) || order.createdAt < from) return false;
  return force || presence(order.externalNumber) === null;
}

/** The reference that says that the order was synced already; null while it does not say so. */
export const syncedOrderReference = ({ externalNumber }: PurchaseOrderHead): string | null =>
  syncStatusOf('purchase_order', { reference: externalNumber }, noRules) === 'synced' ? externalNumber.trim() : null;

/**
 * True when a run that searches by itself takes up the report (domain reference 10.1 and 5.3). One that says that it
 * runs is stale when none of our attempts is under way for it, and is taken up again (5.2).
 *
 * @param isBusy an attempt of ours is under way
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

/** The reference that says that the report was synced already; null while it does not say so. */
export const syncedReportReference = ({ reference }: ExpenseReportHead): string | null =>
  syncStatusOf('expense_report', { reference }, noRules) === 'synced' ? reference.trim() : null;

/** Orders and reports are told by their reference alone. */
const noRules = { usesPsaNumber: false } as const;

/** The reference that says that the invoice was synced already; null while it does not say so. */
export function syncedReference(invoice: InvoiceHead, usesPsaNumber: boolean): string | null {
  const fields = { reference: invoice.number, exportedAt: invoice.exportedAt };
  return syncStatusOf('invoice', fields, { usesPsaNumber }) === 'synced' ? invoice.number.trim() : null;
}
