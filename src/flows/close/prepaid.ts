import type { Invoice } from '#core/documents/invoice.ts';
import type { ReportAnswers } from '#core/documents/books-report.ts';
import { inParallel } from '#core/in-parallel.ts';
import { isPrepaidWork } from '#core/planning/prepaid.ts';
import { prepaidBalances, type PrepaidMove } from '#core/reconciliation/prepaid.ts';
import type { TieOutFacts } from '#core/reconciliation/tie-out.ts';
import type { CalendarDate } from '#core/values/dates.ts';
import { negate, round2, times } from '#core/values/decimal.ts';
import type { Shared } from './shared.ts';

/**
 * Prepayments of clients, by contract: what the PSA has of them, and what the account of blocks and retainers shows,
 * from its first entry on, with the books' answer as it came. Asks nobody anything while no such account is chosen.
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
  const [left, { content: ledger, raw }] = await inParallel([
    psa.readPrepaid(through),
    accounting.readAccountLedger(accountId, through),
  ]);
  const ids = [...new Set(ledger.entries.flatMap(({ id }) => id ?? []))];
  const [invoicePostings, voidPostings] = await inParallel([
    context.store.findPostings('invoice', ids),
    context.store.findPostings('void', ids),
  ]);
  const postings = [...invoicePostings, ...voidPostings];
  const sources = [...new Set(postings.map(({ psaId }) => psaId))];
  const invoices = new Map(
    (sources.length === 0 ? [] : await psa.readInvoices(sources)).map((one) => [one.id, one] as const),
  );
  const prepaidContractIds = new Set(
    psaLists.contracts.flatMap(({ id, isPrepaid }) => (isPrepaid === true ? [id] : [])),
  );
  const moves = new Map(
    postings.flatMap(({ psaId, targetId }) => {
      const invoice = invoices.get(psaId);
      return targetId === null || invoice === undefined
        ? []
        : [[targetId, movesOf(invoice, prepaidContractIds)] as const];
    }),
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

function movesOf({ lines }: Invoice, prepaidContractIds: ReadonlySet<number>): readonly PrepaidMove[] {
  return lines.flatMap((line): PrepaidMove[] => {
    const { contractId, kind, quantity, rate } = line;
    if (contractId === null) return [];
    if (kind === 'block_purchase' || kind === 'retainer_purchase') return [{ contractId, amount: round2(line.amount) }];
    return isPrepaidWork(line, line.amount, { prepaidContractIds })
      ? [{ contractId, amount: negate(round2(times(quantity, rate))) }]
      : [];
  });
}
