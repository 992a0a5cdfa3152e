import type { ReportAnswers } from '#core/documents/accounting-report.ts';
import { inParallel } from '#core/in-parallel.ts';
import { indexPsa } from '#core/planning/reference-index.ts';
import { prepaidBalances, prepaidMoves } from '#core/reconciliation/prepaid.ts';
import type { TieOutFacts } from '#core/reconciliation/tie-out.ts';
import type { CalendarDate } from '#core/values/dates.ts';
import type { Shared } from './shared.ts';

/**
 * Returns the clients' prepayments by contract: the PSA's balances, and the entries of the account for blocks and
 * retainers since its first entry, with QuickBooks' original response. Makes no calls if no account is set.
 */
export async function prepaidOf(
  {
    context,
    psa,
    accounting,
    settings,
    psaLists,
  }: Pick<Shared, 'context' | 'psa' | 'accounting' | 'settings' | 'psaLists'>,
  through: CalendarDate,
): Promise<{ readonly facts: TieOutFacts['prepaid']; readonly answers: ReportAnswers }> {
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
  const moves = new Map(
    postings.flatMap(({ psaId, targetId }) =>
      targetId === null ? [] : [[targetId, movesOf.get(psaId) ?? []] as const],
    ),
  );
  const { byContract, others } = prepaidBalances(ledger.entries, moves);
  const names = new Map(psaLists.contracts.map(({ id, name }) => [id, name]));
  const inPsa = new Map((left ?? []).map((one) => [one.contractId, one.amount]));
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
