import { Purchases } from './purchases.ts';
import type { Customer, Line, Part, SalesStep, Sequence } from './steps.ts';

/** Account names of the double entry. A user may move the item of milestones. */
export const accountOf = {
  support: 'Service Income',
  milestone: 'Project Income',
  firewall: 'Hardware Income',
  hardware: 'Hardware Income',
  block: 'Customer Prepayments',
} as const;

/** An amount on an account: credits of a sale are above zero. */
interface Split {
  readonly account: string;
  readonly cents: number;
}

/** A document in QuickBooks. The total is what the customer owes, so that of a credit memo is below zero. */
export interface Booked {
  /** Grows with each record that is created in QuickBooks, like its ids. */
  readonly id: number;
  total: number;
  splits: readonly Split[];
  state: 'live' | 'voided' | 'deleted';
  on: 'its day' | 'another day' | 'another month';
  /** Totals of both sides at the time of posting. */
  readonly posted: { readonly total: number; readonly psaTotal: number };
}

/** An invoice or credit memo on one or both sides. */
export interface Sale {
  readonly name: string;
  readonly customer: number;
  /** In order of creation. */
  readonly order: number;
  readonly lines: readonly Line[];
  psa: { total: number; tax: number; isVoided: boolean; paidBy: 'user' | 'product' | null } | null;
  books: Booked | null;
  /** The typed copy of a deleted or voided document. */
  readonly copyOf: string | null;
  /** The voided sale of last month that this credit memo of the product reverses. */
  readonly reverses: string | null;
  readonly isOfLastMonth: boolean;
  /** Whether a sync found it paid in QuickBooks. */
  wasPaid: boolean;
  /** The open money that a user was asked about, see `sync`; null: no question. */
  asked: string | null;
  /** The payment that the product created for it. */
  ours: Money | null;
}

/** A payment, receipt or journal entry in QuickBooks. */
export interface Money {
  /** See {@link Booked}. */
  readonly id: number;
  readonly name: string;
  readonly customer: number;
  readonly type: 'payment' | 'receipt' | 'journal';
  readonly total: number;
  parts: readonly Part[];
  credits: readonly Part[];
  isDeleted: boolean;
  isDeposited: boolean;
  readonly isOfNextMonth: boolean;
  readonly isOurs: boolean;
}

/** Rounds half away from zero. */
const rounded = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));
/** Sales tax of hardware: 8.25 %. */
const taxOf = (cents: number): number => rounded((cents * 825) / 10_000);
const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
/** Returns parts with another one, which adds to that of the same document. */
export const added = (parts: readonly Part[], [name, cents]: Part): readonly Part[] => {
  const before = parts.find(([sale]) => sale === name)?.[1] ?? 0;
  return [...parts.filter(([sale]) => sale !== name), [name, before + cents]];
};
/** Cents of parts. */
export const sumOfParts = (parts: readonly Part[]): number => sumOf(parts.map(([, cents]) => cents));

/** Returns the charge of a line in cents. Covered work is charged at zero. */
export const chargeOf = ({ article, quantity, rate }: Line): number =>
  article === 'covered' ? 0 : rounded((quantity * rate) / 100);

/** Customers' accounts in both services, computed by an independent double entry. */
export class Accounts {
  readonly customers: readonly Customer[];
  readonly direction: Sequence['direction'];
  readonly purchases: Purchases;
  readonly sales = new Map<string, Sale>();
  readonly money = new Map<string, Money>();
  /** Customers whose block of hours ended. */
  readonly ended = new Set<number>();
  /** Account of new sales of milestones. */
  milestones: 'Project Income' | 'Hardware Income' = accountOf.milestone;
  #order = 0;
  #id = 0;

  constructor({ customers, vendors, direction }: Pick<Sequence, 'customers' | 'vendors' | 'direction'>) {
    this.customers = customers;
    this.purchases = new Purchases(vendors);
    this.direction = direction;
  }

  sale(name: string): Sale | undefined {
    return this.sales.get(name);
  }

  /** Returns the document of a sale in QuickBooks, unless it is voided or deleted. */
  live(sale: Sale | undefined): Booked | null {
    return sale?.books?.state === 'live' ? sale.books : null;
  }

  /** Returns the existing payments of a customer. */
  payments(customer: number): readonly Money[] {
    return [...this.money.values()].filter(
      (one) => one.customer === customer && one.type === 'payment' && !one.isDeleted,
    );
  }

  /** Returns the credit memo that reverses a sale; null if there was none. */
  reversal(of: Sale): Sale | null {
    return [...this.sales.values()].find(({ reverses }) => reverses === of.name) ?? null;
  }

