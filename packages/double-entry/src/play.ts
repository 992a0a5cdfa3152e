import { Accounts, sumOfParts, type Sale } from './accounts.ts';
import type { Part, Sequence, Step } from './steps.ts';
import { choose, sync } from './sync.ts';

/** Returns whether a step can happen in the present state of both services. */
export function isPossible(accounts: Accounts, step: Step): boolean {
  if ('purchase' in step) return accounts.purchases.isPossible(step);
  const sale = 'sale' in step ? accounts.sale(step.sale) : undefined;
  const money = 'money' in step ? accounts.money.get(step.money) : undefined;
  switch (step.do) {
    case 'sync':
      return true;
    case 'bill':
      return (
        sale === undefined &&
        (step.lines.every(({ article }) => article !== 'covered') || accounts.prepaid(step.customer) > 0)
      );
    case 'type_sale':
      return sale === undefined;
    case 'type_again':
      return sale === undefined && isTypedAgain(accounts, accounts.sale(step.copyOf));
    case 'receipt':
      return money === undefined;
    case 'journal':
      return money === undefined && hasReceivables(accounts, step.customer);
    case 'end_block':
      return accounts.block(step.customer) !== undefined && !accounts.ended.has(step.customer);
    case 'move_item':
      return accounts.milestones !== step.to;
    case 'pay':
      return money === undefined && isPayable(accounts, step);
    case 'apply':
      return (
        money?.type === 'payment' &&
        !money.isDeleted &&
        !money.isDeposited &&
        sumOfParts(step.parts) <= accounts.unapplied(money) &&
        step.parts.every((part) => isOpenFor(accounts, money.customer, part, 1))
      );
    case 'unapply':
      return (
        money?.type === 'payment' && !money.isDeleted && !money.isDeposited && money.parts.length > 0 && money.total > 0
      );
    case 'delete_money':
      return money?.type === 'payment' && !money.isDeleted && !money.isDeposited;
    case 'deposit':
      return money?.type === 'payment' && !money.isDeleted && !money.isDeposited && money.total > 0;
    case 'edit_in_psa':
      return isInPsa(sale) && !isPrepaid(sale) && sale.psa.total !== 0;
    case 'void_in_psa':
      return isInPsa(sale);
    case 'mark_paid':
      return isInPsa(sale) && sale.psa.paidBy === null;
    case 'unmark_paid':
      return sale?.psa?.paidBy === 'user' && !sale.psa.isVoided;
    case 'choose':
      return accounts.live(sale) !== null && sale?.psa?.paidBy === 'user' && !sale.psa.isVoided;
    default: {
      const booked = accounts.live(sale);
      // QuickBooks does not let a user lower or remove what was paid without unapplying it first.
      if (
        sale === undefined ||
        booked === null ||
        isPrepaid(sale) ||
        accounts.balance(sale) !== booked.total ||
        booked.total === 0
      )
        return false;
      // Its month is another one, and a reversal is dated on the day of the sync.
      if (
        step.do === 'redate_in_accounting' &&
        (sale.isOfLastMonth || (sale.reverses !== null && step.on === 'another day'))
      )
        return false;
      if (step.do !== 'edit_in_accounting') return true;
      return !accounts.hasMovedItem(sale) && Math.sign(booked.total + step.cents) === Math.sign(booked.total);
    }
  }
}

/** Returns whether a user can enter a sale that QuickBooks already has a second time. */
const isTypedAgain = (accounts: Accounts, was: Sale | undefined): boolean =>
  was !== undefined &&
  was.books !== null &&
  was.books.total !== 0 &&
  ![...accounts.sales.values()].some(({ copyOf }) => copyOf === was.name) &&
  !isPrepaid(was) &&
  was.psa !== null &&
  !was.isOfLastMonth &&
  !accounts.hasMovedItem(was) &&
  // A user types what is on the screen, where a voided document is 0.00.
  !(was.psa.isVoided && was.books.state === 'voided');

/** QuickBooks creates the receivables account of a foreign currency with the first document. */
const hasReceivables = (accounts: Accounts, customer: number): boolean =>
  accounts.customers[customer]?.currency === 'USD' ||
  [...accounts.sales.values()].some((sale) => sale.customer === customer && sale.books !== null);

/** Returns whether the PSA has a sale that is not voided. */
const isInPsa = (sale: Sale | undefined): sale is Sale & { readonly psa: NonNullable<Sale['psa']> } =>
  sale !== undefined && sale.psa !== null && !sale.psa.isVoided;

/** Sales of prepaid hours and work that they cover depend on one another, so users only bill, pay and void them. */
const isPrepaid = ({ lines }: Sale): boolean =>
  lines.some(({ article }) => article === 'block' || article === 'covered');

/** Returns whether a customer's document has enough open. */
function isOpenFor(accounts: Accounts, customer: number, [name, cents]: Part, sign: 1 | -1): boolean {
  const sale = accounts.sale(name);
  return (
    sale?.customer === customer && accounts.live(sale) !== null && cents > 0 && cents <= sign * accounts.balance(sale)
  );
}

function isPayable(accounts: Accounts, { customer, total, parts, credits }: Extract<Step, { do: 'pay' }>): boolean {
  return (
    parts.every((part) => isOpenFor(accounts, customer, part, 1)) &&
    credits.every((part) => isOpenFor(accounts, customer, part, -1)) &&
    total + sumOfParts(credits) >= sumOfParts(parts) &&
    sumOfParts(credits) <= sumOfParts(parts) &&
    total >= 0
  );
}

/** Applies a step to both services as it must happen. Does nothing and returns false if it is not possible. */
export function happen(accounts: Accounts, step: Step): boolean {
  if (!isPossible(accounts, step)) return false;
  if ('purchase' in step) accounts.purchases.apply(step);
  else if (step.do === 'sync') {
    sync(accounts);
    accounts.purchases.sync();
  } else if (step.do === 'choose') {
    const sale = accounts.sale(step.sale);
    if (sale !== undefined) choose(accounts, sale, step.choice);
  } else accounts.apply(step);
  return true;
}

/** Returns a sequence without the steps that are not possible. */
export function possibleSteps(sequence: Sequence): Sequence {
  const accounts = new Accounts(sequence);
  return { ...sequence, steps: sequence.steps.filter((step) => happen(accounts, step)) };
}
