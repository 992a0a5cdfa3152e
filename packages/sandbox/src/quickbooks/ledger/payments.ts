import { amountAt, cents, type Exact, sum, zero } from '../amounts.ts';
import { type Doc, docAt, listAt, refAt, textAt } from '../doc.ts';
import { compareIds } from '../table.ts';
import {
  type Books,
  currencyOfDocument,
  descriptionOf,
  headerDimensions,
  type PostedDocument,
  type PostedParty,
  type Posting,
} from './posting.ts';

/** The documents that reduce the amount a payment must cover. */
const credits: ReadonlySet<string> = new Set(['CreditMemo', 'VendorCredit']);
const paymentOf: Readonly<Record<string, string>> = {
  Invoice: 'Payment',
  CreditMemo: 'Payment',
  Bill: 'BillPayment',
  VendorCredit: 'BillPayment',
};

/** Returns the amount that a payment takes off one document, in the document's currency. */
function appliedTo(payment: Doc | undefined, entity: string, id: string): Exact {
  return sum(
    listAt(payment, 'Line').flatMap((line) => {
      const [link] = listAt(line, 'LinkedTxn');
      const isIt = textAt(link, 'TxnType') === entity && textAt(link, 'TxnId') === id;
      return isIt ? [amountAt(line, 'Amount') ?? zero] : [];
    }),
  );
}

/**
 * Returns the home amount at which a payment clears its share of a document: at the document's rate, rounded so that
 * the shares of all its payments, oldest first, add up to the home amount of the document.
 */
function clearedHome(target: PostedDocument, paymentId: string, books: Books): Exact {
  const { rate } = currencyOfDocument(target.body, books);
  const entity = paymentOf[target.entity] ?? '';
  const ids = new Set(listAt(target.body, 'LinkedTxn').map((link) => textAt(link, 'TxnId') ?? ''));
  const shares = [...ids]
    .flatMap((id) => {
      const body = books.find(entity, id);
      const amount = appliedTo(body, target.entity, target.id);
      return body === undefined || amount.isZero() ? [] : [{ id, amount, date: textAt(body, 'TxnDate') ?? '' }];
    })
    .sort((a, b) => (a.date === b.date ? compareIds(a.id, b.id) : a.date < b.date ? -1 : 1));
  let before: Exact = zero;
  for (const { id, amount } of shares) {
    if (id === paymentId) return cents(before.plus(amount).times(rate)).minus(cents(before.times(rate)));
    before = before.plus(amount);
  }
  return zero;
}

/** Returns the home amount that a payment takes off receivables or payables: its cleared and its unapplied part. */
function controlHome({ id, body }: PostedDocument, books: Books): Exact | undefined {
  const { code, rate } = currencyOfDocument(body, books);
  if (code === books.homeCurrency) return undefined;
  let home: Exact = zero;
  let needed: Exact = zero;
  for (const line of listAt(body, 'Line')) {
    const [link] = listAt(line, 'LinkedTxn');
    const [entity, targetId] = [textAt(link, 'TxnType') ?? '', textAt(link, 'TxnId') ?? ''];
    const target = books.find(entity, targetId);
    const sign = credits.has(entity) ? -1 : 1;
    const amount = (amountAt(line, 'Amount') ?? zero).times(sign);
    const cleared =
      target === undefined
        ? cents(amount.times(rate))
        : clearedHome({ entity, id: targetId, body: target }, id, books).times(sign);
    needed = needed.plus(amount);
    home = home.plus(cleared);
  }
  const unapplied = (amountAt(body, 'TotalAmt') ?? zero).minus(needed);
  return home.plus(cents(unapplied.times(rate)));
}

/**
 * Returns the postings of a customer's payment: the money goes to the deposit account and off receivables in full,
 * applied or not. Credit memos among its lines only post the difference of two rates.
 */
