import { createHash } from 'node:crypto';
import type { ExpenseReportHead } from '#core/documents/expense-report.ts';
import type { InvoiceHead } from '#core/documents/invoice.ts';
import type { PurchaseOrder, PurchaseOrderHead } from '#core/documents/purchase-order.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Mapping } from '#core/mapping/mapping.ts';
import { thresholdOf } from '#core/planning/eligibility.ts';
import type { Psa } from '#core/ports/psa.ts';
import { firstDay, lastDay, monthOf, type Month } from '#core/reconciliation/month.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { addDays, type CalendarDate, type Instant, startOfDay } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';

/** An expense report is submitted up to this many days before it is dated. */
const maxDraftDays = 62;
/** A purchase order is received and billed up to this many days after it was created. */
const maxOrderDays = 366;

/** What the PSA contributes to the proof of a month. */
export interface PsaMonth {
  readonly heads: readonly InvoiceHead[];
  readonly orders: readonly PurchaseOrderHead[];
  readonly approved: readonly ExpenseReportHead[];
  readonly unbilled: Awaited<ReturnType<Psa['readUnbilled']>>;
}

/** Reads the PSA's documents for the proof of a month, without their lines. */
export async function readPsaMonth(psa: Psa, month: Month, timeZone: string): Promise<PsaMonth> {
  const period = { from: firstDay(month), through: lastDay(month) };
  const [heads, orders, approved, unbilled] = await inParallel([
    psa.findInvoices({ dated: period }, { voided: false, unpaidThrough: period.through }),
    psa.findPurchaseOrders({ createdFrom: startOfDay(addDays(period.from, -maxOrderDays), timeZone) }),
    psa.findExpenseReports({ submittedFrom: startOfDay(addDays(period.from, -maxDraftDays), timeZone) }),
    psa.readUnbilled(period.through),
  ]);
  return { heads, orders, approved, unbilled };
}

/** Returns the day that decides to which month an order belongs. */
export const dayOfOrder = (head: PurchaseOrderHead): CalendarDate => head.submittedOn ?? head.createdOn;

const idsOf = (rows: readonly { readonly id: number }[]): readonly number[] => rows.map(({ id }) => id);

/** Everything besides QuickBooks that the proof of a month depends on. */
export interface ProofSources {
  readonly month: Month;
  readonly psa: PsaMonth;
  /** Orders of the month, with lines. */
  readonly orders: readonly PurchaseOrder[];
  readonly settings: Settings;
  readonly mappings: readonly Mapping[];
  readonly closedThrough: CalendarDate | null;
  readonly timeZone: string;
  /** The program version, whose rules may differ. */
  readonly version: string;
}

/**
 * Returns a hash of what the proof of a month depends on besides QuickBooks: the PSA's documents, whether they are too
 * old to be synced, their last results and mappings, the settings and the closing date. Equal hashes and no change in
 * QuickBooks mean an equal proof.
 */
export async function hashSources(
  { store, clock }: Pick<TenantContext, 'store' | 'clock'>,
  of: ProofSources,
): Promise<string> {
  const { month, psa, settings, timeZone } = of;
  const orders = of.orders.filter((order) => monthOf(dayOfOrder(order)) === month);
  const outcomes = await inParallel([
    store.listLastOutcomes('invoice', idsOf(psa.heads.filter(({ invoicedOn }) => monthOf(invoicedOn) === month))),
    store.listLastOutcomes('purchase_order', idsOf(orders)),
    store.listLastOutcomes('expense_report', idsOf(psa.approved)),
  ]);
  const parties = new Set<string>([
    ...psa.heads.map(({ companyId }) => `Customer ${companyId}`),
    ...orders.map(({ vendorId }) => `Vendor ${vendorId}`),
    ...psa.approved.map(({ submitterId }) => `Employee ${submitterId}`),
  ]);
  const now = clock.now();
  const isOld = (at: Instant | null, maxAgeDays: number): boolean =>
    at !== null && at < thresholdOf(now, timeZone, maxAgeDays);
  const sorted = <T extends { readonly id: number }>(rows: readonly T[]): readonly T[] =>
    rows.toSorted((a, b) => a.id - b.id);
  const all = {
    version: of.version,
    month,
    settings,
    mappings: of.mappings
      .filter(({ namespace, sourceValue }) => parties.has(`${namespace} ${sourceValue}`))
      .map(({ namespace, sourceValue, targetValue }) => `${namespace} ${sourceValue} ${targetValue}`)
      .toSorted(),
    closedThrough: of.closedThrough,
    outcomes: outcomes.map((outcome) => [...outcome].toSorted(([a], [b]) => a - b)),
    unbilled: psa.unbilled,
    heads: sorted(psa.heads).map((head) => [head, isOld(head.createdAt, settings.inv_max_age_days)]),
    orders: sorted(psa.orders).map((head) => [head, isOld(head.createdAt, settings.po_max_age_days)]),
    ordersOfMonth: sorted(orders),
    reports: sorted(psa.approved).map((head) => [head, isOld(head.submittedAt, settings.exp_max_age_days)]),
  };
  return createHash('sha256').update(JSON.stringify(all)).digest('hex');
}
