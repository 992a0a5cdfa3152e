import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import { accountingDocumentTypes } from '#core/documents/accounting-document.ts';
import {
  reportNames,
  type AccountingTaxes,
  type ReportAnswers,
  type ReportContents,
  type ReportName,
  type ReportPeriod,
} from '#core/documents/accounting-report.ts';
import type { InvoiceHead } from '#core/documents/invoice.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Mapping, PartyNamespace } from '#core/mapping/mapping.ts';
import { isOrBelow } from '#core/planning/child-work.ts';
import { thresholdOf } from '#core/planning/eligibility.ts';
import { shortfallWithout } from '#core/planning/prepaid-shortfall.ts';
import { indexAccounting } from '#core/planning/reference-index.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import type { PostedBody } from '#core/records/closes.ts';
import type { Psa } from '#core/ports/psa.ts';
import { proveCompleteness, keyOf, notedSource, type CompletenessFacts } from '#core/reconciliation/completeness.ts';
import type { CloseFacts } from '#core/reconciliation/close.ts';
import { withAccountIds } from '#core/reconciliation/report-accounts.ts';
import { homeAmount } from '#core/reconciliation/home-amounts.ts';
import type { ExtraDocument } from '#core/reconciliation/completeness-facts.ts';
import { namedSource } from '#core/reconciliation/named-source.ts';
import type { TieOutFacts } from '#core/reconciliation/tie-out.ts';
import { firstDay, lastDay, type Month } from '#core/reconciliation/month.ts';
import { signedTotal } from '#core/reconciliation/signed.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { addDays, dateIn, type CalendarDate } from '#core/values/dates.ts';
import { isRoundingOf } from '#core/planning/verify.ts';
import { isZero, minus, round2, sum, times } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import { loadCachedLists } from '../connections/cached-lists.ts';
import { loadPsaReference } from '../connections/reference-data.ts';
import type { TenantContext } from '../context.ts';
import { readPrepaidEntries } from '../sync/prepaid-entries.ts';
import { prepaidOf } from './prepaid.ts';
import { orderBalances } from './order-balances.ts';
import { reportOfNumber, reportSources } from './report-sources.ts';
import type { Shared } from './shared.ts';
import { type ProofSources, readPsaMonth } from './sources-hash.ts';
import {
  inMonth,
  loadPostings,
  orderSources,
  paymentSources,
  toPosted,
  toSource,
  withPaymentSync,
  type Sources,
} from './sources.ts';

/** The lists supply only names, accounts and currencies here. */
export const listsMaxAgeSeconds = 3_600;

/** Facts that prove a month, and what is stored with the proof. */
export interface Gathered {
  readonly facts: CloseFacts;
  readonly reports: ReportAnswers;
  readonly settings: Settings;
  readonly mappings: readonly Mapping[];
  readonly books: AccountingLists;
  /** What the proof depends on besides QuickBooks. */
  readonly sources: Omit<ProofSources, 'version'>;
}

/**
 * Reads both sides of a month, in pages of 500 and 1,000, so that the number of calls hardly depends on the number of
 * documents. Changes nothing.
 *
 * @throws ServiceError when one of the services cannot be used; Refusal `not_connected`.
 */
