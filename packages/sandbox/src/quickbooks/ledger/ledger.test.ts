import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClock } from '../../kit/clock.ts';
import { Exact, sum, zero } from '../amounts.ts';
import { createQuickBooksBehaviour } from '../behaviour.ts';
import type { Company } from '../company.ts';
import { type Doc, docAt, listAt, textAt } from '../doc.ts';
import { kindOf } from '../entities.ts';
import { ServiceFault } from '../faults.ts';
import { buildWorld } from '../sample-world.ts';
import { runReport } from '../reports/run-report.ts';
import { remove, save, voidEntry } from '../save.ts';
import { generalLedger } from './ledger.ts';

const today = '2025-03-03';

function northwind(): Company {
  const clock = createClock({ frozen: true });
  const [company] = buildWorld({ clock, behaviour: createQuickBooksBehaviour(), shiftDays: 0, isEmpty: false });
  if (company === undefined) throw new Error('no company');
  return company;
}

const ref = (value: string): Doc => ({ value });
const currencyOf = (isForeign: boolean): Doc => ({ CurrencyRef: ref(isForeign ? 'CAD' : 'USD') });

/** Returns debits and credits of one document, e.g. `account D 1.00`, with home amounts where they differ. */
function posted(company: Company, entity: string, id: string): string[] {
  const [transaction] = generalLedger(company, { entity, id });
  return (transaction?.postings ?? []).map(({ accountId, amount, home }) => {
    const isDebit = (amount.isZero() ? home : amount).isPositive();
    const text = `${accountId ?? 'none'} ${isDebit ? 'Dr' : 'Cr'} ${amount.abs().toFixed(2)}`;
    return amount.equals(home) ? text : `${text} home ${home.abs().toFixed(2)}`;
  });
}

const item = (id: string, amount: number, more: Doc = {}): Doc => ({
  DetailType: 'SalesItemLineDetail',
  Amount: amount,
  SalesItemLineDetail: { ItemRef: ref(id), ...more },
});
const expense = (account: string, amount: number): Doc => ({
  DetailType: 'AccountBasedExpenseLineDetail',
  Amount: amount,
  AccountBasedExpenseLineDetail: { AccountRef: ref(account) },
});
const applied = (amount: number, type: string, id: string): Doc => ({
  Amount: amount,
  LinkedTxn: [{ TxnId: id, TxnType: type }],
});

const create = (company: Company, entity: string, body: Doc): string =>
  save(company, kindOf(entity), { TxnDate: today, ...body }).id;

