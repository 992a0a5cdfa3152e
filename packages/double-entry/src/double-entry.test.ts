import { describe, expect, test } from 'vitest';
import { Accounts } from './accounts.ts';
import { generate } from './generate.ts';
import { happen, possibleSteps } from './play.ts';
import { differencesOf } from './proof.ts';
import { inWords, type Sequence, type Step } from './steps.ts';
import { adviceOn } from './sync.ts';

const seeds = Array.from({ length: 300 }, (_, index) => index + 1);

const vendors = [
  { name: 'Dorado', isEmployee: false },
  { name: 'Egret', isEmployee: false },
  { name: 'Fox', isEmployee: true },
];

/** Returns the accounts of one customer after some steps. */
function after(steps: readonly Step[], direction: Sequence['direction'] = 'both'): Accounts {
  const accounts = new Accounts({ customers: [{ name: 'Alder', currency: 'USD' }], vendors, direction });
  for (const step of steps)
    expect(happen(accounts, step), inWords(step, { customers: accounts.customers, vendors })).toBe(true);
  return accounts;
}
const sync: Step = { do: 'sync' };
const bill = (sale: string, rate: number, on: 'its day' | 'last month' = 'its day'): Step => ({
  do: 'bill',
  sale,
  customer: 0,
  lines: [{ article: 'support', quantity: 100, rate }],
  on,
});
const pay = (money: string, total: number, parts: readonly (readonly [string, number])[] = []): Step => ({
  do: 'pay',
  money,
  customer: 0,
  total,
  parts,
  credits: [],
  on: 'its day',
});
const paid = (sale: string): Step => ({ do: 'mark_paid', sale });
const adviceAfter = (accounts: Accounts, name: string) => {
  const sale = accounts.sale(name);
  return sale === undefined ? 'no sale' : adviceOn(accounts, sale);
};

describe('generated accounts', () => {
  test('are the same for the same seed, and contain possible steps only', () => {
    for (const seed of seeds) {
      const sequence = generate(seed);
      expect(generate(seed)).toEqual(sequence);
      expect(possibleSteps(sequence).steps).toEqual(sequence.steps);
    }
  });

  test('contain every kind of step, and end with a sync', () => {
    const kinds = new Set(seeds.flatMap((seed) => generate(seed).steps.map((step) => step.do)));
    expect([...kinds].sort()).toMatchInlineSnapshot(`
      [
        "apply",
        "bill",
        "choose",
        "close_order",
        "delete_in_accounting",
        "delete_money",
        "delete_purchase",
        "deposit",
        "edit_in_accounting",
        "edit_in_psa",
        "edit_purchase_in_accounting",
        "edit_purchase_in_psa",
        "end_block",
        "give_to_other_vendor",
        "journal",
        "mark_paid",
        "move_item",
        "order",
        "pay",
        "pay_bill",
        "receipt",
        "reclass",
        "recode",
        "redate_in_accounting",
        "redate_purchase",
        "reopen_order",
        "report",
        "sync",
        "type_again",
        "type_bill",
        "type_purchase_again",
        "type_sale",
        "type_vendor_credit",
        "unapply",
        "unmark_paid",
        "void_in_accounting",
        "void_in_psa",
        "withdraw",
        "withdraw_no_more",
      ]
    `);
    expect(seeds.every((seed) => generate(seed).steps.at(-1)?.do === 'sync')).toBe(true);
  });

  test('have a ledger in balance after each step', () => {
    for (const seed of seeds) {
      const sequence = generate(seed);
      const accounts = new Accounts(sequence);
      for (const step of sequence.steps) {
        happen(accounts, step);
        const sum = Object.values(accounts.ledger()).reduce((all, cents) => all + cents, 0);
        expect(sum, `seed ${seed}: ${inWords(step, sequence)}`).toBe(0);
      }
    }
  });

  test('lead to every kind of difference and advice', () => {
    const found = new Set<string>();
    for (const seed of seeds) {
      const sequence = generate(seed);
      const accounts = new Accounts(sequence);
      for (const step of sequence.steps) happen(accounts, step);
      for (const one of differencesOf(accounts)) found.add(one.class);
      for (const sale of accounts.sales.values()) found.add(adviceOn(accounts, sale) ?? 'silence');
    }
    expect([...found].sort()).toMatchInlineSnapshot(`
      [
        "CREDIT_MEMO_NOT_VOIDED",
        "EXTRA_GONE",
        "MISSING_IN_BOOKS",
        "OPEN_AGAIN",
        "OPEN_MONEY",
        "PAID_DATE_CLEARED",
        "PAYMENT_GONE",
        "PAYMENT_MOVED",
        "PREPAID_MONEY_USED",
        "VOIDED_IN_BOOKS",
        "VOID_HAS_PAYMENTS",
        "VOID_OF_AN_EARLIER_MONTH",
        "account_differs",
        "accounting_by_hand",
        "class_differs",
        "customer_differs",
        "date_differs",
        "date_edited",
        "deleted_in_accounting",
        "edited_in_accounting",
        "edited_in_psa",
        "entered_again",
        "item_differs",
        "paid_differs",
        "possible_duplicate",
        "silence",
        "void_taken_back",
        "voided_in_accounting",
        "voided_in_psa",
      ]
    `);
  });
});

