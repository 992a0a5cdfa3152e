import type { LedgerEntry, ReportAnswers } from '#core/documents/accounting-report.ts';
import type { Invoice } from '#core/documents/invoice.ts';
import type { PrepaidPurchase } from '#core/documents/prepaid-purchase.ts';
import { inParallel } from '#core/in-parallel.ts';
import { drawDown, type PrepaidUnits } from '#core/planning/prepaid.ts';
import { indexPsa } from '#core/planning/reference-index.ts';
import { expiredPrepaid, type UnusedPrepaid } from '#core/reconciliation/expired-prepaid.ts';
import {
  prepaidBalances,
  prepaidMoves,
  movesByContract,
  worthOf,
  type PrepaidDocument,
} from '#core/reconciliation/prepaid.ts';
import type { TieOutFacts } from '#core/reconciliation/tie-out.ts';
import type { CalendarDate } from '#core/values/dates.ts';
import {
  absolute,
  decimal,
  type Decimal,
  divide,
  isNegative,
  plus,
  round2,
  sum,
  times,
  zero,
} from '#core/values/decimal.ts';
import type { Shared } from './shared.ts';
import { loadPostings } from './sources.ts';

/**
 * Returns the clients' prepayments by contract: the PSA's balances, and the entries of the account for blocks and
 * retainers since its first entry, with QuickBooks' original response. Makes no calls if no account is set.
 *
 * @param through last day of the month
 * @param asOf the same day, or today if the month has not ended
 */
export async function prepaidOf(
  shared: Shared,
  through: CalendarDate,
  asOf: CalendarDate,
): Promise<{ readonly facts: TieOutFacts['prepaid']; readonly answers: ReportAnswers }> {
  const { context, psa, accounting, settings, psaLists } = shared;
  const accountId = settings.prepaid_account;
  if (accountId === null) return { facts: null, answers: {} };
  const { prepaidUnits } = indexPsa(psaLists);
  const [purchases, { content: ledger, raw }] = await inParallel([
    psa.readPurchases(new Set(prepaidUnits.values())),
    accounting.readAccountLedger(accountId, through),
  ]);
  const ids = [...new Set(ledger.entries.flatMap(({ id }) => id ?? []))];
  const [invoicePostings, voidPostings] = await inParallel([
    context.store.findPostings('invoice', ids),
    context.store.findPostings('void', ids),
  ]);
  const postings = [...invoicePostings, ...voidPostings];
  const sources = [...new Set(postings.map(({ psaId }) => psaId))];
  const invoices = sources.length === 0 ? [] : await psa.readInvoices(sources);
  const movesOf = prepaidMoves(invoices, prepaidUnits, purchases ?? []);
  const rates = await ratesOf(shared, sources);
  const documents = new Map(
    postings.flatMap(({ psaId, targetId }): (readonly [string, PrepaidDocument])[] =>
      targetId === null ? [] : [[targetId, { moves: movesOf.get(psaId) ?? [], rate: rates.get(psaId) ?? home }]],
    ),
  );
  const { byContract, others } = prepaidBalances(ledger.entries, documents);
  const byDate = invoices
    .filter(({ isVoided }) => !isVoided)
    .toSorted((a, b) => a.invoicedOn.localeCompare(b.invoicedOn) || a.id - b.id);
  const ownMoves = movesByContract(
    byDate.map(({ id }) => ({ moves: movesOf.get(id) ?? [], rate: rates.get(id) ?? home })),
  );
  const worth = ({ contractId, amount }: { readonly contractId: number; readonly amount: Decimal }) =>
    worthOf(amount, ownMoves.get(contractId) ?? [], byContract.get(contractId) ?? null);
  const names = new Map(psaLists.contracts.map(({ id, name }) => [id, name]));
  const inPsa = new Map(leftByContract(purchases ?? [], through).map((one) => [one.contractId, worth(one)]));
  const posted = byDate.map((invoice) => {
    const ids = new Set(
      invoicePostings.flatMap(({ psaId, targetId }) => (psaId === invoice.id ? (targetId ?? []) : [])),
    );
    const entries = ledger.entries.filter(({ id }) => id !== null && ids.has(id));
    return { ...invoice, entries, rate: rates.get(invoice.id) ?? home };
  });
  const facts = {
    accountId,
    isVisible: purchases !== null,
    expired: expiredPrepaid({
      unused: unusedIn(posted, purchases ?? [], prepaidUnits, names),
      entries: ledger.entries,
      others,
      asOf,
      graceMonths: settings.prepaid_grace_months,
    }),
    breakageAccountId: settings.prepaid_breakage_account,
    opening: ledger.opening,
    contracts: [...new Set([...inPsa.keys(), ...byContract.keys()])]
      .sort((a, b) => a - b)
      .map((id) => ({
        label: names.get(id) ?? `Contract ${id}`,
        psa: inPsa.get(id) ?? null,
        accounting: byContract.get(id) ?? null,
      })),
    others,
  };
  return { facts, answers: { prepayments_ledger: raw } };
}

const home = decimal('1');

/** Returns what is left in the PSA today of purchases through this day, by contract. */
function leftByContract(purchases: readonly PrepaidPurchase[], through: CalendarDate) {
  const bought = purchases.filter(({ purchasedOn }) => purchasedOn !== null && purchasedOn <= through);
  return [...Map.groupBy(bought, ({ contractId }) => contractId)].map(([contractId, own]) => ({
    contractId,
    amount: own.reduce((all, { left }) => plus(all, left), zero),
  }));
}

/** A posted invoice with its entries in the account for prepaid money. */
interface PostedInvoice extends Invoice {
  readonly entries: readonly LedgerEntry[];
  readonly rate: Decimal;
}

/** Returns the prepaid money that no posted work has used, by purchase. */
function unusedIn(
  invoices: readonly PostedInvoice[],
  purchases: readonly PrepaidPurchase[],
  units: PrepaidUnits,
  names: ReadonlyMap<number, string>,
): readonly UnusedPrepaid[] {
  const byId = new Map(invoices.map((invoice) => [invoice.id, invoice]));
  const drawing = invoices.map((invoice) => {
    const change = sum(invoice.entries.map(({ amount }) => amount));
    return { ...invoice, ...(isNegative(change) && { drawn: round2(divide(absolute(change), invoice.rate, 4)) }) };
  });
  const { unused } = drawDown(drawing, units, ({ amount }) => round2(amount), purchases);
  return unused.map(({ contractId, invoice, purchase, left }) => {
    const posted = byId.get(invoice.id);
    return {
      contract: names.get(contractId) ?? `Contract ${contractId}`,
      customer: posted?.entries[0]?.partyName ?? null,
      endsOn: purchase?.endsOn ?? null,
      left: round2(times(left, posted?.rate ?? home)),
    };
  });
}

/** Returns the exchange rates of posted invoices by their PSA id, if QuickBooks uses several currencies. */
async function ratesOf(shared: Shared, psaIds: readonly number[]): Promise<ReadonlyMap<number, Decimal>> {
  if (!shared.accountingLists.preferences.multiCurrency || psaIds.length === 0) return new Map();
  const posted = await loadPostings(
    shared,
    'invoice',
    psaIds.map((id) => ({ id })),
  );
  return new Map(posted.map(({ psaId, fingerprint }) => [psaId, fingerprint?.exchangeRate ?? home]));
}