export async function gatherMonth(context: TenantContext, month: Month): Promise<Gathered> {
  const { store } = context;
  const period = { from: firstDay(month), through: lastDay(month) };
  const [psa, accounting, settings, mappings, tenant] = await inParallel([
    context.psa(),
    context.accounting(),
    store.readSettings(),
    store.listMappings(),
    store.readTenant(),
  ]);
  // Accounts are always read from QuickBooks: the first invoice in a currency creates that currency's receivables
  // account.
  const [psaLists, cachedLists, accounts] = await inParallel([
    loadPsaReference(context, { maxAgeSeconds: listsMaxAgeSeconds }),
    loadCachedLists(context, { maxAgeSeconds: listsMaxAgeSeconds }),
    accounting.readAccounts(),
  ]);
  const { preferences } = cachedLists;
  const [documents, psaMonth, reports] = await inParallel([
    accounting.listDocuments(period, accountingDocumentTypes),
    readPsaMonth(psa, month, tenant.timeZone),
    readReports(accounting, { ...period, hasClasses: preferences.classPerLine || preferences.classPerTransaction }),
  ]);
  const { heads, orders, approved, unbilled } = psaMonth;
  const { timeZone } = tenant;
  const contents = withAccountIds(contentOf(reports), accounts);
  const books = { ...(await withCurrentNames(context, cachedLists, contents)), accounts };
  const shared: Shared = { context, psa, accounting, month, settings, psaLists, books, mappings, documents, timeZone };
  const paid = paidFacts(dateIn(context.clock.now(), timeZone), period.through, contents.aged_receivables);
  const { facts: invoices, companies } = await gatherInvoices(shared, heads, paid);
  const orderSide = await orderSources(shared, orders);
  const [prepaid, taxes, earlierPayments, expenseBillIds, orderFacts, reportFacts, paymentFacts] = await inParallel([
    prepaidOf(shared, period.through, paid.asOf),
    accounting.readTaxes(period, taxRates(documents)),
    earlierPaymentsOf(shared, contents, period.from),
    expenseBillsOf(shared, contents),
    gatherKind(shared, orderSide),
    gatherKind(shared, await reportSources(shared, approved)),
    gatherKind(shared, await paymentSources(shared, invoices.sources)),
  ]);
  return {
    settings,
    mappings,
    books,
    sources: {
      month,
      psa: psaMonth,
      orders: orderSide.orders,
      settings,
      mappings,
      closedThrough: preferences.closedThrough,
      timeZone,
    },
    reports: { ...rawOf(reports), ...prepaid.answers, ...summaryAnswers(taxes) },
    facts: {
      month,
      homeCurrency: books.preferences.homeCurrency,
      closedThrough: books.preferences.closedThrough,
      kinds: [invoices, orderFacts, reportFacts, paymentFacts],
      tieOuts: {
        through: period.through,
        asOf: paid.asOf,
        homeCurrency: books.preferences.homeCurrency,
        psaLabel: psa.describe.label,
        lists: books,
        documents,
        earlierPayments,
        expenseBillIds,
        reports: contents,
        psaOpen: openInvoices(shared, heads, { facts: invoices, companies }, period.through),
        ...(await orderBalances(shared, orders, { ...orderFacts, orders: orderSide.orders }, period)),
        prepaid: prepaid.facts,
        taxes,
        unbilled,
        advanceAccountId: settings.exp_cash_advance_expense_account,
        unbilledAccountId: settings.unbilled_revenue_account,
      },
    },
  };
}

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
  const [psaLists, books, documents, heads] = await inParallel([
    loadPsaReference(context, { maxAgeSeconds: listsMaxAgeSeconds }),
    loadCachedLists(context, { maxAgeSeconds: listsMaxAgeSeconds }),
    accounting.listDocuments(period, salesTypes),
    psa.findInvoices({ dated: period }),
  ]);
  const { facts } = await gatherInvoices(
    { context, psa, accounting, month, settings, psaLists, books, mappings, documents, timeZone },
    heads,
  );
  return facts;
}

const taxRates = (documents: readonly AccountingDocument[]): string[] => [
  ...new Set(documents.flatMap(({ taxes = [] }) => taxes.map(({ rateId }) => rateId))),
];

/** Returns the lists; reads them again if a report names a class or customer that they lack, for example after a rename. */
async function withCurrentNames(
  context: TenantContext,
  lists: AccountingLists,
  { general_ledger: ledger, aged_receivables: { documents } }: ReportContents,
): Promise<AccountingLists> {
  const classes = new Set(lists.classes.map(({ fullyQualifiedName }) => fullyQualifiedName));
  const customers = new Set(lists.customers.map(({ displayName }) => displayName));
  const isUnknown = (known: ReadonlySet<string>, name: string): boolean =>
    name !== '' && !name.endsWith(' (deleted)') && !known.has(name) && !known.has(name.split(':').at(-1) ?? name);
  const isOutdated =
    ledger.some(({ entries }) => entries.some(({ className }) => isUnknown(classes, className ?? ''))) ||
    documents.some(({ partyName }) => isUnknown(customers, partyName));
  return isOutdated ? loadCachedLists(context, { maxAgeSeconds: 0 }) : lists;
}

/** Returns the day on which paid states are compared, and what the aging report of the month's last day has as open. */
function paidFacts(
  today: CalendarDate,
  through: CalendarDate,
  { documents }: ReportContents['aged_receivables'],
): Pick<CompletenessFacts, 'openKeys'> & { readonly asOf: CalendarDate } {
  const asOf = today < through ? today : through;
  const keys = documents.flatMap(({ type, id }) => (id === null ? [] : [keyOf(type.replaceAll(' ', ''), id)]));
  return keys.length === documents.length ? { asOf, openKeys: new Set(keys) } : { asOf };
}

