import type { BillingKind, Invoice, InvoiceLine } from '../documents/invoice.ts';
import { isValidOn, type PrepaidPurchase } from '../documents/prepaid-purchase.ts';
import type { Account, AccountingLists, PrepaidUnit } from '../documents/reference-data.ts';
import { problem, type Problem, withInactiveAccount } from '../problems.ts';
import type { ItemSource } from '../problems/items.ts';
import { isAccountFor } from '../settings/definition.ts';
import type { Settings } from '../settings/definitions.ts';
import { type CalendarDate, daysBetween } from '../values/dates.ts';
import {
  absolute,
  decimal,
  type Decimal,
  divide,
  equals,
  format,
  isNegative,
  isPositive,
  isZero,
  minus,
  negate,
  plus,
  round2,
  smaller,
  sum,
  times,
  zero,
} from '../values/decimal.ts';
import { chooseOwnItem, type ItemChoice, itemReference } from './choose-item.ts';
import type { DecisionLog } from './decision.ts';
import type { DecidedLine } from './document-lines.ts';
import type { NewItem } from './plan.ts';
import { indexAccounting } from './reference-index.ts';
import { type LineTaxFacts, untaxedLineCode } from './tax.ts';

/** Name of the QuickBooks item for work that was paid in advance. */
const prepaidItemName = 'Prepaid hours used';

/**
 * Returns the problem that a sale of prepaid work must not be posted on this item: it would become income before the
 * work is done.
 *
 * @param prepaidAccountId the usable account for prepaid money; null: none is chosen. In that case, a mapping of the
 * billing code accepts the item's account.
 * @returns null for any other line, and for an item on a liability account
 */
export function prepaidSaleProblem(
  line: InvoiceLine,
  amount: Decimal,
  choice: Extract<ItemChoice, { is: 'existing' | 'new' }>,
  {
    prepaidAccountId,
    accounts,
    source,
  }: {
    readonly prepaidAccountId: string | null;
    readonly accounts: readonly Account[];
    readonly source: ItemSource | null;
  },
): Problem | null {
  if (!prepaidKinds.has(line.kind) || isZero(amount)) return null;
  const account = accounts.find(({ id }) => id === choice.item.incomeAccountId);
  if (account?.classification === 'Liability') return null;
  const mapped = source === null ? {} : { source };
  if (prepaidAccountId === null)
    return choice.is === 'existing' && choice.by === 'mapping'
      ? null
      : problem('PREPAID_ACCOUNT_UNDECIDED', { name: line.itemName ?? 'A line', amount: format(amount), ...mapped });
  return problem('PREPAID_ITEM_ON_INCOME', {
    name: choice.item.name,
    account: account?.fullyQualifiedName ?? 'another account',
    prepaid: accounts.find(({ id }) => id === prepaidAccountId)?.fullyQualifiedName ?? 'the account of prepaid money',
    ...mapped,
  });
}

interface PrepaidFacts {
  readonly settings: Pick<Settings, 'inv_create_item_automatically' | 'prepaid_account'>;
  readonly accounting: AccountingLists;
  readonly taxes: LineTaxFacts;
  /** New items that the lines need. A new item for prepaid work is added. */
  readonly newItems: NewItem[];
  /** Position of the first new item among the commands. */
  readonly firstCommand: number;
}

/** A line of covered work with its draws. */
interface DrawnLine {
  readonly line: DecidedLine;
  readonly draws: readonly Draw[];
}

/**
 * Returns the lines that convert prepaid money to income: an income line for each draw, on the item of the work, and
 * one line that reduces the liability by their sum. They total 0 and have no tax, because the sale was already taxed.
 *
 * @returns no lines if the item for prepaid work cannot be used, or does not exist and may not be created; this refuses
 * the document
 */
