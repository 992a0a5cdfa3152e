import type { InvoiceHead } from '#core/documents/invoice.ts';
import { inParallel } from '#core/in-parallel.ts';
import { isOrBelow } from '#core/planning/child-work.ts';
import { thresholdOf } from '#core/planning/eligibility.ts';
import { shortfallWithout } from '#core/planning/prepaid-shortfall.ts';
import { indexAccounting } from '#core/planning/reference-index.ts';
import type { Psa } from '#core/ports/psa.ts';
import { proveCompleteness, type CompletenessFacts } from '#core/reconciliation/completeness.ts';
import { firstDay, lastDay, type Month } from '#core/reconciliation/month.ts';
import { isRoundingOf } from '#core/planning/verify.ts';
import { isZero, minus, round2, sum } from '#core/values/decimal.ts';
import { loadCachedLists } from '../connections/cached-lists.ts';
import { loadPsaReference } from '../connections/reference-data.ts';
import type { TenantContext } from '../context.ts';
import { readPrepaidEntries } from '../sync/prepaid-entries.ts';
import { listsMaxAgeSeconds, type Shared } from './shared.ts';
import { inMonth, toSource, withPaymentSync } from './sources.ts';
import { gatherKind } from './gather-kind.ts';
import { extrasOf } from './gather-extras.ts';

const salesTypes = ['Invoice', 'CreditMemo', 'SalesReceipt', 'RefundReceipt'] as const;

/**
 * Reads only the sales documents of a month, without QuickBooks' reports: enough for the month's present state.
 *
 * @throws ServiceError when one of the services cannot be used; Refusal `not_connected`.
 */
export async function gatherSales(context: TenantContext, month: Month): Promise<CompletenessFacts> {
  const { store } = context;
  const period = { from: firstDay(month), through: lastDay(month) };
  const [psa, accounting, settings, mappings, { timeZone }] = await inParallel([
    context.psa(),
    context.accounting(),
    store.readSettings(),
    store.listMappings(),
    store.readTenant(),
  ]);
  const [psaLists, accountingLists, documents, heads] = await inParallel([
    loadPsaReference(context, { maxAgeSeconds: listsMaxAgeSeconds }),
    loadCachedLists(context, { maxAgeSeconds: listsMaxAgeSeconds }),
    accounting.listDocuments(period, salesTypes),
    psa.findInvoices({ dated: period }),
  ]);
  const { facts } = await gatherInvoices(
    { context, psa, accounting, month, settings, psaLists, accountingLists, mappings, documents, timeZone },
    heads,
  );
  return facts;
}

export type Companies = ReadonlyMap<number, Awaited<ReturnType<Psa['readCompanyNames']>>[number]>;

/**
 * Gathers invoices, credit memos, sales receipts and refund receipts, with the companies of all invoices that were
 * read.
 */
export async function gatherInvoices(
  shared: Shared,
  heads: readonly InvoiceHead[],
  paid: Pick<CompletenessFacts, 'asOf' | 'openKeys'> = {},
): Promise<{ readonly facts: CompletenessFacts; readonly companies: Companies }> {
  const { context, psa, month, settings, timeZone } = shared;
  const types: ReadonlySet<string> = new Set(salesTypes);
  const documents = shared.documents.filter(({ type }) => types.has(type));
  const known = new Map(heads.map((head) => [head.id, head]));
  const foreign = await context.store.findPostings(
    'invoice',
    documents.map(({ id }) => id),
  );
  const inThisMonth = heads.filter(({ invoicedOn }) => inMonth(month, invoicedOn)).map(({ id }) => id);
  const extras = await extrasOf(
    shared,
    [...new Set([...inThisMonth, ...foreign.map(({ psaId }) => psaId)])],
    documents,
  );
  const wanted = new Set([...foreign, ...extras].map(({ psaId }) => psaId));
  const elsewhere = [...wanted].filter((id) => !known.has(id));
  if (elsewhere.length > 0) for (const head of await psa.findInvoices({ ids: elsewhere })) known.set(head.id, head);
  const chosen = [...known.values()].filter((head) => inMonth(month, head.invoicedOn) || wanted.has(head.id));
  const companies = new Map(
    (await psa.readCompanyNames([...new Set([...known.values()].map(({ companyId }) => companyId))])).map((one) => [
      one.id,
      one,
    ]),
  );
  const outcomes = await context.store.listLastOutcomes(
    'invoice',
    chosen.map(({ id }) => id),
  );
  const now = context.clock.now();
  const window = thresholdOf(now, timeZone, settings.inv_max_age_days);
  const startsAt = thresholdOf(now, timeZone, settings.inv_max_age_days, settings.sync_start_date);
  const customers = customersOf(shared);
  const sources = chosen.map((head) => {
    const company = companies.get(head.companyId);
    return toSource(head, {
      name: company?.name ?? `Company ${head.companyId}`,
      currency: currencyOf(company?.currencyId ?? null, shared),
      mappedPartyId: customers.get(head.companyId) ?? null,
      childPartyIds: childrenOf(customers.get(head.companyId), shared.accountingLists),
      outcome: outcomes.get(head.id) ?? null,
      window,
      startsAt,
      isHeldWhenClosed: settings.closed_period_policy === 'hold',
    });
  });
  const gathered = await gatherKind(
    shared,
    { kind: 'invoice', sources: await withPaymentSync(shared, sources), documents },
    extras,
  );
  const facts = { ...gathered, ...paid };
  return { facts: await withPrepaidUse(shared, await withLines(shared, facts)), companies };
}

