import { describe, expect, test } from 'vitest';
import { salesDocument } from '#test/cases/sample-documents.ts';
import { calendarDate } from '../values/dates.ts';
import { decimal, zero } from '../values/decimal.ts';
import { doubtfulRate, worthOf } from './currency.ts';
import type { Command, NewPayment, Plan, PurchaseForm } from './plan.ts';

const on = calendarDate('2025-03-03');
const limit = { exchange_rate_hold_over: decimal(5) };

const form: PurchaseForm = {
  vendor: { id: '90' },
  number: null,
  datedOn: on,
  payableAccountId: null,
  termId: null,
  shipTo: null,
  messageToVendor: null,
  privateNote: '',
  currency: 'CAD',
  taxExcluded: false,
  lines: [],
};
const payment: NewPayment = {
  customerId: '58',
  invoiceId: '1',
  amount: decimal(1_620),
  paidOn: on,
  depositAccountId: null,
  reference: '',
  privateNote: '',
  currency: 'CAD',
};
const kinds: readonly (readonly [string, (rate: string, currency?: string) => Command])[] = [
  [
    'invoice',
    (rate, currency = 'CAD') => ({
      do: 'create_invoice',
      document: { ...sales(currency), exchangeRate: decimal(rate) },
    }),
  ],
  [
    'credit memo',
    (rate, currency = 'CAD') => ({
      do: 'create_credit_memo',
      document: { ...sales(currency), exchangeRate: decimal(rate) },
    }),
  ],
  [
    'purchase order',
    (rate, currency = 'CAD') => ({
      do: 'create_purchase_order',
      order: { ...form, currency, exchangeRate: decimal(rate) },
    }),
  ],
  [
    'bill',
    (rate, currency = 'CAD') => ({ do: 'create_bill', bill: { ...form, currency, exchangeRate: decimal(rate) } }),
  ],
  [
    'payment',
    (rate, currency = 'CAD') => ({
      do: 'create_payment',
      payment: { ...payment, currency, exchangeRate: decimal(rate) },
    }),
  ],
];
const sales = (currency: string) => ({ ...salesDocument([]), datedOn: on, currency });

const planOf = (command: Command, expected: Partial<Plan['expected']> = {}): Plan => ({
  commands: [command],
  notes: [],
  warnings: [],
  expected: { subtotal: decimal(1_500), tax: decimal(120), dueOn: null, ...expected },
});
const worth = (rate: string) => ({ worth: { rate: decimal(rate), by: 'psa' } }) as const;
const found = (plan: Plan, home = 'USD') => doubtfulRate(plan, home, limit, 'Autotask');

describe.each(kinds)('a rate of %s', (_, command) => {
  test.each<readonly [string, string, Partial<Plan['expected']>, boolean]>([
    ['1 without other amounts', '1', {}, true],
    ['1 where the PSA has 1, too', '1', worth('1'), true],
    ['1 where the PSA has another', '1', worth('0.74'), true],
    ['1 where the PSA has nearly 1', '1', worth('0.998'), false],
    ['the PSA', '0.7402', worth('0.7407407'), false],
    ['5 % more than the PSA', '0.777', worth('0.74'), false],
    ['more than 5 % above the PSA', '0.7775', worth('0.74'), true],
    ['more than 5 % below the PSA', '0.7025', worth('0.74'), true],
    ['an unknown PSA', '0.5', {}, false],
  ])('%s', (__, rate, expected, isDoubtful) => {
    expect(found(planOf(command(rate), expected)) !== null).toBe(isDoubtful);
  });

  test('1 is right for a currency at par, and in the home currency', () => {
    expect(found(planOf(command('1', 'BMD'), worth('1')))).toBeNull();
    expect(found(planOf(command('1', 'USD')))).toBeNull();
  });

  test('of an update is compared, too', () => {
    const to = command('1');
    if (to.do === 'create_payment' || to.do === 'void') return;
    const update = { do: 'update', id: '1', syncToken: '0', to, was: zero, emailStatus: null } as Command;
    expect(found(planOf(update))).toMatchObject({ code: 'EXCHANGE_RATE_DOUBTFUL', treatment: 'held' });
  });
});

test('cents of rounding are no difference', () => {
  const tiny = { subtotal: decimal('0.05'), tax: zero, ...worth('0.8') };
  expect(found(planOf(kinds[0]?.[1]('0.7402') as Command, tiny))).toBeNull();
});

test('the problem names rate, day, both amounts and the fix', () => {
  const command = kinds[0]?.[1]('1') as Command;
  expect(found(planOf(command, worth('0.7407407')))).toMatchObject({
    message:
      'QuickBooks’ exchange rate of Mar 3, 2025 is 1 CAD = 1 USD, so 1,620.00 CAD would be 1,620.00 USD. Autotask has 1,200.00 USD. Nothing was posted.',
    remedy: expect.stringContaining('Settings > Currencies > CAD') as string,
  });
  const reversal = found(planOf(command, { takesBack: '1042' }));
  expect(reversal?.message).toContain('The exchange rate of invoice 1042 is 1 CAD = 1 USD');
  expect(reversal?.remedy).toBe(
    'Correct the exchange rate of invoice 1042 in QuickBooks. The credit memo is then posted automatically.',
  );
});

test('the PSA’s own amounts give a rate, whatever their signs are', () => {
  const foreign = { isForeign: true, isHome: false, isConverted: false, sent: 'CAD', ofAmounts: 'CAD' };
  const amounts = [
    { own: decimal(1_000), home: decimal(740) },
    { own: decimal(-990), home: decimal('-732.6') },
  ];
  expect(worthOf(foreign, amounts)).toEqual({ worth: { rate: '0.74', by: 'psa' } });
  expect(worthOf({ ...foreign, isHome: true }, amounts)).toEqual({});
  expect(worthOf(foreign, [{ own: decimal(1), home: zero }])).toEqual({});
});