  /** Returns the open amount of a sale in QuickBooks; that of a credit memo is below zero. */
  balance(sale: Sale, on: 'today' | 'last of month' = 'today'): number {
    const total = this.live(sale)?.total ?? 0;
    const payments = this.payments(sale.customer).filter((one) => on === 'today' || !one.isOfNextMonth);
    const applied = sumOf(
      payments.flatMap(({ parts, credits }) => [
        ...parts.flatMap(([name, cents]) => (name === sale.name ? [cents] : [])),
        ...credits.flatMap(([name, cents]) => (name === sale.name ? [-cents] : [])),
      ]),
    );
    return total - applied;
  }

  unapplied({ total, parts, credits }: Money): number {
    return total + sumOfParts(credits) - sumOfParts(parts);
  }

  /** Returns what is left of a customer's prepaid hours, in cents. */
  prepaid(customer: number): number {
    return sumOf(
      [...this.sales.values()].flatMap((one) =>
        one.customer !== customer
          ? []
          : (this.live(one)?.splits ?? []).map(({ account, cents }) => (account === accountOf.block ? cents : 0)),
      ),
    );
  }

  /** Returns the posted sale of prepaid hours of a customer. */
  block(customer: number): Sale | undefined {
    return [...this.sales.values()].find(
      (one) =>
        one.customer === customer && one.lines.some(({ article }) => article === 'block') && this.live(one) !== null,
    );
  }

