import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { accounting, companies, invoice, line, mapping, psa } from '#test/cases/sample-world.ts';
import type { Posted } from '../attempt.ts';
import type { Address, Company } from '../documents/party.ts';
import type { AccountingLists, Customer, Item } from '../documents/reference-data.ts';
import { defaultItemSettings, type ItemSettings } from '../settings/item-settings.ts';
import { addDays, addSeconds, calendarDate, dateIn, instant } from '../values/dates.ts';
import { decimal, equals, round2, times, zero } from '../values/decimal.ts';
import { chooseItem, itemReference, nameItem } from './choose-item.ts';
import { chooseCustomer, chooseVendor } from './choose-party.ts';
import { chooseCurrency } from './currency.ts';
import {
  chooseCustomFields,
  chooseNumber,
  chooseOrderNumber,
  customerMessage,
  suffixedNumber,
} from './document-fields.ts';
import { DecisionLog } from './decision.ts';
import { isEligible, hasOnlyRunningMark, staleAfterSeconds, syncedReference, thresholdOf } from './eligibility.ts';
import { type DecidedLine, groupLines, priceOf } from './document-lines.ts';
import type { Command, Plan } from './plan.ts';
import { isPrepaidWork } from './prepaid.ts';
import { indexAccounting, indexMappings, indexPsa } from './reference-index.ts';
import { codeOfRegion, forecastTax, taxAddress } from './tax.ts';
import { verify } from './verify.ts';
import { postedAs } from '#test/support/attempts.ts';

