import type { BillingKind, Invoice, InvoiceLine } from '../documents/invoice.ts';
import type { PrepaidUnit } from '../documents/reference-data.ts';
import {
  absolute,
  decimal,
  divide,
  equals,
  isNegative,
  isPositive,
  isZero,
  minus,
  round2,
  smaller,
  times,
  zero,
  type Decimal,
} from '../values/decimal.ts';

/** Kinds of lines that sell prepaid work: hours, retainers and tickets. */
export const prepaidKinds: ReadonlySet<BillingKind> = new Set([
  'block_purchase',
  'retainer_purchase',
  'ticket_purchase',
]);

/** Units of the prepaid contracts, by contract id. */
export type PrepaidUnits = ReadonlyMap<number, PrepaidUnit>;

/** An invoice with lines of prepaid contracts. */
export type PrepaidInvoice = Pick<Invoice, 'id' | 'companyId' | 'invoicedOn' | 'createdAt' | 'lines'>;

/** Drawdown of one line of covered work. */
export interface Drawdown {
  readonly invoiceId: number;
  readonly lineId: number;
  readonly contractId: number;
  readonly draws: readonly Draw[];
  /** Hours, money or tickets that no sale has left. */
  readonly overage: Decimal;
}

/** Part of the work that one sale pays for. */
export interface Draw {
  /** Id of the invoice with the sale. */
  readonly soldBy: number;
  readonly quantity: Decimal;
  /** Price of the sale, not of the work. */
  readonly rate: Decimal;
  readonly amount: Decimal;
}

interface Sale {
  readonly invoice: PrepaidInvoice;
  readonly blockId: number | null;
  readonly units: Decimal;
  readonly amount: Decimal;
  unitsLeft: Decimal;
  amountLeft: Decimal;
}

const one = decimal(1);
const ratePlaces = 7;

/** Returns whether a prepaid contract covers the line: work with a price that is charged at 0.00. */
export const isPrepaidWork = (line: InvoiceLine, amount: Decimal, units: PrepaidUnits): boolean =>
  line.kind === 'labor' &&
  isZero(amount) &&
  isPositive(line.rate) &&
  isPositive(line.quantity) &&
  units.has(line.contractId ?? Number.NaN);

/**
 * Computes which sales pay for the covered work of invoices, and at what price (domain reference 6.5).
 *
 * A sale pays at its own rate and never more than its amount. The block that the line names pays first, then the oldest
 * sale of the contract. Invoices draw in the order of their creation, so a later invoice never changes the draws of an
 * earlier one. An invoice draws only on sales to the same company that are dated on or before its own date.
 *
 * @param amountOf returns the charge of a line in the currency of its document
 */
export function drawDown(
  invoices: readonly PrepaidInvoice[],
  units: PrepaidUnits,
  amountOf: (line: InvoiceLine) => Decimal,
): readonly Drawdown[] {
  const sales = new Map<number, Sale[]>();
  const drawnTickets = new Set<string>();
  return invoices.toSorted(byCreation).flatMap((invoice) => {
    // A sale on the same invoice pays for its work, wherever the line is printed.
    for (const line of invoice.lines) addSale(sales, invoice, line, units, amountOf(line));
    return invoice.lines.flatMap((line): Drawdown[] => {
      const { contractId, kind, blockId = null, ticketId = null } = line;
      const unit = contractId === null ? undefined : units.get(contractId);
      if (contractId === null || unit === undefined) return [];
      const usable = (sales.get(contractId) ?? [])
        .filter((sale) => sale.invoice.companyId === invoice.companyId && sale.invoice.invoicedOn <= invoice.invoicedOn)
        .sort((a, b) => Number(isOfBlock(b, blockId)) - Number(isOfBlock(a, blockId)));
      const amount = amountOf(line);
      if (prepaidKinds.has(kind) && isNegative(amount)) refund(usable, absolute(amount));
      if (!isPrepaidWork(line, amount, units)) return [];
      const ticket = `${contractId} ${ticketId}`;
      let overage = unit === 'tickets' && drawnTickets.has(ticket) ? zero : unitsOf(line, unit);
      const draws: Draw[] = [];
      for (const sale of usable) {
        if (isZero(overage)) break;
        const drawn = drawOn(sale, overage);
        overage = minus(overage, drawn.units);
        if (isPositive(drawn.amount)) draws.push(toDraw(sale, drawn, unit));
      }
      if (draws.length > 0) drawnTickets.add(ticket);
      return [{ invoiceId: invoice.id, lineId: line.id, contractId, draws, overage }];
    });
  });
}

const byCreation = (a: PrepaidInvoice, b: PrepaidInvoice): number =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id - b.id;

const isOfBlock = (sale: Sale, blockId: number | null): boolean => blockId !== null && sale.blockId === blockId;

function addSale(
  sales: Map<number, Sale[]>,
  invoice: PrepaidInvoice,
  { contractId, kind, quantity, blockId = null }: InvoiceLine,
  units: PrepaidUnits,
  amount: Decimal,
): void {
  const unit = contractId === null ? undefined : units.get(contractId);
  if (contractId === null || unit === undefined || !prepaidKinds.has(kind)) return;
  const sold = unit === 'money' ? amount : quantity;
  if (!isPositive(amount) || !isPositive(sold)) return;
  const sale = { invoice, blockId, units: sold, amount, unitsLeft: sold, amountLeft: amount };
  sales.set(contractId, [...(sales.get(contractId) ?? []), sale]);
}

/** Units that the work uses up. A ticket counts once, with its first line of work. */
function unitsOf({ quantity, rate, ticketId = null }: InvoiceLine, unit: PrepaidUnit): Decimal {
  if (unit === 'hours') return quantity;
  if (unit === 'money') return round2(times(quantity, rate));
  return ticketId === null ? zero : one;
}

/** Draws at most `wanted` units. The last units of a sale take all of its remaining amount, so no cent is left over. */
function drawOn(sale: Sale, wanted: Decimal): { readonly units: Decimal; readonly amount: Decimal } {
  const units = smaller(wanted, sale.unitsLeft);
  const price = divide(times(units, sale.amount), sale.units, 2);
  const amount = equals(units, sale.unitsLeft) ? sale.amountLeft : smaller(price, sale.amountLeft);
  sale.unitsLeft = minus(sale.unitsLeft, units);
  sale.amountLeft = minus(sale.amountLeft, amount);
  return { units, amount };
}

/** Removes refunded money, and the units that it bought, from the sales. */
function refund(sales: readonly Sale[], money: Decimal): void {
  let left = money;
  for (const sale of sales) {
    const amount = smaller(left, sale.amountLeft);
    const units = divide(times(amount, sale.units), sale.amount, ratePlaces);
    left = minus(left, amount);
    sale.amountLeft = minus(sale.amountLeft, amount);
    sale.unitsLeft = isZero(sale.amountLeft) ? zero : minus(sale.unitsLeft, smaller(units, sale.unitsLeft));
  }
}

const toDraw = (sale: Sale, { units, amount }: ReturnType<typeof drawOn>, unit: PrepaidUnit): Draw =>
  unit === 'money'
    ? { soldBy: sale.invoice.id, quantity: one, rate: amount, amount }
    : { soldBy: sale.invoice.id, quantity: units, rate: divide(sale.amount, sale.units, ratePlaces), amount };
