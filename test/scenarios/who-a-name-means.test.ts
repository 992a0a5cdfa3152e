import { beforeEach, describe, expect, test } from 'vitest';
import type { PartyNamespace } from '#core/mapping/mapping.ts';
import type { JsonObject } from '#core/values/json.ts';
import { saveMappings } from '#flows/mappings/save.ts';
import { mapExpenses, mapping } from '../support/mappings.ts';
import { eachWorld } from '../support/each-world.ts';

/**
 * Companies and employees of the same name: each document reaches the right customer or vendor, or stops with choices.
 */
const world = eachWorld({ settings: { po_payable_account: '20' } });

const actor = { username: 'admin@northwind-msp.example' };
const [austin, houston] = [9001, 9002];

/** Adds two companies with these names to Autotask. */
async function addCompanies(names: readonly [string, string], fields: JsonObject = {}): Promise<void> {
  const like = (await world.autotask.list('Companies')).find((row) => row['id'] === 176) ?? {};
  await world.autotask.add('Companies', { ...like, ...fields, id: austin, companyName: names[0], city: 'Austin' });
  await world.autotask.add('Companies', { ...like, ...fields, id: houston, companyName: names[1], city: 'Houston' });
}
const bill = (invoiceId: number, companyID: number) => world.autotask.put('Invoices', invoiceId, { companyID });
const customerOf = async (psaId: number): Promise<string | null> => {
  const posting = await world.store.readPosting('invoice', psaId);
  const made = (await world.quickbooks.list('Invoice')).find((row) => row['Id'] === posting?.targetId);
  const id = (made?.['CustomerRef'] as JsonObject | undefined)?.['value'];
  const customer = (await world.quickbooks.list('Customer')).find((row) => row['Id'] === id);
  return customer === undefined ? null : String(customer['DisplayName']);
};
const map = (namespace: PartyNamespace, source: number, target: string) =>
  saveMappings(
    world.tenant,
    namespace,
    [
      {
        sourceEntity: namespace === 'Employee' ? 'Resource' : 'Company',
        sourceValue: String(source),
        sourceLabel: null,
        targetEntity: namespace === 'Customer' ? 'Customer' : 'Vendor',
        targetValue: target,
        targetLabel: null,
      },
    ],
    actor,
  );
const refusalOf = async (psaId: number) =>
  (await world.logs()).find((log) => log.psaId === psaId && !log.success && !log.isTest);