describe('the price of a line', () => {
  test.each([
    ['4.25', '687.50', '200', '4.25', '161.76471', ''],
    ['2500', '1234.57', '0.49', '1', '1234.57', '2,500 × 0.493828 – '],
    ['0', '99', '99', '1', '99', ''],
    ['0', '0', '10', '0', '0', ''],
    ['3.5', '525', '150', '3.5', '150', ''],
    ['20', '0', '45', '20', '0', ''],
    ['-5', '300', '60', '-5', '-60', ''],
    ['0.000001', '5', '5', '1', '5', ''],
    ['3', '100', '33.333333', '3', '33.33333', ''],
    // Prints the rate that the client knows if it yields the amount.
    ['0.3333', '41.66', '125', '0.3333', '125', ''],
    ['0.25', '37.50', '149.99', '0.25', '149.99', ''],
    ['12.3456', '15.24', '1.234567', '12.3456', '1.23457', ''],
  ])('%s for %s at %s is sent as %s × %s', (quantity, amount, rate, sent, unitPrice, prefix) => {
    expect(priceOf(decimal(quantity), decimal(amount), decimal(rate))).toEqual({ quantity: sent, unitPrice, prefix });
  });

  test('quantity times price equals the amount for every quantity and amount', () => {
    const decimals = (places: number, max: number) =>
      fc.integer({ min: -max, max }).map((n) => times(decimal(n), decimal(`1e-${places}`)));
    fc.assert(
      fc.property(
        decimals(6, 2_000_000_000),
        decimals(2, 2_000_000_000),
        decimals(4, 2_000_000_000),
        (quantity, amount, rate) => {
          const price = priceOf(quantity, amount, rate);
          expect(equals(round2(times(price.quantity, price.unitPrice)), amount)).toBe(true);
          expect(price.quantity.split('.')[1]?.length ?? 0).toBeLessThanOrEqual(5);
          expect(price.unitPrice.split('.')[1]?.length ?? 0).toBeLessThanOrEqual(5);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('grouping', () => {
  const decided = (more: Partial<DecidedLine> = {}): DecidedLine => ({
    amount: decimal(10),
    quantity: decimal(1),
    rate: decimal(10),
    description: 'Own words',
    groupDescription: null,
    item: { id: '21' },
    itemName: 'Remote Support',
    servedOn: null,
    classId: null,
    taxCode: 'NON',
    isCovered: false,
    entries: 1,
    ...more,
  });

  test.each<readonly [string, Partial<DecidedLine>]>([
    ['another item', { item: { id: '22' } }],
    ['a new item', { item: { fromCommand: 0 } }],
    ['another tax code', { taxCode: 'TAX' }],
    ['another class', { classId: '200' }],
    ['another price', { rate: decimal(11) }],
    ['a separate row', { groupDescription: 'Row' }],
    ['covered work', { amount: zero, isCovered: true }],
  ])('separates %s', (_, other) => {
    expect(groupLines([decided(), decided(other)])).toHaveLength(2);
  });

  test('adds up, keeps the first position, and shows the latest date', () => {
    const day = (text: string) => ({ servedOn: calendarDate(text) });
    const lines = [
      decided({ ...day('2025-02-12') }),
      decided({ rate: decimal(99), description: 'Alone' }),
      decided({ ...day('2025-02-28'), quantity: decimal('0.5') }),
      decided(),
    ];
    expect(groupLines(lines)).toMatchObject([
      { amount: '30', quantity: '2.5', description: 'Remote Support (3 entries)', servedOn: '2025-02-28', entries: 3 },
      { description: 'Alone', entries: 1 },
    ]);
  });

  test('a printed row shows its text with coverage, ignoring prices', () => {
    const row = { groupDescription: 'Support in February' };
    const covered = { ...row, amount: zero, isCovered: true };
    expect(
      groupLines([decided(row), decided({ ...row, rate: decimal(12) }), decided(covered), decided(covered)]).map(
        ({ description, entries }) => [description, entries],
      ),
    ).toEqual([
      ['Support in February', 2],
      ['Support in February (covered by contract)', 2],
    ]);
  });
});

describe('the customer of a company', () => {
  const acme = companies.find(({ id }) => id === 175) as Company;
  const customer = (id: string, more: Partial<Customer> = {}): Customer => ({
    ...(accounting.customers[0] as Customer),
    id,
    displayName: `Customer ${id}`,
    companyName: null,
    ...more,
  });
  const choose = (company: Company, customers: readonly Customer[], mapped?: string) =>
    chooseCustomer(
      company,
      indexAccounting({ ...accounting, customers }),
      indexMappings(mapped === undefined ? [] : [mapping('Customer', String(company.id), mapped, 'Label')]),
      { termId: null, currency: null, mayCreate: true },
    );

  test('is created by a user if it is exempt from automated sales tax', () => {
    const exempt = { ...acme, isTaxExempt: true };
    const chosen = (company: Company, needsExemptReason: boolean, customers: readonly Customer[] = []) =>
      chooseCustomer(
        company,
        indexAccounting({ ...accounting, customers }),
        {},
        {
          termId: null,
          currency: null,
          mayCreate: true,
          needsExemptReason,
        },
      );
    expect(chosen(exempt, true)).toMatchObject({
      is: 'refused',
      problem: { code: 'CUSTOMER_EXEMPT', message: expect.stringContaining('“Acme Dental” is exempt') },
    });
    expect(chosen(exempt, false)).toMatchObject({ is: 'new', customer: { isTaxable: false } });
    expect(chosen(acme, true)).toMatchObject({ is: 'new', customer: { isTaxable: true } });
    expect(chosen(exempt, true, [customer('1', { displayName: 'Acme Dental' })])).toMatchObject({ is: 'existing' });
  });

  test('is the mapped one under any name', () => {
    const others = [customer('1'), customer('2', { displayName: 'Acme Dental' })];
    expect(choose(acme, others, '1')).toMatchObject({ is: 'existing', by: 'mapping', customer: { id: '1' } });
  });

  test('is refused when the mapped one is inactive or deleted', () => {
    const named = customer('2', { displayName: 'Acme Dental' });
    for (const mapped of [customer('1', { isActive: false }), customer('3')])
      expect(choose(acme, [mapped, named], '1')).toMatchObject({
        is: 'refused',
        problem: { code: 'CUSTOMER_INACTIVE' },
      });
  });

  test('otherwise has the same display name, ignoring case, width, and extra spaces', () => {
    for (const displayName of ['ACME  dental', ' Ａcme Dental '])
      expect(choose(acme, [customer('1', { displayName })])).toMatchObject({ by: 'name', customer: { id: '1' } });
    expect(choose(acme, [customer('1', { displayName: 'Acme Dental Care' })])).toMatchObject({ is: 'new' });
  });

  test('needs a decision when its name and cleaned name match two customers', () => {
    const colon = { ...acme, name: 'Acme: Dental' };
    const both = [customer('1', { displayName: 'Acme: Dental' }), customer('2', { displayName: 'Acme Dental' })];
    expect(choose(colon, both)).toMatchObject({ problem: { code: 'CUSTOMER_AMBIGUOUS' } });
    expect(choose(colon, both.slice(1))).toMatchObject({ by: 'name', customer: { id: '2' } });
  });

  test("gets a company name of at most 100 characters, QuickBooks' limit", () => {
    const named = (name: string) => choose({ ...acme, name }, []);
    expect(named('x'.repeat(100))).toMatchObject({ customer: { companyName: 'x'.repeat(100) } });
    expect(named('x'.repeat(101))).toMatchObject({
      customer: { companyName: null, displayName: 'x'.repeat(100) },
    });
    const vendor = chooseVendor(
      { ...acme, name: 'x'.repeat(101) },
      indexAccounting({ ...accounting, vendors: [] }),
      {},
      null,
    );
    expect(vendor).toMatchObject({ vendor: { companyName: null, displayName: 'x'.repeat(100) } });
  });

  test('otherwise is the only one with that company name', () => {
    const one = customer('1', { companyName: 'Acme Dental' });
    expect(choose(acme, [one])).toMatchObject({ by: 'company name', customer: { id: '1' } });
    expect(choose(acme, [one, customer('2', { companyName: 'acme dental' })])).toMatchObject({
      problem: { code: 'CUSTOMER_AMBIGUOUS' },
    });
    expect(choose(acme, [one, customer('2', { companyName: 'Acme Dental', isActive: false })])).toMatchObject({
      customer: { id: '1' },
    });
  });

  test('is refused when only an inactive one has the name', () => {
    expect(choose(acme, [customer('1', { displayName: 'Acme Dental', isActive: false })])).toMatchObject({
      problem: { code: 'CUSTOMER_INACTIVE' },
    });
  });

  test('is found by its cleaned name when the name has a colon', () => {
    const cedar = companies.find(({ id }) => id === 178) as Company;
    expect(choose(cedar, [customer('1', { displayName: 'Cedar Logistics' })])).toMatchObject({ customer: { id: '1' } });
  });

  test("fits QuickBooks' limits when it is new", () => {
    const company: Company = {
      ...acme,
      name: 'Long: '.repeat(30),
      taxId: '12345678901234567',
      phone: '1'.repeat(31),
      email: `${'a'.repeat(100)}@b.example`,
      isTaxExempt: true,
    };
    const choice = choose(company, []);
    expect(choice).toMatchObject({
      is: 'new',
      customer: { resaleNumber: null, phone: null, email: null, isTaxable: false, billingAddress: { city: 'Austin' } },
    });
    if (choice.is === 'new') expect(choice.customer.displayName.length).toBeLessThanOrEqual(100);
  });
});

describe('the item of a line', () => {
  const item = (id: string, name: string, more: Partial<Item> = {}): Item => ({
    ...(accounting.items[0] as Item),
    id,
    name,
    fullyQualifiedName: name,
    ...more,
  });
  const choose = (
    items: readonly Item[],
    of: Parameters<typeof line>[0] = { billingCodeId: 51, kind: 'charge' },
    more: {
      mapped?: string;
      createsItems?: boolean;
      account?: string | null;
      names?: Partial<ItemSettings>;
      externalNumber?: string;
      usedBefore?: string;
    } = {},
  ) => {
    const one = line(of);
    const itemSettings = { ...defaultItemSettings, ...more.names };
    const { externalNumber } = more;
    const billingCodes = psa.billingCodes.map((code) =>
      code.id === 51 && externalNumber !== undefined ? { ...code, externalNumber } : code,
    );
    const lists = indexPsa({ ...psa, billingCodes });
    return chooseItem(one, nameItem(one, lists, itemSettings).name, true, {
      psa: lists,
      accounting: indexAccounting({ ...accounting, items } satisfies AccountingLists),
      mappings: indexMappings([
        ...(more.mapped === undefined ? [] : [mapping('ItemBilling', '51', more.mapped, 'Label')]),
        ...(more.usedBefore === undefined ? [] : [mapping('ItemName', 'hardware', more.usedBefore, 'Label')]),
      ]),
      itemSettings,
      createsItems: more.createsItems ?? true,
      incomeAccountId: more.account === undefined ? '2' : more.account,
    });
  };

  test('is the mapped one before any name match', () => {
    expect(choose([item('1', 'Hardware'), item('2', 'Other')], undefined, { mapped: '2' })).toMatchObject({
      by: 'mapping',
      item: { id: '2' },
    });
  });

  test.each<readonly [string, Partial<Item>]>([
    ['The mapped item “Other” is inactive or deleted.', { isActive: false }],
    ['The mapped item “Other” has no income account.', { incomeAccountId: null }],
    ['The mapped item “Other” is a category.', { type: 'Category' }],
  ])('is refused: %s', (message, more) => {
    expect(choose([item('2', 'Other', more)], undefined, { mapped: '2' })).toMatchObject({
      problem: { code: 'ITEM_INVALID', message },
    });
  });

  test('is refused when the mapped one was deleted', () => {
    expect(choose([], undefined, { mapped: '2' })).toMatchObject({
      problem: { message: 'The mapped item “Label” is inactive or deleted.' },
    });
  });

  test('is found by full name, then by external number as SKU, then as name', () => {
    const full = item('1', 'Hardware');
    const sku = item('3', 'Something', { sku: 'hw-1' });
    const number = item('4', 'HW-1');
    expect(choose([number, sku, full])).toMatchObject({ by: 'name', item: { id: '1' } });
    expect(choose([number, sku])).toMatchObject({ by: 'external number', item: { id: '3' } });
    expect(choose([number])).toMatchObject({ by: 'external number', item: { id: '4' } });
  });

  test("needs a decision when the name matches only the end of a sub-item's name, until a user decides once", () => {
    const nested = item('2', 'Hardware', { fullyQualifiedName: 'Sales:Hardware' });
    const sku = item('3', 'Something', { sku: 'hw-1' });
    const offered = (items: Item[]) => {
      const chosen = choose(items);
      return chosen.is === 'refused' ? chosen.problem : chosen;
    };
    expect(offered([nested])).toMatchObject({
      code: 'ITEM_AMBIGUOUS',
      message: '“Hardware” matches only the last part of the QuickBooks item “Sales:Hardware”.',
      repairs: [{ do: 'map', candidates: [{ value: '2', label: 'Sales:Hardware' }] }],
    });
    expect(offered([nested, sku])).toMatchObject({ repairs: [{ candidates: [{ value: '2' }, { value: '3' }] }] });
    expect(choose([nested, sku], undefined, { usedBefore: '2' })).toMatchObject({ is: 'existing', item: { id: '2' } });
  });

  test.each<readonly [string, Partial<Item>]>([
    ['an inactive item', { isActive: false }],
    ['a category with another full name', { type: 'Category', fullyQualifiedName: 'Sales:Hardware' }],
    ['an inactive bundle', { type: 'Group', isActive: false }],
  ])('is never %s', (_, more) => {
    expect(choose([item('1', 'Hardware', more)])).toMatchObject({ is: 'new' });
  });

  test.each([
    ['Category', 'QuickBooks has a category “HARDWARE”, so no item with that name can be created.'],
    ['Group', 'QuickBooks has a bundle “HARDWARE”, so no item with that name can be created.'],
  ])('is refused and offered for mapping when a %s has its name', (type, message) => {
    const other = item('1', 'HARDWARE', { type });
    expect(choose([other])).toMatchObject({
      is: 'refused',
      problem: {
        code: 'ITEM_NAME_TAKEN',
        message,
        repairs: [{ do: 'map', namespace: 'ItemBilling' }, { do: 'open_in_service' }],
      },
    });
    // Uses the item with the name. Creates one only if that is allowed.
    expect(choose([other, item('2', 'Hardware')])).toMatchObject({ is: 'existing', item: { id: '2' } });
    expect(choose([other], undefined, { createsItems: false })).toEqual({ is: 'missing' });
  });

  test('is skipped without an income account, and reported when no other item matches', () => {
    const purchase = item('1', 'Hardware', { incomeAccountId: null });
    expect(choose([purchase, item('2', 'HW', { sku: 'HW-1' })])).toMatchObject({ item: { id: '2' } });
    expect(choose([purchase])).toMatchObject({ problem: { code: 'ITEM_NO_INCOME_ACCOUNT' } });
  });

  test('needs a decision when several have the same name', () => {
    const twins = ['1', '2'].map((id) => item(id, 'Hardware', { fullyQualifiedName: `Category ${id}:Hardware` }));
    const candidates = [
      { value: '1', label: 'Category 1:Hardware' },
      { value: '2', label: 'Category 2:Hardware' },
    ];
    for (const createsItems of [true, false])
      expect(choose(twins, undefined, { createsItems })).toMatchObject({
        problem: { code: 'ITEM_AMBIGUOUS', repairs: [{ do: 'map', namespace: 'ItemBilling', candidates }] },
      });
    // The item with the full name wins. Among the others, the external number decides.
    expect(choose([...twins, item('3', 'Hardware')])).toMatchObject({ item: { id: '3' } });
    const [one, two] = twins.map((twin) => ({ ...twin, sku: twin.id === '2' ? 'HW-1' : null }));
    if (one === undefined || two === undefined) throw new Error('no twins');
    expect(choose([one, two])).toMatchObject({ by: 'external number', item: { id: '2' } });
    expect(choose([one, { ...two, sku: null }, item('3', 'Other', { sku: 'HW-1' })])).toMatchObject({
      problem: { code: 'ITEM_AMBIGUOUS' },
    });
    const sameNumber = ['1', '2'].map((id) => item(id, `Other ${id}`, { sku: 'HW-1' }));
    expect(choose(sameNumber)).toMatchObject({ problem: { code: 'ITEM_AMBIGUOUS' } });
  });

  test('is one item when the lists have its row twice', () => {
    const [row, again] = [item('1', 'Hardware'), item('1', 'Hardware', { sku: 'HW-1' })];
    expect(choose([row, again])).toMatchObject({ is: 'existing', item: { id: '1' } });
    const nested = { fullyQualifiedName: 'Sales:Hardware' };
    const offered = choose([item('2', 'Hardware', nested), item('2', 'Hardware', nested)]);
    expect(offered).toMatchObject({
      problem: { code: 'ITEM_AMBIGUOUS', repairs: [{ candidates: [{ value: '2', label: 'Sales:Hardware' }] }] },
    });
  });

  test('is still found after QuickBooks renamed it, unless another item has the name', () => {
    const remembered = indexMappings([mapping('ItemName', 'hardware', '1', 'Hardware')]);
    const find = (...items: readonly Item[]) =>
      chooseItem(line({ kind: 'charge', billingCodeId: 51 }), 'Hardware', true, {
        psa: indexPsa(psa),
        accounting: indexAccounting({ ...accounting, items } satisfies AccountingLists),
        mappings: remembered,
        itemSettings: defaultItemSettings,
        createsItems: true,
        incomeAccountId: '2',
      });
    const renamed = item('1', 'Devices');
    expect(find(renamed)).toMatchObject({ is: 'existing', by: 'former name', item: { id: '1' } });
    expect(find(renamed, item('2', 'Hardware'))).toMatchObject({
      by: 'name',
      item: { id: '2' },
      match: { name: 'Hardware', itemId: '2' },
    });
    expect(find(item('1', 'Hardware'))).not.toHaveProperty('match');
    expect(find(item('1', 'Devices (deleted)', { isActive: false }))).toMatchObject({
      problem: { code: 'ITEM_NO_LONGER_ACTIVE', repairs: [{ do: 'map' }, { do: 'open_in_service' }] },
    });
  });

  test('is created with external number, income account, and tax, or not at all', () => {
    expect(choose([])).toEqual({
      is: 'new',
      item: { name: 'Hardware', sku: 'HW-1', incomeAccountId: '2', expenseAccountId: null, isTaxable: true },
    });
    for (const [externalNumber, sku] of [
      ['x'.repeat(100), 'x'.repeat(100)],
      ['x'.repeat(101), null],
    ] as const)
      expect(choose([], undefined, { externalNumber })).toMatchObject({ is: 'new', item: { sku } });
    expect(choose([], undefined, { createsItems: false })).toEqual({ is: 'missing' });
    expect(choose([], undefined, { account: null })).toMatchObject({ problem: { code: 'INCOME_ACCOUNT_REQUIRED' } });
  });

  test('a tilde means hierarchy when matching and becomes a dash when creating', () => {
    const tech = { kind: 'service', itemName: 'Tech ~ On-Site' } as const;
    expect(choose([item('1', 'On-Site', { fullyQualifiedName: 'Tech:On-Site' })], tech)).toMatchObject({
      item: { id: '1' },
    });
    const made = choose([], tech);
    expect(made).toMatchObject({ is: 'new', item: { name: 'Tech - On-Site' } });
    expect(choose([item('1', 'Tech - On-Site')], tech)).toMatchObject({ is: 'existing' });
  });

  test('finds an item by a name that was cleaned or cut for QuickBooks', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200, unit: 'binary' }), (itemName) => {
        const of = { kind: 'service', itemName } as const;
        const made = choose([], of);
        fc.pre(made.is === 'new');
        if (made.is === 'new') expect(choose([item('1', made.item.name)], of)).toMatchObject({ is: 'existing' });
      }),
    );
  });

  test.each<readonly [Partial<ItemSettings>, Parameters<typeof line>[0], string, boolean]>([
    [{}, { kind: 'labor', billingCodeId: 29 }, 'Remote Support', false],
    [{ labor: 'role' }, { kind: 'labor', billingCodeId: 29, roleId: 11 }, 'Engineer', false],
    [{ labor: 'role' }, { kind: 'labor', billingCodeId: 29, roleId: 99 }, 'Labor', true],
    [
      { labor: 'role_billing_code' },
      { kind: 'labor', billingCodeId: 29, roleId: 11 },
      'Engineer - Remote Support',
      false,
    ],
    [
      { labor: 'billing_code_role' },
      { kind: 'labor', billingCodeId: 29, roleId: 11 },
      'Remote Support - Engineer',
      false,
    ],
    [{ labor: 'role_billing_code' }, { kind: 'labor', billingCodeId: 29 }, 'Labor', true],
    [{ labor: 'fixed' }, { kind: 'labor', billingCodeId: 29 }, 'Labor', false],
    [{}, { kind: 'block_purchase' }, 'Block Hours', false],
    [{ block_purchase: 'contract' }, { kind: 'block_purchase', contractId: 5 }, 'Acme block hours', false],
    [{ block_purchase: 'billing_code' }, { kind: 'block_purchase' }, 'Block Hours', true],
    [{ charge: 'product' }, { kind: 'charge', productId: 803, itemName: 'Monitor' }, '24-inch monitor', false],
    [{ charge: 'product' }, { kind: 'charge', itemName: 'Monitor' }, 'Monitor', false],
    [{}, { kind: 'service', itemName: 'Managed Server', billingCodeId: 62 }, 'Managed Server', false],
    [{}, { kind: 'retainer_purchase' }, 'Retainer', false],
    [{}, { kind: 'ticket_purchase' }, 'Ticket Purchase', false],
    [{}, { kind: 'contract_setup_fee' }, 'Contract Setup Fee', false],
    [{}, { kind: 'milestone', billingCodeId: 71 }, 'Project milestone', false],
    [{}, { kind: 'expense', billingCodeId: 41 }, 'Travel', false],
    [{}, { kind: 'subscription' }, 'Subscriptions', true],
    [{}, { kind: 'other', itemName: 'Odd' }, 'Odd', false],
  ])('settings %j name %j “%s” (fallback: %s)', (names, of, name, isFallback) => {
    expect(nameItem(line(of), indexPsa(psa), { ...defaultItemSettings, ...names })).toEqual({ name, isFallback });
  });
});

describe('the age window', () => {
  const now = instant('2025-03-03T15:00:00Z');
  const zone = 'America/Chicago';
  const rules = { usesPsaNumber: false, from: thresholdOf(now, zone, 14), force: false };
  const made = (at: string) => invoice({ createdAt: instant(at) });

  test('includes its first day and excludes the day before (invoices 48310 and 48311)', () => {
    expect(rules.from).toBe('2025-02-17T06:00:00.000Z');
    expect(isEligible(made('2025-02-17T06:00:00Z'), rules)).toBe(true);
    expect(isEligible(made('2025-02-17T05:59:59.999Z'), rules)).toBe(false);
  });

  test('is exact to the millisecond in every zone, on either side of a clock change', () => {
    const moments = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2030, 0, 1) }).map((ms) => instant(ms));
    const zones = fc.constantFrom('America/Chicago', 'Europe/London', 'Australia/Lord_Howe', 'Asia/Kolkata', 'UTC');
    fc.assert(
      fc.property(moments, zones, fc.integer({ min: 1, max: 90 }), (at, timeZone, days) => {
        const from = thresholdOf(at, timeZone, days);
        const within = { ...rules, from };
        expect(dateIn(from, timeZone)).toBe(addDays(dateIn(at, timeZone), -days));
        expect(isEligible({ ...made('2020-01-01T00:00:00Z'), createdAt: from }, within)).toBe(true);
        expect(isEligible({ ...made('2020-01-01T00:00:00Z'), createdAt: addSeconds(from, -0.001) }, within)).toBe(
          false,
        );
      }),
    );
  });

  test('never starts before the sync start date', () => {
    expect(thresholdOf(now, zone, 14, calendarDate('2025-03-01'))).toBe('2025-03-01T06:00:00.000Z');
    expect(thresholdOf(now, zone, 14, calendarDate('2024-01-01'))).toBe(rules.from);
  });
});

