import { createRandom, type Random } from '@tallybridge/sandbox';
import { Accounts, type Money, type Sale } from './accounts.ts';
import { withPurchases } from './generate-purchases.ts';
import { happen, isPossible } from './play.ts';
import type { Vendor } from './purchase-steps.ts';
import type { Customer, Line, Part, Sequence, Step } from './steps.ts';

const names = ['Alder Advisors', 'Basalt Builders', 'Copper Cafe'] as const;
const vendorNames = [
  ['Dorado Distribution', false],
  ['Egret Electronics', false],
  ['v-Fox, Ann', true],
  ['v-Gray, Ben', true],
] as const;
/** Steps of people in a sequence, before the last sync. */
const stepCount = { min: 20, max: 30 } as const;

/** Generates the accounts of three customers and four vendors. The same seed gives the same sequence on every machine. */
export function generate(seed: number): Sequence {
  const random = createRandom(seed);
  const customers = names.map((name, index): Customer => {
    const isForeign = index === 2 && random.chance(0.5);
    return { name: `${name} ${seed}`, currency: isForeign ? 'CAD' : 'USD' };
  });
  const direction = random.chance(0.8) ? 'both' : 'qbo_to_psa';
  const vendors = vendorNames.map(([name, isEmployee]): Vendor => ({ name: `${name} ${seed}`, isEmployee }));
  const accounts = new Accounts({ customers, vendors, direction });
  const writer = new Writer(random, accounts);
  const steps: Step[] = [];
  const add = (step: Step | null): void => {
    if (step !== null && happen(accounts, step)) steps.push(step);
  };
  for (let customer = 0; customer < customers.length; customer += 1) add(writer.bill(customer));
  add({ do: 'sync' });
  const count = random.whole(stepCount.min, stepCount.max);
  for (let tries = 0; steps.length < count && tries < 500; tries += 1) {
    if (random.chance(0.2)) for (const make of writer.story()) add(make());
    else add(writer.next());
    if (random.chance(0.4) && steps.at(-1)?.do !== 'sync') add({ do: 'sync' });
  }
  if (steps.at(-1)?.do !== 'sync') steps.push({ do: 'sync' });
  return withPurchases({ seed, customers, vendors, direction, steps });
}

type Maker = () => Step | null;

class Writer {
  readonly #random: Random;
  readonly #accounts: Accounts;
  #count = 0;
  readonly #makers: readonly (readonly [weight: number, make: Maker])[];

