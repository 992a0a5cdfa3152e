import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Doc, textAt } from './doc.ts';
import { type Client, invoiceOf, saleOf, World } from './test-client.ts';

let world: World;
let northwind: Client;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  world.sandbox.reset();
  await world.control('DELETE', 'behaviour');
  northwind = await world.connect();
});
afterAll(() => world.close());

describe('customers, vendors, and employees', () => {
  test('the next customer is 63 and the next vendor 92, with their defaults', async () => {
    const customer = await northwind.write('Customer', {
      DisplayName: 'Ember Cafe',
      GivenName: 'Test',
      FamilyName: 'Person',
      PrimaryEmailAddr: { Address: 'a@b.example' },
      BillAddr: { Line1: '1 Way', City: 'Austin' },
    });
    expect(customer).toMatchObject({
      Id: '63',
      SyncToken: '0',
      Taxable: true,
      Job: false,
      BillWithParent: false,
      Balance: 0,
      BalanceWithJobs: 0,
      CurrencyRef: { value: 'USD' },
      PreferredDeliveryMethod: 'Print',
      IsProject: false,
      FullyQualifiedName: 'Ember Cafe',
      PrintOnCheckName: 'Test Person',
      Active: true,
      DefaultTaxCodeRef: { value: '5' },
      BillAddr: { City: 'Austin' },
    });
    const vendor = await northwind.write('Vendor', { DisplayName: 'Pax Cloud', TermRef: { value: '3' } });
    expect(vendor).toMatchObject({
      Id: '92',
      Balance: 0,
      Vendor1099: false,
      BillRate: 0,
      CostRate: 0,
      PrintOnCheckName: 'Pax Cloud',
    });
    expect(vendor).not.toHaveProperty('TermRef');
    expect(
      await northwind.write('Vendor', { Id: '92', SyncToken: '0', sparse: true, TermRef: { value: '3' } }),
    ).toMatchObject({ TermRef: { value: '3', name: 'Net 30' } });
  });

  test('a name is unique across the three types in any letter case, including inactive records (6240)', async () => {
    for (const [entity, body] of [
      ['Vendor', { DisplayName: 'acme dental' }],
      ['Customer', { DisplayName: 'Old Acme' }],
      ['Customer', { DisplayName: 'v-Decker, Betty' }],
      ['Employee', { GivenName: 'Acme', FamilyName: 'Dental' }],
    ] as const)
      expect(await northwind.refusal(entity, body)).toBe('6240: The name supplied already exists. : null');
    await world.behave({ duplicate_name_detail: 'reason' });
    expect(await northwind.refusal('Vendor', { DisplayName: 'Acme Dental' })).toBe(
      '6240: The name supplied already exists. : Another customer, vendor or employee is already using this name. Please use a different name.',
    );
  });

  test('a name is required (6080), without colon, tab, or line break (2040), with at most 500 characters', async () => {
    expect(await northwind.refusal('Customer', { Notes: 'x' })).toMatch(/^6080: /);
    for (const name of ['Cedar: Logistics', 'Tab\there', 'Line\nbreak'])
      expect(await northwind.refusal('Customer', { DisplayName: name })).toMatch(/^2040: /);
    expect(await northwind.refusal('Vendor', { DisplayName: 'x'.repeat(501) })).toMatch(/^2050: .*Max:500/);
    expect(await northwind.refusal('Employee', { DisplayName: 'No names' })).toMatch(/^2020: /);
    expect(await northwind.write('Customer', { GivenName: 'Zoë', FamilyName: "O'Brien 🦊" })).toMatchObject({
      DisplayName: "Zoë O'Brien 🦊",
    });
  });

  test('deactivating renames the record, frees the name, and happens once; reactivating restores the name', async () => {
    const deactivated = await northwind.write('Customer', { Id: '61', SyncToken: '0', sparse: true, Active: false });
    expect(deactivated).toMatchObject({ Active: false, DisplayName: 'Delta School (deleted)', SyncToken: '1' });
    expect(await northwind.write('Customer', { Id: '61', SyncToken: '1', sparse: true, Active: false })).toEqual(
      deactivated,
    );
    expect(await northwind.write('Vendor', { DisplayName: 'Delta School' })).toMatchObject({ Id: '92' });
    expect(await northwind.refusal('Customer', { Id: '61', SyncToken: '1', sparse: true, Active: true })).toMatch(
      /^6240: /,
    );
    await northwind.write('Vendor', { Id: '92', SyncToken: '0', sparse: true, DisplayName: 'Other' });
    expect(await northwind.write('Customer', { Id: '61', SyncToken: '1', sparse: true, Active: true })).toMatchObject({
      DisplayName: 'Delta School',
      Active: true,
    });
  });

  test('a customer with a balance cannot be deactivated (6220) unless switched', async () => {
    const body = { Id: '58', SyncToken: '0', sparse: true, Active: false };
    expect(await northwind.refusal('Customer', body)).toMatch(/^6220: /);
    await world.behave({ deactivate_with_balance: 'allowed' });
    expect(await northwind.write('Customer', body)).toMatchObject({ Active: false, Balance: 420 });
  });

  test("sub-customers have their parent's name, count in its balance, and nest five levels deep", async () => {
    let parent = '58';
    for (const level of [1, 2, 3, 4]) {
      const child = await northwind.write('Customer', {
        DisplayName: `Site ${level}`,
        Job: true,
        ParentRef: { value: parent },
      });
      expect(child).toMatchObject({ Level: level, Job: true });
      parent = textAt(child, 'Id') ?? '';
    }
    expect(await northwind.read('Customer', parent)).toMatchObject({
      FullyQualifiedName: 'Acme Dental:Site 1:Site 2:Site 3:Site 4',
    });
    expect(
      await northwind.refusal('Customer', { DisplayName: 'Too deep', Job: true, ParentRef: { value: parent } }),
    ).toMatch(/^6180: /);
    await northwind.write('Invoice', invoiceOf(80, { CustomerRef: { value: parent } }));
    expect(await northwind.read('Customer', '58')).toMatchObject({ Balance: 420, BalanceWithJobs: 500 });
    await northwind.write('Customer', { Id: '58', SyncToken: '0', sparse: true, DisplayName: 'Acme' });
    expect(await northwind.read('Customer', parent)).toMatchObject({
      FullyQualifiedName: 'Acme:Site 1:Site 2:Site 3:Site 4',
    });
  });

  test('a full update of a vendor clears omitted members; blanks clear in a sparse update; null changes nothing', async () => {
    const vendor = await northwind.read('Vendor', '90');
    expect(vendor).toMatchObject({
      AcctNum: 'NW-2207',
      PrimaryEmailAddr: { Address: 'orders@ingramsupplies.example' },
    });
    const unchanged = await northwind.write('Vendor', { Id: '90', SyncToken: '0', sparse: true, AcctNum: null });
    expect(unchanged).toMatchObject({ AcctNum: 'NW-2207', SyncToken: '0' });
    expect(
      await northwind.write('Vendor', { Id: '90', SyncToken: '0', sparse: true, AcctNum: '', PrimaryEmailAddr: {} }),
    ).not.toHaveProperty('AcctNum');
    const wiped = await northwind.write('Vendor', { Id: '90', SyncToken: '1', DisplayName: 'Ingram Supplies' });
    expect(wiped).not.toHaveProperty('BillAddr');
    expect(wiped).not.toHaveProperty('CompanyName');
  });

  test("a currency is set once and must be known; an unused one is added to the company's list", async () => {
    expect(await northwind.refusal('Customer', { DisplayName: 'X', CurrencyRef: { value: 'ZZZ' } })).toMatch(/^6000: /);
    expect(await northwind.write('Customer', { DisplayName: 'Alpen', CurrencyRef: { value: 'CHF' } })).toMatchObject({
      CurrencyRef: { value: 'CHF', name: 'Swiss Franc' },
    });
    expect(await northwind.column("select * from CompanyCurrency where Code = 'CHF'", 'Name')).toEqual(['Swiss Franc']);
    expect(
      await northwind.write('Customer', { Id: '63', SyncToken: '0', sparse: true, CurrencyRef: { value: 'EUR' } }),
    ).toMatchObject({ CurrencyRef: { value: 'CHF' } });
    await world.control('PUT', 'entities/Preferences/1', { CurrencyPrefs: { MultiCurrencyEnabled: false } });
    expect(await northwind.refusal('Customer', { DisplayName: 'Y', CurrencyRef: { value: 'EUR' } })).toMatch(
      /^6000: Business Validation Error: Multicurrency/,
    );
  });

  test("masks a vendor's tax number", async () => {
    expect(await northwind.write('Vendor', { DisplayName: 'T', TaxIdentifier: '99-5688293' })).toMatchObject({
      TaxIdentifier: 'XXXXXX8293',
    });
  });
});

