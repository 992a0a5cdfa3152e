import type { ReconciledRow, ReconciledTotals } from '#core/reconciliation/reconcile-invoices.ts';
import { dateIn, type CalendarDate } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';
import { reconcile } from './reconcile-invoices.ts';

/** How this month stands so far, by currency; the most frequent first. */
export interface ThisMonth {
  readonly from: CalendarDate;
  readonly through: CalendarDate;
  readonly currencies: readonly (Pick<ReconciledTotals, 'currency' | 'psaTotal' | 'booksTotal' | 'difference'> & {
    readonly psaCount: number;
    readonly booksCount: number;
  })[];
  /** How many invoices of the PSA are not in the books, and the first of them by its id. */
  readonly unsynced: { readonly count: number; readonly oldestId: number | null };
}

/** Compares the invoices of the month that the client's clock shows with the books; reads both services. */
export async function readThisMonth(context: TenantContext): Promise<ThisMonth> {
  const { timeZone } = await context.store.readTenant();
  const through = dateIn(context.clock.now(), timeZone);
  const from = `${through.slice(0, 8)}01` as CalendarDate;
  const { rows, totals } = await reconcile(context, { from, through });
  const missing = rows.filter((row) => row.class === 'missing_in_books').flatMap(({ psaId }) => psaId ?? []);
  const count = (of: ReconciledTotals, counts: (row: ReconciledRow) => boolean) =>
    rows.filter((row) => row.currency === of.currency && counts(row)).length;
  return {
    from,
    through,
    currencies: totals
      .map((of) => ({
        currency: of.currency,
        psaTotal: of.psaTotal,
        booksTotal: of.booksTotal,
        difference: of.difference,
        psaCount: count(of, ({ psaId }) => psaId !== null),
        booksCount: count(of, ({ document }) => document !== null),
      }))
      .toSorted((a, b) => b.psaCount - a.psaCount),
    unsynced: { count: missing.length, oldestId: missing.length === 0 ? null : Math.min(...missing) },
  };
}