  constructor(random: Random, accounts: Accounts) {
    this.#random = random;
    this.#accounts = accounts;
    this.#makers = [
      [5, () => this.bill(this.#customer(), this.#month())],
      [3, () => this.#credit(this.#customer(), this.#month())],
      [1, () => ({ do: 'end_block', customer: this.#customer() })],
      [1, () => this.#moveItem()],
      [3, () => this.#prepaid(this.#customer())],
      [8, () => this.#pay()],
      [3, () => this.#useCredit()],
      [3, () => this.#apply()],
      [7, () => this.#of((sale) => ({ do: 'mark_paid', sale: sale.name }))],
      [1, () => this.#of((sale) => ({ do: 'unmark_paid', sale: sale.name }))],
      [3, () => this.#of((sale) => ({ do: 'void_in_psa', sale: sale.name }))],
      [
        2,
        () =>
          this.#of((sale) => ({
            do: 'edit_in_psa',
            sale: sale.name,
            cents: this.#cents() * Math.sign(sale.psa?.total ?? 1),
          })),
      ],
      [3, () => this.#of((sale) => ({ do: 'choose', sale: sale.name, choice: random.pick(['apply', 'create']) }))],
      [
        2,
        () =>
          this.#of((sale) => ({
            do: 'edit_in_accounting',
            sale: sale.name,
            cents: this.#cents() * Math.sign(sale.books?.total ?? 1),
          })),
      ],
      [
        2,
        () =>
          this.#of((sale) => ({
            do: 'redate_in_accounting',
            sale: sale.name,
            on: random.pick(['another day', 'another month']),
          })),
      ],
      [2, () => this.#of((sale) => ({ do: 'void_in_accounting', sale: sale.name }))],
      [2, () => this.#of((sale) => ({ do: 'delete_in_accounting', sale: sale.name }))],
      [2, () => this.#of((sale) => ({ do: 'type_again', sale: this.#name('copy'), copyOf: sale.name }))],
      [2, () => this.#money((money) => ({ do: 'unapply', money }))],
      [3, () => this.#money((money) => ({ do: 'delete_money', money }))],
      [2, () => this.#money((money) => ({ do: 'deposit', money }))],
      [2, () => this.#typed()],
      [
        1,
        () => ({
          do: 'receipt',
          money: this.#name('receipt'),
          customer: this.#customer(),
          cents: this.#cents() * random.pick([1, -1]),
        }),
      ],
      [1, () => this.#journal(this.#customer())],
    ];
  }

  /** Returns a random step that is possible now, or null. */
  next(): Step | null {
    const total = this.#makers.reduce((sum, [weight]) => sum + weight, 0);
    let at = this.#random.whole(1, total);
    const found = this.#makers.find(([weight]) => (at -= weight) <= 0);
    const step = found?.[1]() ?? null;
    return step !== null && isPossible(this.#accounts, step) ? step : null;
  }

  /** Returns steps about one customer that belong together. */
  story(): readonly Maker[] {
    const customer = this.#customer();
    const sync = (): Step => ({ do: 'sync' });
    const invoice = () => this.bill(customer);
    const earlier = () => this.bill(customer, 'last month');
    const credit = () => this.#credit(customer);
    const markPaid = (sign: 1 | -1) => () => this.#unpaid(customer, sign, (sale) => ({ do: 'mark_paid', sale }));
    const decide = () => this.#waiting(customer);
    const apply = () => this.#waiting(customer, 'apply');
    const milestone = () => this.#milestone(customer);
    const unapplied = (): Step => {
      const total = this.#cents();
      return { do: 'pay', money: this.#name('payment'), customer, total, parts: [], credits: [], on: 'its day' };
    };
    const prepaid = () => this.#prepaid(customer);
    const voidOf = (sign: 1 | -1) => () => this.#unpaid(customer, sign, (sale) => ({ do: 'void_in_psa', sale }));
    const [voided, voidedCredit] = [voidOf(1), voidOf(-1)];
    return this.#random.pick<readonly Maker[]>([
      // Money arrived before Autotask shows the invoice as paid, and two users decide.
      [invoice, sync, unapplied, markPaid(1), sync, decide, decide, sync],
      [invoice, credit, sync, markPaid(1), sync, decide, sync],
      [invoice, sync, () => this.#journal(customer), markPaid(1), sync, decide, sync],
      // Invoice and credit are both paid in Autotask.
      [invoice, credit, sync, markPaid(1), markPaid(-1), sync],
      // The payment of the product is taken back.
      [invoice, sync, markPaid(1), sync, () => this.#ofOurs('unapply'), sync],
      [invoice, sync, markPaid(1), sync, () => this.#ofOurs('delete_money'), sync],
      // Prepaid hours are sold, worked and voided.
      [prepaid, sync, prepaid, sync, prepaid, sync, voided, sync],
      [prepaid, sync, prepaid, sync, () => ({ do: 'end_block', customer }), prepaid, sync],
      // A void of last month waits for its payment, and is reversed; then the reversal is changed by hand.
      [
        earlier,
        sync,
        () => this.#payPart(customer),
        voided,
        sync,
        () => this.#ofPart(),
        sync,
        () => this.#useReversal(customer),
        sync,
      ],
      [earlier, sync, voided, sync, () => this.#ofReversal(customer), sync],
      [() => this.#credit(customer, 'last month'), sync, voidedCredit, sync],
      // The voided invoice of last month is voided or deleted in QuickBooks as well.
      [earlier, sync, voided, sync, () => this.#goneInBooks(customer), sync],
      // The reversal is no money for another invoice.
      [earlier, sync, voided, sync, invoice, sync, markPaid(1), sync],
      // What is left of a payment pays another invoice.
      [invoice, sync, () => this.#payTooMuch(customer), sync, invoice, sync, markPaid(1), sync, apply, sync],
      [milestone, sync, () => this.#moveItem(), milestone, sync],
      // A payment that was unapplied is applied by hand.
      [invoice, sync, markPaid(1), sync, () => this.#ofOurs('unapply'), sync, () => this.#apply(), sync],
      // A user removes a paid date that was paid.
      [invoice, sync, markPaid(1), sync, () => this.#unmark(customer), sync],
      // One user pays what another user voids.
      [invoice, sync, voided, () => this.#pay(), sync],
    ]);
  }

  bill(customer: number, on: 'its day' | 'last month' = 'its day'): Step {
    const lines: Line[] = [
      { article: 'support', quantity: this.#random.whole(1, 40) * 25, rate: this.#random.whole(9_000, 18_000) },
    ];
    const isForeign = this.#accounts.customers[customer]?.currency !== 'USD';
    if (!isForeign && this.#random.chance(0.4)) lines.push(this.#line('hardware'));
    // A credit memo credits the account that its item has on its day, so no milestone is reversed.
    if (this.#random.chance(0.3))
      lines.push(this.#line(on === 'last month' ? 'firewall' : this.#random.pick(['firewall', 'milestone'])));
    return { do: 'bill', sale: this.#name('invoice'), customer, lines, on };
  }

  #credit(customer: number, on: 'its day' | 'last month' = 'its day'): Step {
    const lines: Line[] = [{ article: 'support', quantity: 100, rate: -this.#random.whole(2_000, 60_000) }];
    const isForeign = this.#accounts.customers[customer]?.currency !== 'USD';
    if (!isForeign && this.#random.chance(0.3))
      lines.push({ article: 'hardware', quantity: 100, rate: -this.#random.whole(1_501, 30_000) });
    return { do: 'bill', sale: this.#name('credit'), customer, lines, on };
  }

  /** Sells hours, or bills work that they cover. */
  #prepaid(customer: number): Step | null {
    if (this.#accounts.customers[customer]?.currency !== 'USD') return null;
    const hours = this.#random.whole(2, 12) * 100;
    const rate = this.#random.whole(90, 160) * 100;
    const isSold = [...this.#accounts.sales.values()].some(
      (sale) => sale.customer === customer && sale.lines.some(({ article }) => article === 'block'),
    );
    const article = isSold ? 'covered' : 'block';
    const lines: Line[] = isSold ? [this.#line('support')] : [];
    return {
      do: 'bill',
      sale: this.#name('invoice'),
      customer,
      lines: [...lines, { article, quantity: hours, rate }],
      on: 'its day',
    };
  }

  #journal(customer: number): Step {
    return {
      do: 'journal',
      money: this.#name('journal entry'),
      customer,
      cents: this.#cents() * this.#random.pick([1, 1, -1]),
    };
  }

  /** Makes a step about an open sale that Autotask does not show as paid. */
  #unpaid(customer: number, sign: 1 | -1, make: (sale: string) => Step): Step | null {
    const found = this.#open(sign).find(
      ([sale]) => sale.customer === customer && sale.psa?.paidBy === null && !sale.psa.isVoided,
    );
    return found === undefined ? null : make(found[0].name);
  }

  /** Decides about a sale that Autotask shows as paid, and QuickBooks as open. */
  #waiting(customer: number, choice = this.#random.pick<'apply' | 'create'>(['apply', 'create'])): Step | null {
    const found = this.#open(1).find(([sale]) => sale.customer === customer && sale.psa?.paidBy === 'user');
    return found === undefined ? null : { do: 'choose', sale: found[0].name, choice };
  }

  #unmark(customer: number): Step | null {
    const found = [...this.#accounts.sales.values()].findLast((one) => one.customer === customer && one.ours !== null);
    return found === undefined ? null : { do: 'unmark_paid', sale: found.name };
  }

  #ofOurs(what: 'unapply' | 'delete_money'): Step | null {
    const found = [...this.#accounts.money.values()].findLast(({ isOurs, isDeleted }) => isOurs && !isDeleted);
    return found === undefined ? null : { do: what, money: found.name };
  }

  #pay(): Step | null {
    const open = this.#open(1);
    if (open.length === 0) return null;
    const how = this.#random.whole(1, 10);
    const [first] = open;
    if (first === undefined) return null;
    const { customer } = first[0];
    const own = open.filter(([sale]) => sale.customer === customer);
    const chosen = how <= 3 ? own.slice(0, 3) : own.slice(0, 1);
    const full = chosen.map(([{ name }, cents]): Part => [name, cents]);
    const part = full.map(([name, cents], index): Part =>
      index === full.length - 1 ? [name, Math.max(1, Math.floor(cents / 3))] : [name, cents],
    );
    const parts = how <= 6 ? full : how <= 8 ? part : [];
    const sum = (how <= 8 ? parts : full).reduce((all, [, cents]) => all + cents, 0);
    const total = sum + (how === 6 ? this.#cents() : 0);
    return {
      do: 'pay',
      money: this.#name('payment'),
      customer,
      total,
      parts,
      credits: [],
      on: this.#random.chance(0.15) ? 'next month' : 'its day',
    };
  }

  #useCredit(): Step | null {
    const [credit] = this.#open(-1);
    if (credit === undefined) return null;
    const invoice = this.#open(1).find(([{ customer }]) => customer === credit[0].customer);
    if (invoice === undefined) return null;
    const cents = Math.min(credit[1], invoice[1]);
    const rest = this.#random.chance(0.4) ? invoice[1] - cents : 0;
    return {
      do: 'pay',
      money: this.#name('payment'),
      customer: credit[0].customer,
      total: rest,
      parts: [[invoice[0].name, cents + rest]],
      credits: [[credit[0].name, cents]],
      on: 'its day',
    };
  }

  /** Applies unapplied money to an open sale of the customer. */
  #apply(): Step | null {
    const found = [...this.#accounts.money.values()].findLast(
      (one) => one.type === 'payment' && !one.isDeleted && this.#accounts.unapplied(one) > 0,
    );
    const open = this.#open(1).find(([{ customer }]) => customer === found?.customer);
    if (found === undefined || open === undefined) return null;
    const cents = Math.min(open[1], this.#accounts.unapplied(found));
    return { do: 'apply', money: found.name, parts: [[open[0].name, cents]] };
  }

  #milestone(customer: number): Step {
    return { do: 'bill', sale: this.#name('invoice'), customer, lines: [this.#line('milestone')], on: 'its day' };
  }

  #moveItem(): Step {
    return {
      do: 'move_item',
      to: this.#accounts.milestones === 'Project Income' ? 'Hardware Income' : 'Project Income',
    };
  }

  #payTooMuch(customer: number): Step | null {
    const found = this.#open(1).find(([sale]) => sale.customer === customer);
    if (found === undefined) return null;
    const [{ name }, open] = found;
    const total = open + this.#cents();
    return {
      do: 'pay',
      money: this.#name('payment'),
      customer,
      total,
      parts: [[name, open]],
      credits: [],
      on: 'its day',
    };
  }

  /** Pays a third of the newest sale of last month. */
  #payPart(customer: number): Step | null {
    const found = this.#open(1).findLast(([sale]) => sale.customer === customer && sale.isOfLastMonth);
    if (found === undefined) return null;
    const total = Math.max(1, Math.floor(found[1] / 3));
    const parts: Part[] = [[found[0].name, total]];
    return { do: 'pay', money: this.#name('payment'), customer, total, parts, credits: [], on: 'its day' };
  }

  /** Unapplies or deletes the newest payment. */
  #ofPart(): Step | null {
    const found = [...this.#accounts.money.values()].findLast(
      ({ type, isDeleted }) => type === 'payment' && !isDeleted,
    );
    return found === undefined ? null : { do: this.#random.pick(['unapply', 'delete_money']), money: found.name };
  }

  #reversal(customer: number): Sale | undefined {
    return [...this.#accounts.sales.values()].findLast((one) => one.customer === customer && one.reverses !== null);
  }

  /** Uses a reversal for the invoice that it reverses. */
  #useReversal(customer: number): Step | null {
    const memo = this.#reversal(customer);
    const invoice = this.#accounts.sale(memo?.reverses ?? '');
    if (memo === undefined || invoice === undefined) return null;
    const cents = Math.min(this.#accounts.balance(invoice), -this.#accounts.balance(memo));
    const [parts, credits]: Part[][] = [[[invoice.name, cents]], [[memo.name, cents]]];
    return {
      do: 'pay',
      money: this.#name('payment'),
      customer,
      total: 0,
      parts: parts ?? [],
      credits: credits ?? [],
      on: 'its day',
    };
  }

  #goneInBooks(customer: number): Step | null {
    const sale = this.#reversal(customer)?.reverses ?? null;
    return sale === null ? null : { do: this.#random.pick(['void_in_accounting', 'delete_in_accounting']), sale };
  }

  /** A user changes, voids or deletes a reversal. */
  #ofReversal(customer: number): Step | null {
    const sale = this.#reversal(customer)?.name;
    if (sale === undefined) return null;
    return this.#random.pick<Step>([
      { do: 'edit_in_accounting', sale, cents: -this.#cents() },
      { do: 'redate_in_accounting', sale, on: 'another month' },
      { do: 'void_in_accounting', sale },
      { do: 'delete_in_accounting', sale },
    ]);
  }

  #month = (): 'its day' | 'last month' => (this.#random.chance(0.2) ? 'last month' : 'its day');

  #typed(): Step {
    const cents = this.#cents() * this.#random.pick([1, 1, -1]);
    return {
      do: 'type_sale',
      sale: this.#name(cents > 0 ? 'typed invoice' : 'typed credit'),
      customer: this.#customer(),
      cents,
    };
  }

  /** Returns open sales with their open cents, in random order. */
  #open(sign: 1 | -1): (readonly [Sale, number])[] {
    const open = [...this.#accounts.sales.values()].flatMap((sale) => {
      const cents = this.#accounts.live(sale) === null ? 0 : sign * this.#accounts.balance(sale);
      return cents > 0 ? [[sale, cents] as const] : [];
    });
    const at = this.#random.whole(0, Math.max(0, open.length - 1));
    return [...open.slice(at), ...open.slice(0, at)];
  }

  #of(make: (sale: Sale) => Step): Step | null {
    const sales = [...this.#accounts.sales.values()];
    return sales.length === 0 ? null : make(this.#random.pick(sales));
  }

  #money(make: (name: string) => Step): Step | null {
    const all: Money[] = [...this.#accounts.money.values()].filter(({ type }) => type === 'payment');
    return all.length === 0 ? null : make(this.#random.pick(all).name);
  }

  #line(article: 'support' | 'hardware' | 'firewall' | 'milestone'): Line {
    return { article, quantity: this.#random.whole(1, 4) * 100, rate: this.#random.whole(1_501, 60_000) };
  }

  #customer = (): number => this.#random.whole(0, this.#accounts.customers.length - 1);
  /** An amount that is unlikely to occur twice. */
  #cents = (): number => this.#random.whole(1_001, 49_999);

  #name(what: string): string {
    this.#count += 1;
    return `${what} ${this.#count}`;
  }
}
