import { createRandom, type Random } from '@tallybridge/sandbox';
import { Accounts } from './accounts.ts';
import { happen } from './play.ts';
import type { PurchaseLine, PurchaseStep } from './purchase-steps.ts';
import type { Purchase } from './purchases.ts';
import type { Sequence, Step } from './steps.ts';

/** Purchases have random numbers of their own, so that they change nothing else in the sequence of a seed. */
const seedOfPurchases = 500_000;

/** Returns a sequence with steps about purchases before its syncs. */
export function withPurchases(sequence: Sequence): Sequence {
  const random = createRandom(sequence.seed + seedOfPurchases);
  const accounts = new Accounts(sequence);
  const writer = new PurchaseWriter(random, accounts);
  const steps: Step[] = [];
  const add = (step: Step | null): void => {
    if (step !== null && happen(accounts, step)) steps.push(step);
  };
  let syncs = 0;
  for (const step of sequence.steps) {
    if (step.do === 'sync') {
      // Each sequence begins with an order and a report.
      const first = syncs === 0 ? [writer.buy('order'), writer.buy('report')] : [];
      for (const one of first) add(one);
      const count = random.whole(0, 2);
      const isLater = syncs > 0;
      for (let left = isLater ? count : 0; left > 0; left -= 1) add(writer.next());
      if (isLater) add(writer.story());
      syncs += 1;
    }
    add(step);
  }
  return { ...sequence, steps };
}

type Maker = (of: Purchase) => PurchaseStep;

class PurchaseWriter {
  readonly #random: Random;
  readonly #accounts: Accounts;
  #count = 0;

  constructor(random: Random, accounts: Accounts) {
    this.#random = random;
    this.#accounts = accounts;
  }

  buy(kind: 'order' | 'report'): PurchaseStep {
    const lines = Array.from({ length: this.#random.whole(1, 3) }, (): PurchaseLine => ({
      what: this.#random.pick([0, 1, 2]),
      cents: this.#cents(),
    }));
    return { do: kind, purchase: this.#name(kind), vendor: this.#vendor(kind === 'report'), lines };
  }

  /** Steps about one purchase that belong together, with a sync after each. */
  #story: (() => PurchaseStep)[] = [];

  /** Returns the next step of a story; null if there is none. */
  story(): PurchaseStep | null {
    if (this.#story.length === 0 && this.#random.chance(0.4)) this.#story = this.#newStory();
    return this.#story.shift()?.() ?? null;
  }

  #newStory(): (() => PurchaseStep)[] {
    const all = [...this.#accounts.purchases.all.values()].filter(
      (one) => one.psa !== null && this.#accounts.purchases.live(one) !== null,
    );
    if (all.length === 0) return [];
    const { name: purchase, kind } = this.#random.pick(all);
    const step = (what: 'withdraw' | 'withdraw_no_more' | 'delete_purchase' | 'close_order' | 'reopen_order') => () =>
      ({ do: what, purchase }) as const;
    const again = () => ({ do: 'type_purchase_again', purchase: this.#name('copy'), copyOf: purchase }) as const;
    const edit = () => ({ do: 'edit_purchase_in_accounting', purchase, cents: this.#change() }) as const;
    const withdrawn = [
      [step('withdraw'), step('delete_purchase')],
      [step('withdraw'), edit, step('withdraw_no_more')],
      [again, step('delete_purchase')],
    ];
    const closed = [
      [step('withdraw'), step('close_order')],
      [step('withdraw'), step('close_order'), step('reopen_order')],
      [step('close_order'), step('withdraw'), step('withdraw_no_more')],
    ];
    return [...this.#random.pick(kind === 'order' ? [...withdrawn, ...closed] : withdrawn)];
  }

  /** Returns a random step about purchases, which may be impossible now. */
  next(): PurchaseStep | null {
    const what = this.#random.whole(1, 20);
    if (what <= 4) return this.buy(this.#random.pick(['order', 'report']));
    if (what <= 6) {
      const isEmployee = this.#random.chance(0.3);
      const how = this.#random.pick(['type_bill', 'type_vendor_credit'] as const);
      return { do: how, purchase: this.#name(how), vendor: this.#vendor(isEmployee), cents: this.#cents() };
    }
    const all = [...this.#accounts.purchases.all.values()].filter(({ psa }) => psa !== null);
    if (all.length === 0) return null;
    return this.#random.pick(this.#makers)(this.#random.pick(all));
  }

  readonly #makers: readonly Maker[] = [
    ({ name }) => ({ do: 'edit_purchase_in_psa', purchase: name, cents: this.#change() }),
    ({ name }) => ({ do: 'withdraw', purchase: name }),
    ({ name }) => ({ do: 'withdraw_no_more', purchase: name }),
    ({ name }) => ({ do: 'edit_purchase_in_accounting', purchase: name, cents: this.#change() }),
    ({ name }) => ({ do: 'recode', purchase: name }),
    ({ name }) => ({ do: 'reclass', purchase: name }),
    ({ name, kind }) => ({
      do: 'give_to_other_vendor',
      purchase: name,
      vendor: this.#vendor(kind === 'report'),
    }),
    ({ name }) => ({
      do: 'redate_purchase',
      purchase: name,
      on: this.#random.pick(['another day', 'another month']),
    }),
    ({ name }) => ({ do: 'delete_purchase', purchase: name }),
    ({ name }) => ({ do: this.#random.pick(['close_order', 'reopen_order']), purchase: name }),
    ({ name }) => ({ do: 'type_purchase_again', purchase: this.#name('copy'), copyOf: name }),
    ({ name, books }) => {
      const total = books?.total ?? 0;
      return { do: 'pay_bill', purchase: name, cents: this.#random.pick([total, Math.floor(total / 3)]) };
    },
  ];

  #vendor(isEmployee: boolean): number {
    const all = this.#accounts.purchases.vendors.flatMap((one, index) =>
      one.isEmployee === isEmployee ? [index] : [],
    );
    return this.#random.pick(all);
  }

  /** An amount that is unlikely to occur twice. */
  #cents = (): number => this.#random.whole(2_001, 89_999);
  #change = (): number => this.#random.whole(101, 1_999) * this.#random.pick([1, -1]);

  #name(what: string): string {
    this.#count += 1;
    return `${what.replaceAll('_', ' ')} p${this.#count}`;
  }
}