describe('items', () => {
  test('a service has defaults', async () => {
    const item = await northwind.write('Item', {
      Name: 'Managed Server',
      Type: 'Service',
      IncomeAccountRef: { value: '1' },
    });
    expect(Object.keys(item).sort()).toEqual(
      [
        'Active',
        'DeferredRevenue',
        'FullyQualifiedName',
        'Id',
        'IncomeAccountRef',
        'MetaData',
        'Name',
        'PurchaseCost',
        'SyncToken',
        'Taxable',
        'TrackQtyOnHand',
        'Type',
        'UnitPrice',
        'domain',
        'sparse',
      ].sort(),
    );
    expect(item).toMatchObject({
      Id: '30',
      UnitPrice: 0,
      PurchaseCost: 0,
      IncomeAccountRef: { value: '1', name: 'Service Income' },
    });
    expect(
      await northwind.write('Item', { Name: 'Next', Type: 'Service', IncomeAccountRef: { value: '1' } }),
    ).toMatchObject({ Id: '33' });
  });

  test.each([
    [{ Name: 'A', Type: 'Service' }, /^2020: .*IncomeAccountRef/],
    [{ Name: 'A', IncomeAccountRef: { value: '1' } }, /^2020: .*Type/],
    [{ Name: 'A', Type: 'NonInventory' }, /^2020: .*IncomeAccountRef/],
    [{ Name: 'A', Type: 'Service', IncomeAccountRef: { value: '20' } }, /^6430: /],
    [{ Name: 'A', Type: 'Service', IncomeAccountRef: { value: '99' } }, /^2500: .*Accounts element id 99/],
    [{ Name: 'A', Type: 'Spare' }, /^2170: /],
    [{ Name: 'A', Type: 'Group' }, /^6000: /],
    [{ Name: 'A:B', Type: 'Service', IncomeAccountRef: { value: '1' } }, /^2040: /],
    [{ Name: 'x'.repeat(101), Type: 'Service', IncomeAccountRef: { value: '1' } }, /^2050: .*Max:100/],
    [{ Name: 'remote support', Type: 'Service', IncomeAccountRef: { value: '1' } }, /^6240: /],
    [{ Name: 'A', Sku: 'x'.repeat(101), Type: 'Service', IncomeAccountRef: { value: '1' } }, /^2050: /],
    [{ Name: 'A', Type: 'Service', IncomeAccountRef: { value: '1' }, UnitPrice: 1e11 }, /^2140: /],
    [
      { Name: 'A', Type: 'Inventory', IncomeAccountRef: { value: '2' }, ExpenseAccountRef: { value: '14' } },
      /^2020: .*AssetAccountRef/,
    ],
  ])('rejects %j', async (body, fault) => {
    expect(await northwind.refusal('Item', body)).toMatch(fault);
  });

  test('an inventory item needs three accounts, a quantity on each line, and a date after its start', async () => {
    const stock = {
      Name: 'Cable',
      Type: 'Inventory',
      TrackQtyOnHand: true,
      QtyOnHand: 5,
      InvStartDate: '2025-03-01',
      IncomeAccountRef: { value: '2' },
      ExpenseAccountRef: { value: '14' },
      AssetAccountRef: { value: '81' },
    };
    expect(await northwind.write('Item', stock)).toMatchObject({ QtyOnHand: 5, TrackQtyOnHand: true });
    const line = (more: Doc) => saleOf(10, {}, { ItemRef: { value: '30' }, ...more });
    expect(await northwind.refusal('Invoice', invoiceOf(0, { Line: [line({})] }))).toMatch(/^6520: /);
    expect(
      await northwind.refusal('Invoice', invoiceOf(0, { TxnDate: '2025-02-27', Line: [line({ Qty: 1 })] })),
    ).toMatch(/^6270: /);
    expect(await northwind.refusal('Invoice', invoiceOf(0, { Line: [line({ Qty: 1 })] }))).toBe('');
    expect(await northwind.refusal('Item', { ...stock, Id: '30', SyncToken: '0', TrackQtyOnHand: false })).toMatch(
      /^2020: /,
    );
  });

  test('a name may repeat under another parent; a category cannot be sold', async () => {
    await northwind.write('Item', { Name: 'Network', Type: 'Category' });
    const item = await northwind.write('Item', {
      Name: 'Switch',
      Type: 'Service',
      IncomeAccountRef: { value: '1' },
      SubItem: true,
      ParentRef: { value: '30' },
    });
    expect(item).toMatchObject({ FullyQualifiedName: 'Network:Switch', SubItem: true });
    expect(
      await northwind.refusal('Invoice', invoiceOf(0, { Line: [saleOf(1, {}, { ItemRef: { value: '30' } })] })),
    ).toMatch(/^6000: .*category/);
  });

  test('an inactive item cannot be used and frees its name', async () => {
    expect(await northwind.write('Item', { Id: '22', SyncToken: '0', sparse: true, Active: false })).toMatchObject({
      Name: 'Onsite Support (deleted)',
      Active: false,
    });
    expect(
      await northwind.refusal('Invoice', invoiceOf(0, { Line: [saleOf(1, {}, { ItemRef: { value: '22' } })] })),
    ).toMatch(/^610: /);
    expect(
      await northwind.refusal('Item', { Name: 'Onsite Support', Type: 'Service', IncomeAccountRef: { value: '1' } }),
    ).toBe('');
  });
});