const isOpenAt = (invoice: InvoiceHead, through: CalendarDate): boolean =>
  !invoice.isVoided &&
  (invoice.paidOn === null || invoice.paidOn > through) &&
  invoice.invoicedOn <= through &&
  !isZero(invoice.total);

type Reports = { readonly [Name in ReportName]: { readonly content: ReportContents[Name]; readonly raw: JsonObject } };

async function readReports(accounting: Accounting, period: ReportPeriod): Promise<Reports> {
  const entries = await inParallel(
    reportNames.map(async (name) => [name, await accounting.readReport(name, period)] as const),
  );
  // Each name is stored with its report.
  return Object.fromEntries(entries) as unknown as Reports;
}

const rawOf = (reports: Reports): ReportAnswers =>
  Object.fromEntries(reportNames.map((name) => [name, reports[name].raw]));
const contentOf = (reports: Reports): ReportContents => ({
  trial_balance: reports.trial_balance.content,
  general_ledger: reports.general_ledger.content,
  aged_receivables: reports.aged_receivables.content,
  aged_payables: reports.aged_payables.content,
  customer_sales: reports.customer_sales.content,
});

const summaryAnswers = ({ summaries }: AccountingTaxes): ReportAnswers =>
  Object.fromEntries(summaries.map(({ agencyId, raw }) => [`tax_summary_${agencyId}`, raw]));

/** Payments received up to this many days before a month may still be waiting for deposit. */
const maxDepositDays = 92;

/**
 * Returns payments before the month that may not be deposited yet. Makes no call if the account's opening balance is
 * zero.
 */
async function earlierPaymentsOf(
  { accounting, books }: Shared,
  { general_ledger: ledger }: ReportContents,
  from: CalendarDate,
): Promise<readonly AccountingDocument[]> {
  const accounts = new Set(books.accounts.flatMap(({ id, subType }) => (subType === 'UndepositedFunds' ? [id] : [])));
  const isLeft = ledger.some(
    ({ accountId, opening }) => accountId !== null && accounts.has(accountId) && !isZero(opening),
  );
  if (!isLeft) return [];
  return accounting.listDocuments({ from: addDays(from, -maxDepositDays), through: addDays(from, -1) }, ['Payment']);
}

/**
 * Returns the ids of open QuickBooks bills that were posted for expense reports. Those that earlier versions posted for
 * a month of a split report are recognized by their number.
 */
async function expenseBillsOf(
  { context: { store } }: Shared,
  { aged_payables: { documents } }: ReportContents,
): Promise<ReadonlySet<string>> {
  const bills = documents.flatMap(({ type, id, number }) => (type === 'Bill' && id !== null ? [{ id, number }] : []));
  if (bills.length === 0) return new Set();
  const reports = bills.flatMap(({ number }) => reportOfNumber(number) ?? []);
  const ids = bills.map(({ id }) => id);
  const [postings, earlier, ofReports] = await inParallel([
    store.findPostings('expense_report', ids),
    store.listEarlierBills({ ids }),
    store.listPostings('expense_report', reports),
  ]);
  const posted = new Set(ofReports.flatMap(({ psaId, status }) => (status === 'synced' ? [psaId] : [])));
  const own = new Set([...postings.flatMap(({ targetId }) => targetId ?? []), ...earlier.map(({ id }) => id)]);
  return new Set(
    bills.flatMap(({ id, number }) => (own.has(id) || posted.has(reportOfNumber(number) ?? 0) ? [id] : [])),
  );
}

/** Returns the PSA's invoices that were open at the end of a day, with the customer who pays each. */
function openInvoices(
  shared: Shared,
  heads: readonly InvoiceHead[],
  { facts, companies }: { readonly facts: CompletenessFacts; readonly companies: Companies },
  through: CalendarDate,
): TieOutFacts['psaOpen'] {
  const payer = payersOf(shared);
  return heads
    .filter((one) => isOpenAt(one, through))
    .map((one) => {
      const company = companies.get(one.companyId);
      return {
        customer: payer(one.companyId) ?? company?.name ?? `Company ${one.companyId}`,
        ...inHome(one, currencyOf(company?.currencyId ?? null, shared), facts),
      };
    });
}

/**
 * Returns an invoice's total in the home currency: the total of its document, or its own at the rate of its document or of
 * another document in its currency.
 */