test('an invoice posts to item accounts, discount, each tax rate, and receivables', () => {
  const company = northwind();
  const id = create(company, 'Invoice', {
    CustomerRef: ref('58'),
    Line: [
      item('21', 100, { ClassRef: ref('200') }),
      item('32', 500, { TaxCodeRef: ref('TAX') }),
      item('21', -25),
      { DetailType: 'DiscountLineDetail', Amount: 10, DiscountLineDetail: { PercentBased: false } },
    ],
    TxnTaxDetail: { TxnTaxCodeRef: ref('6') },
  });
  expect(posted(company, 'Invoice', id)).toEqual([
    '30 Dr 616.25',
    '1 Cr 100.00',
    '2 Cr 500.00',
    '1 Dr 25.00',
    '86 Dr 10.00',
    '27 Cr 36.25',
    '27 Cr 15.00',
  ]);
  const [transaction] = generalLedger(company, { entity: 'Invoice', id });
  expect(transaction?.postings.map(({ classId }) => classId)).toEqual([
    undefined,
    '200',
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(transaction?.postings.map(({ agencyId }) => agencyId).slice(-2)).toEqual(['1', '1']);
});

test.each([
  [
    'CreditMemo',
    { CustomerRef: ref('58'), Line: [item('32', 500, { TaxCodeRef: ref('TAX') })] },
    ['30 Cr 541.25', '2 Dr 500.00', '27 Dr 41.25'],
  ],
  ['SalesReceipt', { CustomerRef: ref('58'), Line: [item('21', 40)] }, ['26 Dr 40.00', '1 Cr 40.00']],
  [
    'RefundReceipt',
    { CustomerRef: ref('58'), DepositToAccountRef: ref('35'), Line: [item('21', 40)] },
    ['35 Cr 40.00', '1 Dr 40.00'],
  ],
  [
    'Bill',
    { VendorRef: ref('91'), Line: [expense('12', 290.35), expense('25', -100)] },
    ['20 Cr 190.35', '12 Dr 290.35', '25 Cr 100.00'],
  ],
  ['Bill', { VendorRef: ref('91'), Line: [expense('12', 90), expense('25', -90)] }, ['12 Dr 90.00', '25 Cr 90.00']],
  [
    'Bill',
    {
      VendorRef: ref('90'),
      Line: [
        { DetailType: 'ItemBasedExpenseLineDetail', Amount: 60, ItemBasedExpenseLineDetail: { ItemRef: ref('31') } },
      ],
    },
    ['20 Cr 60.00', '14 Dr 60.00'],
  ],
  ['VendorCredit', { VendorRef: ref('90'), Line: [expense('14', 33.1)] }, ['20 Dr 33.10', '14 Cr 33.10']],
  [
    'Purchase',
    { AccountRef: ref('41'), PaymentType: 'CreditCard', Line: [expense('12', 12.5)] },
    ['41 Cr 12.50', '12 Dr 12.50'],
  ],
  [
    'Purchase',
    { AccountRef: ref('41'), PaymentType: 'CreditCard', Credit: true, Line: [expense('12', 12.5)] },
    ['41 Dr 12.50', '12 Cr 12.50'],
  ],
  ['Payment', { CustomerRef: ref('58'), TotalAmt: 70 }, ['26 Dr 70.00', '30 Cr 70.00']],
  [
    'BillPayment',
    {
      VendorRef: ref('90'),
      PayType: 'Check',
      CheckPayment: { BankAccountRef: ref('35') },
      TotalAmt: 5,
      Line: [],
    },
    undefined,
  ],
  ['Transfer', { FromAccountRef: ref('35'), ToAccountRef: ref('41'), Amount: 9 }, ['41 Dr 9.00', '35 Cr 9.00']],
  [
    'JournalEntry',
    {
      Line: [
        {
          Amount: 476.25,
          DetailType: 'JournalEntryLineDetail',
          JournalEntryLineDetail: { PostingType: 'Debit', AccountRef: ref('88') },
        },
        {
          Amount: 476.25,
          DetailType: 'JournalEntryLineDetail',
          JournalEntryLineDetail: { PostingType: 'Credit', AccountRef: ref('1') },
        },
      ],
    },
    ['88 Dr 476.25', '1 Cr 476.25'],
  ],
  [
    'Deposit',
    {
      DepositToAccountRef: ref('35'),
      Line: [
        { Amount: 300, LinkedTxn: [{ TxnId: '9152', TxnType: 'Payment', TxnLineId: '0' }] },
        {
          Amount: -3,
          DetailType: 'DepositLineDetail',
          DepositLineDetail: { AccountRef: ref('12') },
        },
      ],
    },
    ['35 Dr 297.00', '26 Cr 300.00', '12 Dr 3.00'],
  ],
  ['Estimate', { CustomerRef: ref('58'), Line: [item('21', 40)] }, []],
])('%s posts %#', (entity, body, expected) => {
  const company = northwind();
  if (expected === undefined) {
    expect(() => create(company, entity, body as unknown as Doc)).toThrow(ServiceFault);
    return;
  }
  expect(posted(company, entity, create(company, entity, body as unknown as Doc))).toEqual(expected);
});

test('a foreign invoice has separate receivables, which payments clear to the cent with an exchange gain or loss', () => {
  const company = northwind();
  const line = { ...item('21', 33.33), Description: 'Day' };
  const invoice = create(company, 'Invoice', {
    CustomerRef: ref('60'),
    ...currencyOf(true),
    ExchangeRate: 0.7402,
    Line: [line, line, item('22', 33.34)],
  });
  const receivable = [...company.table('Account').find('Name', 'Accounts Receivable (A/R) - CAD')][0]?.id ?? '';
  expect(posted(company, 'Invoice', invoice)).toEqual([
    `${receivable} Dr 100.00 home 74.02`,
    '1 Cr 33.33 home 24.67',
    '1 Cr 33.33 home 24.67',
    '1 Cr 33.34 home 24.68',
  ]);
  const pay = (amount: number) =>
    create(company, 'Payment', {
      CustomerRef: ref('60'),
      ...currencyOf(true),
      ExchangeRate: 0.75,
      TotalAmt: amount,
      Line: [applied(amount, 'Invoice', invoice)],
    });
  const payments = [pay(33.35), pay(33.35), pay(33.3)];
  const exact = (cash: string, home: string, cleared: string, gain: string) => [
    `26 Dr ${cash} home ${home}`,
    `${receivable} Cr ${cash} home ${cleared}`,
    `87 Cr 0.00 home ${gain}`,
  ];
  expect(payments.map((id) => posted(company, 'Payment', id))).toEqual([
    exact('33.35', '25.01', '24.69', '0.32'),
    exact('33.35', '25.01', '24.68', '0.33'),
    exact('33.30', '24.98', '24.65', '0.33'),
  ]);
});

test('voided and deleted documents leave the ledger; an updated one posts its current content', () => {
  const company = northwind();
  const id = create(company, 'Invoice', { CustomerRef: ref('58'), Line: [item('21', 40)] });
  const kind = kindOf('Invoice');
  save(company, kind, { Id: id, SyncToken: '0', sparse: true, Line: [item('32', 55)] });
  expect(posted(company, 'Invoice', id)).toEqual(['30 Dr 55.00', '2 Cr 55.00']);
  voidEntry(company, kind, { Id: id, SyncToken: '1' });
  expect(posted(company, 'Invoice', id)).toEqual([]);
  const other = create(company, 'Invoice', { CustomerRef: ref('58'), Line: [item('21', 40)] });
  remove(company, kind, { Id: other, SyncToken: '0' });
  expect(posted(company, 'Invoice', other)).toEqual([]);
});

test("changing an item's expense account keeps earlier postings", () => {
  const company = northwind();
  const line: Doc = {
    DetailType: 'ItemBasedExpenseLineDetail',
    Amount: 60,
    ItemBasedExpenseLineDetail: { ItemRef: ref('31') },
  };
  const id = create(company, 'Bill', { VendorRef: ref('90'), Line: [line] });
  save(company, kindOf('Item'), {
    Id: '31',
    SyncToken: '0',
    sparse: true,
    Name: 'AP-620 Access point',
    ExpenseAccountRef: ref('12'),
  });
  expect(posted(company, 'Bill', id)).toEqual(['20 Cr 60.00', '14 Dr 60.00']);
});

const money = fc.integer({ min: -40_000, max: 90_000 }).map((n) => n / 100);
const positive = fc.integer({ min: 1, max: 90_000 }).map((n) => n / 100);
const salesItem = fc
  .record({
    id: fc.constantFrom('21', '22', '24', '27', '32'),
    amount: money,
    code: fc.constantFrom('TAX', 'NON'),
    classId: fc.constantFrom('200', '201', '202'),
  })
  .map(({ id, amount, code, classId }) => item(id, amount, { TaxCodeRef: ref(code), ClassRef: ref(classId) }));
const discount = fc.integer({ min: 1, max: 30 }).map((percent): Doc => ({
  DetailType: 'DiscountLineDetail',
  DiscountLineDetail: { PercentBased: true, DiscountPercent: percent },
}));
const salesForm = fc
  .record({
    entity: fc.constantFrom('Invoice', 'Invoice', 'CreditMemo', 'SalesReceipt', 'RefundReceipt', 'Estimate'),
    isForeign: fc.boolean(),
    rate: fc.constantFrom(0.7402, 0.731234, 1.1),
    lines: fc.array(salesItem, { minLength: 1, maxLength: 4 }),
    off: fc.option(discount, { nil: undefined }),
    code: fc.constantFrom('5', '6'),
  })
  .map(({ entity, isForeign, rate, lines, off, code }) => ({
    entity,
    body: {
      CustomerRef: ref(isForeign ? '60' : '58'),
      ...currencyOf(isForeign),
      ...(isForeign ? { ExchangeRate: rate } : {}),
      Line: off === undefined ? lines : [...lines, off],
      TxnTaxDetail: { TxnTaxCodeRef: ref(code) },
      ...(entity === 'RefundReceipt' ? { DepositToAccountRef: ref('35') } : {}),
    } as Doc,
  }));
const purchaseForm = fc
  .record({
    entity: fc.constantFrom('Bill', 'Bill', 'VendorCredit', 'Purchase', 'PurchaseOrder'),
    lines: fc.array(
      fc.tuple(fc.constantFrom('11', '12', '14', '25'), money).map(([account, amount]) => expense(account, amount)),
      { minLength: 1, maxLength: 3 },
    ),
    credit: fc.boolean(),
  })
  .map(({ entity, lines, credit }) => ({
    entity,
    body: {
      ...(entity === 'Purchase'
        ? { AccountRef: ref('35'), PaymentType: 'Check', Credit: credit }
        : { VendorRef: ref('90') }),
      ...(entity === 'PurchaseOrder' ? { APAccountRef: ref('20') } : {}),
      Line: lines,
    } as Doc,
  }));
/** A payment of a share of the latest open documents of a customer or vendor. */
const payment = fc.record({
  entity: fc.constantFrom('Payment', 'Payment', 'BillPayment'),
  isForeign: fc.boolean(),
  share: fc.constantFrom(0.25, 0.5, 1),
  over: fc.constantFrom(0, 0, 12.34),
  rate: fc.constantFrom(0.7, 0.7402, 0.751111),
});
const undo = fc.record({ what: fc.constantFrom('void', 'delete', 'redate'), at: fc.nat() });

type Step =
  | { readonly do: 'create'; readonly entity: string; readonly body: Doc }
  | ({ readonly do: 'pay' } & (typeof payment extends fc.Arbitrary<infer T> ? T : never))
  | { readonly do: 'undo'; readonly what: string; readonly at: number };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: salesForm.map((form) => ({ do: 'create' as const, ...form })) },
  { weight: 2, arbitrary: purchaseForm.map((form) => ({ do: 'create' as const, ...form })) },
  { weight: 3, arbitrary: payment.map((each) => ({ do: 'pay' as const, ...each })) },
  { weight: 1, arbitrary: undo.map((each) => ({ do: 'undo' as const, ...each })) },
  {
    weight: 1,
    arbitrary: positive.map((amount) => ({
      do: 'create' as const,
      entity: 'Transfer',
      body: { FromAccountRef: ref('35'), ToAccountRef: ref('41'), Amount: amount } as Doc,
    })),
  },
);