/** Returns the ids of a customer's sub-customers, for which it pays. */
function childrenOf(id: string | undefined, accountingLists: Shared['accountingLists']): readonly string[] {
  const all = accountingLists.customers.filter(({ parentId }) => parentId !== undefined && parentId !== null);
  if (id === undefined || all.length === 0) return [];
  const index = indexAccounting(accountingLists);
  return all.flatMap((customer) => (customer.id !== id && isOrBelow(customer.id, id, index) ? [customer.id] : []));
}

/** Without its multi-currency module, the PSA has all amounts in the company's own currency. */
export function currencyOf(currencyId: number | null, { psaLists, accountingLists }: Shared): string {
  const { currencies, modules } = psaLists;
  const internal = currencies.find(({ isInternal }) => isInternal)?.code ?? accountingLists.preferences.homeCurrency;
  return (modules.multiCurrency ? currencies.find(({ id }) => id === currencyId)?.code : undefined) ?? internal;
}

export const customersOf = ({ mappings }: Pick<Shared, 'mappings'>): ReadonlyMap<number, string> =>
  new Map(
    mappings.flatMap(({ namespace, sourceValue, targetValue }) =>
      namespace === 'Customer' ? [[Number(sourceValue), targetValue] as const] : [],
    ),
  );

/** Differences whose fix posts the PSA's lines, which must add up to its total. */
const postsLines: ReadonlySet<string> = new Set([
  'edited_in_psa',
  'deleted_in_accounting',
  'voided_in_accounting',
  'missing_error',
]);

/** Adds the PSA's lines only for invoices with an unexplained difference, or whose fix posts them. */
async function withLines({ psa }: Shared, facts: CompletenessFacts): Promise<CompletenessFacts> {
  const puzzling = proveCompleteness(facts).rows.flatMap((row) =>
    row.psa !== null && (!isZero(row.unexplained) || row.findings.some((finding) => postsLines.has(finding.class)))
      ? [row.psa.id]
      : [],
  );
  if (puzzling.length === 0) return facts;
  const read = new Map(
    (await psa.readInvoices(puzzling)).map(({ id, lines, total, tax }) => {
      const amounts = lines.map(({ amount }) => amount);
      const linesNet = sum(amounts.map((amount) => round2(amount)));
      return [id, { linesNet, linesAddUp: isRoundingOf(minus(minus(total, tax), linesNet), amounts) }];
    }),
  );
  return { ...facts, sources: facts.sources.map((source) => ({ ...source, ...read.get(source.id) })) };
}

/** Marks the voided sales whose prepaid money was used, so that their void is not offered. */
async function withPrepaidUse(shared: Shared, facts: CompletenessFacts): Promise<CompletenessFacts> {
  const voided = proveCompleteness(facts).rows.flatMap(({ psa, accounting, findings }) =>
    psa !== null && accounting !== null && findings.some((finding) => finding.class === 'voided_in_psa')
      ? [{ id: psa.id, accounting }]
      : [],
  );
  if (voided.length === 0) return facts;
  const entries = await readPrepaidEntries({ ...shared, tenant: shared }, shared.settings.prepaid_account);
  const used = new Set(
    voided.flatMap(({ id, accounting }) => (isZero(shortfallWithout(entries, accounting)) ? [] : [id])),
  );
  return {
    ...facts,
    sources: facts.sources.map((source) => (used.has(source.id) ? { ...source, isPrepaidUsed: true } : source)),
  };
}
