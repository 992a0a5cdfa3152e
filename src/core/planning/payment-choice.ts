import type { OpenMoney } from '../documents/open-money.ts';
import { equals, isPositive, minus, smaller, sum, type Decimal } from '../values/decimal.ts';
import type { CoveredDocument, ExistingPayment } from './plan.ts';

/**
 * What to do about an invoice that the PSA shows as paid while QuickBooks holds money of its customer that is not
 * applied: apply that money, or create a new payment.
 */
export const paymentChoices = ['apply', 'create'] as const;
export type PaymentChoice = (typeof paymentChoices)[number];

/**
 * Returns the request of a choice. A payment is never forced otherwise: `force` is the decision about open money, and
 * `revises` means that existing payments are changed.
 */
export const flagsOfChoice = (choice: PaymentChoice): { readonly force: boolean; readonly revises: boolean } => ({
  force: true,
  revises: choice === 'apply',
});

/** Returns the choice that a request contains; null: none. */
export const choiceOf = ({
  force,
  revises = false,
}: {
  readonly force: boolean;
  readonly revises?: boolean;
}): PaymentChoice | null => (force ? (revises ? 'apply' : 'create') : null);

/** How an amount is paid from money that exists, and what is left to pay. */
export interface Funding {
  /** Updates of existing payments. */
  readonly applied: readonly ExistingPayment[];
  /** Documents that a new payment covers, including credit memos; empty: none is needed. */
  readonly covers: readonly CoveredDocument[];
  /** Amount of the new payment; 0 if it only applies credit memos. */
  readonly rest: Decimal;
  /** Money of the customer that is not used. */
  readonly beside: readonly CoveredDocument[];
}

/** Facts about what can be applied to an invoice. */
export interface FundingFacts {
  /** Open invoices to pay, in order, with the amount that each gets. */
  readonly targets: readonly CoveredDocument[];
  /** Credit memos of the same sale that are used up with it. */
  readonly ownCredits: readonly CoveredDocument[];
  readonly money: readonly OpenMoney[];
  /** ISO 4217 of the invoice. */
  readonly currency: string | null;
  /** Customers whose payments and credits can be applied to the invoice: its customer and that one's parents. */
  readonly payers: ReadonlySet<string>;
  /** Whether QuickBooks is closed for a day, so that a payment of that day cannot be changed. */
  readonly isClosed: (money: OpenMoney) => boolean;
}

/** Returns whether an API call can apply this money to the invoice. */
export function isApplicable(
  one: OpenMoney,
  { currency, payers, isClosed }: Pick<FundingFacts, 'currency' | 'payers' | 'isClosed'>,
): boolean {
  if (one.currency !== currency || one.customer.id === null || !payers.has(one.customer.id)) return false;
  if (one.type === 'CreditMemo') return true;
  return one.payment !== undefined && !one.payment.isDeposited && !isClosed(one);
}

const partOf = ({ type, id, number }: OpenMoney, amount: Decimal): CoveredDocument => ({ type, id, number, amount });

/**
 * Returns how invoices are paid: from credits that the PSA shows as used up, from other money if the user chose to apply
 * it, and for the rest by a new payment. A payment of exactly the amount is used before others; otherwise the oldest
 * first.
 *
 * Invariant: the parts and the rest add up to the targets without their own credits.
 */
export function fundingOf(facts: FundingFacts, choice: PaymentChoice): Funding {
  const { targets, ownCredits, money } = facts;
  let need = minus(sum(targets.map(({ amount }) => amount)), sum(ownCredits.map(({ amount }) => amount)));
  const used = money.filter((one) => (one.isPaidInPsa === true || choice === 'apply') && isApplicable(one, facts));
  const credits: CoveredDocument[] = [];
  const payments: { readonly of: OpenMoney; readonly amount: Decimal }[] = [];
  for (const one of used.toSorted(inOrder(need))) {
    const amount = smaller(one.open, need);
    if (!isPositive(amount)) continue;
    need = minus(need, amount);
    if (one.type === 'CreditMemo') credits.push(partOf(one, amount));
    else payments.push({ of: one, amount });
  }
  const open = targets.map((target) => ({ ...target }));
  const applied = payments.flatMap(({ of, amount }): ExistingPayment[] => {
    const { payment, customer } = of;
    if (payment === undefined || customer.id === null) return [];
    const { id, number, datedOn, currency } = of;
    const { syncToken, found } = payment;
    return [{ id, syncToken, number, datedOn, customerId: customer.id, currency, found, covers: take(open, amount) }];
  });
  const left = open.filter(({ amount }) => isPositive(amount));
  const isUsed = (one: OpenMoney) =>
    credits.some(({ id }) => one.type === 'CreditMemo' && id === one.id) || payments.some(({ of }) => of === one);
  return {
    applied,
    covers:
      left.length === 0 && ownCredits.length === 0 && credits.length === 0 ? [] : [...left, ...ownCredits, ...credits],
    rest: need,
    beside: money.filter((one) => !isUsed(one)).map((one) => partOf(one, one.open)),
  };
}

/** Takes an amount from the open targets, in order, and returns the parts. */
function take(open: { -readonly [Key in keyof CoveredDocument]: CoveredDocument[Key] }[], amount: Decimal) {
  const parts: CoveredDocument[] = [];
  let left = amount;
  for (const target of open) {
    const part = smaller(left, target.amount);
    if (!isPositive(part)) continue;
    parts.push({ ...target, amount: part });
    target.amount = minus(target.amount, part);
    left = minus(left, part);
  }
  return parts;
}

/** Used-up credits first, then money of exactly the amount, then the oldest. */
const inOrder =
  (need: Decimal) =>
  (a: OpenMoney, b: OpenMoney): number => {
    const rank = (one: OpenMoney) => (one.isPaidInPsa === true ? 0 : equals(one.open, need) ? 1 : 2);
    const key = (one: OpenMoney) => `${one.datedOn ?? ''} ${one.type} ${one.id.padStart(20, '0')}`;
    return rank(a) - rank(b) || (key(a) < key(b) ? -1 : 1);
  };