describe('eligibility', () => {
  const from = instant('2025-02-17T06:00:00Z');
  const day = instant('2025-03-03T15:00:00Z');
  test.each([
    [false, { number: '' }, true],
    [false, { number: '1042' }, false],
    [false, { number: 'ERROR' }, false],
    [false, { number: 'IN PROCESS' }, false],
    [false, { number: '', isVoided: true }, false],
    [true, { number: '20250312' }, true],
    [true, { number: '' }, true],
    [true, { number: '20250312', exportedAt: day }, false],
    [true, { number: '20250312 ERROR' }, false],
    [true, { number: '20250312 IN PROCESS' }, false],
    [true, { number: '20250312', isVoided: true }, false],
  ])('PSA numbering %s, %j: picked up %s', (usesPsaNumber, of, eligible) => {
    expect(isEligible(invoice(of), { usesPsaNumber, from, force: false })).toBe(eligible);
  });

  test('force takes every invoice of the window that is not void', () => {
    const forced = { usesPsaNumber: false, from, force: true };
    expect(isEligible(invoice({ number: '1042' }), forced)).toBe(true);
    expect(isEligible(invoice({ number: '1042', isVoided: true }), forced)).toBe(false);
    expect(isEligible(invoice({ createdAt: addSeconds(from, -1) }), forced)).toBe(false);
  });

  test.each([
    [false, { number: 'IN PROCESS' }, true],
    [false, { number: '1042' }, false],
    [false, { number: 'IN PROCESS', isVoided: true }, false],
    [false, { number: 'IN PROCESS', createdAt: addSeconds(from, -1) }, false],
    [true, { number: '20250312 IN PROCESS' }, true],
    [true, { number: '20250312 IN PROCESS', exportedAt: day }, false],
  ])('PSA numbering %s, %j: shows a running sync as the only obstacle: %s', (usesPsaNumber, of, runs) => {
    expect(hasOnlyRunningMark(invoice(of), { usesPsaNumber, from, force: false })).toBe(runs);
  });

  test('returns the reference of a synced invoice', () => {
    expect(syncedReference(invoice({ number: '1042' }), false)).toBe('1042');
    expect(syncedReference(invoice({ number: 'ERROR' }), false)).toBeNull();
    expect(syncedReference(invoice({ number: '20250312' }), true)).toBeNull();
    expect(syncedReference(invoice({ number: '20250312', exportedAt: day }), true)).toBe('20250312');
  });
});

