import { amountAt, cents, type Exact, sum, zero } from '../amounts.ts';
import { type Doc, docAt, listAt, refAt, textAt } from '../doc.ts';

/** A customer, vendor or employee that an amount stands for. */
export interface PostedParty {
  readonly type: 'Customer' | 'Vendor' | 'Employee';
  readonly id: string;
}

/** The dimensions of an amount besides its account. */
export interface Dimensions {
  /** Id of the document's line; undefined for what the document as a whole posts (receivables, cash). */
  readonly lineId?: string | undefined;
  readonly classId?: string | undefined;
  readonly departmentId?: string | undefined;
  readonly party?: PostedParty | undefined;
  /** The customer that a purchase line was bought for. */
  readonly customerId?: string | undefined;
  readonly itemId?: string | undefined;
  readonly agencyId?: string | undefined;
  readonly rateId?: string | undefined;
  readonly description?: string | undefined;
}

/** One debit (above zero) or credit (below zero) of a document, before its home amount is settled. */
export interface Posting extends Dimensions {
  readonly accountId: string | undefined;
  /** In the document's currency, whole cents. */
  readonly amount: Exact;
  /** In home currency where another document's rate decides; undefined is `amount` at the document's own rate. */
  readonly home?: Exact | undefined;
}

/** A debit or credit with both of its amounts. */
export interface SettledPosting extends Posting {
  readonly home: Exact;
}

/** A stored document that may post. */
export interface PostedDocument {
  readonly entity: string;
  readonly id: string;
  readonly body: Doc;
}

/** The look-ups of the posting rules: other documents, and the accounts that play a part without being named. */
export interface Books {
  readonly homeCurrency: string;
  find(entity: string, id: string | undefined): Doc | undefined;
  receivable(currency: string): string | undefined;
  payable(currency: string): string | undefined;
  undepositedFunds(): string | undefined;
  discountsGiven(): string | undefined;
  shippingIncome(): string | undefined;
  /** The account that owes a tax agency its tax: its own, "{agency} Payable", else that of sales tax. */
  taxPayable(agencyId: string | undefined): string | undefined;
  exchangeGainOrLoss(): string | undefined;
}

/** Class and location that the document as a whole gives each of its amounts. */
export function headerDimensions(body: Doc): Dimensions {
  return { classId: refAt(body, 'ClassRef'), departmentId: refAt(body, 'DepartmentRef') };
}

/** The document's currency and its home units per unit; 1 in home currency. */
export function currencyOfDocument(body: Doc, books: Books): { readonly code: string; readonly rate: Exact } {
  const code = refAt(body, 'CurrencyRef') ?? books.homeCurrency;
  const rate = amountAt(body, 'ExchangeRate');
  return { code, rate: code === books.homeCurrency || rate === undefined ? zero.plus(1) : rate };
}

/** One posting per tax line, to what is owed to the agency of its rate; tax that no line explains comes last. */
export function taxPostings(body: Doc, books: Books, sign: 1 | -1): Posting[] {
  const detail = docAt(body, 'TxnTaxDetail');
  const found = listAt(detail, 'TaxLine').map((line): Posting => {
    const rateId = refAt(docAt(line, 'TaxLineDetail'), 'TaxRateRef');
    const agencyId = refAt(books.find('TaxRate', rateId), 'AgencyRef');
    const amount = cents(amountAt(line, 'Amount') ?? zero).times(sign);
    return { ...headerDimensions(body), accountId: books.taxPayable(agencyId), amount, agencyId, rateId };
  });
  const rest = (amountAt(detail, 'TotalTax') ?? zero).times(sign).minus(sum(found.map(({ amount }) => amount)));
  if (rest.isZero()) return found;
  return [...found, { ...headerDimensions(body), accountId: books.taxPayable(undefined), amount: cents(rest) }];
}

/** The line's text for people. */
export const descriptionOf = (line: Doc): string | undefined => textAt(line, 'Description');

/**
 * The posting that makes a document balance: receivables, payables, or the account that the money comes from or goes
 * to. Its amount is the others' sum, so a document can never be out of balance.
 */
export function counterPosting(others: readonly Posting[], posting: Omit<Posting, 'amount'>): Posting {
  return { ...posting, amount: sum(others.map(({ amount }) => amount)).negated() };
}

/**
 * Gives every posting its home amount. The counter posting, which comes first, is converted as a whole, as QuickBooks
 * computes HomeTotalAmt; the cent that the other lines' rounding leaves goes to the largest of them. Where another
 * document's rate has a say, the rest is a gain or loss of exchange.
 */
export function settlePostings(postings: readonly Posting[], rate: Exact, books: Books): SettledPosting[] {
  const settled = postings.map((posting): SettledPosting => ({
    ...posting,
    home: posting.home ?? cents(posting.amount.times(rate)),
  }));
  const rest = sum(settled.map(({ home }) => home)).negated();
  if (!rest.isZero()) {
    const isExchange = postings.some(({ home }) => home !== undefined);
    if (isExchange) settled.push({ accountId: books.exchangeGainOrLoss(), amount: zero, home: rest });
    else {
      const others = settled.slice(1);
      const largest = others.reduce((best, each) => (each.amount.abs().greaterThan(best.amount.abs()) ? each : best));
      settled[settled.indexOf(largest)] = { ...largest, home: largest.home.plus(rest) };
    }
  }
  return settled.filter(({ amount, home }) => !amount.isZero() || !home.isZero());
}
