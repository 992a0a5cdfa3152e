import { proveCompleteness, type Bridge } from '#core/reconciliation/completeness.ts';
import { differenceClasses } from '#core/reconciliation/difference-classes.ts';
import { firstDay, monthOf } from '#core/reconciliation/month.ts';
import { dateIn, type CalendarDate } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';
import { gatherSales } from './gather-invoices.ts';

/** State of the present month, by currency; the most frequent currency first. */
export interface ThisMonth {
  readonly from: CalendarDate;
  readonly through: CalendarDate;
  readonly currencies: readonly Pick<
    Bridge,
    'currency' | 'psaTotal' | 'accountingTotal' | 'difference' | 'psaCount' | 'accountingCount'
  >[];
  /** Number of PSA invoices that are not in QuickBooks, and the id of the first one. */
  readonly unsynced: { readonly count: number; readonly oldestId: number | null };
}

/** Compares the invoices of the present month, in the client's time zone, with QuickBooks. Reads both services. */
export async function readThisMonth(context: TenantContext): Promise<ThisMonth> {
  const { timeZone } = await context.store.readTenant();
  const through = dateIn(context.clock.now(), timeZone);
  const month = monthOf(through);
  const { rows, bridges } = proveCompleteness(await gatherSales(context, month));
  const missing = rows.flatMap(({ psa, findings }) =>
    psa !== null &&
    findings.some(
      (finding) =>
        finding.class === 'deleted_in_accounting' ||
        (differenceClasses[finding.class].group === 'missing' && differenceClasses[finding.class].moves),
    )
      ? [psa.id]
      : [],
  );
  return {
    from: firstDay(month),
    through,
    currencies: bridges
      .map(({ currency, psaTotal, accountingTotal, difference, psaCount, accountingCount }) => ({
        currency,
        psaTotal,
        accountingTotal,
        difference,
        psaCount,
        accountingCount,
      }))
      .toSorted((a, b) => b.psaCount - a.psaCount),
    unsynced: { count: missing.length, oldestId: missing.length === 0 ? null : Math.min(...missing) },
  };
}