describe('accounts and small lists', () => {
  test('an account gets a classification, a subtype, and a ten-digit ID, and its first response lacks LastUpdatedTime', async () => {
    const account = await northwind.write('Account', { Name: 'Petty cash', AccountType: 'Bank' });
    expect(account).toMatchObject({
      Id: '1150040001',
      AccountSubType: 'CashOnHand',
      Classification: 'Asset',
      CurrentBalance: 0,
      Active: true,
    });
    expect(account['MetaData']).not.toHaveProperty('LastUpdatedTime');
    expect(await northwind.write('Account', { Name: 'Cloud', AccountSubType: 'SuppliesMaterialsCogs' })).toMatchObject({
      AccountType: 'Cost of Goods Sold',
      Classification: 'Expense',
    });
  });

  test.each([
    [{ Name: 'A' }, /^6010: /],
    [{ Name: 'A', AccountType: 'Gold' }, /^2170: /],
    [{ Name: 'A', AccountSubType: 'Gold' }, /^6010: /],
    [{ Name: 'A:B', AccountType: 'Bank' }, /^2040: /],
    [{ Name: 'Service Income', AccountType: 'Income' }, /^6240: /],
    [{ Name: 'A', AccountType: 'Bank', AcctNum: '12345678' }, /^2050: .*Max:7/],
    [{ Name: 'A', AccountType: 'Bank', ParentRef: { value: '1' } }, /^6000: /],
    [{ Name: 'A', AccountType: 'Other Current Asset', ParentRef: { value: '26' } }, /^6000: /],
  ])('rejects the account %j', async (body, fault) => {
    expect(await northwind.refusal('Account', body)).toMatch(fault);
  });

  test('receivables and payables equal the open amounts', async () => {
    expect(await northwind.read('Account', '30')).toMatchObject({ CurrentBalance: 700 + 500 + 420 });
    await northwind.write('Bill', {
      VendorRef: { value: '90' },
      Line: [
        {
          DetailType: 'AccountBasedExpenseLineDetail',
          Amount: 50,
          AccountBasedExpenseLineDetail: { AccountRef: { value: '12' } },
        },
      ],
    });
    expect(await northwind.read('Account', '20')).toMatchObject({ CurrentBalance: -50 });
  });

  test('classes have 19-digit IDs and nest; terms and payment methods are validated', async () => {
    const first = await northwind.write('Class', { Name: 'Cloud' });
    expect(textAt(first, 'Id')).toMatch(/^\d{19}$/);
    expect(await northwind.write('Class', { Name: 'Mail', ParentRef: { value: first['Id'] } })).toMatchObject({
      FullyQualifiedName: 'Cloud:Mail',
      SubClass: true,
    });
    expect(await northwind.refusal('Class', { Name: 'svc' })).toMatch(/^6240: /);
    expect(await northwind.write('Term', { Name: 'Net 60', DueDays: 60 })).toMatchObject({
      Type: 'STANDARD',
      DueDays: 60,
    });
    expect(await northwind.refusal('Term', { Name: 'Never' })).toMatch(/^2020: .*DueDays/);
    expect(await northwind.refusal('Term', { Name: 'Long', DueDays: 1000 })).toMatch(/^2240: /);
    expect(await northwind.write('PaymentMethod', { Name: 'Wire' })).toMatchObject({ Type: 'NON_CREDIT_CARD' });
    expect(await northwind.refusal('PaymentMethod', { Name: 'Barter', Type: 'GOATS' })).toMatch(/^2170: /);
    expect(await northwind.write('Department', { Name: 'Austin' })).toMatchObject({
      FullyQualifiedName: 'Austin',
      SubDepartment: false,
    });
  });

  test('tax codes are pseudo codes and groups; the tax service creates new ones', async () => {
    const codes = await northwind.query('select * from TaxCode');
    expect(codes).toMatchObject({
      TaxCode: [
        { Id: '6' },
        { Id: 'CustomSalesTax', TaxGroup: true },
        { Id: 'NON', Taxable: false },
        { Id: 'TAX' },
        { Id: '5', Name: 'Travis County' },
      ],
    });
    expect(JSON.stringify(codes)).toContain(
      '{"Name":"TAX","Description":"TAX","Taxable":true,"TaxGroup":false,"Id":"TAX","MetaData"',
    );
    expect(await northwind.refusal('TaxCode', { Name: 'Mine' })).toMatch(/^500: /);
    const made = await northwind.post('taxservice/taxcode', {
      TaxCode: 'Hays County',
      TaxRateDetails: [{ TaxRateName: 'Hays', RateValue: '8', TaxAgencyId: '1', TaxApplicableOn: 'Sales' }],
    });
    expect(made.status).toBe(200);
    const code = textAt(made.body, 'TaxCodeId');
    expect(
      await northwind.write(
        'Invoice',
        invoiceOf(0, {
          Line: [saleOf(50, {}, { TaxCodeRef: { value: 'TAX' } })],
          TxnTaxDetail: { TxnTaxCodeRef: { value: code } },
        }),
      ),
    ).toMatchObject({ TxnTaxDetail: { TotalTax: 4 } });
  });

  test('preferences allow limited changes; company information allows sparse ones', async () => {
    const before = (await northwind.get('preferences')).body;
    expect(
      await northwind.write('Preferences', {
        Id: '1',
        SyncToken: '0',
        SalesFormsPrefs: { CustomTxnNumbers: true },
        AccountingInfoPrefs: { BookCloseDate: '2001-01-01' },
      }),
    ).toMatchObject({
      SyncToken: '1',
      SalesFormsPrefs: { CustomTxnNumbers: true, AllowDiscount: true },
      AccountingInfoPrefs: { BookCloseDate: '2025-01-31' },
    });
    expect(before).toMatchObject({ Preferences: { SalesFormsPrefs: { CustomTxnNumbers: false } } });
    expect(
      await northwind.write('CompanyInfo', {
        Id: '1',
        SyncToken: '0',
        sparse: true,
        LegalName: 'Northwind IT Services LLC',
      }),
    ).toMatchObject({ LegalName: 'Northwind IT Services LLC', CompanyName: 'Northwind IT Services' });
  });

  test('exchange rates apply from their date on and can be set', async () => {
    const rate = async (query: string) => (await northwind.get(`exchangerate?${query}`)).body;
    expect(await rate('sourcecurrencycode=CAD')).toMatchObject({
      ExchangeRate: { SourceCurrencyCode: 'CAD', TargetCurrencyCode: 'USD', Rate: 0.7402, AsOfDate: '2025-03-03' },
    });
    expect((await rate('sourcecurrencycode=CAD'))['ExchangeRate']).not.toHaveProperty('Id');
    await northwind.write('ExchangeRate', { SourceCurrencyCode: 'CAD', Rate: 0.71, AsOfDate: '2025-03-02' });
    expect(await rate('sourcecurrencycode=CAD&asofdate=2025-03-02')).toMatchObject({ ExchangeRate: { Rate: 0.71 } });
    expect(await rate('sourcecurrencycode=CAD&asofdate=2025-03-01')).toMatchObject({ ExchangeRate: { Rate: 0.7402 } });
    expect(
      await northwind.refusal('ExchangeRate', { SourceCurrencyCode: 'USD', Rate: 1, AsOfDate: '2025-03-02' }),
    ).toMatch(/^6000: /);
  });
});