  /** Adds money of a user or of the product. */
  addMoney(money: Omit<Money, 'id' | 'isDeleted' | 'isDeposited' | 'isOfNextMonth'>, isOfNextMonth = false): Money {
    const added = { ...money, isOfNextMonth, id: this.#nextId(), isDeleted: false, isDeposited: false };
    this.money.set(money.name, added);
    return added;
  }

  #nextId(): number {
    return (this.#id += 1);
  }

  #addSale(sale: Pick<Sale, 'name' | 'customer' | 'psa' | 'books'> & Partial<Sale>): void {
    const none = {
      lines: [],
      copyOf: null,
      reverses: null,
      isOfLastMonth: false,
      wasPaid: false,
      asked: null,
      ours: null,
    };
    this.sales.set(sale.name, { ...none, ...sale, order: (this.#order += 1) });
  }

  /** Adds the credit memo that reverses a sale of last month. */
  reverse(sale: Sale): void {
    const booked = this.live(sale);
    if (booked === null) return;
    const splits = booked.splits.map(({ account, cents }) => ({ account, cents: -cents }));
    const [name, total] = [`reversal of ${sale.name}`, -booked.total];
    const posted = { total, psaTotal: total };
    const books: Booked = { id: this.#nextId(), total, splits, state: 'live', on: 'its day', posted };
    this.#addSale({ name, customer: sale.customer, psa: null, reverses: sale.name, books });
  }

  /** Returns the debits less the credits of each account in cents, by customer or vendor. Zeros are left out. */
  ledger(): Readonly<Record<string, number>> {
    const sums = new Map<string, number>();
    const add = (party: string | undefined, account: string, debit: number) => {
      const key = `${party}: ${account}`;
      sums.set(key, (sums.get(key) ?? 0) + debit);
    };
    const post = (customer: number, account: string, debit: number) =>
      add(this.customers[customer]?.name, account, debit);
    for (const entry of this.purchases.entries()) add(...entry);
    for (const sale of this.sales.values()) {
      const booked = this.live(sale);
      if (booked === null) continue;
      post(sale.customer, 'Accounts Receivable', booked.total);
      for (const { account, cents } of booked.splits) post(sale.customer, account, -cents);
    }
    for (const { customer, type, total, isDeleted, isDeposited } of this.money.values()) {
      if (isDeleted) continue;
      const cash = type === 'payment' && !isDeposited ? 'Undeposited Funds' : 'Bank';
      post(customer, cash, total);
      post(customer, type === 'receipt' ? accountOf.support : 'Accounts Receivable', -total);
    }
    return Object.fromEntries([...sums].filter(([, cents]) => cents !== 0).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Returns the document that a sale of the PSA must have in QuickBooks. Prepaid hours pay covered work while they last. */
  bookedFor({ customer, lines, psa }: Sale): Booked {
    const total = psa?.total ?? 0;
    const splits: Split[] = [];
    let left = this.ended.has(customer) ? 0 : this.prepaid(customer);
    const rate = this.block(customer)?.lines.find(({ article }) => article === 'block')?.rate ?? 0;
    for (const line of lines) {
      if (line.article !== 'covered') splits.push({ account: this.#accountOf(line.article), cents: chargeOf(line) });
      else {
        const drawn = Math.min(left, rounded((line.quantity * rate) / 100));
        left -= drawn;
        splits.push({ account: accountOf.support, cents: drawn }, { account: accountOf.block, cents: -drawn });
      }
    }
    const tax = psa?.tax ?? 0;
    // A change before posting is in the first line.
    const change = total - tax - sumOf(splits.map(({ cents }) => cents));
    const [first] = lines;
    if (change !== 0 && first !== undefined && first.article !== 'covered')
      splits.push({ account: this.#accountOf(first.article), cents: change });
    if (tax !== 0) splits.push({ account: 'Sales Tax', cents: tax });
    return { id: this.#nextId(), total, splits, state: 'live', on: 'its day', posted: { total, psaTotal: total } };
  }

  #accountOf(article: keyof typeof accountOf): string {
    return article === 'milestone' ? this.milestones : accountOf[article];
  }

  /** Returns whether a document has milestones in an account that new sales do not use. QuickBooks would move them. */
  hasMovedItem(sale: Sale): boolean {
    const account = this.milestones === 'Project Income' ? 'Hardware Income' : 'Project Income';
    return (
      sale.books?.splits.some((one) => one.account === account) === true &&
      (sale.lines.length === 0 || sale.lines.some(({ article }) => article === 'milestone'))
    );
  }

  /** Applies the step of a person, which must be possible. The product's part is in `sync`. */
  apply(step: Exclude<SalesStep, { do: 'sync' | 'choose' }>): void {
    switch (step.do) {
      case 'bill': {
        const tax = sumOf(step.lines.map((line) => (line.article === 'hardware' ? taxOf(chargeOf(line)) : 0)));
        const total = sumOf(step.lines.map(chargeOf)) + tax;
        const { sale: name, customer, lines } = step;
        this.#addSale({
          name,
          customer,
          lines,
          psa: { total, tax, isVoided: false, paidBy: null },
          books: null,
          isOfLastMonth: step.on === 'last month',
        });
        return;
      }
      case 'type_sale':
      case 'type_again':
        return this.#type(step);
      case 'pay': {
        const { money: name, customer, total, parts, credits } = step;
        this.addMoney(
          { name, customer, type: 'payment', total, parts, credits, isOurs: false },
          step.on === 'next month',
        );
        return;
      }
      case 'end_block':
        this.ended.add(step.customer);
        return;
      case 'move_item':
        this.milestones = step.to;
        return;
      case 'receipt':
      case 'journal': {
        const { money: name, customer, cents: total } = step;
        this.addMoney({ name, customer, type: step.do, total, parts: [], credits: [], isOurs: false });
        return;
      }
      case 'apply':
      case 'unapply':
      case 'delete_money':
      case 'deposit':
        return this.#changeMoney(step);
      default:
        return this.#change(step);
    }
  }

  #type(step: Extract<SalesStep, { do: 'type_sale' | 'type_again' }>): void {
    if (step.do === 'type_sale') {
      const { sale: name, customer, cents } = step;
      const splits = [{ account: accountOf.support, cents }];
      const posted = { total: cents, psaTotal: cents };
      const books: Booked = { id: this.#nextId(), total: cents, splits, state: 'live', on: 'its day', posted };
      this.#addSale({ name, customer, psa: null, books });
      return;
    }
    const was = this.sales.get(step.copyOf);
    if (was === undefined || was.books === null) return;
    const { customer, books } = was;
    const copy: Booked = { ...books, id: this.#nextId(), state: 'live', on: 'its day' };
    this.#addSale({ name: step.sale, customer, psa: null, copyOf: step.copyOf, books: copy });
  }

  #changeMoney(step: Extract<SalesStep, { do: 'apply' | 'unapply' | 'delete_money' | 'deposit' }>): void {
    const money = this.money.get(step.money);
    if (money === undefined) return;
    if (step.do === 'apply') money.parts = step.parts.reduce(added, money.parts);
    else if (step.do === 'deposit') money.isDeposited = true;
    else if (step.do === 'delete_money') money.isDeleted = true;
    else [money.parts, money.credits] = [[], []];
  }

  #change(
    step: Extract<
      SalesStep,
      { do: `${string}_in_psa` | `${string}_in_accounting` | `${string}mark_paid` | 'mark_paid' }
    >,
  ): void {
    const sale = this.sales.get(step.sale);
    if (sale === undefined) return;
    const { psa, books } = sale;
    if (psa !== null && step.do === 'edit_in_psa') psa.total += step.cents;
    if (psa !== null && step.do === 'void_in_psa') psa.isVoided = true;
    if (psa !== null && step.do === 'mark_paid') psa.paidBy = 'user';
    if (psa !== null && step.do === 'unmark_paid') psa.paidBy = null;
    if (books === null) return;
    if (step.do === 'void_in_accounting') books.state = 'voided';
    if (step.do === 'delete_in_accounting') books.state = 'deleted';
    if (step.do === 'redate_in_accounting') books.on = step.on;
    if (step.do !== 'edit_in_accounting') return;
    const [first = { account: accountOf.support, cents: 0 }, ...others] = books.splits;
    books.splits = [{ ...first, cents: first.cents + step.cents }, ...others];
    books.total += step.cents;
  }
}
