import { describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../documents/accounting-report.ts';
import type { Account, Customer } from '../documents/reference-data.ts';
import { calendarDate } from '../values/dates.ts';
import { decimal, zero } from '../values/decimal.ts';
import { paymentExchange } from './account-tie-outs.ts';
import { accountOf, documentOf, entryOf, lineOf, tieOutFactsOf } from './testing.ts';
import { holds, type TieOut, type TieOutFacts, type TieOutName } from './tie-out.ts';
import { tieOuts } from './tie-outs.ts';

const account = (id: string, name: string, subType: string, currency?: string): Account =>
  accountOf(id, name, { classification: 'Asset', subType, ...(currency !== undefined && { currency }) });
const entry = (type: string, amount: string, more: Partial<LedgerEntry> = {}) =>
  entryOf(amount, { type, number: 'N-1', ...more });
const ledger = (accountId: string | null, opening: string, ...entries: readonly LedgerEntry[]) => ({
  accountId,
  name: `Account ${accountId}`,
  opening: decimal(opening),
  entries,
});
const balanceOf = (accountId: string | null, debit: string, credit = '0') => ({
  accountId,
  name: '',
  debit: decimal(debit),
  credit: decimal(credit),
});
const open = (
  partyName: string,
  amount: string,
  more: { type?: string; id?: string | null; number?: string } = {},
) => ({
  type: more.type ?? 'Invoice',
  id: more.id === undefined ? '1' : more.id,
  number: more.number ?? null,
  partyName,
  datedOn: null,
  dueOn: null,
  open: decimal(amount),
});
const payment = (id: number, amount: string, on: string, more: object = {}) =>
  documentOf(id, amount, { type: 'Payment', number: `P-${id}`, datedOn: calendarDate(on), lines: [], ...more });

type Of = Parameters<typeof tieOutFactsOf>[1];
const accounts = [
  account('1', 'Debtors', 'AccountsReceivable'),
  account('2', 'Creditors', 'AccountsPayable'),
  account('3', 'Undeposited Funds', 'UndepositedFunds'),
  account('4', 'Sales Tax Payable', 'GlobalTaxPayable'),
  account('5', 'Employee Advances', 'OtherCurrentAssets'),
  account('6', 'Customer Prepayments', 'DeferredRevenue'),
  account('7', 'Unbilled work', 'OtherCurrentAssets'),
  account('8', 'Exchange differences', 'ExchangeGainOrLoss'),
  account('9', 'Debtors CAD', 'AccountsReceivable', 'CAD'),
];
const facts = (of: Of = {}) => tieOutFactsOf(accounts, of);

const found = (name: TieOutName, of: Of): TieOut | undefined => tieOuts(facts(of), []).find((one) => one.name === name);
function shown(name: TieOutName, of: Of) {
  const tie = found(name, of);
  if (tie === undefined) return null;
  return {
    sides: [tie.left, tie.right],
    holds: holds(tie),
    rows: tie.rows.map(({ label, left, right, note }) => [label, left, right, ...(note === undefined ? [] : [note])]),
  };
}

describe('receivables and payables', () => {
  test('by age match the trial balance; payables with the opposite sign', () => {
    const trial_balance = [
      balanceOf('1', '100'),
      balanceOf('9', '20'),
      balanceOf('2', '0', '70'),
      balanceOf(null, '9'),
    ];
    const reports = {
      trial_balance,
      aged_receivables: { documents: [], total: decimal('120') },
      aged_payables: { documents: [], total: decimal('70') },
    };
    expect(shown('receivables_ageing', { reports })).toEqual({ sides: ['120', '120'], holds: true, rows: [] });
    expect(shown('payables_ageing', { reports })).toEqual({ sides: ['70', '70'], holds: true, rows: [] });
    const other = { ...reports, trial_balance: [balanceOf('1', '99'), balanceOf('2', '0', '71')] };
    expect(shown('receivables_ageing', { reports: other })?.holds).toBe(false);
    expect(shown('payables_ageing', { reports: other })?.holds).toBe(false);
  });

  test('change by the documents of the month in home currency and by entries that only the ledger has', () => {
    const of: Of = {
      documents: [
        documentOf(1, '100'),
        documentOf(2, '50', { currency: 'CAD', exchangeRate: decimal('0.8') }),
        documentOf(3, '30', { type: 'CreditMemo' }),
        documentOf(4, '60', { type: 'Payment', lines: [] }),
        documentOf(5, '999', { isVoided: true }),
        documentOf(6, '7', {
          type: 'JournalEntry',
          lines: [
            lineOf('7', { accountId: '1', itemId: null }),
            lineOf('-7', { accountId: '8', itemId: null }),
            lineOf('5', { accountId: null, itemId: null }),
          ],
        }),
      ],
      reports: {
        trial_balance: [balanceOf('1', '560')],
        general_ledger: [
          ledger('1', '500', entry('Invoice', '100'), entry('Deposit', '3', { number: null, partyName: '' })),
          ledger('8', '40', entry('Deposit', '9')),
        ],
      },
    };
    expect(shown('receivables_movement', of)).toEqual({
      sides: ['560', '560'],
      holds: true,
      rows: [
        ['Balance before the month', '500', null],
        ['Invoices', '140', null],
        ['Credit memos', '-30', null],
        ['Payments', '-60', null],
        ['Journal Entry · AT-6 · 2026-02-10', '7', null],
        ['Deposit · 2026-02-10', '3', null],
      ],
    });
    expect(shown('receivables_movement', { ...of, reports: {} })?.holds).toBe(false);
  });

  test('of the PSA and QuickBooks are compared by paying customer', () => {
    const psaOpen = [
      { customer: 'Acme Dental', amount: decimal('100'), currency: 'USD', amountInCurrency: decimal('100') },
      { customer: 'Birch Legal', amount: decimal('20'), currency: 'USD', amountInCurrency: decimal('20') },
      { customer: 'Maple Clinic', amount: null, currency: 'CAD', amountInCurrency: decimal('5') },
      { customer: 'Maple Clinic', amount: null, currency: 'CAD', amountInCurrency: decimal('6') },
    ];
    const documents = [open('Acme Dental', '60'), open('Acme Dental:North branch', '40'), open('Zeta', '1')];
    expect(shown('receivables_psa', { psaOpen, reports: { aged_receivables: { documents, total: zero } } })).toEqual({
      sides: ['120', '101'],
      // Informational.
      holds: true,
      rows: [
        ['Birch Legal', '20', '0'],
        ['Maple Clinic', '0', '0', 'CAD 11.00 without a rate'],
        ['Zeta', '0', '1'],
      ],
    });
  });

  test('of employees are their open bills; other entries are listed', () => {
    const documents = [
      open('v-Decker, Betty', '10', { type: 'Bill', id: '1' }),
      open('V-Adams, Carl', '20', { type: 'Bill', id: '2', number: 'B-2' }),
      open('V-Adams, Carl', '5', { type: 'Bill', id: null }),
      open('V-Adams, Carl', '3', { type: 'Bill Payment', id: '1', number: 'C-9' }),
      open('Ingram', '99', { type: 'Bill', id: '9' }),
      open('Vale, Robin', '7', { type: 'Bill', id: '4' }),
    ];
    const of = { expenseBillIds: new Set(['1', '4']), reports: { aged_payables: { documents, total: zero } } };
    expect(shown('employee_payables', of)).toEqual({
      sides: ['17', '45'],
      holds: true,
      rows: [
        ['V-Adams, Carl', '0', '28', 'Bill B-2, Bill without a number, Bill Payment C-9'],
        ['Vale, Robin', '7', '7'],
        ['v-Decker, Betty', '10', '10'],
      ],
    });
  });
});

test('sales tax of documents plus other entries equals the account activity', () => {
  const of: Of = {
    documents: [
      documentOf(1, '100', { tax: decimal('8') }),
      documentOf(2, '10', { type: 'CreditMemo', tax: decimal('1') }),
      documentOf(3, '10', { type: 'Bill', tax: decimal('5') }),
    ],
    reports: {
      general_ledger: [
        ledger('4', '0', entry('Invoice', '8'), entry('Credit Memo', '-1'), entry('Sales Tax Payment', '-4')),
        ledger('1', '0', entry('Journal Entry', '77')),
      ],
    },
  };
  expect(shown('sales_tax', of)).toEqual({
    sides: ['3', '3'],
    holds: true,
    rows: [
      ['Tax of 2 sales documents', '7', null],
      ['Sales Tax Payment · N-1 · Acme Dental · 2026-02-10', '-4', null],
      ['Account 4', null, '3'],
    ],
  });
  expect(shown('sales_tax', { ...of, documents: [] })?.holds).toBe(false);
});

test('employee advances are the granted amounts minus deductions on bills', () => {
  const bill = documentOf(1, '80', {
    type: 'Bill',
    lines: [lineOf('100', { accountId: '13' }), lineOf('-20', { accountId: '5' })],
  });
  const of: Of = {
    advanceAccountId: '5',
    documents: [bill],
    reports: {
      trial_balance: [balanceOf('5', '110')],
      general_ledger: [ledger('5', '30', entry('Bill', '-20'), entry('Check', '100'))],
    },
  };
  expect(shown('employee_advances', of)).toEqual({
    sides: ['110', '110'],
    holds: true,
    rows: [
      ['Balance before the month', '30', null],
      ['Deducted on bills', '-20', null],
      ['Check · N-1 · Acme Dental · 2026-02-10', '100', null],
    ],
  });
  expect(shown('employee_advances', { ...of, documents: [] })?.holds).toBe(false);
  expect(shown('employee_advances', { ...of, advanceAccountId: null })).toBeNull();
});

describe('undeposited funds', () => {
  const deposited = { links: [{ type: 'Deposit', id: '90' }] };
  const of: Of = {
    documents: [
      payment(1, '10', '2026-02-23'),
      payment(2, '20', '2026-02-22', { depositAccountId: '3' }),
      payment(3, '40', '2026-02-01', deposited),
      payment(4, '80', '2026-02-02', { depositAccountId: '99' }),
      payment(5, '0', '2026-02-03'),
      payment(6, '5', '2026-02-27', { isVoided: true }),
    ],
    earlierPayments: [
      payment(7, '100', '2026-01-10', { party: { id: '58', name: null } }),
      payment(8, '200', '2026-01-11', deposited),
    ],
    reports: {
      trial_balance: [balanceOf('3', '130')],
      general_ledger: [
        ledger(
          '3',
          '130',
          entry('Payment', '10'),
          entry('Deposit', '-40'),
          entry('Check', '-20'),
          entry('Check', '-10'),
        ),
      ],
    },
  };

  test('list payments older than five days, oldest first, and sum the rest', () => {
    expect(shown('undeposited_funds', of)).toEqual({
      sides: ['130', '130'],
      holds: true,
      rows: [
        ['P-7 · 2026-01-10', '100', null, 'Waits for 49 days'],
        ['Acme Dental · P-2 · 2026-02-22', '20', null, 'Waits for 6 days'],
        ['Payments of the last 5 days', '10', null],
        ['Payments that have been deposited', '40', null],
        ['The rest of the balance before the month', '30', null],
        ['Deposit: 1 entry', '-40', null],
        ['Check · N-1 · Acme Dental · 2026-02-10', '-20', null],
        ['Check · N-1 · Acme Dental · 2026-02-10', '-10', null],
      ],
    });
  });

  test('equal the opening balance when no earlier payment is waiting', () => {
    const rows = shown('undeposited_funds', { ...of, earlierPayments: [] })?.rows.map(([label, left]) => [label, left]);
    expect(rows).toContainEqual(['Balance before the month', '130']);
    expect(shown('undeposited_funds', { ...of, documents: [] })?.holds).toBe(false);
    expect(shown('undeposited_funds', {})?.rows).toEqual([]);
  });
});

describe('prepayments', () => {
  const contract = { label: 'Acme block', psa: decimal('100'), accounting: decimal('90') };
  const prepaid = {
    accountId: '6',
    isVisible: true,
    opening: zero,
    contracts: [],
    others: [],
    expired: [],
    breakageAccountId: null,
  };

  test('are listed by contract, with amounts without a contract', () => {
    const of: Of = {
      prepaid: {
        ...prepaid,
        opening: decimal('7'),
        contracts: [contract, { label: 'Unknown', psa: null, accounting: decimal('3') }],
        others: [entry('Journal Entry', '5', { number: null })],
      },
      reports: { trial_balance: [balanceOf('6', '0', '105')] },
    };
    expect(shown('prepayments', of)).toEqual({
      sides: ['100', '105'],
      holds: true,
      rows: [
        ['Acme block', '100', '90'],
        ['Unknown', null, '3'],
        ['Journal Entry · Acme Dental · 2026-02-10', null, '5', 'No contract'],
        ['Earlier entries', null, '7'],
      ],
    });
  });

  test('are omitted without an account or row, and show when the PSA hides them', () => {
    expect(found('prepayments', {})).toBeUndefined();
    expect(found('prepayments', { prepaid })).toBeUndefined();
    const labels = (isVisible: boolean, accountId = '6') => {
      const tie = found('prepayments', { prepaid: { ...prepaid, accountId, isVisible, contracts: [contract] } });
      return [tie?.leftLabel, tie?.rightLabel];
    };
    expect(labels(true)).toEqual([
      'Left in Autotask today, sold less used',
      'Balance of Customer Prepayments, trial balance',
    ]);
    expect(labels(false, '66')).toEqual(['Not shown by Autotask', 'Balance of the account, trial balance']);
  });
});

test('lists expired prepayments with their age and the proposed entry', () => {
  const row = { contract: 'Acme block', customer: 'Acme Dental', left: decimal('90'), months: 1, isDue: true };
  const expired = [
    { ...row, endedOn: calendarDate('2025-12-31') },
    { ...row, customer: null, endedOn: calendarDate('2026-02-20'), months: 0, isDue: false },
  ];
  const prepaid = { accountId: '6', isVisible: true, opening: zero, contracts: [], others: [], expired };
  const shownWith = (breakageAccountId: string | null) =>
    found('expired_prepayments', { prepaid: { ...prepaid, breakageAccountId } });
  expect(shownWith('8')).toMatchObject({
    left: '180',
    right: '90',
    mustBeZero: false,
    rows: [
      {
        label: 'Acme block · Acme Dental · ended Dec 31, 2025 · 1 month ago',
        left: '90',
        right: '90',
        note: 'Journal entry on Feb 28, 2026: debit Customer Prepayments, credit Exchange differences, customer Acme Dental',
      },
      { label: 'Acme block · ended Feb 20, 2026', right: null, note: 'In the grace period of Settings' },
    ],
  });
  expect(shownWith(null)?.rows[0]?.note).toBe('Choose the income account of expired prepayments in Settings');
});

test('compares open orders, and received orders that are not billed', () => {
  const of: Of = {
    openOrders: [
      { label: 'PO-1', psa: decimal('10'), accounting: null },
      { label: 'PO-2', psa: null, accounting: decimal('4') },
    ],
    received: [
      { label: 'PO-3', received: decimal('9'), billed: decimal('2') },
      { label: 'PO-4', received: decimal('5'), billed: decimal('5') },
    ],
  };
  expect(shown('open_orders', of)).toEqual({
    sides: ['10', '4'],
    holds: true,
    rows: [
      ['PO-1', '10', null],
      ['PO-2', null, '4'],
    ],
  });
  expect(shown('received_not_billed', of)).toEqual({ sides: ['9', '2'], holds: true, rows: [['PO-3', '9', '2']] });
  expect(shown('received_not_billed', { received: of.received?.slice(1) ?? [] })).toBeNull();
});

test.each([
  [1, '7', '1 billing item', 'Balance of Unbilled work', '40'],
  [2, null, '2 billing items', 'Accrue by hand', '0'],
])('%d unbilled work items, accrued on %s', (count, unbilledAccountId, left, right, balance) => {
  const tie = found('unbilled', {
    unbilled: { count, amount: decimal('55') },
    unbilledAccountId,
    reports: { trial_balance: [balanceOf('7', '40')] },
  });
  expect(tie).toMatchObject({ leftLabel: left, rightLabel: right, left: '55', right: balance, mustBeZero: false });
  expect(found('unbilled', {})).toBeUndefined();
});

describe('other currencies', () => {
  const customer = (displayName: string, currency: string) => ({ displayName, currency }) as Customer;
  const lists: TieOutFacts['lists'] = {
    accounts,
    classes: [],
    customers: [customer('Maple Clinic', 'CAD'), customer('Acme Dental', 'USD'), customer('Sydney Ltd', 'AUD')],
    items: [],
  };
  const cad = (id: number, amount: string, rate: string, more: object = {}) =>
    documentOf(id, amount, { currency: 'CAD', exchangeRate: decimal(rate), ...more });
  const documents = [open('Maple Clinic:East', '80'), open('Acme Dental', '999')];
  const reports = {
    trial_balance: [balanceOf('9', '80'), balanceOf('1', '999')],
    aged_receivables: { documents, total: zero },
  };

  test('compare open amounts with their account, with the invoiced amount and rate', () => {
    const of = { lists, documents: [cad(1, '100', '0.8'), cad(2, '30', '0.8', { type: 'CreditMemo' })], reports };
    const label = 'Receivables in CAD, in USD';
    expect(shown('foreign_currency', of)).toEqual({
      sides: ['80', '80'],
      holds: true,
      rows: [[label, '80', '80', 'CAD 70.00 invoiced this month, at 0.8']],
    });
    const twoRates = { ...of, documents: [cad(1, '100', '0.8'), cad(2, '30', '0.7')] };
    expect(shown('foreign_currency', twoRates)?.rows).toEqual([
      [label, '80', '80', 'CAD 130.00 invoiced this month, at 2 rates'],
    ]);
    expect(shown('foreign_currency', { ...of, documents: [] })?.rows).toEqual([[label, '80', '80']]);
    const without = { ...reports, trial_balance: [] };
    expect(shown('foreign_currency', { ...of, reports: without })?.holds).toBe(false);
  });

  test('are omitted when none is used', () => {
    expect(shown('foreign_currency', { documents: [documentOf(1, '100')] })).toBeNull();
    expect(shown('foreign_currency', { lists, documents: [documentOf(1, '100', { currency: null })] })).toBeNull();
  });

  test('without an account are listed when documents use them', () => {
    const aud = documentOf(1, '10', { currency: 'AUD', exchangeRate: decimal('0.6') });
    const { rows } = shown('foreign_currency', { lists, documents: [aud] }) ?? { rows: [] };
    expect(rows).toEqual([['Receivables in AUD, in USD', '0', '0', 'AUD 10.00 invoiced this month, at 0.6']]);
  });

  test('cause exchange differences on payments; other differences are listed separately', () => {
    const paid = (id: number, amount: string, rate: string, currency: string | null) =>
      documentOf(id, amount, { type: 'Payment', currency, exchangeRate: decimal(rate), lines: [] });
    const of: Of = {
      lists,
      documents: [paid(1, '100', '0.75', 'CAD'), paid(2, '50', '1', 'USD'), paid(3, '60', '1', null)],
      reports: {
        general_ledger: [
          ledger(
            '9',
            '0',
            entry('Payment', '-80', { id: '1' }),
            entry('Payment', '-11', { id: '2' }),
            entry('Payment', '-12', { id: '3' }),
            entry('Payment', '-13', { id: null }),
            entry('Invoice', '-14', { id: '1' }),
          ),
          ledger('8', '0', entry('Payment', '5'), entry('Journal Entry', '2', { number: null })),
        ],
      },
    };
    expect(paymentExchange(facts(of))).toBe('-5');
    expect(shown('foreign_currency', of)).toEqual({
      sides: ['7', '7'],
      holds: true,
      rows: [
        ['Exchange differences of payments, losses positive', '5', '5'],
        ['Journal Entry · Acme Dental · 2026-02-10', '2', '2'],
      ],
    });
    expect(shown('receivables_movement', of)?.rows).toContainEqual(['Exchange differences of payments', '-5', null]);
    const onlyDifference = { ...of, reports: { general_ledger: of.reports?.general_ledger?.slice(0, 1) ?? [] } };
    expect(shown('foreign_currency', onlyDifference)?.rows).toEqual([
      ['Exchange differences of payments, losses positive', '5', '0'],
    ]);
    const onlyEntry = { ...of, documents: [], reports: { general_ledger: [ledger('8', '0', entry('Payment', '5'))] } };
    expect(shown('foreign_currency', onlyEntry)?.rows).toEqual([
      ['Exchange differences of payments, losses positive', '0', '5'],
    ]);
  });
});

test.each([
  ['sums and rows match', true, '5', '5', '5', '5', true],
  ['the sums differ', true, '5', '4', '5', null, false],
  ['a row differs while the sums match', true, '5', '5', '5', '4', false],
  ['a row has only one side', true, '5', '5', null, '4', true],
  ['it is informational', false, '5', '4', '5', '4', true],
])('holds for a tie-out when %s: %6$s', (_, mustBeZero, left, right, ofLeft, ofRight, wanted) => {
  const amount = (value: string | null) => (value === null ? null : decimal(value));
  const tie = found('receivables_ageing', {});
  if (tie === undefined) throw new Error('no tie-out');
  const difference = left === right ? zero : decimal('1');
  const rows = [{ label: '', left: amount(ofLeft), right: amount(ofRight) }];
  expect(holds({ ...tie, mustBeZero, left: decimal(left), right: decimal(right), difference, rows })).toBe(wanted);
});
