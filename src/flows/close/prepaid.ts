import type { ReportAnswers } from '#core/documents/accounting-report.ts';
import { inParallel } from '#core/in-parallel.ts';
import { indexPsa } from '#core/planning/reference-index.ts';
import {
  prepaidBalances,
  prepaidMoves,
  movesByContract,
  worthOf,
  type PrepaidDocument,
} from '#core/reconciliation/prepaid.ts';
import type { TieOutFacts } from '#core/reconciliation/tie-out.ts';
import type { CalendarDate } from '#core/values/dates.ts';
import { decimal, type Decimal } from '#core/values/decimal.ts';
import type { Shared } from './shared.ts';
import { loadPostings } from './sources.ts';

/**
 * Returns the clients' prepayments by contract: the PSA's balances, and the entries of the account for blocks and
 * retainers since its first entry, with QuickBooks' original response. Makes no calls if no account is set.
 */
export async function prepaidOf(
  shared: Shared,
  through: CalendarDate,
): Promise<{ readonly facts: TieOutFacts['prepaid']; readonly answers: ReportAnswers }> {
  const { context, psa, accounting, settings, psaLists } = shared;
  const accountId = settings.prepaid_account;
  if (accountId === null) return { facts: null, answers: {} };
  const { prepaidUnits } = indexPsa(psaLists);
  const [left, { content: ledger, raw }] = await inParallel([
    psa.readPrepaid(through, new Set(prepaidUnits.values())),
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
  const movesOf = prepaidMoves(invoices, prepaidUnits);
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
  const inPsa = new Map((left ?? []).map((one) => [one.contractId, worth(one)]));
  const facts = {
    accountId,
    isVisible: left !== null,
    opening: ledger.opening,
    contracts: [...new Set([...inPsa.keys(), ...byContract.keys()])]
      .sort((a, b) => a - b)
      .map((id) => ({
        label: names.get(id) ?? `Contract ${id}`,
        psa: inPsa.get(id) ?? null,
        books: byContract.get(id) ?? null,
      })),
    others,
  };
  return { facts, answers: { prepayments_ledger: raw } };
}

const home = decimal('1');

/** Returns the exchange rates of posted invoices by their PSA id, if QuickBooks uses several currencies. */
async function ratesOf(shared: Shared, psaIds: readonly number[]): Promise<ReadonlyMap<number, Decimal>> {
  if (!shared.books.preferences.multiCurrency || psaIds.length === 0) return new Map();
  const posted = await loadPostings(
    shared,
    'invoice',
    psaIds.map((id) => ({ id })),
  );
  return new Map(posted.map(({ psaId, fingerprint }) => [psaId, fingerprint?.exchangeRate ?? home]));
}