describe('two companies of the same name', () => {
  beforeEach(async () => {
    await bill(48_213, austin);
    await bill(48_214, houston);
  });

  test.each([
    ['Twin Oaks', 'twin  oaks '],
    ['Ｓｕｍｍｉｔ Co', 'SUMMIT co'],
    ['Adler Group, Inc.', 'adler group LLC'],
  ])('%j and %j: both invoices stop, in one job or alone, and are posted to separate customers', async (...names) => {
    await addCompanies(names);
    const before = (await world.quickbooks.list('Customer')).length;
    for (const psaIds of [[48_213], [48_214], [48_213, 48_214]])
      for (const mode of ['test', 'live'] as const)
        expect(await world.sync('invoice', { mode, force: true, psaIds })).toMatchObject({ succeeded: 0 });
    expect(await world.quickbooks.list('Customer')).toHaveLength(before);
    for (const [psaId, company, city, own] of [
      [48_213, austin, 'Austin', names[0]],
      [48_214, houston, 'Houston', names[1]],
    ] as const) {
      const name = `${own.replaceAll(/\s+/g, ' ').trim()} (${city})`;
      expect((await refusalOf(psaId))?.problems).toMatchObject([
        {
          code: 'CUSTOMER_AMBIGUOUS',
          message: expect.stringContaining('has the same name as'),
          repairs: [
            { do: 'map', namespace: 'Customer', sourceValue: String(company) },
            { do: 'create_as', namespace: 'Customer', sourceValue: String(company), name },
          ],
        },
      ]);
    }
    const name = `${names[1].replaceAll(/\s+/g, ' ').trim()} (Houston)`;
    await map('Customer', houston, `create:${name}`);
    await world.sync('invoice', { mode: 'live', force: true, psaIds: [48_214, 48_213] });
    expect(await customerOf(48_214)).toBe(name);
    // The name is free for the other company once this one is mapped.
    expect(await customerOf(48_213)).toBe(names[0]);
    const [mapping] = (await world.store.listMappings(['Customer'])).filter((one) => one.sourceValue === '9002');
    expect(mapping?.targetValue).toMatch(/^\d+$/);
  });

  test('with one customer of that name: neither company gets it by name, in one job or the next', async () => {
    await world.autotask.put('Companies', 176, { companyName: 'Another LLP' });
    await addCompanies(['Birch Legal LLP', 'Birch Legal LLP']);
    const balance = async (id: string) =>
      (await world.quickbooks.list('Customer')).find((row) => row['Id'] === id)?.['Balance'];
    const before = await balance('59');
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    await world.sync('invoice', { mode: 'live', psaIds: [48_214] });
    expect([await customerOf(48_213), await customerOf(48_214)]).toEqual([null, null]);
    expect(await balance('59')).toBe(before);
    expect((await refusalOf(48_213))?.problems).toMatchObject([
      {
        code: 'CUSTOMER_AMBIGUOUS',
        repairs: [{ candidates: [{ value: '59' }] }, { name: 'Birch Legal LLP (Austin)' }],
      },
    ]);
    // A user decides that it belongs to the second one, and creates another for the first one.
    await map('Customer', houston, '59');
    await map('Customer', austin, 'create:Birch Legal LLP (Austin)');
    await world.sync('invoice', { mode: 'live', force: true, psaIds: [48_213, 48_214] });
    expect(await customerOf(48_214)).toBe('Birch Legal LLP');
    expect(await customerOf(48_213)).toBe('Birch Legal LLP (Austin)');
    const postedTo = async (psaId: number) => {
      const posting = await world.store.readPosting('invoice', psaId);
      const row = (await world.quickbooks.list('Invoice')).find(({ Id }) => Id === posting?.targetId);
      const customer = row?.['CustomerRef'] as JsonObject | undefined;
      return { id: customer?.['value'], total: Number(row?.['TotalAmt']) };
    };
    const [ofAustin, ofHouston] = [await postedTo(48_213), await postedTo(48_214)];
    expect(ofHouston.id).toBe('59');
    expect(Number(await balance('59')) - Number(before)).toBeCloseTo(ofHouston.total, 2);
    expect(Number(await balance(String(ofAustin.id)))).toBeCloseTo(ofAustin.total, 2);
  });

  test('a customer whose creation was interrupted belongs to the first company, although no mapping is stored', async () => {
    await addCompanies(['Summit Group', 'Summit Group']);
    await map('Customer', austin, 'create:Summit Group');
    // QuickBooks creates the customer later, so no search finds it yet.
    await world.quickbooks.fault({
      match: { method: 'POST', path: 'batch|customer' },
      times: 1,
      action: { reset: 'late', apply_after_seconds: 100 },
    });
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    const [stored] = await world.store.listMappings(['Customer']);
    expect(stored?.targetValue).toBe('create:Summit Group');
    await world.sync('invoice', { mode: 'live', psaIds: [48_214] });
    expect(await customerOf(48_214)).toBeNull();
    expect((await refusalOf(48_214))?.problems).toMatchObject([{ code: 'CUSTOMER_AMBIGUOUS' }]);
  });

  test('a customer that is created and mapped to another company meanwhile is not used', async () => {
    await addCompanies(['Another Group', 'Summit Group']);
    let isAdded = false;
    await world.sync('invoice', { mode: 'live', psaIds: [48_214] }, async (name, when) => {
      if (name !== 'post:create_customer' || when !== 'before' || isAdded) return;
      isAdded = true;
      await world.quickbooks.add('Customer', { DisplayName: 'Summit Group' });
      const added = (await world.quickbooks.list('Customer')).find((row) => row['DisplayName'] === 'Summit Group');
      await map('Customer', austin, String(added?.['Id']));
    });
    expect(isAdded).toBe(true);
    expect(await customerOf(48_214)).toBe('Summit Group (Customer)');
  });

  test('the void of an invoice with the number of the other company’s invoice changes nothing', async () => {
    await addCompanies(['Summit Group', 'Summit Group']);
    await map('Customer', austin, 'create:Summit Group');
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    const posting = await world.store.readPosting('invoice', 48_213);
    const [head] = (await world.autotask.list('Invoices')).filter((row) => row['id'] === 48_213);
    const voided = { isVoided: true, voidedDate: '2025-03-03T15:00:00Z' };
    await world.autotask.put('Invoices', 48_700, { ...head, ...voided, id: 48_700, companyID: houston });
    const voidIt = async () => (await world.sync('void', { mode: 'live', psaIds: [48_700] })).results;
    const total = async () =>
      (await world.quickbooks.list('Invoice')).find((row) => row['Id'] === posting?.targetId)?.['TotalAmt'];
    expect(await voidIt()).toMatchObject([{ outcome: 'skipped' }]);
    expect(await total()).toBe(1966.25);
    // An invoice of an earlier tool that belongs to the first company, without a posting of Tallybridge.
    const invoice = { CustomerRef: { value: '' }, DocNumber: 'E-77', TotalAmt: 1966.25 };
    const [mapping] = await world.store.listMappings(['Customer']);
    const [like] = (await world.quickbooks.list('Invoice')).filter((row) => row['Id'] === posting?.targetId);
    await world.quickbooks.add('Invoice', {
      ...invoice,
      CustomerRef: { value: mapping?.targetValue ?? '' },
      Line: like?.['Line'] ?? [],
      TxnTaxDetail: like?.['TxnTaxDetail'] ?? {},
    });
    await world.autotask.put('Invoices', 48_701, {
      ...head,
      ...voided,
      id: 48_701,
      companyID: houston,
      invoiceNumber: 'E-77',
    });
    expect((await world.sync('void', { mode: 'live', psaIds: [48_701] })).results).toMatchObject([
      { outcome: 'skipped' },
    ]);
    const typed = (await world.quickbooks.list('Invoice')).find((row) => row['DocNumber'] === 'E-77');
    expect(typed?.['TotalAmt']).toBe(1966.25);
  });

  test('a name that QuickBooks would reject is not saved', async () => {
    await addCompanies(['Summit Group', 'Summit Group']);
    await expect(map('Customer', houston, 'create:Delta School')).rejects.toThrow('already used in QuickBooks');
    await expect(map('Customer', houston, 'create:Ingram Supplies')).rejects.toThrow('already used in QuickBooks');
    await expect(map('Customer', houston, 'create:a:b')).rejects.toThrow('does not accept the name');
    await expect(map('Customer', houston, `create:${'x'.repeat(101)}`)).rejects.toThrow('does not accept the name');
  });
});