function inHome(
  { id, total }: InvoiceHead,
  currency: string,
  { documents, postings, homeCurrency }: CompletenessFacts,
): Pick<TieOutFacts['psaOpen'][number], 'amount' | 'amountInCurrency' | 'currency'> {
  const of = { currency, amountInCurrency: total };
  if (currency === homeCurrency) return { ...of, amount: total };
  const posting = postings.findLast(({ psaId }) => psaId === id);
  const own = documents.find(
    (one) => posting !== undefined && keyOf(one.type, one.id) === keyOf(posting.type, posting.id),
  );
  // QuickBooks has the invoice in the home currency only.
  if (own?.isVoided === false && (own.currency ?? homeCurrency) !== currency)
    return { ...of, amount: homeAmount(own, signedTotal(own)) };
  const rated = own ?? documents.findLast((one) => one.currency === currency);
  return { ...of, amount: rated === undefined ? null : round2(times(total, rated.exchangeRate)) };
}

/** Returns a function that names the payer of a company: its mapped customer, or that customer's parent. */
function payersOf(shared: Shared): (companyId: number) => string | null {
  const mapped = customersOf(shared);
  const customers = new Map(shared.books.customers.map((one) => [one.id, one]));
  return (companyId) => {
    const seen = new Set<string>();
    let payer = customers.get(mapped.get(companyId) ?? '');
    for (let at = payer; at !== undefined && !seen.has(at.id); at = customers.get(at.parentId ?? '')) {
      seen.add(at.id);
      payer = at;
    }
    return payer?.displayName ?? null;
  };
}

type Companies = ReadonlyMap<number, Awaited<ReturnType<Psa['readCompanyNames']>>[number]>;

/**
 * Gathers invoices, credit memos, sales receipts and refund receipts, with the companies of all invoices that were
 * read.
 */
