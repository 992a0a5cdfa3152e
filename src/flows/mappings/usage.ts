import { inParallel } from '#core/in-parallel.ts';
import { usageDays, usageOf, type UsageTable } from '#core/mapping/usage.ts';
import { addSeconds } from '#core/values/dates.ts';
import { cacheFor, loadModules } from '../connections/reference-data.ts';
import type { TenantContext } from '../context.ts';

/** The usage of three months changes slowly, and reading it costs one call per few hundred documents. */
const maxAgeSeconds = 3_600;
/** Reading the usage is expensive, so a refresh within a minute returns the same result. */
const refreshedAgeSeconds = 60;
const daySeconds = 86_400;

/**
 * Returns the usage of each PSA record in the last 90 days: invoices by customer, billing code, line of business and
 * tax region, purchase orders by vendor and product, expense reports by category.
 *
 * @throws ServiceError when documents must be read and the PSA does not respond; Refusal `not_connected`.
 */
export const readUsage = (context: TenantContext, how: { readonly refresh: boolean }): Promise<UsageTable> =>
  cacheFor(context, 'psa.usage', { maxAgeSeconds: how.refresh ? refreshedAgeSeconds : maxAgeSeconds }, async () => {
    const psa = await context.psa();
    const from = addSeconds(context.clock.now(), -usageDays * daySeconds);
    const { procurement } = await loadModules(context, { maxAgeSeconds });
    const [invoices, orders, reports] = await inParallel([
      psa.findInvoices({ createdFrom: from, voided: false }),
      procurement ? psa.findPurchaseOrders({ createdFrom: from }) : [],
      psa.findExpenseReports({ submittedFrom: from }),
    ]);
    const ids = (heads: readonly { readonly id: number }[]) => heads.map(({ id }) => id);
    const [whole, wholeOrders, wholeReports] = await inParallel([
      psa.readInvoices(ids(invoices)),
      psa.readPurchaseOrders(ids(orders)),
      psa.readExpenseReports(ids(reports)),
    ]);
    return usageOf({ invoices: whole, purchaseOrders: wholeOrders, expenseReports: wholeReports });
  });