function pay(company: Company, { entity, isForeign, share, over, rate }: Extract<Step, { do: 'pay' }>): void {
  const isCustomer = entity === 'Payment';
  const party = isCustomer ? (isForeign ? '60' : '58') : '90';
  const open = (kind: string) =>
    [...company.table(kind).find(isCustomer ? 'CustomerRef' : 'VendorRef', party)]
      .filter(({ body }) => Number(body['Balance']) > 0)
      .slice(-2)
      .map(({ id, body }) => ({ kind, id, amount: Math.round(Number(body['Balance']) * share * 100) / 100 }));
  const debits = open(isCustomer ? 'Invoice' : 'Bill');
  const credits = open(isCustomer ? 'CreditMemo' : 'VendorCredit');
  const total = (list: readonly { readonly amount: number }[]) => list.reduce((all, each) => all + each.amount, 0);
  const needed = Math.round((total(debits) - total(credits)) * 100) / 100;
  create(company, entity, {
    ...(isCustomer
      ? { CustomerRef: ref(party) }
      : { VendorRef: ref(party), PayType: 'Check', CheckPayment: { BankAccountRef: ref('35') } }),
    ...(isCustomer && isForeign ? { ...currencyOf(true), ExchangeRate: rate } : {}),
    TotalAmt: Math.max(0, Math.round((needed + over) * 100) / 100),
    Line: [...debits, ...credits].map(({ kind, id, amount }) => applied(amount, kind, id)),
  });
}