test('asks about a similar customer, and creates a new one if a user chooses that', async () => {
  await world.quickbooks.add('Customer', {
    DisplayName: 'Blue Ridge Dental Inc',
    PrimaryEmailAddr: { Address: 'ap@blueridge.example' },
  });
  await addCompanies(['Blue Ridge Dental, Inc.', 'Twin Oaks']);
  await bill(48_213, austin);
  const before = (await world.quickbooks.list('Customer')).length;
  expect(await world.sync('invoice', { mode: 'live', psaIds: [48_213] })).toMatchObject({ failed: 1 });
  expect(await world.quickbooks.list('Customer')).toHaveLength(before);
  expect((await refusalOf(48_213))?.problems).toMatchObject([
    {
      code: 'CUSTOMER_SIMILAR',
      repairs: [
        { do: 'map', candidates: [{ label: 'Blue Ridge Dental Inc' }] },
        { do: 'create_as', name: 'Blue Ridge Dental, Inc.' },
      ],
    },
  ]);
  await map('Customer', austin, 'create:Blue Ridge Dental, Inc.');
  await world.sync('invoice', { mode: 'live', force: true, psaIds: [48_213] });
  expect(await customerOf(48_213)).toBe('Blue Ridge Dental, Inc.');
});

test.each([
  ['Blue Ridge Dental, Inc.', 'Blue Ridge'],
  ['Cobalt Mining LLC', 'Cobalt'],
] as const)('asks about a similar customer or vendor that the same job creates: %s, %s', async (...names) => {
  await addCompanies([...names], { phone: '512 555 0144' });
  await bill(48_213, austin);
  await bill(48_214, houston);
  expect(await world.sync('invoice', { mode: 'test', psaIds: [48_213, 48_214] })).toMatchObject({
    succeeded: 1,
    failed: 1,
  });
  const predicted = (await world.logs()).find((log) => log.psaId === 48_214 && log.isTest);
  expect(predicted).toMatchObject({ success: false, problems: [{ code: 'CUSTOMER_SIMILAR' }] });
  // The company cannot be linked to a customer that does not exist yet.
  expect(predicted?.problems[0]?.repairs).toMatchObject([{ do: 'map' }, { do: 'create_as' }]);
  expect(predicted?.problems[0]?.repairs?.[0]).not.toHaveProperty('candidates');
  expect(await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_214] })).toMatchObject({
    succeeded: 1,
    failed: 1,
  });
  expect((await refusalOf(48_214))?.problems).toMatchObject([
    { code: 'CUSTOMER_SIMILAR', repairs: [{ do: 'map', candidates: [{ label: names[0] }] }, {}] },
  ]);
  for (const [id, vendorID] of [
    [3_310, austin],
    [3_311, houston],
  ] as const)
    await world.autotask.put('PurchaseOrders', id, { vendorID, externalPONumber: '' });
  expect(await world.sync('purchase_order', { mode: 'live', psaIds: [3_310, 3_311] })).toMatchObject({
    succeeded: 1,
    failed: 1,
  });
  expect((await refusalOf(3_311))?.problems).toMatchObject([{ code: 'VENDOR_SIMILAR' }]);
});

