import { accountOf, added, sumOfParts, type Accounts, type Money, type Sale } from './accounts.ts';
import type { Part } from './steps.ts';

/** Advice that the product must give about a sale, by the code of its message. */
export type Advice =
  | 'VOID_HAS_PAYMENTS'
  | 'PREPAID_MONEY_USED'
  | 'CREDIT_MEMO_NOT_VOIDED'
  | 'VOID_OF_AN_EARLIER_MONTH'
  | 'EXTRA_GONE'
  | 'MISSING_IN_BOOKS'
  | 'VOIDED_IN_BOOKS'
  | 'PAID_DATE_CLEARED'
  | 'PAYMENT_MOVED'
  | 'PAYMENT_GONE'
  | 'OPEN_AGAIN'
  | 'OPEN_MONEY';

/** All advice that is compared. */
export const comparedAdvice: ReadonlySet<string> = new Set<Advice>([
  'VOID_HAS_PAYMENTS',
  'PREPAID_MONEY_USED',
  'CREDIT_MEMO_NOT_VOIDED',
  'VOID_OF_AN_EARLIER_MONTH',
  'EXTRA_GONE',
  'MISSING_IN_BOOKS',
  'VOIDED_IN_BOOKS',
  'PAID_DATE_CLEARED',
  'PAYMENT_MOVED',
  'PAYMENT_GONE',
  'OPEN_AGAIN',
  'OPEN_MONEY',
]);

/** Does in both services what a right sync does: voids, posts sales, and brings payments to the other side. */
export function sync(accounts: Accounts): void {
  const sales = [...accounts.sales.values()];
  for (const sale of sales)
    if (isVoidable(accounts, sale) && voidAdvice(accounts, sale) === null) voidInBooks(accounts, sale);
  for (const sale of sales)
    if (sale.psa !== null && !sale.psa.isVoided && sale.books === null) sale.books = accounts.bookedFor(sale);
  // A payment of one sale can use up a credit that is paid by it.
  for (let round = 0; round < 2; round += 1) for (const sale of sales) settle(accounts, sale, null);
  for (const sale of sales) sale.asked = adviceOn(accounts, sale) === 'OPEN_MONEY' ? questionOf(accounts, sale) : null;
}

/** Does what a right product does when a user decides about the open money of a customer. */
export function choose(accounts: Accounts, sale: Sale, choice: 'apply' | 'create'): void {
  settle(accounts, sale, choice);
}

/** Returns the advice that a user needs about a sale after a sync; null: none. */
export function adviceOn(accounts: Accounts, sale: Sale): Advice | null {
  const { psa, books } = sale;
  if (psa === null || books === null) return null;
  if (psa.isVoided) return voidAdvice(accounts, sale);
  if (books.state === 'deleted') return 'MISSING_IN_BOOKS';
  if (books.state === 'voided') return 'VOIDED_IN_BOOKS';
  return paymentAdvice(accounts, sale);
}

const isVoidable = (accounts: Accounts, sale: Sale): boolean =>
  sale.psa?.isVoided === true && accounts.live(sale) !== null && accounts.reversal(sale) === null;

/** The month of an earlier sale is reported, so a credit memo of this month reverses it. */
function voidInBooks(accounts: Accounts, sale: Sale): void {
  if (sale.isOfLastMonth) accounts.reverse(sale);
  else if (sale.books !== null) sale.books.state = 'voided';
}

/** A document with applied money is not voided, nor is a sale of hours that were worked already. */
function voidAdvice(accounts: Accounts, sale: Sale): Advice | null {
  const booked = accounts.live(sale);
  if (booked === null || sale.psa?.isVoided !== true) return null;
  const reversal = accounts.reversal(sale);
  if (reversal !== null) return accounts.live(reversal) === null ? 'EXTRA_GONE' : null;
  if (accounts.balance(sale) !== booked.total) return 'VOID_HAS_PAYMENTS';
  const sold = booked.splits.reduce((sum, { account, cents }) => (account === accountOf.block ? sum + cents : sum), 0);
  if (sold > 0 && accounts.prepaid(sale.customer) < sold) return 'PREPAID_MONEY_USED';
  if (booked.total >= 0) return null;
  return sale.isOfLastMonth ? 'VOID_OF_AN_EARLIER_MONTH' : 'CREDIT_MEMO_NOT_VOIDED';
}

/** Returns whether nothing of a sale is open: of an invoice nothing is owed, and a credit is used up. */
const isSettled = (accounts: Accounts, sale: Sale): boolean => {
  const total = accounts.live(sale)?.total ?? 0;
  return total !== 0 && accounts.balance(sale) * Math.sign(total) <= 0;
};

const exists = (money: Money | null): money is Money => money !== null && !money.isDeleted;
const pays = (money: Money | null, { name }: Sale): boolean =>
  exists(money) && [...money.parts, ...money.credits].some(([sale]) => sale === name);

function paymentAdvice(accounts: Accounts, sale: Sale): Advice | null {
  const { psa, ours, wasPaid } = sale;
  const booked = accounts.live(sale);
  if (psa === null || booked === null || booked.total === 0) return null;
  if (isSettled(accounts, sale)) return psa.paidBy === null && pays(ours, sale) ? 'PAID_DATE_CLEARED' : null;
  if (psa.paidBy !== 'user') return null;
  if (exists(ours) && !pays(ours, sale)) return 'PAYMENT_MOVED';
  if (exists(ours) && accounts.balance(sale) <= booked.total - psa.total) return null;
  if (wasPaid) return ours !== null && !exists(ours) ? 'PAYMENT_GONE' : 'OPEN_AGAIN';
  return payable(accounts, sale) > 0 && mustAsk(accounts, sale) ? 'OPEN_MONEY' : null;
}