function undoOne(company: Company, { what, at }: Extract<Step, { do: 'undo' }>): void {
  const entities = ['Invoice', 'CreditMemo', 'Payment', 'Bill', 'BillPayment', 'SalesReceipt', 'Purchase'];
  const all = entities.flatMap((entity) => [...company.table(entity).all()].map((entry) => ({ entity, entry })));
  const picked = all[at % all.length];
  if (picked === undefined) return;
  const { entity, entry } = picked;
  const target = { Id: entry.id, SyncToken: String(entry.syncToken) };
  if (what === 'void') voidEntry(company, kindOf(entity), target);
  else if (what === 'delete') remove(company, kindOf(entity), target);
  else save(company, kindOf(entity), { ...entry.body, ...target, TxnDate: '2025-02-28' });
}

/** Returns the cells of a report's last row, a total. */
function totalsOf(company: Company, name: string, params: Readonly<Record<string, string>>, at = -1): string[] {
  const body = runReport(name, { company, param: (key) => params[key] });
  const summary = docAt(listAt(docAt(body, 'Rows'), 'Row').at(at), 'Summary');
  return listAt(summary, 'ColData').map((cell) => textAt(cell, 'value') ?? '');
}

/** Checks that trial balance, balance sheet, and aging agree with the ledger. */
function expectReportsAgree(company: Company): void {
  const until = { start_date: '2025-01-01', end_date: '2025-12-31' };
  const [, debit, credit] = totalsOf(company, 'TrialBalance', until);
  expect(debit).toBe(credit);
  const [[, assets], [, claims]] = [
    totalsOf(company, 'BalanceSheet', until, 0),
    totalsOf(company, 'BalanceSheet', until, 1),
  ];
  expect(assets ?? '0.00').toBe(claims ?? '0.00');
  const control = (type: string) =>
    sum(
      generalLedger(company).flatMap(({ postings }) =>
        postings
          .filter(({ accountId }) => textAt(company.find('Account', accountId)?.body, 'AccountType') === type)
          .map(({ home }) => home),
      ),
    ).toFixed(2);
  const on = { report_date: '2025-12-31' };
  const open = (name: string) => totalsOf(company, name, on).at(-1) ?? '0.00';
  expect(open('AgedReceivables')).toBe(open('AgedReceivableDetail'));
  expect(open('AgedReceivableDetail')).toBe(control('Accounts Receivable'));
  expect(open('AgedPayableDetail')).toBe(new Exact(control('Accounts Payable')).negated().plus(0).toFixed(2));
}