test.each([
  ['Pax Cloud', 'pax cloud'],
  ['Café Cloud', 'Cafe\u0301 Cloud'],
  ['Pax:Cloud', 'Pax  Cloud'],
])('two vendors of the same name, %j and %j: both orders stop, and each gets a separate vendor', async (...names) => {
  const like = (await world.autotask.list('Companies')).find((row) => row['id'] === 303) ?? {};
  await world.autotask.put('Companies', 303, { companyName: names[0] });
  await world.autotask.add('Companies', {
    ...like,
    id: 9003,
    companyName: names[1],
    city: 'Tulsa',
    phone: '918 555 0100',
  });
  await world.autotask.put('PurchaseOrders', 3_310, { vendorID: 9003 });
  for (const psaIds of [[3_310], [3_311], [3_310, 3_311]])
    expect(await world.sync('purchase_order', { mode: 'live', force: true, psaIds })).toMatchObject({ succeeded: 0 });
  const repairs = (await refusalOf(3_310))?.problems[0]?.repairs ?? [];
  const name = repairs.flatMap((one) => (one.do === 'create_as' ? [one.name] : []))[0] ?? '';
  expect(name).toBe(`${names[1].replaceAll(/\s+/g, ' ')} (Tulsa)`);
  await map('Vendor', 9003, `create:${name}`);
  await world.sync('purchase_order', { mode: 'live', force: true, psaIds: [3_310, 3_311] });
  const vendorOf = async (psaId: number) => {
    const posting = await world.store.readPosting('purchase_order', psaId);
    const order = (await world.quickbooks.list('PurchaseOrder')).find((row) => row['Id'] === posting?.targetId);
    return (order?.['VendorRef'] as JsonObject | undefined)?.['value'];
  };
  const [first, second] = [await vendorOf(3_311), await vendorOf(3_310)];
  expect(new Set([first, second, undefined]).size).toBe(3);
  // After both companies swapped their names, each keeps its vendor.
  await world.autotask.put('Companies', 303, { companyName: names[1] });
  await world.autotask.put('Companies', 9003, { companyName: names[0] });
  await world.sync('purchase_order', { mode: 'live', force: true, psaIds: [3_310, 3_311] });
  expect([await vendorOf(3_311), await vendorOf(3_310)]).toEqual([first, second]);
});