describe('a sync', () => {
  test('posts tax and income, and a payment for a paid date', () => {
    const lines = [
      { article: 'support', quantity: 150, rate: 10_001 },
      { article: 'hardware', quantity: 200, rate: 1_999 },
    ] as const;
    const accounts = after([
      { do: 'bill', sale: 'invoice 1', customer: 0, lines, on: 'its day' },
      paid('invoice 1'),
      sync,
    ]);
    expect(accounts.ledger()).toEqual({
      'Alder: Hardware Income': -3_998,
      'Alder: Sales Tax': -330,
      'Alder: Service Income': -15_002,
      'Alder: Undeposited Funds': 19_330,
    });
    expect(differencesOf(accounts)).toEqual([]);
  });

  test('asks before it creates a payment while the customer has unapplied money, and applies it on request', () => {
    const steps = [bill('invoice 1', 50_000), sync, pay('payment 2', 20_000), paid('invoice 1'), sync];
    const accounts = after(steps);
    expect(adviceAfter(accounts, 'invoice 1')).toBe('OPEN_MONEY');
    const before = accounts.ledger();
    expect(before).toEqual({
      'Alder: Accounts Receivable': 30_000,
      'Alder: Service Income': -50_000,
      'Alder: Undeposited Funds': 20_000,
    });
    happen(accounts, { do: 'choose', sale: 'invoice 1', choice: 'apply' });
    expect(accounts.ledger()).toEqual({ 'Alder: Service Income': -50_000, 'Alder: Undeposited Funds': 50_000 });
    expect(adviceAfter(accounts, 'invoice 1')).toBeNull();
  });

  test('pays the rest if the PSA shows the invoice and a credit as paid', () => {
    const steps = [
      bill('invoice 1', 51_860),
      bill('credit 2', -11_860),
      sync,
      paid('invoice 1'),
      paid('credit 2'),
      sync,
    ];
    expect(after(steps).ledger()).toEqual({ 'Alder: Service Income': -40_000, 'Alder: Undeposited Funds': 40_000 });
  });

  test('does not void an invoice with a payment', () => {
    const part = [['invoice 1', 1_000]] as const;
    const steps = [bill('invoice 1', 5_000), sync, pay('payment 2', 1_000, part)] as const;
    const accounts = after([...steps, { do: 'void_in_psa', sale: 'invoice 1' }, sync]);
    expect(adviceAfter(accounts, 'invoice 1')).toBe('VOID_HAS_PAYMENTS');
    expect(differencesOf(accounts)).toMatchObject([{ class: 'voided_in_psa', cents: 5_000, settlements: [] }]);
  });

  test('reverses a voided invoice of last month, and names the reversal if the invoice is voided as well', () => {
    const steps = [
      bill('invoice 1', 5_000, 'last month'),
      sync,
      { do: 'void_in_psa', sale: 'invoice 1' },
      sync,
    ] as const;
    const accounts = after(steps);
    expect(accounts.ledger()).toEqual({});
    expect(differencesOf(accounts)).toEqual([]);
    expect(adviceAfter(accounts, 'invoice 1')).toBeNull();
    const twice = after([...steps, { do: 'void_in_accounting', sale: 'invoice 1' }, sync]);
    expect(differencesOf(twice)).toMatchObject([{ class: 'void_taken_back', cents: -5_000, settlements: [] }]);
    const gone = after([...steps, { do: 'delete_in_accounting', sale: 'reversal of invoice 1' }, sync]);
    expect(adviceAfter(gone, 'invoice 1')).toBe('EXTRA_GONE');
    expect(differencesOf(gone)).toMatchObject([
      { class: 'deleted_in_accounting', cents: 5_000, settlements: ['void'] },
    ]);
  });

  test('moves covered work out of prepaid money, at most what is left of it', () => {
    const covered = (sale: string, quantity: number): Step => ({
      do: 'bill',
      sale,
      customer: 0,
      lines: [{ article: 'covered', quantity, rate: 16_000 }],
      on: 'its day',
    });
    const block: Step = {
      do: 'bill',
      sale: 'invoice 1',
      customer: 0,
      lines: [{ article: 'block', quantity: 1_000, rate: 13_500 }],
      on: 'its day',
    };
    const steps = [block, sync, covered('invoice 2', 800), sync, covered('invoice 3', 500), sync];
    expect(after(steps).ledger()).toEqual({ 'Alder: Accounts Receivable': 135_000, 'Alder: Service Income': -135_000 });
    const voided = after([...steps, { do: 'void_in_psa', sale: 'invoice 1' }, sync]);
    expect(adviceAfter(voided, 'invoice 1')).toBe('PREPAID_MONEY_USED');
  });
});