describe('numbers', () => {
  test('names a credit memo that already has the number', () => {
    const takenBy = { type: 'CreditMemo', id: '7', number: '1', customerName: '', privateNote: null };
    const { problems } = chooseNumber({
      number: '1',
      settings: { inv_numbering_option: 'autotask' },
      preferences: { customTransactionNumbers: true },
      takenBy,
      psaLabel: 'Autotask',
    });
    expect(problems.map(({ message }) => message)).toEqual([
      'Invoice number 1 is already used in QuickBooks by the credit memo without a customer.',
    ]);
  });

  test.each([
    ['', ['DOC_NUMBER_MISSING']],
    ['9'.repeat(21), []],
    ['9'.repeat(22), ['DOC_NUMBER_TOO_LONG']],
  ])('allows at most 21 characters: “%s” raises %j', (number, codes) => {
    const common = { number, takenBy: null, psaLabel: 'Autotask' };
    const ofInvoice = chooseNumber({
      ...common,
      settings: { inv_numbering_option: 'autotask' },
      preferences: { customTransactionNumbers: true },
    });
    const ofOrder = chooseOrderNumber({
      ...common,
      settings: { po_numbering_option: 'autotask' },
      preferences: { customOrderNumbers: true },
    });
    expect([ofInvoice, ofOrder].map(({ problems }) => problems.map(({ code }) => code))).toEqual([codes, codes]);
  });
});