test('a sub-customer with the name of two companies is the customer of neither', async () => {
  const parent = await world.quickbooks.add('Customer', { DisplayName: 'Summit Holding' });
  const parentId = String((parent['item'] as JsonObject | undefined)?.['Id'] ?? parent['Id']);
  await world.quickbooks.add('Customer', {
    DisplayName: 'North branch',
    ParentRef: { value: parentId },
    Job: true,
    BillWithParent: true,
  });
  await addCompanies(['North branch', 'Summit Holding:North branch']);
  await bill(48_213, austin);
  await bill(48_214, houston);
  // The second company has the full name of the sub-customer, which is no display name.
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  expect(await customerOf(48_213)).toBe('North branch');
  await world.sync('invoice', { mode: 'live', psaIds: [48_214] });
  expect(await customerOf(48_214)).not.toBe('North branch');
  await world.autotask.put('Companies', houston, { companyName: 'north  branch' });
  await world.autotask.put('Invoices', 48_314, { companyID: houston, invoiceNumber: '' });
  await world.sync('invoice', { mode: 'live', psaIds: [48_314] });
  expect(await customerOf(48_314)).not.toBe('North branch');
});

test('two employees of the same name: both reports stop, and each gets a separate vendor', async () => {
  await mapExpenses(world.store, [41, 42, 43]);
  await world.saveSettings({ exp_cash_advance_expense_account: '25' });
  const like = (await world.autotask.list('Resources')).find((row) => row['id'] === 21) ?? {};
  for (const id of [9201, 9202])
    await world.autotask.add('Resources', { ...like, id, firstName: 'Maria', lastName: 'Garcia' });
  await world.saveSettings({ exp_split_month_end: false });
  const reports = [1207, 1209];
  for (const [at, id] of reports.entries())
    await world.autotask.put('ExpenseReports', id, {
      submitterID: 9201 + at,
      quickBooksReferenceNumber: '',
      status: 3,
    });
  const vendorsOf = async () =>
    (await world.quickbooks.list('Bill'))
      .filter((row) => String(row['DocNumber']).startsWith('EXP-'))
      .map((row) => String((row['VendorRef'] as JsonObject)['name']));
  await world.sync('expense_report', { mode: 'live', force: true, psaIds: reports });
  expect(await vendorsOf()).toEqual([]);
  for (const [at, id] of reports.entries())
    expect((await refusalOf(id))?.problems).toMatchObject([
      {
        code: 'CUSTOMER_AMBIGUOUS',
        repairs: [{ namespace: 'Employee', sourceValue: String(9201 + at) }, { do: 'create_as' }],
      },
    ]);
  await map('Employee', 9202, 'create:v-Garcia, Maria (9202)');
  await world.sync('expense_report', { mode: 'live', force: true, psaIds: reports });
  expect(new Set(await vendorsOf())).toEqual(new Set(['v-Garcia, Maria', 'v-Garcia, Maria (9202)']));
  expect((await world.store.listMappings(['Employee'])).map((one) => one.sourceValue).sort()).toEqual(['9201', '9202']);
});

