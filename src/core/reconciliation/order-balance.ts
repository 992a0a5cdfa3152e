import type { AccountingDocument, AccountingLine } from '../documents/accounting-document.ts';
import type { PurchaseOrder, Receipt } from '../documents/purchase-order.ts';
import { costOf } from '../planning/document-lines.ts';
import type { CalendarDate } from '../values/dates.ts';
import {
  isNegative,
  isPositive,
  isZero,
  minus,
  plus,
  round2,
  smaller,
  sum,
  times,
  zero,
  type Decimal,
} from '../values/decimal.ts';
import { homeAmount, homeLines } from './home-amounts.ts';

/** A purchase order on both sides. */
export interface OrderFacts {
  readonly order: PurchaseOrder;
  /** Null if it is not in QuickBooks. */
  readonly document: AccountingDocument | null;
  /** Vendor bills of any date that are linked to the document and not voided. */
  readonly bills: readonly AccountingDocument[];
  /** Receipts of its lines, of any date. */
  readonly receipts: readonly Receipt[];
}

/** What is left of a purchase order at the end of a day, in the home currency. */
export interface OrderBalance {
  /** Ordered and not received, at cost, with the freight; null if nothing is left. */
  readonly psa: Decimal | null;
  /** Ordered and not billed; null if nothing is left, or if a user closed it in QuickBooks. */
  readonly accounting: Decimal | null;
  /** Received goods at cost, without freight. */
  readonly received: Decimal;
  /** The part of the received goods that bills cover, at cost. */
  readonly billed: Decimal;
}

/** A bill line for one line of an order. */
interface BilledLine {
  /** Null if the bill is linked to the order as a whole. */
  readonly lineId: string | null;
  readonly quantity: Decimal | null;
  readonly amount: Decimal;
  readonly home: Decimal;
}

/** Returns what is left of an order at the end of a day: not received, not billed, and received without a bill. */
export function orderBalance(facts: OrderFacts, through: CalendarDate): OrderBalance {
  const { order, document, receipts } = facts;
  const byLine = Map.groupBy(
    receipts.filter(({ on }) => on <= through),
    ({ lineId }) => lineId,
  );
  const receivedOf = (lineId: number): Decimal => sum((byLine.get(lineId) ?? []).map(({ quantity }) => quantity));
  const goods = order.lines.map(({ id, internalUnitCost }) => ({
    quantity: receivedOf(id),
    cost: internalUnitCost ?? zero,
  }));
  const billed = billedLines(facts, through);
  return {
    psa: notReceived(facts, receivedOf, through),
    accounting: document === null || document.datedOn > through ? null : notBilled(document, facts, billed),
    received: sum(goods.map(({ quantity, cost }) => costOf(quantity, cost).amount)),
    billed: coveredBy(goods, linesFor(order, document), billed),
  };
}

/** Returns what the PSA still expects of an order, at cost; null if nothing is left. */
function notReceived(
  { order, receipts }: OrderFacts,
  receivedOf: (lineId: number) => Decimal,
  through: CalendarDate,
): Decimal | null {
  const { status } = order;
  if (status === 'new' || status === 'canceled' || status === 'other') return null;
  if ((order.submittedOn ?? order.createdOn) > through) return null;
  // Without later receipts, a received order is complete, although the PSA may hide its receipts.
  if (status === 'received' && !receipts.some(({ on }) => on > through)) return null;
  const left = order.lines.map(({ id, quantity, internalUnitCost }) => ({
    quantity: atLeastZero(minus(quantity, receivedOf(id))),
    cost: internalUnitCost ?? zero,
  }));
  if (left.every(({ quantity }) => isZero(quantity))) return null;
  // The freight belongs to the delivery that completes the order.
  return plus(sum(left.map(({ quantity, cost }) => costOf(quantity, cost).amount)), round2(order.internalFreight));
}

