import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import { accountingDocumentTypes } from '#core/documents/accounting-document.ts';
import { type ReportAnswers, type ReportContents } from '#core/documents/accounting-report.ts';
import type { InvoiceHead } from '#core/documents/invoice.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Mapping } from '#core/mapping/mapping.ts';
import { keyOf, type CompletenessFacts } from '#core/reconciliation/completeness.ts';
import type { CloseFacts } from '#core/reconciliation/close.ts';
import { withAccountIds } from '#core/reconciliation/report-accounts.ts';
import { homeAmount } from '#core/reconciliation/home-amounts.ts';
import type { TieOutFacts } from '#core/reconciliation/tie-out.ts';
import { firstDay, lastDay, type Month } from '#core/reconciliation/month.ts';
import { signedTotal } from '#core/reconciliation/signed.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { addDays, dateIn, type CalendarDate } from '#core/values/dates.ts';
import { isZero, round2, times } from '#core/values/decimal.ts';
import { loadCachedLists } from '../connections/cached-lists.ts';
import { loadPsaReference } from '../connections/reference-data.ts';
import type { TenantContext } from '../context.ts';
import { prepaidOf } from './prepaid.ts';
import { orderBalances } from './order-balances.ts';
import { reportOfNumber, reportSources } from './report-sources.ts';
import { listsMaxAgeSeconds, type Shared } from './shared.ts';
import { type ProofSources, readPsaMonth } from './sources-hash.ts';
import { orderSources, paymentSources } from './sources.ts';
import { gatherKind } from './gather-kind.ts';
import { gatherInvoices, type Companies, currencyOf, customersOf } from './gather-invoices.ts';
import { readReports, rawOf, contentOf, summaryAnswers, withCurrentNames, paidFacts } from './gather-reports.ts';

/** Facts that prove a month, and what is stored with the proof. */
export interface Gathered {
  readonly facts: CloseFacts;
  readonly reports: ReportAnswers;
  readonly settings: Settings;
  readonly mappings: readonly Mapping[];
  readonly accounting: AccountingLists;
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
  const { homeCurrency, closedThrough } = preferences;
  const [documents, psaMonth, reports] = await inParallel([
    accounting.listDocuments(period, accountingDocumentTypes),
    readPsaMonth(psa, month, tenant.timeZone),
    readReports(accounting, { ...period, hasClasses: preferences.classPerLine || preferences.classPerTransaction }),
  ]);
  const { heads, orders, approved, unbilled } = psaMonth;
  const { timeZone } = tenant;
  const contents = withAccountIds(contentOf(reports), accounts);
  const accountingLists = { ...(await withCurrentNames(context, cachedLists, contents)), accounts };
  const own = { context, psa, accounting, month, settings, mappings };
  const shared: Shared = { ...own, psaLists, accountingLists, documents, timeZone };
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
    accounting: accountingLists,
    sources: { month, psa: psaMonth, orders: orderSide.orders, settings, mappings, closedThrough, timeZone },
    reports: { ...rawOf(reports), ...prepaid.answers, ...summaryAnswers(taxes) },
    facts: {
      month,
      homeCurrency,
      closedThrough,
      kinds: [invoices, orderFacts, reportFacts, paymentFacts],
      tieOuts: {
        through: period.through,
        asOf: paid.asOf,
        homeCurrency,
        psaLabel: psa.describe.label,
        lists: accountingLists,
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

const taxRates = (documents: readonly AccountingDocument[]): string[] => [
  ...new Set(documents.flatMap(({ taxes = [] }) => taxes.map(({ rateId }) => rateId))),
];

const isOpenAt = (invoice: InvoiceHead, through: CalendarDate): boolean =>
  !invoice.isVoided &&
  (invoice.paidOn === null || invoice.paidOn > through) &&
  invoice.invoicedOn <= through &&
  !isZero(invoice.total);

/** Payments received up to this many days before a month may still be waiting for deposit. */
const maxDepositDays = 92;

/**
 * Returns payments before the month that may not be deposited yet. Makes no call if the account's opening balance is
 * zero.
 */
async function earlierPaymentsOf(
  { accounting, accountingLists }: Shared,
  { general_ledger: ledger }: ReportContents,
  from: CalendarDate,
): Promise<readonly AccountingDocument[]> {
  const accounts = new Set(
    accountingLists.accounts.flatMap(({ id, subType }) => (subType === 'UndepositedFunds' ? [id] : [])),
  );
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
    .filter((head) => isOpenAt(head, through))
    .map((head) => {
      const company = companies.get(head.companyId);
      return {
        customer: payer(head.companyId) ?? company?.name ?? `Company ${head.companyId}`,
        ...inHome(head, currencyOf(company?.currencyId ?? null, shared), facts),
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
    (document) => posting !== undefined && keyOf(document.type, document.id) === keyOf(posting.type, posting.id),
  );
  // QuickBooks has the invoice in the home currency only.
  if (own?.isVoided === false && (own.currency ?? homeCurrency) !== currency)
    return { ...of, amount: homeAmount(own, signedTotal(own)) };
  const rated = own ?? documents.findLast((document) => document.currency === currency);
  return { ...of, amount: rated === undefined ? null : round2(times(total, rated.exchangeRate)) };
}

/** Returns a function that names the payer of a company: its mapped customer, or that customer's parent. */
function payersOf(shared: Shared): (companyId: number) => string | null {
  const mapped = customersOf(shared);
  const customers = new Map(shared.accountingLists.customers.map((customer) => [customer.id, customer]));
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
