import { amountAt, cents, type Exact, sum, zero } from '../amounts.ts';
import { type Doc, docAt, listAt, refAt, textAt } from '../doc.ts';

/** The customer, vendor or employee of an amount. */
export interface PostedParty {
  readonly type: 'Customer' | 'Vendor' | 'Employee';
  readonly id: string;
}

/** The dimensions of an amount besides its account. */
export interface Dimensions {
  /** Id of the document's line; undefined for amounts of the whole document (receivables, cash). */
  readonly lineId?: string | undefined;
  readonly classId?: string | undefined;
  readonly departmentId?: string | undefined;
  readonly party?: PostedParty | undefined;
  /** The customer that a purchase line is billable to. */
  readonly customerId?: string | undefined;
  readonly itemId?: string | undefined;
  readonly agencyId?: string | undefined;
  readonly rateId?: string | undefined;
  readonly description?: string | undefined;
}

/** One debit (above zero) or credit (below zero) of a document, before its home amount is computed. */
export interface Posting extends Dimensions {
  readonly accountId: string | undefined;
  /** In the document's currency, whole cents. */
  readonly amount: Exact;
  /** In home currency when another document's rate applies; undefined for `amount` at the document's own rate. */
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

/** Look-ups of the posting rules: other documents, and implicit accounts. */
export interface Books {
  readonly homeCurrency: string;
  find(entity: string, id: string | undefined): Doc | undefined;
  receivable(currency: string): string | undefined;
  payable(currency: string): string | undefined;
  undepositedFunds(): string | undefined;
  discountsGiven(): string | undefined;
  shippingIncome(): string | undefined;
  /** Returns the liability account of a tax agency: "{agency} Payable", otherwise the sales tax account. */
  taxPayable(agencyId: string | undefined): string | undefined;
  exchangeGainOrLoss(): string | undefined;
}

/** Returns class and location from the document's header. */
export function headerDimensions(body: Doc): Dimensions {
  return { classId: refAt(body, 'ClassRef'), departmentId: refAt(body, 'DepartmentRef') };
}

/** Returns the document's currency and its home units per unit; 1 in home currency. */
export function currencyOfDocument(body: Doc, books: Books): { readonly code: string; readonly rate: Exact } {
  const code = refAt(body, 'CurrencyRef') ?? books.homeCurrency;
  const rate = amountAt(body, 'ExchangeRate');
  return { code, rate: code === books.homeCurrency || rate === undefined ? zero.plus(1) : rate };
}

/** Returns one posting per tax line to the agency of its rate; tax without a line comes last. */
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

/** Returns the line's text for people. */
export const descriptionOf = (line: Doc): string | undefined => textAt(line, 'Description');

/**
 * Returns the posting that balances a document: receivables, payables, or the account that the money comes from or goes
 * to. Its amount is the others' sum, so a document always balances.
 */
export function counterPosting(others: readonly Posting[], posting: Omit<Posting, 'amount'>): Posting {
  return { ...posting, amount: sum(others.map(({ amount }) => amount)).negated() };
}

/**
 * Sets the home amount of every posting. The counter posting, which comes first, is converted as a whole, as QuickBooks
 * computes HomeTotalAmt; a rounding difference of the other lines goes to the largest of them. When another document's
 * rate applies, the rest is an exchange gain or loss.
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