/** Returns what is not billed of an order in QuickBooks; null if nothing is left, or if a user closed it. */
function notBilled(document: AccountingDocument, facts: OrderFacts, billed: readonly BilledLine[]): Decimal | null {
  const left = leftOf(document, billed);
  if (isZero(left)) return null;
  // QuickBooks closes an order whose lines are all billed. Any other closed order was closed by a user.
  const isClosedByUser = document.isOpen === false && !isZero(leftOf(document, billedLines(facts, null)));
  return isClosedByUser ? null : homeAmount(document, left);
}

/** Returns the total of an order's lines that bills do not cover, in the document's currency. */
function leftOf({ lines }: AccountingDocument, billed: readonly BilledLine[]): Decimal {
  const open = lines.map(({ id, quantity, unitPrice, amount }) => {
    const own = billed.filter(({ lineId }) => lineId !== null && lineId === id);
    if (own.length === 0) return amount;
    const count = quantityOf(own);
    return count === null || quantity === null || unitPrice === null
      ? atLeastZero(minus(amount, sum(own.map((line) => line.amount))))
      : round2(times(atLeastZero(minus(quantity, count)), unitPrice));
  });
  return atLeastZero(minus(sum(open), sum(billed.flatMap(({ lineId, amount }) => (lineId === null ? [amount] : [])))));
}

/**
 * Returns the part of received goods that bills cover, at cost. A line is billed by quantity, so that neither another
 * price nor billed freight hides goods without a bill.
 *
 * @param lines QuickBooks line of each of the goods; null if they cannot be distinguished
 */
function coveredBy(
  goods: readonly { readonly quantity: Decimal; readonly cost: Decimal }[],
  lines: readonly AccountingLine[] | null,
  billed: readonly BilledLine[],
): Decimal {
  const received = sum(goods.map(({ quantity, cost }) => costOf(quantity, cost).amount));
  if (lines === null) return smaller(sum(billed.map(({ home }) => home)), received);
  const covered = goods.map(({ quantity, cost }, index) => {
    const id = lines[index]?.id;
    const own = billed.filter(({ lineId }) => lineId !== null && lineId === id);
    const count = own.length === 0 ? zero : quantityOf(own);
    return count === null
      ? smaller(sum(own.map(({ home }) => home)), costOf(quantity, cost).amount)
      : costOf(smaller(count, quantity), cost).amount;
  });
  const whole = sum(billed.flatMap(({ lineId, home }) => (lineId === null ? [home] : [])));
  return smaller(plus(sum(covered), whole), received);
}

/** Returns the QuickBooks lines of an order's goods, in their order; null if lines were added or removed. */
function linesFor({ lines }: PurchaseOrder, document: AccountingDocument | null): readonly AccountingLine[] | null {
  const all = document?.lines ?? [];
  const hasFreight = all.length === lines.length + 1 && all.at(-1)?.itemId === null;
  return all.length === lines.length || hasFreight ? all.slice(0, lines.length) : null;
}

/** Returns the bill lines of an order, through a day; null: of any day. */
function billedLines({ document, bills }: OrderFacts, through: CalendarDate | null): readonly BilledLine[] {
  if (document === null) return [];
  return bills
    .filter(({ isVoided, datedOn }) => !isVoided && (through === null || datedOn <= through))
    .flatMap((bill) => {
      const home = homeLines(bill);
      return bill.lines.flatMap(({ quantity, amount, orderLines = [] }, index): BilledLine[] => {
        const link = orderLines.find(({ orderId }) => orderId === document.id);
        const worth = home[index]?.amount ?? amount;
        return link === undefined ? [] : [{ lineId: link.lineId, quantity, amount, home: worth }];
      });
    });
}

/** Returns the quantity of bill lines; null if one of them has only an amount. */
function quantityOf(lines: readonly BilledLine[]): Decimal | null {
  const known = lines.flatMap(({ quantity }) => quantity ?? []);
  return known.length === lines.length && known.some((one) => isPositive(one)) ? sum(known) : null;
}

const atLeastZero = (value: Decimal): Decimal => (isNegative(value) ? zero : value);
