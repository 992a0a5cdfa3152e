import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { LedgerEntry } from '../documents/accounting-report.ts';
import type { AccountingLists } from '../documents/reference-data.ts';
import type { SalesState } from '../documents/sales-state.ts';
import { note } from '../transcript.ts';
import {
  absolute,
  decimal,
  type Decimal,
  divide,
  equals,
  isNegative,
  isPositive,
  isZero,
  minus,
  negate,
  plus,
  round2,
  sum,
  times,
  zero,
} from '../values/decimal.ts';
import { type Command, documentCommand, lastCommand, type Plan, type PrepaidTaking, type SalesLine } from './plan.ts';
import { incomeAccountOf, indexAccounting } from './reference-index.ts';

/** The prepaid money of a customer: in the currency of its documents, and in the home currency. */
export interface PrepaidBalance {
  readonly own: Decimal;
  readonly home: Decimal;
}

/** Decimal places of a rate, fewest first. */
const ratePlaces = [4, 5, 6, 7, 8, 9, 10] as const;

/** Returns the rate at which a balance is recorded, with as few decimals as give its amount in the home currency. */
export function recordedRate({ own, home }: PrepaidBalance): Decimal {
  const rates = ratePlaces.map((places) => divide(home, own, places));
  return rates.find((rate) => equals(round2(times(own, rate)), home)) ?? divide(home, own, ratePlaces[6]);
}

/**
 * Returns a plan that takes prepaid money at the rate at which the money was recorded. Prepaid money is a liability to
 * work, not to pay, so it is not revalued: income has the rate of the sale, and both balances end at 0 together.
 *
 * @param plan a new document in a foreign currency, with the rate of its date
 * @param change the amount that it takes, negative, in the document's currency
 * @param balance what is left before
 * @returns null if the document has other money too, which needs the rate of its date, or if the balance has no usable
 *   rate
 */
export function atRecordedRate(
  plan: Plan,
  change: Decimal,
  balance: PrepaidBalance,
  accountId: string,
  accounting: AccountingLists,
): Plan | null {
  const made = documentCommand(plan);
  if (made.do !== 'create_invoice' && made.do !== 'create_credit_memo') return plan;
  const { exchangeRate, currency, lines } = made.document;
  if (exchangeRate === undefined) return plan;
  if (!isPositive(balance.own) || !isPositive(balance.home)) return null;
  const rate = recordedRate(balance);
  if (equals(round2(times(change, rate)), round2(times(change, exchangeRate)))) return plan;
  const isPrepaid = prepaidLineOf(plan, accountId, accounting);
  const isOnlyPrepaid = isZero(plus(plan.expected.subtotal, plan.expected.tax)) || lines.every(isPrepaid);
  if (!isOnlyPrepaid) return null;
  const rated = withRate(plan, rate);
  return {
    ...rated,
    notes: [
      ...rated.notes,
      note(
        'info',
        `Prepaid money is recorded at 1 ${currency} = ${rate} ${accounting.preferences.homeCurrency}; used here`,
      ),
    ],
  };
}

/** Returns a plan whose sales document has this rate. */
export function withRate(plan: Plan, exchangeRate: Decimal): Plan {
  const rated = (command: Command): Command =>
    command.do === 'create_invoice' || command.do === 'create_credit_memo'
      ? { ...command, document: { ...command.document, exchangeRate } }
      : command;
  return { ...plan, commands: plan.commands.map(rated) };
}

/** An entry of the account for prepaid money, in the home currency; a positive amount increases the liability. */
type Entry = Pick<LedgerEntry, 'type' | 'id' | 'partyName' | 'amount'>;

/** Types of sales documents, as the general ledger names them. */
const ledgerTypes: Readonly<Record<string, string>> = { Invoice: 'Invoice', CreditMemo: 'Credit Memo' };

/** Returns how far below 0 a change brings a balance; 0 if it does not, or if it increases the balance. */
export function shortfallAfter(balance: Decimal, change: Decimal): Decimal {
  const left = plus(balance, change);
  return isNegative(change) && isNegative(left) ? absolute(left) : zero;
}

/** Prepaid money that a document takes that was sent and may not be in QuickBooks yet. */
export interface PrepaidClaim {
  /** Names that the general ledger may show for its customer. */
  readonly names: ReadonlySet<string>;
  /** Negative, in the home currency. */
  readonly change: Decimal;
}

/**
 * Returns by how much the prepaid balance of a customer would fall below 0 if a document that sold prepaid work were
 * voided or credited, in the home currency; 0 if it would not.
 *
 * @param entries all entries of the account for prepaid money
 * @param document the document in QuickBooks
 */