export function prepaidLines(drawn: readonly DrawnLine[], facts: PrepaidFacts, log: DecisionLog): DecidedLine[] {
  const { settings, accounting, newItems, firstCommand } = facts;
  if (drawn.length === 0) return [];
  const index = indexAccounting(accounting);
  const taxCode = untaxedLineCode(facts.taxes, log);
  const account = accounting.accounts.find(({ id }) => id === settings.prepaid_account);
  const mayMake = settings.inv_create_item_automatically && account !== undefined && isAccountFor('prepaid', account);
  const choice = chooseOwnItem(prepaidItemName, mayMake ? account.id : null, index);
  const own = choice.is === 'existing' ? choice.item.incomeAccountId : null;
  if (own !== null && account !== undefined && own !== account.id) {
    const wrong = `books to ${index.accountNames.get(own) ?? 'another account'}, not to ${account.fullyQualifiedName}`;
    log.refuse(problem('OWN_ITEM_UNUSABLE', { name: prepaidItemName, wrong }));
    return [];
  }
  if (choice.is === 'missing' || choice.is === 'refused') {
    log.refuse(
      choice.is === 'refused'
        ? choice.problem
        : withInactiveAccount(
            problem('PREPAID_ACCOUNT_REQUIRED', { name: prepaidItemName }),
            settings.prepaid_account,
            accounting,
          ),
    );
    return [];
  }
  const earned = drawn.flatMap(({ line, draws }) =>
    draws.map(({ quantity, rate, amount }): DecidedLine => ({
      ...line,
      quantity,
      rate,
      amount,
      description: `${line.itemName}: covered by prepayment`,
      groupDescription: null,
      taxCode,
      isCovered: false,
    })),
  );
  const total = sum(earned.map(({ amount }) => amount));
  log.note(
    'info',
    `Prepaid work: ${format(total)} becomes income, from ${account?.fullyQualifiedName ?? prepaidItemName}`,
  );
  const [first] = earned;
  const isOneClass = new Set(earned.map(({ classId }) => classId)).size === 1;
  const used: DecidedLine = {
    amount: negate(total),
    quantity: decimal(1),
    rate: negate(total),
    description: prepaidItemName,
    groupDescription: null,
    item: itemReference(choice, newItems, firstCommand),
    itemName: prepaidItemName,
    servedOn: null,
    classId: isOneClass ? (first?.classId ?? null) : null,
    taxCode,
    isCovered: false,
    entries: 1,
  };
  return [...earned, used];
}

/** Kinds of lines that sell prepaid work: hours, retainers and tickets. */
export const prepaidKinds: ReadonlySet<BillingKind> = new Set([
  'block_purchase',
  'retainer_purchase',
  'ticket_purchase',
]);

/** Units of the prepaid contracts, by contract id. */
export type PrepaidUnits = ReadonlyMap<number, PrepaidUnit>;

/** An invoice with lines of prepaid contracts. */
export interface PrepaidInvoice extends Pick<Invoice, 'id' | 'companyId' | 'invoicedOn' | 'createdAt' | 'lines'> {
  /** Prepaid money that its posted document draws. Undefined if unknown, or not posted. */
  readonly drawn?: Decimal;
}

/** Drawdown of one line of covered work. */
export interface Drawdown {
  readonly invoiceId: number;
  readonly lineId: number;
  readonly contractId: number;
  readonly draws: readonly Draw[];
  /** Hours, money or tickets that no sale has left. */
  readonly overage: Decimal;
  /** Day of the work. */
  readonly workedOn: CalendarDate;
  /** The purchases of the contract, if the work is dated outside all of them. */
  readonly outside: readonly PrepaidPurchase[];
}

/** Part of the work that one sale pays for. */
interface Draw {
  /** Id of the invoice with the sale. */
  readonly soldBy: number;
  readonly quantity: Decimal;
  /** Price of the sale, not of the work. */
  readonly rate: Decimal;
  readonly amount: Decimal;
  /** Last day of its purchase; null: not limited, or unknown. */
  readonly endsOn: CalendarDate | null;
}

interface Sale {
  readonly invoice: PrepaidInvoice;
  readonly blockId: number | null;
  /** Null: the PSA shows none, so its dates are unknown. */
  readonly purchase: PrepaidPurchase | null;
  readonly units: Decimal;
  readonly amount: Decimal;
  unitsLeft: Decimal;
  amountLeft: Decimal;
}

/** A sale with money that no work has used, in the customer's currency. */
interface UnusedSale {
  readonly contractId: number;
  readonly invoice: PrepaidInvoice;
  readonly purchase: PrepaidPurchase | null;
  readonly left: Decimal;
}