async function gatherInvoices(
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
      childPartyIds: childrenOf(customers.get(head.companyId), shared.books),
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
function childrenOf(id: string | undefined, books: Shared['books']): readonly string[] {
  const all = books.customers.filter(({ parentId }) => parentId !== undefined && parentId !== null);
  if (id === undefined || all.length === 0) return [];
  const index = indexAccounting(books);
  return all.flatMap((one) => (one.id !== id && isOrBelow(one.id, id, index) ? [one.id] : []));
}

/** Without its multi-currency module, the PSA has all amounts in the company's own currency. */
function currencyOf(currencyId: number | null, { psaLists, books }: Shared): string {
  const { currencies, modules } = psaLists;
  const internal = currencies.find(({ isInternal }) => isInternal)?.code ?? books.preferences.homeCurrency;
  return (modules.multiCurrency ? currencies.find(({ id }) => id === currencyId)?.code : undefined) ?? internal;
}

export const customersOf = ({ mappings }: Pick<Shared, 'mappings'>): ReadonlyMap<number, string> =>
  new Map(
    mappings.flatMap(({ namespace, sourceValue, targetValue }) =>
      namespace === 'Customer' ? [[Number(sourceValue), targetValue] as const] : [],
    ),
  );

/**
 * Gathers the postings of sources and documents, and documents of other months that were posted for sources of this
 * one.
 */
async function gatherKind(
  shared: Shared,
  { kind, sources, documents, postings }: Sources,
  extras: CompletenessFacts['extras'] = [],
): Promise<CompletenessFacts> {
  const posted = postings ?? (await loadPostings(shared, kind, sources));
  const known = new Set(documents.map(({ type, id }) => keyOf(type, id)));
  // A document whose date was moved is in another month.
  const moved = [...posted.filter(({ isGone }) => isGone !== true), ...extras].filter(
    (one) => !known.has(keyOf(one.type, one.id)),
  );
  const others = moved.length === 0 ? [] : await shared.accounting.readDocuments(moved);
  const noted = documents.flatMap((one) => notedSource(one, { kind, psaLabel: shared.psa.describe.label }) ?? []);
  return {
    kind,
    month: shared.month,
    sources,
    recorded: await recordedOf(shared, kind, documents, [...new Set(noted)]),
    postings: posted,
    extras,
    documents: [...documents, ...others],
    mappedPartyIds: mappedParties(shared.mappings, partiesOf[kind]),
    homeCurrency: shared.books.preferences.homeCurrency,
    psaLabel: shared.psa.describe.label,
  };
}

/** Namespaces of the customers or vendors of each kind. Records of other lists may have the same ids. */
const partiesOf: Readonly<Record<CompletenessFacts['kind'], readonly PartyNamespace[]>> = {
  invoice: ['Customer'],
  payment: ['Customer'],
  purchase_order: ['Vendor'],
  expense_report: ['Employee', 'Vendor'],
};

const mappedParties = (mappings: readonly Mapping[], of: readonly PartyNamespace[]): ReadonlySet<string> =>
  new Set(mappings.flatMap(({ namespace, targetValue }) => (of.some((one) => one === namespace) ? [targetValue] : [])));

/** Returns the source of each document that our ledger has, among these documents and for these sources. */
async function recordedOf(
  { context: { store } }: Shared,
  kind: CompletenessFacts['kind'],
  documents: readonly AccountingDocument[],
  psaIds: readonly number[],
): Promise<ReadonlyMap<string, number>> {
  const found = await inParallel([
    psaIds.length === 0 ? [] : store.listPostings(kind, psaIds),
    store.findPostings(
      kind,
      documents.map(({ id }) => id),
    ),
  ]);
  return new Map(
    found
      .flat()
      .flatMap(({ psaId, targetType, targetId, status }) =>
        targetId !== null && targetType !== null && (status === 'synced' || status === 'unconfirmed')
          ? [[keyOf(targetType, targetId), psaId] as const]
          : [],
      ),
  );
}

/**
 * Returns the documents that we posted in addition to those of the invoices: reversing credit memos and documents that
 * bill differences. Those of these invoices, those dated in the month, and those that were posted in it.
 */
async function extrasOf(
  { context, accounting, psa, month }: Shared,
  psaIds: readonly number[],
  documents: readonly AccountingDocument[],
): Promise<CompletenessFacts['extras']> {
  const { store } = context;
  const ids = documents.map(({ id }) => id);
  const found = await inParallel(
    extraKinds.map(async ({ kind, role }) => {
      const own = await store.findPostings(kind, ids);
      const owners = [...new Set([...psaIds, ...own.map(({ psaId }) => psaId)])];
      const rows = [
        ...(await store.listPostedBodies(kind, owners)),
        ...(await store.listPostedDated(kind, { from: firstDay(month), through: lastDay(month) })),
      ];
      return rows.flatMap((row) =>
        role === 'reversal' && row.targetType !== 'CreditMemo' ? [] : toExtra(role, row, accounting),
      );
    }),
  );
  const noted = documents.flatMap((one): ExtraDocument[] => {
    const named = namedSource(one, psa.describe.label);
    const role = extraKinds.find(({ kind }) => kind === named?.kind)?.role;
    return named === null || role === undefined ? [] : [{ role, psaId: named.psaId, type: one.type, id: one.id }];
  });
  return [...new Map([...noted, ...found.flat()].map((one) => [keyOf(one.type, one.id), one])).values()];
}

/** Kinds of the ledger whose documents are posted in addition to an invoice. */
const extraKinds = [
  { kind: 'void', role: 'reversal' },
  { kind: 'difference', role: 'difference' },
] as const;

function toExtra(
  role: ExtraDocument['role'],
  row: PostedBody,
  accounting: Pick<Accounting, 'fingerprintOfBody'>,
): ExtraDocument[] {
  if (row.status !== 'synced' && row.status !== 'unconfirmed') return [];
  return toPosted(row, (type) => accounting.fingerprintOfBody(type, row.body)).map((posted) => ({
    role,
    psaId: posted.psaId,
    type: posted.type,
    id: posted.id,
    posted,
  }));
}

/** Differences whose fix posts the PSA's lines, which must add up to its total. */
const postsLines: ReadonlySet<string> = new Set([
  'edited_in_psa',
  'deleted_in_books',
  'voided_in_books',
  'missing_error',
]);

/** Adds the PSA's lines only for invoices with an unexplained difference, or whose fix posts them. */
async function withLines({ psa }: Shared, facts: CompletenessFacts): Promise<CompletenessFacts> {
  const puzzling = proveCompleteness(facts).rows.flatMap((row) =>
    row.psa !== null && (!isZero(row.unexplained) || row.findings.some((one) => postsLines.has(one.class)))
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
  const voided = proveCompleteness(facts).rows.flatMap(({ psa, books, findings }) =>
    psa !== null && books !== null && findings.some((one) => one.class === 'voided_in_psa')
      ? [{ id: psa.id, books }]
      : [],
  );
  if (voided.length === 0) return facts;
  const entries = await readPrepaidEntries({ ...shared, tenant: shared }, shared.settings.prepaid_account);
  const used = new Set(voided.flatMap(({ id, books }) => (isZero(shortfallWithout(entries, books)) ? [] : [id])));
  return {
    ...facts,
    sources: facts.sources.map((one) => (used.has(one.id) ? { ...one, isPrepaidUsed: true } : one)),
  };
}