/** Returns the amount that a new payment may pay: what the PSA billed, at most what is open. */
function payable(accounts: Accounts, sale: Sale): number {
  const total = accounts.live(sale)?.total ?? 0;
  if (total <= 0 || sale.psa === null || accounts.direction === 'qbo_to_psa') return 0;
  const balance = accounts.balance(sale);
  return Math.min(balance, sale.psa.total - (total - balance));
}

/** Money of a customer that is applied to nothing. */
interface OpenMoney {
  readonly id: number;
  readonly open: number;
  /** A credit memo that the PSA shows as paid is used without asking. */
  readonly isPaidInPsa: boolean;
  readonly from: { readonly memo: Sale } | { readonly payment: Money } | null;
}

function openMoney(accounts: Accounts, customer: number): readonly OpenMoney[] {
  const payments = accounts.payments(customer).flatMap((payment): OpenMoney[] => {
    const open = accounts.unapplied(payment);
    // The API cannot change a payment that was deposited.
    const from = payment.isDeposited ? null : { payment };
    return open > 0 ? [{ id: payment.id, open, isPaidInPsa: false, from }] : [];
  });
  const memos = [...accounts.sales.values()].flatMap((memo): OpenMoney[] => {
    const booked = accounts.live(memo);
    // A reversal belongs to the invoice that it reverses.
    if (memo.customer !== customer || booked === null || booked.total >= 0 || memo.reverses !== null) return [];
    const open = -accounts.balance(memo);
    return open > 0
      ? [{ id: booked.id, open, isPaidInPsa: memo.psa !== null && memo.psa.paidBy !== null, from: { memo } }]
      : [];
  });
  const journals = [...accounts.money.values()].flatMap(({ id, customer: of, type, total }): OpenMoney[] =>
    of === customer && type === 'journal' && total > 0 ? [{ id, open: total, isPaidInPsa: false, from: null }] : [],
  );
  return [...memos, ...payments, ...journals];
}

/** Returns the open money that a question names. */
const questionOf = (accounts: Accounts, sale: Sale): string =>
  [
    accounts.balance(sale),
    ...openMoney(accounts, sale.customer).map(({ id, open, isPaidInPsa }) => `${id} ${open} ${isPaidInPsa}`),
  ].join();

const mustAsk = (accounts: Accounts, { customer }: Sale): boolean =>
  openMoney(accounts, customer).some(({ isPaidInPsa }) => !isPaidInPsa);

/** Brings the paid state of a sale to the other side. */
function settle(accounts: Accounts, sale: Sale, choice: 'apply' | 'create' | null): void {
  const { psa } = sale;
  const booked = accounts.live(sale);
  if (psa === null || psa.isVoided || booked === null || booked.total === 0) return;
  if (isSettled(accounts, sale)) {
    sale.wasPaid = true;
    if (psa.paidBy === null && !pays(sale.ours, sale)) psa.paidBy = 'product';
    return;
  }
  if (psa.paidBy === 'product') psa.paidBy = null;
  if (psa.paidBy !== 'user' || exists(sale.ours) || sale.wasPaid) return;
  const amount = payable(accounts, sale);
  if (amount > 0 && (choice !== null || !mustAsk(accounts, sale))) pay(accounts, sale, amount, choice);
}

/** Pays a sale from the open money that may be used, and the rest by a new payment. */
function pay(accounts: Accounts, sale: Sale, amount: number, choice: 'apply' | 'create' | null): void {
  const rank = ({ isPaidInPsa, open }: OpenMoney) => (isPaidInPsa ? 0 : open === amount ? 1 : 2);
  const isMemo = ({ from }: OpenMoney) => from !== null && 'memo' in from;
  const usable = openMoney(accounts, sale.customer)
    .filter((one) => one.from !== null && (one.isPaidInPsa || choice === 'apply'))
    .toSorted((a, b) => rank(a) - rank(b) || Number(isMemo(b)) - Number(isMemo(a)) || a.id - b.id);
  const question = questionOf(accounts, sale);
  const rest = amount - usable.reduce((sum, { open }) => sum + open, 0);
  const hasMore = rest > 0 && usable.length < openMoney(accounts, sale.customer).length;
  // A user who was asked about other money is asked again before a new payment is created beside it.
  const isAskedAgain = choice !== null && hasMore && sale.asked !== question;
  if (isAskedAgain || (choice === 'apply' && usable.length === 0)) {
    sale.asked = question;
    return;
  }
  let need = amount;
  const credits: Part[] = [];
  for (const { open, from } of usable) {
    const used = Math.min(open, need);
    if (used <= 0 || from === null) continue;
    need -= used;
    if ('memo' in from) credits.push([from.memo.name, used]);
    else from.payment.parts = added(from.payment.parts, [sale.name, used]);
  }
  if (need === 0 && credits.length === 0) return;
  const name = `our payment of ${sale.name}`;
  const parts: Part[] = [[sale.name, need + sumOfParts(credits)]];
  sale.ours = accounts.addMoney({
    name,
    customer: sale.customer,
    type: 'payment',
    total: need,
    parts,
    credits,
    isOurs: true,
  });
}
