import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accounting, account } from '#test/cases/sample-world.ts';
import type { AccountingLists } from '../documents/reference-data.ts';
import { calendarDate } from '../values/dates.ts';
import { compare, decimal, divide, isPositive, negate, sum, zero, type Decimal } from '../values/decimal.ts';
import { isSamePlan } from './canonical-plan.ts';
import { addEffects, ledgerEffect, type LedgerEffect } from './ledger-effect.ts';
import { changesOfView, recordsUsed, viewOf } from './plan-view.ts';
import type { Command, Plan, PurchaseForm, SalesDocument, SalesLine } from './plan.ts';
import { purchaseForm, salesDocument, salesLine, newPayment } from '#test/cases/sample-documents.ts';

fc.configureGlobal({ seed: 20_250_303 });

const on = calendarDate('2025-03-03');
const about = { party: 'Acme Dental', number: '1042', on, amount: decimal('500'), currency: null };
const [item] = accounting.items.filter(({ incomeAccountId, isActive }) => incomeAccountId !== null && isActive);
if (item === undefined) throw new Error('the sample data has no item for sale');
const incomeAccount = accounting.accounts.find(({ id }) => id === item.incomeAccountId)?.fullyQualifiedName;

const saleLine = (amount: Decimal, more: Partial<SalesLine> = {}) =>
  salesLine(amount, { item: { id: item.id }, ...more });
const sale = (lines: readonly SalesLine[], more: Partial<SalesDocument> = {}) =>
  salesDocument(lines, { dueOn: on, ...more });
const planOf = (command: Command, tax: Decimal = zero, before: readonly Command[] = []): Plan => ({
  commands: [...before, command],
  notes: [],
  warnings: [],
  expected: { subtotal: zero, tax, dueOn: null, accountingTax: tax },
});
const bill = (amounts: readonly Decimal[]) =>
  purchaseForm([], {
    vendor: { id: '1' },
    number: '7',
    lines: purchaseForm(amounts).lines.map((line, place) => (place % 2 === 0 ? line : { ...line, accountId: '2' })),
  });

const debits = ({ entries }: LedgerEffect): Decimal => sum(entries.map(({ debit }) => debit ?? zero));
const credits = ({ entries }: LedgerEffect): Decimal => sum(entries.map(({ credit }) => credit ?? zero));