test('the ledger of any generated company balances, and receivables and payables match open documents', () => {
  let refused = 0;
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 5, maxLength: 30 }), (steps) => {
      const company = northwind();
      for (const each of steps)
        try {
          if (each.do === 'create') create(company, each.entity, each.body);
          else if (each.do === 'pay') pay(company, each);
          else undoOne(company, each);
          accepted += 1;
        } catch (error) {
          if (!(error instanceof ServiceFault)) throw error;
          refused += 1;
        }
      const ledger = generalLedger(company);
      for (const { postings, entity, id } of ledger) {
        expect([entity, id, sum(postings.map(({ amount }) => amount)).toFixed(2)]).toEqual([entity, id, '0.00']);
        expect([entity, id, sum(postings.map(({ home }) => home)).toFixed(2)]).toEqual([entity, id, '0.00']);
        expect(postings.every(({ accountId }) => accountId !== undefined)).toBe(true);
        for (const { amount, home } of postings)
          expect([amount.decimalPlaces() <= 2, home.decimalPlaces() <= 2]).toEqual([true, true]);
      }
      const balance = (type: string, party: string) =>
        sum(
          ledger.flatMap(({ postings }) =>
            postings
              .filter(
                ({ accountId, party: whose }) =>
                  whose?.id === party && textAt(company.find('Account', accountId)?.body, 'AccountType') === type,
              )
              .map(({ amount }) => amount),
          ),
        ).toFixed(2);
      for (const id of ['58', '59', '60'])
        expect([id, balance('Accounts Receivable', id)]).toEqual([id, company.balanceOf('Customer', id).toFixed(2)]);
      expect(balance('Accounts Payable', '90')).toBe(zero.minus(company.balanceOf('Vendor', '90')).toFixed(2));
      expectReportsAgree(company);
      // Once a currency has nothing open, its home currency balance is zero too.
      const foreign = [...company.table('Account').find('Name', 'Accounts Receivable (A/R) - CAD')][0];
      const isOpen = ['Invoice', 'CreditMemo', 'Payment'].some((entity) =>
        [...company.table(entity).find('CustomerRef', '60')].some(
          ({ body }) => !new Exact(Number(body['UnappliedAmt'] ?? body['Balance'] ?? 0)).isZero(),
        ),
      );
      if (foreign !== undefined && !isOpen) {
        const home = ledger.flatMap(({ postings }) =>
          postings.filter(({ accountId }) => accountId === foreign.id).map((posting) => posting.home),
        );
        expect(sum(home).toFixed(2)).toBe('0.00');
      }
    }),
    { numRuns: 40, seed: 2025 },
  );
  expect(accepted).toBeGreaterThan(refused);
});
