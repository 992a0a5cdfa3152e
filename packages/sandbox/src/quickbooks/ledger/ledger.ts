import { amountAt, type Exact, zero } from '../amounts.ts';
import type { Company } from '../company.ts';
import { refAt, textAt } from '../doc.ts';
import { compareIds, type Entry } from '../table.ts';
import { booksOf } from './books.ts';
import { journalPostings, transferPostings } from './general.ts';
import { billPaymentPostings, customerPaymentPostings, depositPostings } from './payments.ts';
import {
  type Books,
  currencyOfDocument,
  type PostedDocument,
  type Posting,
  type SettledPosting,
  settlePostings,
} from './posting.ts';
import { purchasePostings } from './purchases.ts';
import { salesPostings } from './sales.ts';

/** The entities that post, with the rules of their family. Estimates, purchase orders and time do not post. */
const rules: Readonly<Record<string, (document: PostedDocument, books: Books) => Posting[]>> = {
  Invoice: salesPostings,
  CreditMemo: salesPostings,
  SalesReceipt: salesPostings,
  RefundReceipt: salesPostings,
  Payment: customerPaymentPostings,
  Bill: purchasePostings,
  VendorCredit: purchasePostings,
  Purchase: purchasePostings,
  BillPayment: billPaymentPostings,
  Deposit: depositPostings,
  JournalEntry: journalPostings,
  Transfer: transferPostings,
};

/** The entities whose documents post. */
export const postingEntities: readonly string[] = Object.keys(rules);

/** One document with its postings, debits above zero and credits below. */
export interface PostedTransaction extends PostedDocument {
  readonly date: string;
  readonly number: string | undefined;
  readonly currency: string;
  /** Home units per unit of the currency. */
  readonly rate: string;
  readonly postings: readonly SettledPosting[];
}

/** Returns a document with its postings; empty when it does not post or was voided. */
export function postTransaction(document: PostedDocument, books: Books): PostedTransaction {
  const { body, entity } = document;
  const { code, rate } = currencyOfDocument(body, books);
  const postings = rules[entity]?.(document, books) ?? [];
  return {
    ...document,
    date: textAt(body, 'TxnDate') ?? '',
    number: textAt(body, 'DocNumber') ?? textAt(body, 'PaymentRefNum'),
    currency: code,
    rate: rate.toString(),
    postings: settlePostings(postings, rate, books),
  };
}

/** The requested part of the ledger; dates are calendar dates, both included. */
export interface LedgerRange {
  readonly entity?: string | undefined;
  readonly id?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/**
 * Returns the general ledger of a company: all current transactions with their debits and credits, by date, then by id.
 * Computed from the documents each time, so that it includes updates, voids and deletions.
 */
export function generalLedger(company: Company, range: LedgerRange = {}): PostedTransaction[] {
  const books = booksOf(company);
  const found: PostedTransaction[] = [];
  for (const entity of postingEntities) {
    if (range.entity !== undefined && range.entity !== entity) continue;
    for (const { id, body } of company.table(entity).all()) {
      if (range.id !== undefined && range.id !== id) continue;
      const date = textAt(body, 'TxnDate') ?? '';
      if ((range.from !== undefined && date < range.from) || (range.to !== undefined && date > range.to)) continue;
      const transaction = postTransaction({ entity, id, body }, books);
      if (transaction.postings.length > 0) found.push(transaction);
    }
  }
  return found.sort((a, b) => (a.date === b.date ? compareIds(a.id, b.id) : a.date < b.date ? -1 : 1));
}

/** Cached balances by company. */
const known = new WeakMap<Company, { readonly revision: number; readonly totals: ReadonlyMap<string, Exact> }>();

/**
 * Returns the balance of a balance-sheet account from the general ledger, in the account's currency. Card balances are
 * what is owed; payables and other liabilities are below zero (recorded). Profit and loss accounts have no balance.
 */
export function accountBalance(company: Company, { id, body }: Entry): Exact {
  const opening = amountAt(body, 'CurrentBalance') ?? zero;
  const classification = textAt(body, 'Classification');
  if (classification === 'Revenue' || classification === 'Expense') return opening;
  let cached = known.get(company);
  if (cached?.revision !== company.revision) {
    cached = { revision: company.revision, totals: accountTotals(company) };
    known.set(company, cached);
  }
  const total = cached.totals.get(id) ?? zero;
  return opening.plus(textAt(body, 'AccountType') === 'Credit Card' ? total.negated() : total);
}

/**
 * Returns the balance of each account over all time, by id, debits above zero: in its own currency, if any, otherwise
 * in home currency.
 */
function accountTotals(company: Company): Map<string, Exact> {
  const totals = new Map<string, Exact>();
  const home = company.preferences.homeCurrency;
  const currencies = new Map<string, string>();
  for (const { id, body } of company.table('Account').all()) currencies.set(id, refAt(body, 'CurrencyRef') ?? home);
  for (const { postings, currency } of generalLedger(company))
    for (const { accountId = '', amount, home: homeAmount } of postings) {
      const own = currencies.get(accountId) ?? home;
      const added = own !== home && own === currency ? amount : homeAmount;
      totals.set(accountId, (totals.get(accountId) ?? zero).plus(added));
    }
  return totals;
}
