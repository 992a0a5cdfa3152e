import { inParallel } from '#core/in-parallel.ts';
import type { SubmittableKind } from '#core/kinds.ts';
import { describeDocument as describeReport } from '#core/planning/plan-expense-report.ts';
import { describeDocument as describeInvoice } from '#core/planning/invoice-content.ts';
import { describeDocument as describeOrder } from '#core/planning/plan-purchase-order.ts';
import type { ProblemDocument } from '#core/problems.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { CalendarDate } from '#core/values/dates.ts';
import { loadCachedLists } from '../../connections/cached-lists.ts';
import { loadPsaReference } from '../../connections/reference-data.ts';
import type { TenantContext } from '../../context.ts';
import { findAll } from '../kinds/kind.ts';
import { flowOf } from '../kinds/registry.ts';

/** Cached lists are fresh enough here, because only their currencies are used. */
export const listsMaxAgeSeconds = 3_600;

/**
 * Returns the documents of a kind that a sync would pick up now, with their amounts. Reads both services and changes
 * nothing.
 *
 * @param options.force includes documents that are already synced.
 * @param options.settings settings to search by; the saved ones by default.
 * @param options.startOn first document date; null includes all dates, as a manual sync does.
 */
export async function readEligible(
  context: TenantContext,
  kind: SubmittableKind,
  options: { readonly force: boolean; readonly settings?: Settings; readonly startOn?: CalendarDate | null },
): Promise<readonly ProblemDocument[]> {
  const { force, startOn = null } = options;
  const [tenant, settings, psa, accounting] = await inParallel([
    context.store.readTenant(),
    options.settings ?? context.store.readSettings(),
    context.psa(),
    context.accounting(),
  ]);
  const searcher = { context, tenant, psa, accounting, session: null };
  const ids = await findAll(searcher, flowOf(kind), settings, { force, startOn });
  if (ids.length === 0) return [];
  const [psaLists, accountingLists] = await inParallel([
    loadPsaReference(context, { maxAgeSeconds: listsMaxAgeSeconds }),
    loadCachedLists(context, { cachedForSeconds: listsMaxAgeSeconds }),
  ]);
  const lists = { psa: psaLists, accounting: accountingLists };
  switch (kind) {
    case 'invoice': {
      const invoices = await psa.findInvoices({ ids });
      const companies = await companiesById(
        psa,
        invoices.map(({ companyId }) => companyId),
      );
      return invoices.map((invoice) =>
        describeInvoice({ ...lists, invoice, company: companies.get(invoice.companyId) ?? null }),
      );
    }
    case 'purchase_order': {
      const orders = await psa.readPurchaseOrders(ids);
      const companies = await companiesById(
        psa,
        orders.map(({ vendorId }) => vendorId),
      );
      return orders.map((order) => describeOrder({ ...lists, order, vendor: companies.get(order.vendorId) ?? null }));
    }
    case 'expense_report':
      return (await psa.readExpenseReports(ids)).map((report) =>
        describeReport({ report, accounting: accountingLists }),
      );
    default:
      return kind satisfies never;
  }
}

/** Reads companies by their ids, each once. */
export async function companiesById(psa: Awaited<ReturnType<TenantContext['psa']>>, ids: readonly number[]) {
  return new Map((await psa.readCompanies([...new Set(ids)])).map((company) => [company.id, company]));
}