test.each([
  ['created for the first', 'Summit Group', 'Summit Group'],
  ['already in QuickBooks', 'Birch Legal LLP', 'birch legal LLP '],
])('two companies of the same name in one expense report, whose customer is %s, stop it', async (_how, ...names) => {
  await mapExpenses(world.store, [41, 42, 43]);
  await world.store.saveMappings(['42', '43'].map((id) => mapping('ExpenseCategoryBillable', id, '12')));
  await addCompanies(names);
  if (names[0] === 'Birch Legal LLP') await world.autotask.put('Companies', 176, { companyName: 'Renamed LLP' });
  await world.saveSettings({ exp_cash_advance_expense_account: '25', exp_split_month_end: false });
  const items = (await world.autotask.list('ExpenseItems')).filter((row) => row['expenseReportID'] === 1207);
  for (const [at, item] of items.entries())
    await world.autotask.put('ExpenseItems', Number(item['id']), {
      isBillableToCompany: true,
      companyID: at % 2 === 0 ? austin : houston,
    });
  const before = (await world.quickbooks.list('Customer')).length;
  await world.sync('expense_report', { mode: 'live', force: true, psaIds: [1207] });
  expect((await refusalOf(1207))?.problems).toMatchObject([
    { code: 'CUSTOMER_AMBIGUOUS', repairs: [{ namespace: 'Customer', sourceValue: '9002' }, { do: 'create_as' }] },
  ]);
  expect(await world.quickbooks.list('Customer')).toHaveLength(before);
});

describe('items', () => {
  const code = 9301;
  /** Gives the first line of an invoice a separate billing code. */
  async function nameLine(invoiceId: number, name: string): Promise<void> {
    const codes = await world.autotask.list('BillingCodes');
    const like = codes.find((row) => row['id'] === 52) ?? {};
    if (codes.every((row) => row['id'] !== code))
      await world.autotask.add('BillingCodes', { ...like, id: code, name, externalNumber: '' });
    const [line] = (await world.autotask.list('BillingItems')).filter((row) => row['invoiceID'] === invoiceId);
    await world.autotask.put('BillingItems', Number(line?.['id']), { billingCodeID: code, billingItemType: 4 });
  }
  const itemsOf = async (psaId: number): Promise<readonly string[]> => {
    const posting = await world.store.readPosting('invoice', psaId);
    const made = (await world.quickbooks.list('Invoice')).find((row) => row['Id'] === posting?.targetId);
    return ((made?.['Line'] ?? []) as JsonObject[]).flatMap((line) => {
      const detail = line['SalesItemLineDetail'] as JsonObject | undefined;
      return detail === undefined ? [] : [String((detail['ItemRef'] as JsonObject)['value'])];
    });
  };
  const addItem = async (name: string, account: string, parent?: JsonObject): Promise<JsonObject> => {
    await world.quickbooks.add('Item', {
      Name: name,
      Type: 'Service',
      IncomeAccountRef: { value: account },
      ...(parent !== undefined && { SubItem: true, ParentRef: { value: String(parent['Id']) } }),
    });
    return (await world.quickbooks.list('Item')).findLast((row) => row['Name'] === name) ?? {};
  };

  test('two items with the same last part stop the invoice and are offered, and the chosen one is used', async () => {
    const onsite = await addItem('Setup', '1', await addItem('Onsite', '1'));
    const remote = await addItem('Setup', '3', await addItem('Remote', '3'));
    const before = (await world.quickbooks.list('Item')).length;
    await nameLine(48_214, 'Setup');
    await world.sync('invoice', { mode: 'live', psaIds: [48_214] });
    const candidates = [onsite, remote].map((item) => ({ value: String(item['Id']) }));
    expect((await refusalOf(48_214))?.problems).toMatchObject([
      { code: 'ITEM_AMBIGUOUS', repairs: [{ do: 'map', sourceValue: String(code), candidates }] },
    ]);
    expect(await world.quickbooks.list('Item')).toHaveLength(before);
    await saveMappings(
      world.tenant,
      'ItemBilling',
      [
        {
          sourceEntity: 'BillingCode',
          sourceValue: String(code),
          sourceLabel: null,
          targetEntity: 'Item',
          targetValue: String(remote['Id']),
          targetLabel: null,
        },
      ],
      actor,
    );
    await world.sync('invoice', { mode: 'live', force: true, psaIds: [48_214] });
    expect(await itemsOf(48_214)).toContain(String(remote['Id']));
  });

  test('a single item with that last part is not used', async () => {
    const onsite = await addItem('Setup', '1', await addItem('Onsite', '1'));
    const before = (await world.quickbooks.list('Item')).length;
    await nameLine(48_214, 'Setup');
    await world.sync('invoice', { mode: 'live', psaIds: [48_214] });
    expect((await refusalOf(48_214))?.problems).toMatchObject([
      { code: 'ITEM_AMBIGUOUS', repairs: [{ do: 'map', candidates: [{ value: String(onsite['Id']) }] }] },
    ]);
    expect(await world.quickbooks.list('Item')).toHaveLength(before);
  });

  test('an item created or found by name is used after it was renamed', async () => {
    for (const invoice of [48_214, 48_213]) await nameLine(invoice, 'Setup');
    await world.sync('invoice', { mode: 'live', psaIds: [48_214] });
    const created = (await world.quickbooks.list('Item')).find((row) => row['Name'] === 'Setup');
    expect(await itemsOf(48_214)).toContain(created?.['Id']);
    await world.quickbooks.put('Item', String(created?.['Id']), { Name: 'Onboarding' });
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    expect(await itemsOf(48_213)).toContain(created?.['Id']);
    expect((await world.quickbooks.list('Item')).filter((row) => row['Name'] === 'Setup')).toEqual([]);
  });
});