describe('purchases', () => {
  const report = (purchase: string, ...cents: readonly number[]): Step => ({
    do: 'report',
    purchase,
    vendor: 2,
    lines: cents.map((one, index) => ({ what: index === 0 ? 1 : 2, cents: one })),
  });
  const order = (purchase: string, cents: number): Step => ({
    do: 'order',
    purchase,
    vendor: 0,
    lines: [{ what: 0, cents }],
  });
  const named = (accounts: Accounts) => differencesOf(accounts).map((one) => [one.sale, one.class, one.cents]);
  const advice = (accounts: Accounts, name: string) => {
    const purchase = accounts.purchases.all.get(name);
    return purchase === undefined ? 'no purchase' : accounts.purchases.adviceOn(purchase);
  };

  test('post bills to payables and costs, and orders to nothing', () => {
    const accounts = after([order('order 1', 50_000), report('report 2', 4_275, 6_120), sync]);
    expect(accounts.ledger()).toEqual({ 'Fox: Accounts Payable': -10_395, 'Fox: Auto': 6_120, 'Fox: Meals': 4_275 });
    expect(named(accounts)).toEqual([]);
    happen(accounts, { do: 'pay_bill', purchase: 'report 2', cents: 10_395 });
    expect(accounts.ledger()).toEqual({ 'Fox: Auto': 6_120, 'Fox: Bank': -10_395, 'Fox: Meals': 4_275 });
    expect(named(accounts)).toEqual([]);
  });

  test('differ by amount, account, vendor, class and month', () => {
    const accounts = after([report('report 1', 10_000), sync]);
    for (const step of [
      { do: 'edit_purchase_in_accounting', purchase: 'report 1', cents: 250 },
      { do: 'edit_purchase_in_psa', purchase: 'report 1', cents: 90 },
      { do: 'recode', purchase: 'report 1' },
      { do: 'reclass', purchase: 'report 1' },
      { do: 'redate_purchase', purchase: 'report 1', on: 'another month' },
    ] as const)
      expect(happen(accounts, step)).toBe(true);
    expect(named(accounts)).toEqual([
      ['report 1', 'edited_in_accounting', 250],
      ['report 1', 'edited_in_psa', -90],
      ['report 1', 'date_edited', -10_250],
      ['report 1', 'account_differs', 0],
      ['report 1', 'class_differs', 0],
    ]);
    expect(advice(accounts, 'report 1')).toEqual(['CHANGED_SINCE', 'EDITED_IN_BOOKS']);
    expect(accounts.ledger()).toEqual({ 'Fox: Accounts Payable': -10_250, 'Fox: Cost of Goods – Hardware': 10_250 });
  });

  test('that are canceled need attention until they are closed or deleted', () => {
    const accounts = after([order('order 1', 50_000), sync, { do: 'withdraw', purchase: 'order 1' }, sync]);
    expect(named(accounts)).toEqual([['order 1', 'voided_in_psa', 50_000]]);
    expect(advice(accounts, 'order 1')).toEqual(['ORDER_CANCELED']);
    happen(accounts, { do: 'close_order', purchase: 'order 1' });
    expect([named(accounts), advice(accounts, 'order 1')]).toEqual([[], []]);
    happen(accounts, { do: 'reopen_order', purchase: 'order 1' });
    happen(accounts, { do: 'delete_purchase', purchase: 'order 1' });
    expect([named(accounts), advice(accounts, 'order 1')]).toEqual([[], []]);
  });

  test('that users type again are possible duplicates, and credits of vendors ordinary business', () => {
    const accounts = after([
      report('report 1', 10_000),
      sync,
      { do: 'type_purchase_again', purchase: 'copy 2', copyOf: 'report 1' },
      { do: 'type_vendor_credit', purchase: 'credit 3', vendor: 0, cents: 700 },
      { do: 'type_bill', purchase: 'bill 4', vendor: 0, cents: 900 },
    ]);
    expect(named(accounts)).toEqual([['copy 2', 'possible_duplicate', 10_000]]);
    expect(accounts.ledger()).toEqual({
      'Dorado: Accounts Payable': -200,
      'Dorado: Meals': 200,
      'Fox: Accounts Payable': -20_000,
      'Fox: Meals': 20_000,
    });
    happen(accounts, { do: 'delete_purchase', purchase: 'report 1' });
    expect(named(accounts)).toEqual([['report 1', 'deleted_in_accounting', -10_000]]);
    expect(advice(accounts, 'report 1')).toEqual(['MISSING_IN_BOOKS']);
  });
});
