import type { LedgerEntry } from '../documents/accounting-report.ts';
import type { InvoiceLine } from '../documents/invoice.ts';
import { drawDown, prepaidKinds, type PrepaidInvoice, type PrepaidUnits } from '../planning/drawdown.ts';
import { equals, negate, plus, round2, sum, zero, type Decimal } from '../values/decimal.ts';

/**
 * Amount by which an invoice changes a client's prepaid balance, by contract: positive for sales, negative for draws.
 */
export interface PrepaidMove {
  readonly contractId: number;
  readonly amount: Decimal;
}

/** Balance of the account for blocks and retainers by contract, and the entries without a known contract. */
export interface PrepaidBalances {
  readonly byContract: ReadonlyMap<number, Decimal>;
  readonly others: readonly LedgerEntry[];
}

/** Returns the changes of prepaid balances by each posted invoice, by invoice id. */
export function prepaidMoves(
  invoices: readonly PrepaidInvoice[],
  units: PrepaidUnits,
): ReadonlyMap<number, readonly PrepaidMove[]> {
  const amountOf = ({ amount }: InvoiceLine) => round2(amount);
  const used = Map.groupBy(drawDown(invoices, units, amountOf), ({ invoiceId }) => invoiceId);
  return new Map(
    invoices.map(({ id, lines }) => [
      id,
      [
        ...lines.flatMap((line) =>
          prepaidKinds.has(line.kind) && line.contractId !== null
            ? [{ contractId: line.contractId, amount: amountOf(line) }]
            : [],
        ),
        // A draw of 0 records the contract of work that another sale paid for.
        ...(used.get(id) ?? []).map(({ contractId, draws }) => ({
          contractId,
          amount: negate(sum(draws.map(({ amount }) => amount))),
        })),
      ],
    ]),
  );
}

/**
 * Returns the entries of the account for blocks and retainers by contract. Amounts always come from the ledger. A
 * document is divided among contracts only if its own lines add up to exactly the booked amount, or name only one
 * contract.
 *
 * @param entries all entries of the account since it was opened; a positive amount increases the liability
 * @param movesOf changes of the invoice behind each document, by the document's id
 */
export function prepaidBalances(
  entries: readonly LedgerEntry[],
  movesOf: ReadonlyMap<string, readonly PrepaidMove[]>,
): PrepaidBalances {
  const byContract = new Map<number, Decimal>();
  const others: LedgerEntry[] = [];
  const add = (contractId: number, amount: Decimal) =>
    byContract.set(contractId, plus(byContract.get(contractId) ?? zero, amount));
  for (const [id, own] of Map.groupBy(entries, (entry) => entry.id)) {
    const total = sum(own.map(({ amount }) => amount));
    const moves = id === null ? [] : (movesOf.get(id) ?? []);
    const parts = partsOf(moves, total);
    if (parts === null) others.push(...own);
    else for (const { contractId, amount } of parts) add(contractId, amount);
  }
  return { byContract, others };
}

/** Returns the parts of a total by contract; null if they are unknown. */
function partsOf(moves: readonly PrepaidMove[], total: Decimal): readonly PrepaidMove[] | null {
  const sold = moves.filter(({ amount }) => !amount.startsWith('-'));
  const used = moves.filter(({ amount }) => amount.startsWith('-'));
  // Draws were not booked while the setting was off. A credit memo reverses the changes of its invoice.
  for (const some of [moves, sold, used]) {
    if (some.length === 0) continue;
    const own = sum(some.map(({ amount }) => amount));
    if (equals(own, total)) return some;
    if (equals(negate(own), total)) return some.map((one) => ({ ...one, amount: negate(one.amount) }));
  }
  const [only, ...more] = new Set(moves.map(({ contractId }) => contractId));
  return only === undefined || more.length > 0 ? null : [{ contractId: only, amount: total }];
}
