import { inParallel } from '#core/in-parallel.ts';
import { cdcOverlapSeconds, maxLookBackSeconds } from '#core/documents/accounting-change.ts';
import type { TouchedDocument } from '#core/ports/accounting-month.ts';
import type { CloseRun } from '#core/records/closes.ts';
import type { DocumentRow } from '#core/reconciliation/completeness.ts';
import { monthOf, type Month } from '#core/reconciliation/month.ts';
import { addSeconds, type Instant, secondsBetween } from '#core/values/dates.ts';
import { readCachedLists } from '../connections/cached-lists.ts';
import type { TenantContext } from '../context.ts';
import { dayOfOrder, hashSources, readPsaMonth } from './sources-hash.ts';

/**
 * A proof older than this is made again although no change is known, because some transactions, e.g. of payroll, are not
 * in the change feed. One day less than the feed covers.
 */
const maxProofSeconds = maxLookBackSeconds - 86_400;

/**
 * Returns the months whose proof may be out of date. Reads QuickBooks' change feed, with one call for all months, and the
 * PSA for months without a change in QuickBooks; months without any change are recorded as checked.
 *
 * @throws ServiceError when one of the services cannot be used; Refusal `not_connected`.
 */
export async function listChangedMonths(
  context: TenantContext,
  months: readonly Month[],
  version: string,
): Promise<readonly Month[]> {
  const { store, clock } = context;
  const now = clock.now();
  const runs = await inParallel(months.map(async (month) => ({ month, run: await store.readCloseRun(month) })));
  const known = runs.flatMap(({ month, run }) => {
    const checkedAt = run === null ? null : checkedUntil(run, now);
    return checkedAt === null || run?.sourcesSha256 === null || run === null
      ? []
      : [{ month, since: addSeconds(checkedAt, -cdcOverlapSeconds), sha256: run.sourcesSha256 }];
  });
  const [first, ...others] = known.map(({ since }) => since);
  if (first === undefined) return months;
  const since = others.reduce((a, b) => (b < a ? b : a), first);
  const accounting = await context.accounting();
  const touched = await accounting.listTouched(since);
  if (touched === null) return months;
  const unchanged: Month[] = [];
  // One month after the other: each reads the PSA.
  for (const { month, sha256 } of known)
    if (
      !(await isConcerned(context, month, touched, since)) &&
      sha256 === (await presentSources(context, month, version))
    )
      unchanged.push(month);
  await store.saveCloseChecks(unchanged, now);
  return months.filter((month) => !unchanged.includes(month));
}

/** Returns the time through which QuickBooks' changes are in the proof; null if the month must be proved in any case. */
function checkedUntil({ startedAt, endedAt, problem, checkedAt }: CloseRun, now: Instant): Instant | null {
  if (endedAt === null || problem !== null || checkedAt === null) return null;
  return secondsBetween(startedAt, now) >= maxProofSeconds ? null : checkedAt;
}

/** Transactions that have no row in a proof, and move money that it compares. */
const withoutRow: ReadonlySet<string> = new Set(['JournalEntry', 'Deposit', 'BillPayment', 'VendorCredit']);

/**
 * Returns whether one of the changes may affect the proof: transactions of the month or an earlier one, deleted ones, and
 * those that may have been dated in it before.
 */
async function isConcerned(
  { store }: TenantContext,
  month: Month,
  touched: readonly TouchedDocument[],
  since: Instant,
): Promise<boolean> {
  const isEarlier = ({ datedOn }: TouchedDocument) => datedOn === null || monthOf(datedOn) <= month;
  if (touched.some(isEarlier)) return true;
  const older = touched.filter(({ createdAt }) => createdAt === null || createdAt < since);
  if (older.some(({ type }) => withoutRow.has(type))) return true;
  if (older.length === 0) return false;
  const newest = (await store.listCloses({ month })).at(-1);
  const close = newest === undefined ? null : await store.readClose(newest.id);
  if (close === null) return true;
  const proved = new Set(
    close.proof.rows.flatMap(({ accounting }: DocumentRow) =>
      accounting === null ? [] : [`${accounting.type} ${accounting.id}`],
    ),
  );
  return older.some(({ type, id }) => proved.has(`${type} ${id}`));
}

/** Returns the hash of what the proof would depend on now, without reading QuickBooks. */
async function presentSources(context: TenantContext, month: Month, version: string): Promise<string> {
  const { store } = context;
  const [psa, settings, mappings, { timeZone }, accounting] = await inParallel([
    context.psa(),
    store.readSettings(),
    store.listMappings(),
    store.readTenant(),
    readCachedLists(context),
  ]);
  const found = await readPsaMonth(psa, month, timeZone);
  const ids = found.orders.filter((order) => monthOf(dayOfOrder(order)) === month).map(({ id }) => id);
  return hashSources(context, {
    month,
    psa: found,
    orders: ids.length === 0 ? [] : await psa.readPurchaseOrders(ids),
    settings,
    mappings,
    closedThrough: accounting?.preferences.closedThrough ?? null,
    timeZone,
    version,
  });
}
