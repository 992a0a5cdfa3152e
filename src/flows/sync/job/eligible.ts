import { inParallel } from '#core/in-parallel.ts';
import type { SubmittableKind } from '#core/kinds.ts';
import { describeDocument as describeReport } from '#core/planning/plan-expense-report.ts';
import { describeDocument as describeInvoice } from '#core/planning/plan-invoice.ts';
import { describeDocument as describeOrder } from '#core/planning/plan-purchase-order.ts';
import type { ProblemDocument } from '#core/problems.ts';
import { loadCachedLists } from '../../connections/cached-lists.ts';
import { loadPsaReference } from '../../connections/reference-data.ts';
import type { TenantContext } from '../../context.ts';
import { flowOf } from '../kinds/registry.ts';
import { findAll } from './find-all.ts';

/** Kept lists are good enough here: they only tell currencies. */
export const listsMaxAgeSeconds = 3_600;

/**
 * Everything of a kind that a sync by hand would take up now, and what it comes to, so that a person knows before it is
 * sent. Reads both services and changes nothing.
 *
 * @param force documents that were synced already are taken too
 */
export async function readEligible(
  context: TenantContext,
  kind: SubmittableKind,
  force: boolean,
): Promise<readonly ProblemDocument[]> {
  const [tenant, settings, psa, accounting] = await inParallel([
    context.store.readTenant(),
    context.store.readSettings(),
    context.psa(),
    context.accounting(),
  ]);
  const searcher = { context, tenant, psa, accounting, session: null };
  const ids = await findAll(searcher, flowOf(kind), settings, { force, startOn: null });
  if (ids.length === 0) return [];
  const [psaLists, books] = await inParallel([
    loadPsaReference(context, { maxAgeSeconds: listsMaxAgeSeconds }),
    loadCachedLists(context, { keptForSeconds: listsMaxAgeSeconds }),
  ]);
  const lists = { psa: psaLists, books };
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
      return (await psa.readExpenseReports(ids)).map((report) => describeReport({ report, books }));
    default:
      return kind satisfies never;
  }
}

/** Reads companies by their ids, each once. */
export async function companiesById(psa: Awaited<ReturnType<TenantContext['psa']>>, ids: readonly number[]) {
  return new Map((await psa.readCompanies([...new Set(ids)])).map((company) => [company.id, company]));
}
