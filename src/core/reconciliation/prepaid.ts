import type { LedgerEntry } from '../documents/accounting-report.ts';
import type { InvoiceLine } from '../documents/invoice.ts';
import type { PrepaidPurchase } from '../documents/prepaid-purchase.ts';
import { drawDown, type PrepaidInvoice, prepaidKinds, type PrepaidUnits } from '../planning/prepaid.ts';
import { roundingOf } from '../planning/verify.ts';
import {
  absolute,
  compare,
  decimal,
  equals,
  isPositive,
  minus,
  negate,
  plus,
  round2,
  smaller,
  sum,
  times,
  zero,
  type Decimal,
} from '../values/decimal.ts';

/**
 * Amount by which an invoice changes a client's prepaid balance, by contract: positive for sales, negative for draws; in
 * the customer's currency.
 */
export interface PrepaidMove {
  readonly contractId: number;
  readonly amount: Decimal;
}

/** The prepaid changes of one posted document. */
export interface PrepaidDocument {
  readonly moves: readonly PrepaidMove[];
  /** Home units of one unit of its currency; 1 in the home currency. */
  readonly rate: Decimal;
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
  purchases: readonly PrepaidPurchase[],
): ReadonlyMap<number, readonly PrepaidMove[]> {
  const amountOf = ({ amount }: InvoiceLine) => round2(amount);
  const used = Map.groupBy(drawDown(invoices, units, amountOf, purchases).drawdowns, ({ invoiceId }) => invoiceId);
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
 * contract. In a foreign currency, each line may be rounded to a cent of the home currency.
 *
 * @param entries all entries of the account since it was opened, in the home currency; a positive amount increases the
 *   liability
 * @param documents the documents with prepaid changes by their id
 */
export function prepaidBalances(
  entries: readonly LedgerEntry[],
  documents: ReadonlyMap<string, PrepaidDocument>,
): PrepaidBalances {
  const byContract = new Map<number, Decimal>();
  const others: LedgerEntry[] = [];
  const add = (contractId: number, amount: Decimal) =>
    byContract.set(contractId, plus(byContract.get(contractId) ?? zero, amount));
  for (const [id, own] of Map.groupBy(entries, (entry) => entry.id)) {
    const total = sum(own.map(({ amount }) => amount));
    const document = id === null ? undefined : documents.get(id);
    const parts = document === undefined ? null : partsOf(document, total);
    if (parts === null) others.push(...own);
    else for (const { contractId, amount } of parts) add(contractId, amount);
  }
  return { byContract, others };
}

/** Returns the parts of a total in the home currency by contract; null if they are unknown. */
function partsOf({ moves, rate }: PrepaidDocument, total: Decimal): readonly PrepaidMove[] | null {
  const sold = moves.filter(({ amount }) => !amount.startsWith('-'));
  const used = moves.filter(({ amount }) => amount.startsWith('-'));
  // Draws were not booked while the setting was off. A credit memo reverses the changes of its invoice.
  for (const some of [moves, sold, used]) {
    if (some.length === 0) continue;
    const own = some.map((move) => ({ ...move, amount: round2(times(move.amount, rate)) }));
    const reversed = own.map((one) => ({ ...one, amount: negate(one.amount) }));
    const parts = [own, reversed].find((signed) => isTotalOf(signed, total, rate));
    if (parts !== undefined) return addingUpTo(parts, total);
  }
  const [only, ...more] = new Set(moves.map(({ contractId }) => contractId));
  return only === undefined || more.length > 0 ? null : [{ contractId: only, amount: total }];
}

const one = decimal('1');

function isTotalOf(parts: readonly PrepaidMove[], total: Decimal, rate: Decimal): boolean {
  const difference = absolute(minus(total, sum(parts.map(({ amount }) => amount))));
  return compare(difference, equals(rate, one) ? zero : roundingOf(parts.length)) <= 0;
}

/** Returns the parts with the cents that are missing in the total added to the last one. */
function addingUpTo(parts: readonly PrepaidMove[], total: Decimal): readonly PrepaidMove[] {
  const rest = minus(total, sum(parts.map(({ amount }) => amount)));
  return parts.map((part, at) => (at === parts.length - 1 ? { ...part, amount: plus(part.amount, rest) } : part));
}

/** A change of a contract's prepaid balance at the exchange rate of its document. */
export interface RatedMove extends PrepaidMove {
  readonly rate: Decimal;
}

/** Returns the changes of each contract, in the order of the documents. */
export const movesByContract = (documents: Iterable<PrepaidDocument>): ReadonlyMap<number, readonly RatedMove[]> =>
  Map.groupBy(
    [...documents].flatMap(({ moves, rate }) => moves.map((move) => ({ ...move, rate }))),
    ({ contractId }) => contractId,
  );

/**
 * Returns the worth of what is left of a contract, in the home currency. Older sales are used first (domain reference
 * 6.5), so what is left belongs to the newest ones, each at its own exchange rate.
 *
 * @param left in the customer's currency
 * @param moves of the contract, oldest first; without a sale, the amount is in the home currency
 * @param booked balance in QuickBooks, which rounds each document to a cent; returned if only that differs
 */
export function worthOf(left: Decimal, moves: readonly RatedMove[], booked: Decimal | null): Decimal {
  const sales = moves.filter(({ amount }) => isPositive(amount));
  let rest = left;
  let worth = zero;
  for (const { amount, rate } of sales.toReversed()) {
    const part = smaller(amount, rest);
    worth = plus(worth, times(part, rate));
    rest = minus(rest, part);
  }
  worth = round2(plus(worth, times(rest, sales[0]?.rate ?? one)));
  const isForeign = sales.some(({ rate }) => !equals(rate, one));
  const isRounded = booked !== null && compare(absolute(minus(worth, booked)), roundingOf(moves.length)) <= 0;
  return isForeign && isRounded ? booked : worth;
}
