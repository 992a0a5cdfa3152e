import { accountOf, type Accounts, type Sale } from './accounts.ts';

/** A difference that the proof of the month must name. */
export interface Difference {
  readonly kind: 'invoice' | 'payment' | 'purchase';
  /** Name of the sale or purchase. */
  readonly sale: string;
  readonly class: string;
  /** By how much it makes QuickBooks higher than the PSA. */
  readonly cents: number;
  /** What the proof must offer to settle it, apart from accepting and carrying; null: not compared. */
  readonly settlements: readonly string[] | null;
}

/** Returns all differences of the month that need a decision. Ordinary business has none. */
export function differencesOf(accounts: Accounts): readonly Difference[] {
  const ofSales = [...accounts.sales.values()].flatMap((sale) => [
    ...(sale.reverses !== null
      ? ofReversal(accounts, sale)
      : sale.psa === null
        ? ofTyped(accounts, sale)
        : ofSale(accounts, sale)),
    ...ofPayment(sale),
  ]);
  const ofPurchases = accounts.purchases
    .differences()
    .map(({ purchase, ...one }): Difference => ({ ...one, kind: 'purchase', sale: purchase, settlements: null }));
  return [...ofSales, ...ofPurchases];
}

const difference = (sale: Sale, of: string, cents: number, settlements: readonly string[] | null): Difference => ({
  kind: 'invoice',
  sale: sale.name,
  class: of,
  cents,
  settlements,
});

/** A document that was typed into QuickBooks. */
function ofTyped(accounts: Accounts, sale: Sale): readonly Difference[] {
  const booked = accounts.live(sale);
  if (booked === null || booked.on === 'another month') return [];
  const original = sale.copyOf === null ? undefined : accounts.sale(sale.copyOf);
  if (original === undefined) return [difference(sale, 'accounting_by_hand', booked.total, [])];
  // A copy of a document that was changed since is one that was entered by hand.
  const isRepeated = accounts.live(original)?.total === booked.total;
  // The case is shown at the original, which a link or a new posting settles.
  return accounts.live(original) === null && original.psa?.isVoided === false
    ? []
    : [difference(sale, isRepeated ? 'possible_duplicate' : 'accounting_by_hand', booked.total, [])];
}

/** The credit memo that reverses a sale of last month is shown with that sale. */
function ofReversal(accounts: Accounts, { reverses, books }: Sale): readonly Difference[] {
  const sale = reverses === null ? undefined : accounts.sale(reverses);
  if (sale === undefined || books === null) return [];
  if (books.state !== 'live') {
    const of = books.state === 'deleted' ? 'deleted_in_accounting' : 'voided_in_accounting';
    return accounts.live(sale) === null ? [] : [difference(sale, of, -books.posted.total, ['void'])];
  }
  const isNeeded = accounts.live(sale) !== null;
  return [
    difference(sale, 'void_taken_back', isNeeded ? 0 : books.posted.total, []),
    difference(sale, 'edited_in_accounting', books.total - books.posted.total, []),
    difference(sale, 'date_edited', books.on === 'another month' ? -books.total : 0, []),
  ].filter(({ cents }) => cents !== 0);
}

function ofSale(accounts: Accounts, sale: Sale): readonly Difference[] {
  const { psa, books } = sale;
  if (psa === null || books === null || sale.isOfLastMonth) return [];
  const booked = accounts.live(sale);
  if (psa.isVoided) {
    if (booked === null) return [];
    return [
      difference(sale, 'voided_in_psa', booked.on === 'another month' ? 0 : booked.total, voidable(accounts, sale)),
    ];
  }
  if (booked === null) {
    const isAgain = [...accounts.sales.values()].some(
      (one) => one.copyOf === sale.name && ![undefined, 'another month'].includes(accounts.live(one)?.on),
    );
    if (isAgain) return [difference(sale, 'entered_again', 0, ['link', 'post_again'])];
    const of = books.state === 'deleted' ? 'deleted_in_accounting' : 'voided_in_accounting';
    return psa.total === 0 ? [] : [difference(sale, of, -psa.total, ['post_again'])];
  }
  return [...ofAmounts(accounts, sale), ...ofDetails(accounts, sale)];
}

/** Only an invoice that nothing is applied to, and whose hours were not worked, can be voided. */
function voidable(accounts: Accounts, sale: Sale): readonly string[] {
  const booked = accounts.live(sale);
  const sold = booked?.splits.find(({ account, cents }) => account === accountOf.block && cents > 0)?.cents ?? 0;
  const isUsed = sold > 0 && accounts.prepaid(sale.customer) < sold;
  return booked !== null && booked.total > 0 && accounts.balance(sale) === booked.total && !isUsed ? ['void'] : [];
}

function ofAmounts(accounts: Accounts, sale: Sale): readonly Difference[] {
  const { psa } = sale;
  const booked = accounts.live(sale);
  if (psa === null || booked === null) return [];
  const settlement = accounts.balance(sale) === booked.total ? 'update_accounting' : 'bill_difference';
  const found = [
    difference(sale, 'edited_in_accounting', booked.total - booked.posted.total, [settlement]),
    difference(sale, 'edited_in_psa', booked.posted.psaTotal - psa.total, [settlement]),
  ].filter(({ cents }) => cents !== 0);
  const moved = settlement === 'update_accounting' ? [settlement] : [];
  return booked.on === 'another month' ? [...found, difference(sale, 'date_edited', -booked.total, moved)] : found;
}

function ofDetails(accounts: Accounts, sale: Sale): readonly Difference[] {
  const { psa } = sale;
  const booked = accounts.live(sale);
  if (psa === null || booked === null) return [];
  const settlements = accounts.balance(sale) === booked.total ? ['update_accounting'] : [];
  const isOwed = booked.total > 0;
  const isPaid = accounts.balance(sale) <= 0;
  // Neither a payment nor an invoice of next month is in the aging report of the last day.
  const wasPaid = booked.on === 'another month' || accounts.balance(sale, 'last of month') <= 0;
  const isPaidInPsa = psa.paidBy !== null;
  return [
    ...(booked.on === 'another day' ? [difference(sale, 'date_differs', 0, settlements)] : []),
    ...(isOwed && isPaid !== isPaidInPsa && wasPaid !== isPaidInPsa ? [difference(sale, 'paid_differs', 0, null)] : []),
  ];
}

/** A payment of the product that is gone, although the PSA shows the invoice as paid. */
function ofPayment({ name, ours, psa }: Sale): readonly Difference[] {
  if (ours === null || !ours.isDeleted || ours.total === 0 || psa?.paidBy === null) return [];
  return [{ kind: 'payment', sale: name, class: 'deleted_in_accounting', cents: -ours.total, settlements: null }];
}