/** Prepaid money of one company under one contract. */
interface Balance {
  readonly contractId: number;
  readonly unit: PrepaidUnit;
  /** Oldest first. */
  readonly sales: Sale[];
  readonly drawnTickets: Set<number>;
  /** Money that was removed without a sale; later sales pay for it. */
  shortfall: Decimal;
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
 * Computes which sales pay for the covered work of invoices, and at what price (domain reference 6.5), and which sales
 * have money left after that.
 *
 * A sale pays at its own rate and never more than its amount, and only for work dated within its purchase. The block
 * that the line names pays first, then the purchase that starts first, as in the PSA [A55]. Invoices draw in the order of
 * their creation, so a later invoice never changes the draws of an earlier one. An invoice draws only on sales to the
 * same company that are dated on or before its own date.
 *
 * @param amountOf returns the charge of a line in the currency of its document
 * @param purchases of the contracts; without its purchase, a sale pays for work of any day
 */
export function drawDown(
  invoices: readonly PrepaidInvoice[],
  units: PrepaidUnits,
  amountOf: (line: InvoiceLine) => Decimal,
  purchases: readonly PrepaidPurchase[],
): { readonly drawdowns: readonly Drawdown[]; readonly unused: readonly UnusedSale[] } {
  const balances = new Map<string, Balance>();
  const purchaseOf = matchPurchases(invoices, purchases);
  const drawdowns = invoices.toSorted(byCreation).flatMap((invoice) => {
    const lines = invoice.lines.flatMap((line) => {
      const balance = balanceOf(balances, invoice, line, units);
      return balance === null ? [] : [{ line, amount: amountOf(line), balance }];
    });
    // A sale on the same invoice pays for its work, wherever the line is printed.
    for (const { line, amount, balance } of lines)
      if (prepaidKinds.has(line.kind)) sell(balance, { invoice, line, amount, purchase: purchaseOf.get(line) ?? null });
    const covered = lines.filter(({ line, amount }) => isPrepaidWork(line, amount, units));
    const drawn = covered.map(({ line, balance }) => drawLine(balance, invoice, line));
    // The document draws more if its sale was voided since, or if an earlier version posted it.
    const computed = sum(drawn.flatMap(({ draws }) => draws.map(({ amount }) => amount)));
    const more = minus(invoice.drawn ?? zero, computed);
    if (isPositive(more)) {
      for (const { line, balance } of covered) balance.drawnTickets.add(line.ticketId ?? Number.NaN);
      if (covered[0] !== undefined) remove(covered[0].balance, more);
    }
    return drawn;
  });
  const unused = [...balances.values()].flatMap(({ contractId, sales }) =>
    sales.flatMap(({ invoice, purchase, amountLeft }) =>
      isPositive(amountLeft) ? [{ contractId, invoice, purchase, left: amountLeft }] : [],
    ),
  );
  return { drawdowns, unused };
}

/**
 * Returns the purchase of each line that sells prepaid work. A block is named by its line. Retainers and tickets are
 * found by contract and price, the purchase of the nearest day first [A57].
 */
function matchPurchases(
  invoices: readonly PrepaidInvoice[],
  purchases: readonly PrepaidPurchase[],
): ReadonlyMap<InvoiceLine, PrepaidPurchase> {
  const sales = invoices
    .toSorted(byCreation)
    .flatMap(({ invoicedOn, lines }) =>
      lines
        .filter(({ kind, amount }) => prepaidKinds.has(kind) && isPositive(amount))
        .map((line) => ({ line, on: line.servedOn ?? invoicedOn })),
    );
  const found = new Map<InvoiceLine, PrepaidPurchase>();
  for (const { line } of sales) {
    const named = purchases.find(({ id, unit }) => unit === 'hours' && id === line.blockId);
    if (named !== undefined) found.set(line, named);
  }
  const named = new Set(found.values());
  const free = new Set(purchases.filter((purchase) => !named.has(purchase)));
  for (const { line, on } of sales) {
    if (found.has(line) || (line.blockId ?? null) !== null) continue;
    const [nearest] = [...free]
      .filter(({ contractId, amount }) => contractId === line.contractId && equals(amount, round2(line.amount)))
      .sort((a, b) => distance(a, on) - distance(b, on) || a.id - b.id);
    if (nearest === undefined) continue;
    found.set(line, nearest);
    free.delete(nearest);
  }
  return found;
}

const distance = ({ purchasedOn, startsOn }: PrepaidPurchase, on: CalendarDate): number =>
  Math.abs(daysBetween(purchasedOn ?? startsOn ?? on, on));

const byCreation = (a: PrepaidInvoice, b: PrepaidInvoice): number =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.id - b.id;

function balanceOf(
  balances: Map<string, Balance>,
  { companyId }: PrepaidInvoice,
  { contractId }: InvoiceLine,
  units: PrepaidUnits,
): Balance | null {
  const unit = contractId === null ? undefined : units.get(contractId);
  if (contractId === null || unit === undefined) return null;
  const key = `${companyId} ${contractId}`;
  const balance = balances.get(key) ?? { contractId, unit, sales: [], drawnTickets: new Set(), shortfall: zero };
  balances.set(key, balance);
  return balance;
}

function sell(
  balance: Balance,
  {
    invoice,
    line: { quantity, blockId = null },
    amount,
    purchase,
  }: Pick<Sale, 'invoice' | 'amount' | 'purchase'> & { readonly line: InvoiceLine },
): void {
  if (isNegative(amount)) remove(balance, absolute(amount), blockId);
  const units = balance.unit === 'money' ? amount : quantity;
  if (!isPositive(amount) || !isPositive(units)) return;
  balance.sales.push({ invoice, blockId, purchase, units, amount, unitsLeft: units, amountLeft: amount });
  const { shortfall } = balance;
  balance.shortfall = zero;
  remove(balance, shortfall);
}

/** Removes money, and the units that it bought, from the sales; first from those of the block. */
function remove(balance: Balance, money: Decimal, blockId: number | null = null): void {
  let left = money;
  for (const sale of balance.sales.toSorted((a, b) => isOfBlock(b, blockId) - isOfBlock(a, blockId))) {
    const amount = smaller(left, sale.amountLeft);
    const units = divide(times(amount, sale.units), sale.amount, ratePlaces);
    left = minus(left, amount);
    sale.amountLeft = minus(sale.amountLeft, amount);
    sale.unitsLeft = isZero(sale.amountLeft) ? zero : minus(sale.unitsLeft, smaller(units, sale.unitsLeft));
  }
  balance.shortfall = plus(balance.shortfall, left);
}

const isOfBlock = (sale: Sale, blockId: number | null): number => Number(blockId !== null && sale.blockId === blockId);

/** Returns the sales that can pay for work of this day, in the order of their use. */
const usableSales = (sales: readonly Sale[], blockId: number | null, workedOn: CalendarDate): readonly Sale[] =>
  sales
    .filter(({ purchase }) => purchase === null || isValidOn(purchase, workedOn))
    .sort(
      (a, b) =>
        isOfBlock(b, blockId) - isOfBlock(a, blockId) ||
        Number(a.purchase?.isActive === false) - Number(b.purchase?.isActive === false) ||
        compareStart(a, b),
    );

/** Orders sales as the PSA uses their purchases: by first day, then by id. */
function compareStart(a: Sale, b: Sale): number {
  const [first, second] = [startOf(a), startOf(b)];
  return first < second ? -1 : first > second ? 1 : (a.purchase?.id ?? 0) - (b.purchase?.id ?? 0);
}

const startOf = ({ purchase, invoice }: Sale): CalendarDate => purchase?.startsOn ?? invoice.invoicedOn;

function drawLine(
  { contractId, unit, sales, drawnTickets }: Balance,
  invoice: PrepaidInvoice,
  line: InvoiceLine,
): Drawdown {
  const { blockId = null, ticketId = null } = line;
  const workedOn = line.servedOn ?? invoice.invoicedOn;
  const sold = sales.filter((sale) => sale.invoice.invoicedOn <= invoice.invoicedOn);
  const usable = usableSales(sold, blockId, workedOn);
  let overage = unit === 'tickets' && drawnTickets.has(ticketId ?? Number.NaN) ? zero : unitsOf(line, unit);
  const draws: Draw[] = [];
  for (const sale of usable) {
    if (isZero(overage)) break;
    const drawn = drawOn(sale, overage);
    overage = minus(overage, drawn.units);
    if (isPositive(drawn.amount)) draws.push(toDraw(sale, drawn, unit));
  }
  if (ticketId !== null && draws.length > 0) drawnTickets.add(ticketId);
  const outside = usable.length > 0 ? [] : [...new Set(sold.flatMap(({ purchase }) => purchase ?? []))];
  return { invoiceId: invoice.id, lineId: line.id, contractId, draws, overage, workedOn, outside };
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

const toDraw = (
  { invoice, purchase, ...sale }: Sale,
  { units, amount }: ReturnType<typeof drawOn>,
  unit: PrepaidUnit,
): Draw => ({
  soldBy: invoice.id,
  ...(unit === 'money'
    ? { quantity: one, rate: amount }
    : { quantity: units, rate: divide(sale.amount, sale.units, ratePlaces) }),
  amount,
  endsOn: purchase?.endsOn ?? null,
});