describe('the message to the customer', () => {
  test('has one line per value', () => {
    const of = invoice({ orderNumber: ' ', taxRegionName: 'Travis County', comments: 'Thanks.\nAnn' });
    expect(customerMessage(of)).toBe('Tax group: Travis County\nInvoice date: 2025-03-03\nThanks.\nAnn');
  });

  test('has at most 1,000 characters', () => {
    const message = customerMessage(invoice({ comments: 'x'.repeat(2_000) }));
    expect(message).toHaveLength(1_000);
    expect(message).toMatch(/x…$/);
  });
});

describe('verifying the response', () => {
  const plan: Plan = {
    commands: [],
    notes: [],
    warnings: [],
    expected: { subtotal: decimal(1_925), tax: decimal('41.25'), dueOn: calendarDate('2025-04-02') },
  };
  const posted: Posted = { ...postedAs('9177', '1042'), dueOn: '2025-04-02' };

  test('logs an equal response', () => {
    expect(verify(plan, posted, 'Autotask')).toEqual({
      warnings: [],
      attention: [],
      notes: [{ level: 'info', text: 'QuickBooks total 1,966.25, tax 41.25: equal to Autotask' }],
    });
  });

  test.each([
    [{ tax: decimal('41.26') }, []],
    [{ tax: decimal('41.24') }, []],
    [{ tax: decimal('41.27') }, ['Tax: QuickBooks 41.27, Autotask 41.25, difference +0.02.']],
    [{ tax: zero }, ['Tax: QuickBooks 0.00, Autotask 41.25, difference -41.25.']],
    [{ subtotal: decimal('1924.99') }, ['QuickBooks shows a subtotal of 1,924.99, but 1,925.00 was sent.']],
    [{ dueOn: '2025-04-15' }, ['QuickBooks computed the due date 2025-04-15; Autotask has 2025-04-02.']],
    [{ tax: null, subtotal: null, dueOn: null, total: null }, []],
  ])('%j raises the warnings %j', (more, messages) => {
    expect(verify(plan, { ...posted, ...more }, 'Autotask').warnings.map(({ message }) => message)).toEqual(messages);
  });

  test('explains a tax difference caused by rounding per line and needs no action', () => {
    const expected = { ...plan.expected, taxHoldOver: decimal('0.05'), taxRounding: decimal('0.125') };
    const rounded = verify({ ...plan, expected }, { ...posted, tax: decimal('41.35') }, 'Autotask');
    expect(rounded.attention).toEqual([]);
    expect(rounded.warnings).toMatchObject([
      {
        message:
          'Tax: QuickBooks 41.35, Autotask 41.25, difference +0.10. Autotask rounds the tax of each line, QuickBooks that of the whole invoice.',
        remedy: expect.stringMatching(/^Both amounts are right\. To use Autotask's tax/),
      },
    ]);
    const beyond = verify({ ...plan, expected }, { ...posted, tax: decimal('41.38') }, 'Autotask');
    expect(beyond.attention).toMatchObject([{ code: 'TAX_DIFFERS', message: expect.not.stringContaining('rounds') }]);
  });

  test.each([
    ['5', '46.25', []],
    ['5', '46.26', ['TAX_DIFFERS']],
    ['5', '36.24', ['TAX_DIFFERS']],
    [null, '0', []],
  ])('with a limit of %s, a tax of %s raises %j', (limit, tax, codes) => {
    const limited = limit === null ? {} : { taxHoldOver: decimal(limit) };
    const held = verify(
      { ...plan, expected: { ...plan.expected, ...limited } },
      { ...posted, tax: decimal(tax) },
      'Autotask',
    );
    expect(held.attention.map(({ code }) => code)).toEqual(codes);
  });

  test.each([
    ['41.25', []],
    ['41.26', []],
    ['41.27', ['TAX_NOT_AS_COMPUTED']],
    ['41.23', ['TAX_NOT_AS_COMPUTED']],
  ])('compares a computed tax of %s with the response: %j', (accountingTax, codes) => {
    const computed = { ...plan, expected: { ...plan.expected, accountingTax: decimal(accountingTax) } };
    expect(verify(computed, posted, 'Autotask').warnings.map(({ code }) => code)).toEqual(codes);
  });

  test.each([
    ['no line for a response without lines', [], ''],
    ['the line that differs', ['10', '0'], ' (line 2: 20.00 was sent, QuickBooks has 0.00)'],
    ['a line missing in QuickBooks', ['10'], ' (line 2: 20.00 was sent, QuickBooks has nothing)'],
    ['an additional line in QuickBooks', ['10', '20', '5'], ' (line 3: nothing was sent, QuickBooks has 5.00)'],
  ])('for another subtotal names %s on every kind of document', (_, answered, lines) => {
    const sent = { lines: [{ amount: decimal(10) }, { amount: decimal(20) }] };
    for (const command of [
      { do: 'create_invoice', document: sent },
      { do: 'create_purchase_order', order: sent },
      { do: 'create_bill', bill: sent },
    ] as unknown as Command[])
      expect(
        verify(
          { ...plan, commands: [command] },
          { ...posted, subtotal: decimal(1), lines: answered.map((one) => decimal(one)) },
          'Autotask',
        ).warnings.map(({ message }) => message),
      ).toEqual([`QuickBooks shows a subtotal of 1.00, but 1,925.00 was sent${lines}.`]);
  });
});

test.each([
  ['1042', '-CR', '1042-CR'],
  ['INV-2025-0000000042', '-D1', 'NV-2025-0000000042-D1'],
  ['123456789012345678', '-CR', '123456789012345678-CR'],
  ['123456789012345678901', '-CR', '456789012345678901-CR'],
  ['123456789012345678901', '-D12', '56789012345678901-D12'],
])('the number after %s gets the suffix %s: %s', (number, suffix, expected) => {
  expect(suffixedNumber(number, suffix)).toBe(expected);
  expect(expected.length).toBeLessThanOrEqual(21);
});

describe('the address for automated tax', () => {
  const [acme] = companies;
  const [known] = accounting.customers;
  if (acme === undefined || known === undefined) throw new Error('the sample data has no company or customer');
  const { address } = acme;
  const without = { ...address, postalCode: null };
  const chosen = (
    company: Partial<Company>,
    {
      option = 'psa_bill_to',
      isTaxable = true,
      shipTo = null,
    }: { option?: 'psa_bill_to' | 'psa_company' | 'qbo_customer'; isTaxable?: boolean; shipTo?: Address | null } = {},
  ) => {
    const customer = { ...known, shippingAddress: shipTo };
    const of = taxAddress('us_automated', option, isTaxable, { ...acme, ...company }, customer, 'Autotask');
    return of.address ?? of.problems.map(({ code }) => code);
  };

  test.each<[string, Parameters<typeof chosen>, Address | readonly string[]]>([
    ['the billing address', [{ billingAddress: address, address: without }], address],
    ['the company address', [{ billingAddress: without, address }, { option: 'psa_company' }], address],
    ['the QuickBooks address if present', [{ address }, { option: 'qbo_customer', shipTo: address }], []],
    ['otherwise the company address', [{ address }, { option: 'qbo_customer' }], address],
    ['refused without a postal code', [{ billingAddress: without }], ['TAX_ADDRESS_INCOMPLETE']],
    ['refused without a state', [{ billingAddress: { ...address, state: ' ' } }], ['TAX_ADDRESS_INCOMPLETE']],
    ['none when nothing is taxable', [{ billingAddress: without }, { isTaxable: false }], []],
  ])('is %s', (_, of, wanted) => {
    expect(chosen(...of)).toEqual(wanted);
  });
});

describe('the currency of a document', () => {
  const chosen = (currencyId: number | null, ofPsa: boolean, ofAccounting: boolean) => {
    const [company] = companies;
    const lists = { ...psa, modules: { ...psa.modules, multiCurrency: ofPsa } };
    const log = new DecisionLog({
      what: 'Invoice',
      psaId: 1,
      number: null,
      party: null,
      on: null,
      amount: null,
      currency: null,
    });
    const choice = chooseCurrency(
      {
        company: company === undefined || currencyId === null ? null : { ...company, currencyId },
        psa: lists,
        accounting: { ...accounting, preferences: { ...accounting.preferences, multiCurrency: ofAccounting } },
        settings: { foreign_currency_policy: 'stop' },
        psaLabel: 'Autotask',
      },
      indexPsa(lists),
      log,
    );
    return [choice, ...[...log.problems, ...log.warnings].map(({ code }) => code)];
  };

  test.each<[string, Parameters<typeof chosen>, readonly unknown[]]>([
    ['is sent when both sides have several', [2, true, true], [{ sent: 'CAD', isHome: false, ofAmounts: 'CAD' }]],
    ['is sent for a domestic customer too', [1, true, true], [{ sent: 'USD', isHome: true, ofAmounts: 'USD' }]],
    ['is the home currency for an unknown currency', [null, true, true], [{ sent: 'USD', isHome: true }]],
    [
      'is not stored when QuickBooks has only one',
      [2, true, false],
      [{ sent: null, isHome: false, ofAmounts: 'USD' }, 'CURRENCY_NOT_KEPT'],
    ],
    [
      'raises a warning when the PSA has only one',
      [2, false, true],
      [{ sent: null, isHome: false, ofAmounts: 'USD' }, 'CURRENCY_IGNORED'],
    ],
    ['is not sent when neither has several', [1, false, false], [{ sent: null, isHome: true, ofAmounts: 'USD' }]],
  ])('%s', (_, of, wanted) => {
    expect(chosen(...of)).toMatchObject(wanted);
    expect(chosen(...of)).toHaveLength(wanted.length);
  });
});

describe('the custom fields of a sales form', () => {
  const chosen = (
    of: { readonly number?: string; readonly orderNumber?: string | null },
    to: Readonly<Record<string, string>>,
    usesPsaNumber = true,
  ) => {
    const mapped = Object.entries(to).map(([source, target]) => mapping('SalesCustomField', source, target, 'Label'));
    const made = chooseCustomFields(
      invoice({ number: of.number ?? '48213', orderNumber: of.orderNumber ?? null }),
      usesPsaNumber,
      accounting.preferences,
      indexMappings(mapped),
    );
    return [
      ...made.fields.map(({ name, value }) => `${name}: ${value}`),
      ...made.notes.map(({ text }) => text),
      ...made.warnings.map(({ code }) => code),
    ];
  };
  const number = { InvoiceNumber: '2' };
  const order = { OrderNumber: '1' };

  test.each<[string, Parameters<typeof chosen>, readonly string[]]>([
    ['are the mapped ones', [{ orderNumber: 'PO-1' }, order], ['P.O. Number: PO-1']],
    ['are none without a mapping', [{ orderNumber: 'PO-1' }, {}], []],
    ['are empty without a value', [{ orderNumber: ' ' }, order], []],
    [
      'keep the first of two values',
      [{ orderNumber: 'PO-1' }, { InvoiceNumber: '1', OrderNumber: '1' }],
      ['P.O. Number: 48213'],
    ],
    ['may be several', [{ orderNumber: 'PO-1' }, { ...number, ...order }], ['Ticket: 48213', 'P.O. Number: PO-1']],
    ['contain the number without our error flag', [{ number: '48213 ERROR' }, number], ['Ticket: 48213']],
    [
      'omit a number that QuickBooks has yet to create',
      [{}, number, false],
      ['Custom field for the invoice number left out: QuickBooks makes the number'],
    ],
    [
      'are omitted when QuickBooks deleted them',
      [{ orderNumber: 'PO-1' }, { OrderNumber: '9' }],
      ['Custom field "Label" left out: QuickBooks no longer has it'],
    ],
    ['allow 31 characters', [{ orderNumber: 'x'.repeat(31) }, order], [`P.O. Number: ${'x'.repeat(31)}`]],
    [
      'are cut after 31 characters',
      [{ orderNumber: 'x'.repeat(32) }, order],
      [`P.O. Number: ${'x'.repeat(31)}`, 'CUSTOM_FIELD_CUT'],
    ],
  ])('%s', (_, of, wanted) => {
    expect(chosen(...of)).toEqual(wanted);
  });
});

test('a status text is stale after 30 minutes (domain reference 5.2)', () => {
  expect(addSeconds(instant('2025-03-03T15:00:00Z'), staleAfterSeconds)).toBe('2025-03-03T15:30:00.000Z');
});

test.each([
  [null, false, 'T-1', true, { sku: 'T-1', isTaxable: true }],
  ['T-0', true, 'T-1', false, { sku: 'T-0', isTaxable: true }],
  [null, true, null, true, { sku: null, isTaxable: true }],
  [null, false, null, false, { sku: null, isTaxable: false }],
])('merges a new item of two lines: %s and %s, %s and %s', (sku, isTaxable, other, alsoTaxable, of) => {
  const item = { name: 'Toner', sku, incomeAccountId: '2', expenseAccountId: null, isTaxable };
  const made: (typeof item)[] = [];
  const second = { ...item, name: 'TONER', sku: other, isTaxable: alsoTaxable };
  expect(itemReference({ is: 'new', item }, made, 3)).toEqual({ fromCommand: 3 });
  expect(itemReference({ is: 'new', item: second }, made, 3)).toEqual({ fromCommand: 3 });
  expect(itemReference({ is: 'new', item: { ...item, name: 'Ink' } }, made, 3)).toEqual({ fromCommand: 4 });
  expect(made).toMatchObject([{ name: 'Toner', ...of }, { name: 'Ink' }]);
});

test.each([
  ['us_manual', false, '5', 'TAX', '0'],
  ['us_manual', true, '5', 'TAX', '8.25'],
  ['us_manual', true, '5', 'NON', '0'],
  ['us_manual', true, 'TAX', 'TAX', null],
  ['us_automated', true, '5', 'TAX', null],
  ['elsewhere', false, null, '5', '8.25'],
  ['elsewhere', true, null, '5', '8.25'],
  ['elsewhere', true, null, 'NON', null],
] as const)('computes tax for %s, sales tax on %s, document code %s, line code %s: %s', (...of) => {
  const [regime, usesSalesTax, documentCode, taxCode, tax] = of;
  const preferences = { ...accounting.preferences, usesSalesTax };
  const lines = [{ amount: decimal(100), taxCode }];
  const on = calendarDate('2025-03-03');
  expect(forecastTax({ lines, regime, documentCode, on, accounting: { ...accounting, preferences } })).toBe(tax);
});

test.each<[string, Parameters<typeof line>[0], boolean]>([
  ['uncharged labor of a block contract', {}, true],
  ['a charge', { kind: 'charge' }, false],
  ['charged labor', { amount: decimal('0.01') }, false],
  ['labour without a price', { rate: zero }, false],
  ['labour without hours', { quantity: zero }, false],
  ['negative labor', { quantity: decimal(-1) }, false],
  ['labor without a contract', { contractId: null }, false],
  ['labour of another contract', { contractId: 6 }, false],
])('%s is prepaid work: %s', (_, more, isPrepaid) => {
  const of = line({ kind: 'labor', quantity: decimal(2), rate: decimal(150), amount: zero, contractId: 5, ...more });
  const contracts = [
    { id: 5, name: 'Block', prepaid: 'hours' },
    { id: 6, name: 'Monthly', prepaid: null },
  ] as const;
  expect(isPrepaidWork(of, of.amount, indexPsa({ ...psa, contracts }).prepaidUnits)).toBe(isPrepaid);
});

test.each([
  ['mapped to it', 'Travis County', ['Travis County', 'TAX'], 'TAX'],
  ['with its name when the mapped one was deleted', 'Travis County', ['Travis County', '9'], '5'],
  ['with its name when another region is mapped', 'travis  COUNTY', ['Dallas', 'TAX'], '5'],
  ['missing when no code has its name', 'Dallas', ['Travis County', 'TAX'], null],
  ['missing when the mapped one was deleted and no code has its name', 'Dallas', ['Dallas', '9'], null],
  ['missing without a region', ' ', [' ', 'TAX'], null],
  ['missing without a name', null, ['Dallas', 'TAX'], null],
] as const)('the tax code of a region is the one %s', (_, region, [source, target], wanted) => {
  const mapped = indexMappings([mapping('TaxRegion', source, target)]);
  expect(codeOfRegion(region, indexAccounting(accounting), mapped)).toBe(wanted);
});

test('a region whose mapped tax code is inactive has no other code, whatever its name', () => {
  const taxCodes = accounting.taxCodes.map((code) => (code.id === 'TAX' ? { ...code, isActive: false } : code));
  const mapped = indexMappings([mapping('TaxRegion', 'Travis County', 'TAX')]);
  expect(codeOfRegion('Travis County', indexAccounting({ ...accounting, taxCodes }), mapped)).toBe(null);
});