describe('the ledger effect', () => {
  test('an invoice debits receivables and credits income and tax', () => {
    const plan = planOf({ do: 'create_invoice', document: sale([saleLine(decimal('500'))]) }, decimal('41.25'));
    const { entries } = ledgerEffect(plan, accounting, about);
    expect(entries.map(({ account, debit, credit }) => [account, debit, credit])).toEqual([
      [expect.stringMatching(/Receivable/), '541.25', null],
      ...[
        [incomeAccount, null, '500'],
        ['Sales tax payable', null, '41.25'],
      ].toSorted((a, b) => String(a[0]).localeCompare(String(b[0]), 'en')),
    ]);
  });

  test('a credit memo reverses the invoice', () => {
    const document = sale([saleLine(decimal('500'))]);
    const invoice = ledgerEffect(planOf({ do: 'create_invoice', document }, decimal('41.25')), accounting, about);
    const credit = ledgerEffect(planOf({ do: 'create_credit_memo', document }, decimal('41.25')), accounting, about);
    expect(addEffects([invoice, credit]).entries).toEqual([]);
  });

  test('a discount is a debit on its account', () => {
    const lines = [saleLine(decimal('100')), saleLine(decimal('-30'), { classId: accounting.classes[0]?.id ?? null })];
    const { entries } = ledgerEffect(planOf({ do: 'create_invoice', document: sale(lines) }), accounting, about);
    expect(entries.find(({ className }) => className !== null)?.debit).toBe('30');
  });

  test('a bill debits costs and credits payables; an order has no effect', () => {
    const form = bill([decimal('12.50'), decimal('-2')]);
    const { entries } = ledgerEffect(planOf({ do: 'create_bill', bill: form }), accounting, about);
    expect(entries.find(({ account }) => /Payable/.test(account))).toMatchObject({ debit: null, credit: '10.5' });
    expect(ledgerEffect(planOf({ do: 'create_purchase_order', order: form }), accounting, about).entries).toEqual([]);
  });

  test('a void reverses the document', () => {
    const command = { do: 'void', type: 'Invoice', id: '9', syncToken: '0' } as const;
    expect(ledgerEffect(planOf(command), accounting, about).entries[1]).toMatchObject({ credit: '500' });
    expect(ledgerEffect(planOf({ ...command, type: 'CreditMemo' }), accounting, about).entries[0]).toMatchObject({
      account: expect.stringMatching(/Receivable/) as unknown,
      debit: '500',
    });
    // The PSA shows a credit as a negative amount. Voiding a credit increases what the customer owes.
    const credit = { ...about, amount: decimal('-500') };
    expect(ledgerEffect(planOf({ ...command, type: 'CreditMemo' }), accounting, credit).entries[0]).toMatchObject({
      account: expect.stringMatching(/Receivable/) as unknown,
      debit: '500',
    });
  });

  test.each([
    ['an invoice grows', 'create_invoice', '120', '100', /Receivable/, { debit: '20', credit: null }],
    ['an invoice shrinks', 'create_invoice', '90', '100', /Receivable/, { debit: null, credit: '10' }],
    ['a credit memo grows', 'create_credit_memo', '120', '100', /Receivable/, { debit: null, credit: '20' }],
    ['a bill grows', 'create_bill', '120', '100', /Payable/, { debit: null, credit: '20' }],
    ['a bill shrinks', 'create_bill', '90', '100', /Payable/, { debit: '10', credit: null }],
  ] as const)('an update, when %s', (_, make, now, was, account, side) => {
    const to =
      make === 'create_bill'
        ? { do: make, bill: bill([decimal(now)]) }
        : { do: make, document: sale([saleLine(decimal(now))]) };
    const command = { do: 'update', id: '9', syncToken: '0', to, was: decimal(was), emailStatus: null } as const;
    const plan = { ...planOf(command), expected: { subtotal: decimal(now), tax: zero, dueOn: null } };
    const effect = ledgerEffect(plan, accounting, about);
    expect(effect.entries.find((one) => account.test(one.account))).toMatchObject(side);
    expect(effect.entries.map((one) => one.account)).toContain(
      make === 'create_bill' ? 'Costs of the document' : 'Income and tax of the document',
    );
    expect(effect.isTaxKnown).toBe(true);
    expect(debits(effect)).toBe(credits(effect));
  });

  test.each([
    ['the only receivable account', [{ id: '30', name: 'Debtors', isActive: true }], 'Debtors'],
    [
      'the only active one',
      [
        { id: '30', name: 'Debtors', isActive: true },
        { id: '31', name: 'Old debtors', isActive: false },
      ],
      'Debtors',
    ],
    [
      'the default name when there are several',
      [
        { id: '30', name: 'Debtors', isActive: true },
        { id: '31', name: 'Other debtors', isActive: true },
      ],
      'Accounts Receivable',
    ],
    ['the default name when there is none', [], 'Accounts Receivable'],
  ])('the receivable account is %s', (_what, named, wanted) => {
    const accounts = named.map(({ id, name, isActive }) => ({
      ...account(id, name, 'Asset', 'AccountsReceivable'),
      isActive,
    }));
    const others = accounting.accounts.filter(({ subType }) => subType !== 'AccountsReceivable');
    const plan = planOf({ do: 'create_invoice', document: sale([saleLine(decimal('500'))]) });
    const { entries } = ledgerEffect(plan, { ...accounting, accounts: [...others, ...accounts] }, about);
    expect(entries[0]?.account).toBe(wanted);
  });

  test.each([
    [null, 'Undeposited Funds'],
    ['25', 'Employee Advances'],
  ])('a payment debits the deposit account %s and credits receivables', (depositAccountId, deposit) => {
    const payment = newPayment({ amount: decimal('70'), depositAccountId });
    const { entries, isTaxKnown } = ledgerEffect(planOf({ do: 'create_payment', payment }), accounting, about);
    expect(entries.map(({ account, debit, credit }) => [account, debit, credit])).toEqual([
      [deposit, '70', null],
      ['Accounts Receivable', null, '70'],
    ]);
    expect(isTaxKnown).toBe(true);
  });

  test.each([
    ['8.25', [['Travis County', '8.25']]],
    ['9.00', [['All tax codes', '9']]],
  ])('foreign tax of %s is listed by code, or as one amount if the codes do not add up', (tax, wanted) => {
    const abroad: AccountingLists = { ...accounting, company: { ...accounting.company, country: 'GB' } };
    const lines = [saleLine(decimal('100'), { taxCode: '5' })];
    const { entries } = ledgerEffect(
      planOf({ do: 'create_invoice', document: sale(lines) }, decimal(tax)),
      abroad,
      about,
    );
    const taxes = entries.filter(({ account }) => account === 'Sales tax payable');
    expect(taxes.map(({ taxAgency, credit }) => [taxAgency, credit])).toEqual(wanted);
  });

  test('an updated order has no effect', () => {
    const to = { do: 'create_purchase_order', order: bill([decimal(10)]) };
    const command = { do: 'update', id: '9', syncToken: '0', to, was: decimal(5), emailStatus: null };
    expect(ledgerEffect(planOf(command as unknown as Command), accounting, about)).toEqual({
      entries: [],
      isTaxKnown: true,
    });
  });

  test('debits equal credits to the cent for every document', () => {
    const cents = fc.integer({ min: -9_999_999, max: 9_999_999 }).map((n) => divide(decimal(n), decimal(100), 2));
    const abroad: AccountingLists = { ...accounting, company: { ...accounting.company, country: 'GB' } };
    const codes = [null, 'NON', 'TAX', ...accounting.taxCodes.map(({ id }) => id)];
    const anyLine = fc
      .record({ amount: cents, taxCode: fc.constantFrom(...codes), classId: fc.constantFrom(null, '1', '2') })
      .map(({ amount, ...more }) => saleLine(amount, more));
    fc.assert(
      fc.property(
        fc.array(anyLine, { minLength: 1, maxLength: 12 }),
        cents,
        fc.constantFrom(accounting, abroad),
        fc.constantFrom('create_invoice', 'create_credit_memo', 'create_bill', 'create_payment', 'void'),
        (lines, tax, of, what) => {
          const amounts = lines.map(({ amount }) => amount);
          const command: Command =
            what === 'create_bill'
              ? { do: what, bill: bill(amounts) }
              : what === 'void'
                ? { do: what, type: 'Invoice', id: '9', syncToken: '0' }
                : what === 'create_payment'
                  ? {
                      do: what,
                      payment: newPayment({ amount: amounts[0] ?? zero }),
                    }
                  : { do: what, document: sale(lines) };
          const effect = ledgerEffect(planOf(command, tax), of, { ...about, amount: tax });
          expect(debits(effect)).toBe(credits(effect));
          for (const { debit, credit } of effect.entries) {
            expect(debit === null).not.toBe(credit === null);
            expect(isPositive(debit ?? credit ?? zero)).toBe(true);
          }
          const twice = addEffects([effect, effect]);
          expect(debits(twice)).toBe(credits(twice));
          expect(compare(debits(twice), sum([debits(effect), debits(effect)]))).toBe(0);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('comparing two plans', () => {
  const [known] = accounting.customers;
  if (known === undefined) throw new Error('the sample data has no customer');
  const newCustomer = (phone: string | null): Command => ({
    do: 'create_customer',
    customer: {
      companyId: 1,
      displayName: known.displayName,
      companyName: known.displayName,
      billingAddress: null,
      shippingAddress: null,
      phone,
      email: null,
      isTaxable: true,
      resaleNumber: null,
      termId: null,
      currency: null,
    },
  });
  const line = saleLine(decimal('500'));
  const withNew = (phone: string | null) =>
    planOf({ do: 'create_invoice', document: sale([line], { customer: { fromCommand: 0 } }) }, zero, [
      newCustomer(phone),
    ]);
  const withKnown = (more: Partial<SalesDocument> = {}) =>
    planOf({ do: 'create_invoice', document: sale([line], { customer: { id: known.id }, ...more }) });

  test('ignores the time of the sync and notices a cent', () => {
    expect(isSamePlan(withKnown(), withKnown({ privateNote: 'another moment' }), accounting)).toBe(true);
    const dearer = planOf({
      do: 'create_invoice',
      document: sale([saleLine(decimal('500.01'))], { customer: { id: known.id } }),
    });
    expect(isSamePlan(withKnown(), dearer, accounting)).toBe(false);
    expect(isSamePlan(withKnown(), withKnown({ customer: { id: '999' } }), accounting)).toBe(false);
    expect(isSamePlan(withKnown(), withKnown({ customerMessage: 'Thank you' }), accounting)).toBe(false);
  });

  test('accepts a customer that another document created after the approval', () => {
    expect(isSamePlan(withNew(null), withKnown(), accounting)).toBe(true);
  });

  test('accepts a vendor, an item, and a parent that another document created after the approval', () => {
    const [vendor] = accounting.vendors;
    if (vendor === undefined) throw new Error('the sample data has no vendor');
    const made = (of: object) => of as Command;
    const billOf = (of: PurchaseForm['vendor']) =>
      ({ do: 'create_bill', bill: { ...bill([zero]), vendor: of } }) as const;
    const newVendor = made({ do: 'create_vendor', vendor: { displayName: vendor.displayName } });
    expect(
      isSamePlan(planOf(billOf({ fromCommand: 0 }), zero, [newVendor]), planOf(billOf({ id: vendor.id })), accounting),
    ).toBe(true);
    expect(isSamePlan(planOf(billOf({ id: '999' })), planOf(billOf({ id: vendor.id })), accounting)).toBe(false);

    const saleOf = (of: SalesLine['item']) =>
      ({ do: 'create_invoice', document: sale([saleLine(zero, { item: of })]) }) as const;
    const newItem = made({ do: 'create_item', item: { name: item.name } });
    expect(
      isSamePlan(planOf(saleOf({ fromCommand: 0 }), zero, [newItem]), planOf(saleOf({ id: item.id })), accounting),
    ).toBe(true);
    expect(isSamePlan(planOf(saleOf({ id: '999' })), planOf(saleOf({ id: item.id })), accounting)).toBe(false);

    const child = (parent: object) => made({ do: 'create_customer', customer: { displayName: 'North', parent } });
    const parent = made({ do: 'create_customer', customer: { displayName: known.displayName } });
    const billed = (at: number) =>
      ({ do: 'create_invoice', document: sale([line], { customer: { fromCommand: at } }) }) as const;
    expect(
      isSamePlan(
        planOf(billed(1), zero, [parent, child({ fromCommand: 0 })]),
        planOf(billed(0), zero, [child({ id: known.id })]),
        accounting,
      ),
    ).toBe(true);
  });

  test('reports a record that no user reviewed', () => {
    expect(isSamePlan(withKnown(), withNew(null), accounting)).toBe(false);
    expect(isSamePlan(withNew(null), withNew('555-0100'), accounting)).toBe(false);
  });

  test('reports a missing bill of a report with several bills', () => {
    const own = { do: 'create_bill', bill: bill([decimal('40')]) } as const;
    const earlier = { do: 'create_bill', bill: { ...bill([decimal('60')]), number: '7-02' } } as const;
    const both = planOf(own, zero, [earlier]);
    expect(isSamePlan(both, planOf(own), accounting)).toBe(false);
    expect(isSamePlan(planOf(own), both, accounting)).toBe(false);
    expect(isSamePlan(both, both, accounting)).toBe(true);
    expect(ledgerEffect(both, accounting, about).entries.filter(({ credit }) => credit !== null)).toMatchObject([
      { credit: '100' },
    ]);
    // The first bill has a line on an account that the last bill does not use.
    const wide = planOf(own, zero, [{ do: 'create_bill', bill: bill([decimal('60'), decimal('5')]) }]);
    const [one, other] = ['14', '2'].map(
      (id) => accounting.accounts.find((account) => account.id === id)?.fullyQualifiedName,
    );
    expect(recordsUsed(wide, accounting)).toContain(`account “${one}”`);
    expect(recordsUsed(wide, accounting)).toContain(`account “${other}”`);
  });

  test('describes changes with names', () => {
    const was = viewOf(withKnown(), accounting, about);
    const is = viewOf(
      planOf({
        do: 'create_invoice',
        document: sale([line, saleLine(negate(decimal('5')))], { customer: { id: known.id } }),
      }),
      accounting,
      about,
    );
    expect(was.party).toBe(known.displayName);
    expect(was.lines[0]?.account).toBe(incomeAccount);
    expect(changesOfView(was, is)).toEqual([
      { what: 'Total', was: '500', is: '495' },
      { what: 'Line 2', was: 'none', is: expect.stringContaining('-5') as unknown },
    ]);
    expect(changesOfView(was, was)).toEqual([]);
  });

  test('describes a line with its parts, and with quantity and price if present', () => {
    const was = viewOf(withKnown(), accounting, about);
    const [shown] = was.lines;
    if (shown === undefined) throw new Error('the document has no line');
    const describeLine = (more: Partial<typeof shown>) => {
      const plain = { item: null, account: null, className: null, tax: null, customer: null };
      const changed = { ...shown, ...plain, description: 'Support', quantity: decimal(2), unitPrice: decimal(250) };
      return changesOfView(was, { ...was, lines: [{ ...changed, ...more }] }).map(({ is }) => is);
    };
    expect(describeLine({})).toEqual(['Support · 2 × 250 = 500']);
    expect(describeLine({ quantity: null })).toEqual(['Support · 500']);
    expect(describeLine({ unitPrice: null })).toEqual(['Support · 500']);
    expect(describeLine({ description: '', item: 'Labour', className: 'West' })).toEqual([
      'Labour · West · 2 × 250 = 500',
    ]);
  });

  test.each([
    [undefined, false],
    ['210', 'location “Austin office”'],
    ['999', 'location “a location”'],
  ])('the records of a document with location %s include: %s', (locationId, named) => {
    const used = recordsUsed(withKnown(locationId === undefined ? {} : { locationId }), accounting);
    if (named === false) expect(used).not.toContain('location');
    else expect(used).toContain(named);
  });
});