export function shortfallWithout(
  entries: readonly Entry[],
  { type, id }: { readonly type: string; readonly id: string },
  claims: readonly PrepaidClaim[] = [],
): Decimal {
  const own = entries.filter((entry) => entry.type === ledgerTypes[type] && entry.id === id);
  const [first] = own;
  if (first === undefined) return zero;
  const balance = sum([
    ...entries.flatMap(({ partyName, amount }) => (partyName === first.partyName ? [amount] : [])),
    ...claims.flatMap(({ names, change }) => (names.has(first.partyName ?? '') ? [change] : [])),
  ]);
  return shortfallAfter(balance, negate(sum(own.map(({ amount }) => amount))));
}

/**
 * Returns the prepaid money that the void or credit of a document takes; undefined if it takes none. In a foreign
 * currency, only the rate is known from the general ledger, so the whole document counts as prepaid.
 *
 * @param entries all entries of the account for prepaid money
 */
export function takingOf(
  entries: readonly Entry[],
  { type, id, customer, currency, total }: Pick<SalesState, 'type' | 'id' | 'customer' | 'currency' | 'total'>,
  { customers, preferences }: Pick<AccountingLists, 'customers' | 'preferences'>,
): PrepaidTaking | undefined {
  const home = sum(
    entries.flatMap((entry) => (entry.type === ledgerTypes[type] && entry.id === id ? [entry.amount] : [])),
  );
  if (!isPositive(home)) return undefined;
  const isForeign = currency !== null && currency !== preferences.homeCurrency;
  const name = customers.find((one) => one.id === customer.id)?.displayName ?? customer.name ?? '';
  return {
    customer: name,
    change: negate(isForeign ? total : home),
    rate: isForeign ? divide(home, total, 10) : decimal(1),
  };
}

/** Returns the names that the general ledger may show for a customer: its own, and the one with its parents. */
export function ledgerNamesOf(name: string, { customers }: Pick<AccountingLists, 'customers'>): ReadonlySet<string> {
  const byId = new Map(customers.map((customer) => [customer.id, customer]));
  const parts: string[] = [];
  for (let one = customers.find(({ displayName }) => displayName === name); one !== undefined;) {
    if (parts.includes(one.displayName)) break;
    parts.unshift(one.displayName);
    one = byId.get(one.parentId ?? '');
  }
  return new Set([name, parts.join(':')]);
}

/**
 * Returns the prepaid balance of a customer in the currency of its documents.
 *
 * @param entries the customer's entries of the account for prepaid money, in the home currency
 * @param documents the documents behind them, where the currency is foreign
 * @param rate home units per unit of the currency; applies to entries without a document, such as journal entries
 */
export function balanceInCurrency(
  entries: readonly Entry[],
  documents: readonly AccountingDocument[],
  rate: Decimal,
  prepaidOf: (document: AccountingDocument) => Decimal,
): Decimal {
  const own = entries.filter(({ type, id }) =>
    documents.every((document) => document.id !== id || ledgerTypes[document.type] !== type),
  );
  return plus(
    sum(documents.filter(({ isVoided }) => !isVoided).map(prepaidOf)),
    round2(divide(sum(own.map(({ amount }) => amount)), rate, 4)),
  );
}

/** Returns by how much a document increases the liability for prepaid money, in its own currency. */
export function prepaidOf(document: AccountingDocument, accountId: string, accounting: AccountingLists): Decimal {
  const { itemsById } = indexAccounting(accounting);
  const amount = sum(
    document.lines.flatMap((line) => (incomeAccountOf(line, itemsById) === accountId ? [line.amount] : [])),
  );
  return document.type === 'CreditMemo' ? negate(amount) : amount;
}

/**
 * Returns by how much a plan increases the liability for prepaid money, in the currency of its document: an update by
 * its new lines less the posted ones, a new document by its lines.
 *
 * @param posted the document that an update changes; null for a new document
 */
export function prepaidChange(
  plan: Plan,
  posted: AccountingDocument | null,
  accountId: string,
  accounting: AccountingLists,
): Decimal {
  const made = documentCommand(plan);
  if (made.do !== 'create_invoice' && made.do !== 'create_credit_memo') return zero;
  const isPrepaid = prepaidLineOf(plan, accountId, accounting);
  const planned = sum(made.document.lines.filter(isPrepaid).map(({ amount }) => amount));
  const signed = made.do === 'create_credit_memo' ? negate(planned) : planned;
  return posted !== null && lastCommand(plan).do === 'update'
    ? minus(signed, prepaidOf(posted, accountId, accounting))
    : signed;
}

/** Returns whether a line of a plan is posted to the account for prepaid money. */
function prepaidLineOf(
  plan: Plan,
  accountId: string,
  accounting: AccountingLists,
): (line: Pick<SalesLine, 'item'>) => boolean {
  const { itemsById } = indexAccounting(accounting);
  return ({ item }) => {
    if ('id' in item) return itemsById.get(item.id)?.incomeAccountId === accountId;
    const made = plan.commands[item.fromCommand];
    return made?.do === 'create_item' && made.item.incomeAccountId === accountId;
  };
}