export function customerPaymentPostings(document: PostedDocument, books: Books): Posting[] {
  const { body } = document;
  const party: PostedParty = { type: 'Customer', id: refAt(body, 'CustomerRef') ?? '' };
  const total = cents(amountAt(body, 'TotalAmt') ?? zero);
  const common = { ...headerDimensions(body), party };
  const { code } = currencyOfDocument(body, books);
  return [
    { ...common, accountId: refAt(body, 'DepositToAccountRef') ?? books.undepositedFunds(), amount: total },
    {
      ...common,
      accountId: refAt(body, 'ARAccountRef') ?? books.receivable(code),
      amount: total.negated(),
      home: controlHome(document, books)?.negated(),
    },
  ];
}

/** Returns the postings of a bill payment: off payables, out of the bank or onto the card. */
export function billPaymentPostings(document: PostedDocument, books: Books): Posting[] {
  const { body } = document;
  const party: PostedParty = { type: 'Vendor', id: refAt(body, 'VendorRef') ?? '' };
  const total = cents(amountAt(body, 'TotalAmt') ?? zero);
  const common = { ...headerDimensions(body), party };
  const { code } = currencyOfDocument(body, books);
  const source =
    refAt(docAt(body, 'CheckPayment'), 'BankAccountRef') ?? refAt(docAt(body, 'CreditCardPayment'), 'CCAccountRef');
  return [
    { ...common, accountId: source, amount: total.negated() },
    {
      ...common,
      accountId: refAt(body, 'APAccountRef') ?? books.payable(code),
      amount: total,
      home: controlHome(document, books),
    },
  ];
}

/** Returns the account of a deposited payment and, if its rate matters, its home amount. */
function depositedFrom(line: Doc, amount: Exact, deposit: Doc, books: Books): Partial<Posting> {
  const [link] = listAt(line, 'LinkedTxn');
  const detail = docAt(line, 'DepositLineDetail');
  if (link === undefined) {
    const entity = docAt(detail, 'Entity');
    const [type, id] = [textAt(entity, 'type'), textAt(entity, 'value')];
    const isParty = type === 'Customer' || type === 'Vendor' || type === 'Employee';
    return {
      accountId: refAt(detail, 'AccountRef'),
      classId: refAt(detail, 'ClassRef'),
      party: isParty && id !== undefined ? { type, id } : undefined,
    };
  }
  const payment = books.find(textAt(link, 'TxnType') ?? '', textAt(link, 'TxnId'));
  const customerId = refAt(payment, 'CustomerRef');
  const source: Partial<Posting> = {
    accountId: refAt(payment, 'DepositToAccountRef') ?? books.undepositedFunds(),
    party: customerId === undefined ? undefined : { type: 'Customer', id: customerId },
  };
  const own = currencyOfDocument(deposit, books);
  const theirs = currencyOfDocument(payment ?? {}, books);
  if (own.code === books.homeCurrency || payment === undefined || own.rate.equals(theirs.rate)) return source;
  return { ...source, home: cents(amount.times(theirs.rate)) };
}

/**
 * Returns the postings of a deposit: into the bank, out of undeposited funds or its lines' accounts, less withheld
 * cash.
 */
export function depositPostings({ body }: PostedDocument, books: Books): Posting[] {
  const header = headerDimensions(body);
  const lines = listAt(body, 'Line').map((line): Posting => {
    const amount = cents(amountAt(line, 'Amount') ?? zero).negated();
    const common = { ...header, lineId: textAt(line, 'Id'), description: descriptionOf(line), amount };
    return { ...common, accountId: undefined, ...depositedFrom(line, amount, body, books) };
  });
  const back = docAt(body, 'CashBack');
  const refunded = cents(amountAt(back, 'Amount') ?? zero);
  const others = refunded.isZero()
    ? lines
    : [...lines, { ...header, accountId: refAt(back, 'AccountRef'), amount: refunded }];
  const amount = sum(others.map((each) => each.amount)).negated();
  return [{ ...header, accountId: refAt(body, 'DepositToAccountRef'), amount }, ...others];
}