describe('merged records', () => {
  const mergeInto = async (entity: string, into: string, deleted: string): Promise<void> => {
    const answer = await fetch(`${world.quickbooks.url}/__sandbox/merge`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ entity, into, deleted }),
    });
    expect(answer.status).toBe(200);
  };

  test('offers the customer and the vendor that now have the documents', async () => {
    await world.sync('invoice', { mode: 'live', psaIds: [48_214] });
    await world.sync('purchase_order', { mode: 'live', psaIds: [3_310] });
    await mergeInto('Customer', '61', '59');
    await mergeInto('Vendor', '91', '90');
    await bill(48_213, 176);
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    expect((await refusalOf(48_213))?.problems).toMatchObject([
      {
        code: 'CUSTOMER_INACTIVE',
        message: expect.stringContaining('Its documents belong to "Delta School" now.'),
        repairs: [{ do: 'map', namespace: 'Customer', candidates: [{ value: '61', label: 'Delta School' }] }, {}],
      },
    ]);
    await world.autotask.put('PurchaseOrders', 3_311, { vendorID: 301 });
    await world.sync('purchase_order', { mode: 'live', psaIds: [3_311] });
    expect((await refusalOf(3_311))?.problems).toMatchObject([
      { code: 'VENDOR_INACTIVE', repairs: [{ candidates: [{ value: '91', label: 'v-Decker, Betty' }] }, {}] },
    ]);
  });

  test('offers the item that now has the lines, mapped or remembered', async () => {
    await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_214] });
    const posted = (await world.store.listMappings(['ItemName']))[0];
    const other = (await world.quickbooks.list('Item')).find(
      (row) => row['Type'] === 'Service' && row['Active'] === true && row['Id'] !== posted?.targetValue,
    );
    await mergeInto('Item', String(other?.['Id']), posted?.targetValue ?? '');
    await world.sync('invoice', { mode: 'live', force: true, psaIds: [48_213, 48_214] });
    const problems = (await world.logs()).flatMap((log) => (log.success ? [] : log.problems));
    expect(problems).toMatchObject([
      {
        code: 'ITEM_NO_LONGER_ACTIVE',
        repairs: [{ do: 'map', namespace: 'ItemBilling', candidates: [{ value: other?.['Id'] }] }, {}],
      },
    ]);
  });
});
