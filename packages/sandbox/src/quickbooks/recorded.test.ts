/**
 * Repeats recorded calls of the real service in the sandbox: the shapes of the responses must match path by path.
 * recorded/README.md describes the recordings.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Doc, docAt, isDoc, listAt, textAt } from './doc.ts';
import { type Answer, type Client, saleOf, World } from './test-client.ts';

const folder = join(import.meta.dirname, 'recorded');

interface Exchange {
  readonly response: Doc;
}

function recorded(file: string): Exchange[] {
  const parsed: unknown = JSON.parse(readFileSync(join(folder, `${file}.json`), 'utf8'));
  if (!isDoc(parsed)) throw new Error(`${file} is not a recording`);
  return listAt(parsed, 'exchanges').map((exchange) => ({
    response: docAt(exchange, 'response'),
  }));
}

const bodyOf = (file: string, at: number): Doc => docAt(recorded(file)[at]?.response, 'body');

/** Returns every path of a JSON value with its type; a list is one step, regardless of its length. */
function shape(value: unknown, path = ''): Map<string, string> {
  const found = new Map<string, string>();
  const add = (more: Map<string, string>) => more.forEach((type, key) => found.set(key, type));
  if (Array.isArray(value)) {
    found.set(path, 'list');
    for (const item of value) add(shape(item, `${path}[]`));
  } else if (isDoc(value)) {
    found.set(path, 'object');
    for (const [member, inner] of Object.entries(value)) add(shape(inner, `${path}.${member}`));
  } else found.set(path, value === null ? 'null' : typeof value);
  return found;
}

/**
 * Compares the shapes of two responses both ways.
 *
 * @param missing paths of the recording that the sandbox may lack; the caller states why
 * @param extra paths of the sandbox that the recording may lack (older recordings, or other data)
 */
function expectSameShape(
  ours: Doc,
  theirs: Doc,
  { missing = [], extra = [] }: { missing?: RegExp[]; extra?: RegExp[] } = {},
): void {
  const [own, real] = [shape(ours), shape(theirs)];
  const isAny = (patterns: readonly RegExp[], path: string) => patterns.some((pattern) => pattern.test(path));
  const differences: string[] = [];
  for (const [path, type] of real) {
    if (!own.has(path) && !isAny(missing, path)) differences.push(`the sandbox lacks ${path} (${type})`);
    if (own.has(path) && own.get(path) !== type) differences.push(`${path} is ${own.get(path)} instead of ${type}`);
  }
  for (const [path, type] of own)
    if (!real.has(path) && !isAny(extra, path)) differences.push(`the sandbox adds ${path} (${type})`);
  expect(differences).toEqual([]);
}

/** Checks code and message of a fault against the recording, and the detail if it contains no data of that company. */
function expectSameFault(ours: Doc, theirs: Doc): void {
  const errors = (doc: Doc) =>
    listAt(docAt(doc, 'Fault'), 'Error').map((error) => [error['code'], error['Message'], error['element']]);
  expect(errors(ours)).toEqual(errors(theirs));
  expect(docAt(ours, 'Fault')['type']).toBe(docAt(theirs, 'Fault')['type']);
}

describe('recorded responses', () => {
  let world: World;
  let client: Client;
  let customer: Doc;
  beforeAll(async () => {
    world = await World.start();
    // Recorded before the coordinates were removed.
    await world.behave({ address_coordinates: true });
    client = await world.connect();
    await world.control('PUT', 'entities/Preferences/1', { CurrencyPrefs: { MultiCurrencyEnabled: false } });
    await world.control('PUT', 'entities/Preferences/1', {
      SalesFormsPrefs: { CustomField: null },
      VendorAndPurchasesPrefs: { POCustomField: null },
    });
    customer = await client.write('Customer', {
      GivenName: 'Amy',
      FamilyName: 'Lane',
      CompanyName: 'Lane Birds',
      DisplayName: 'Lane Birds',
      PrimaryPhone: { FreeFormNumber: '(650) 555-3311' },
      PrimaryEmailAddr: { Address: 'birds@lane.example' },
      BillAddr: { Line1: '4581 Finch St.', City: 'Bayshore', CountrySubDivisionCode: 'CA', PostalCode: '94326' },
      ShipAddr: { Line1: '4581 Finch St.', City: 'Bayshore', CountrySubDivisionCode: 'CA', PostalCode: '94326' },
    });
  });
  afterAll(() => world.close());

  const post = async (path: string, body: unknown): Promise<Doc> => (await client.post(path, body)).body;
  const get = async (path: string): Promise<Doc> => (await client.get(path)).body;
  const id = (doc: Doc) => textAt(doc, 'Id') ?? '';

  test('customer: create, read, rename', async () => {
    expectSameShape(
      await post('customer', {
        DisplayName: 'Robin Finch',
        GivenName: 'Robin',
        FamilyName: 'Finch',
        PrimaryEmailAddr: { Address: 'robin@finch.example' },
        PrimaryPhone: { FreeFormNumber: '(512) 555-0142' },
        BillAddr: {
          Line1: '12 Elm Street',
          City: 'Austin',
          Country: 'USA',
          CountrySubDivisionCode: 'TX',
          PostalCode: '78704',
        },
        Notes: 'made by a test',
      }),
      bodyOf('2026-customer', 0),
    );
    // The recorded addresses were new and had no coordinates yet; other recordings of a read have them.
    expectSameShape(await get(`customer/${id(customer)}`), bodyOf('2026-customer', 1), {
      extra: [/Addr\.(Lat|Long)$/],
    });
    const older = { missing: [], extra: [/V4IDPseudonym$/, /IsProject$/] };
    expectSameShape(await get(`customer/${id(customer)}`), bodyOf('vcr-get-by-id', 0), older);
    const renamed = await post('customer', {
      Id: customer['Id'],
      SyncToken: '0',
      sparse: true,
      DisplayName: 'Lane Birds Ltd',
    });
    expectSameShape(renamed, bodyOf('2026-customer', 2));
    expect(docAt(renamed, 'Customer')).toMatchObject({ SyncToken: '1', PrintOnCheckName: 'Lane Birds' });
  });

  test('invoice: create, read, sparse update, send', async () => {
    const created = await post('invoice', {
      CustomerRef: { value: customer['Id'] },
      TxnDate: '2025-02-15',
      Line: [saleOf(100, {}, { Qty: 1, UnitPrice: 100 })],
    });
    expectSameShape(created, bodyOf('2026-invoice', 0));
    expectSameShape(created, bodyOf('vcr-invoice-create', 0), {
      missing: [/CustomField\[\]/],
      extra: [
        /LastModifiedByRef/,
        /ItemAccountRef/,
        /CustomExtensions/,
        /FreeFormAddress$/,
        /ShipFromAddr/,
        // An older estimate took the address of its customer.
        /BillAddr\.(City|CountrySubDivisionCode|PostalCode)$/,
        /Detail\.(Qty|UnitPrice)$/,
      ],
    });
    const estimate = await client.write('Estimate', { CustomerRef: { value: customer['Id'] }, Line: [saleOf(275)] });
    const link = { LinkedTxn: [{ TxnId: estimate['Id'], TxnType: 'Estimate' }] };
    const made = await client.write('Invoice', {
      CustomerRef: { value: customer['Id'] },
      SalesTermRef: { value: '3' },
      CustomerMemo: { value: 'Thank you' },
      PrivateNote: 'note',
      BillEmail: { Address: 'birds@lane.example' },
      BillAddr: { Line1: '4581 Finch St.', City: 'Bayshore', CountrySubDivisionCode: 'CA', PostalCode: '94326' },
      ...link,
      Line: [
        saleOf(275, { Description: 'Fountain', ...link }, { Qty: 1, UnitPrice: 275, TaxCodeRef: { value: 'TAX' } }),
      ],
    });
    // The recording requested the payment link. A user created that invoice for a customer without a company name.
    const byHand = { missing: [/\.InvoiceLink$/], extra: [/\.ShipFromAddr/] };
    expectSameShape(await get(`invoice/${id(made)}`), bodyOf('2026-invoice', 1), byHand);
    expect(docAt(made, 'BillAddr')).toMatchObject({
      Line1: 'Amy Lane',
      Line2: 'Lane Birds',
      Line3: '4581 Finch St.',
      Line4: 'Bayshore, CA  94326',
      Lat: 'INVALID',
    });
    const changed = await post('invoice', {
      Id: made['Id'],
      SyncToken: made['SyncToken'],
      sparse: true,
      PrivateNote: 'other',
    });
    expectSameShape(changed, bodyOf('2026-invoice', 2), byHand);
    const sent = (
      await client.send('POST', `invoice/${id(made)}/send`, '', { 'Content-Type': 'application/octet-stream' })
    ).body;
    expectSameShape(sent, bodyOf('2026-invoice', 3), {
      missing: byHand.missing,
      // The recorded invoice was older than some members of 2026 and had no note.
      extra: [
        ...byHand.extra,
        /BillAddr\.Line4$/,
        /PrivateNote$/,
        /LastModifiedByRef/,
        /ItemAccountRef/,
        /FreeFormAddress$/,
      ],
    });
  });

  test('item: create, read, update without changes', async () => {
    const created = await post('item', { Name: 'Bird watching', Type: 'Service', IncomeAccountRef: { value: '1' } });
    expectSameShape(created, bodyOf('2026-item', 0));
    const item = docAt(created, 'Item');
    expectSameShape(await get(`item/${id(item)}`), bodyOf('2026-item', 1));
    const same = await post('item', { Id: item['Id'], SyncToken: '0', sparse: true, Name: item['Name'] });
    expectSameShape(same, bodyOf('2026-item', 2));
    expect(docAt(same, 'Item')['SyncToken']).toBe('0');
  });

  test('purchase order: create, read, full update that removes the number, query', async () => {
    const vendor = { VendorRef: { value: '91' }, APAccountRef: { value: '20' } };
    const line = {
      DetailType: 'AccountBasedExpenseLineDetail',
      Amount: 150,
      Description: 'Office supplies',
      AccountBasedExpenseLineDetail: { AccountRef: { value: '12' } },
    };
    const created = await post('purchaseorder', { ...vendor, Line: [line], Memo: 'Test purchase order' });
    expectSameShape(created, bodyOf('2026-purchaseorder', 0));
    const made = docAt(created, 'PurchaseOrder');
    expectSameShape(await get(`purchaseorder/${id(made)}`), bodyOf('2026-purchaseorder', 1));
    const sent = {
      Id: '1',
      LineNum: 1,
      DetailType: 'ItemBasedExpenseLineDetail',
      Amount: 150,
      Description: 'Access point, other text',
      ItemBasedExpenseLineDetail: { ItemRef: { value: '31' }, Qty: 2, UnitPrice: 75 },
    };
    const updated = await post('purchaseorder?operation=update', {
      ...vendor,
      Id: made['Id'],
      SyncToken: '0',
      Line: [sent],
      Memo: 'Other memo',
    });
    expectSameShape(updated, bodyOf('2026-purchaseorder', 2));
    const mason = await client.write('Vendor', {
      GivenName: 'Tim',
      FamilyName: 'Philips',
      CompanyName: 'Philips Masonry',
      DisplayName: 'Philips Masonry',
      BillAddr: { Line1: '3948 Elm St.', City: 'Middlefield', CountrySubDivisionCode: 'CA', PostalCode: '94482' },
    });
    const shipped = await client.write('PurchaseOrder', {
      ...vendor,
      VendorRef: { value: mason['Id'] },
      ShipAddr: {
        Line1: 'Northwind IT Services',
        Line2: '123 Sierra Way',
        City: 'San Pablo',
        CountrySubDivisionCode: 'CA',
        PostalCode: '87999',
      },
      Line: [line],
      Memo: 'Test purchase order',
    });
    expect(docAt(shipped, 'VendorAddr')).toMatchObject({
      Line1: 'Tim Philips',
      Line2: 'Philips Masonry',
      Line3: '3948 Elm St.',
      Line4: 'Middlefield, CA  94482',
    });
    expect(docAt(shipped, 'VendorAddr')['Id']).not.toBe(docAt(mason, 'BillAddr')['Id']);
    expect(docAt(shipped, 'ShipAddr')).toMatchObject({ Line3: 'San Pablo, CA  87999' });
    const found = await get(
      `query?query=${encodeURIComponent('SELECT * FROM PurchaseOrder STARTPOSITION 1 MAXRESULTS 100')}`,
    );
    // The recorded company had more types of orders than this one.
    expectSameShape(found, bodyOf('2026-purchaseorder', 3), {
      missing: [/LinkedTxn\[\]/, /SalesTermRef/, /PrivateNote/, /ShipTo/, /DueDate/, /CustomerRef/, /ClassRef/],
    });
  });

  test('accounts', async () => {
    await client.write('Account', { Name: 'Sub', AccountType: 'Income', ParentRef: { value: '1' } });
    const found = await get(
      `query?query=${encodeURIComponent('SELECT * FROM Account STARTPOSITION 1 MAXRESULTS 100')}`,
    );
    expectSameShape(found, bodyOf('2026-account-query', 0), { missing: [/\.Description$/] });
  });

  test('empty query result', async () => {
    const found = await get(
      `query?query=${encodeURIComponent('SELECT * FROM Transfer STARTPOSITION 1 MAXRESULTS 100')}`,
    );
    expectSameShape(found, bodyOf('2026-empty-query', 0));
  });

  test('void and delete', async () => {
    const make = () => client.write('Invoice', { CustomerRef: { value: customer['Id'] }, Line: [saleOf(100)] });
    const first = await make();
    const newer = [/LastModifiedByRef/, /ItemAccountRef/, /CustomExtensions/, /FreeFormAddress$/, /ShipFromAddr/];
    // The recorded company had an active custom field.
    const missing = [/CustomField\[\]/];
    expectSameShape(await get(`invoice/${id(first)}`), bodyOf('vcr-invoice-void', 0), { missing, extra: newer });
    const voided = await post('invoice?operation=void', { Id: first['Id'], SyncToken: '0' });
    expectSameShape(voided, bodyOf('vcr-invoice-void', 1), { missing, extra: newer });
    expect(docAt(voided, 'Invoice')).toMatchObject({
      PrivateNote: docAt(bodyOf('vcr-invoice-void', 1), 'Invoice')['PrivateNote'],
      TotalAmt: 0,
    });
    const second = await make();
    expectSameShape(
      await post('invoice?operation=delete', { Id: second['Id'], SyncToken: '0' }),
      bodyOf('vcr-invoice-delete', 1),
    );
  });

  test('deactivate twice, and an employee', async () => {
    const employee = await client.write('Employee', { GivenName: 'Emily', FamilyName: 'Platt' });
    const off = () => post('employee', { Id: employee['Id'], SyncToken: '0', sparse: true, Active: false });
    const first = await off();
    expectSameShape(first, bodyOf('vcr-deactivate', 1));
    expect(docAt(first, 'Employee')).toMatchObject({
      DisplayName: 'Emily Platt (deleted)',
      PrintOnCheckName: 'Emily Platt',
    });
    const again = await post('employee', { Id: employee['Id'], SyncToken: '1', sparse: true, Active: false });
    expect(docAt(again, 'Employee')).toEqual(docAt(first, 'Employee'));
    const account = await client.write('Account', { Name: 'Fees', AccountType: 'Income' });
    const deactivated = await post('account', {
      Id: account['Id'],
      SyncToken: '0',
      sparse: true,
      Active: false,
      Name: 'Fees (deleted)',
    });
    expectSameShape(deactivated, bodyOf('vcr-deactivate', 3));
  });

  test('vendors and bills: create and read with pseudonym and vendor address', async () => {
    const made = {
      GivenName: 'John',
      FamilyName: 'Doe',
      CompanyName: 'Doe Works',
      DisplayName: 'Doe Works',
      PrimaryEmailAddr: { Address: 'john@doe.example' },
      PrimaryPhone: { FreeFormNumber: '555-1234' },
      BillAddr: { Line1: '123 Main St', City: 'San Francisco', Country: 'USA', PostalCode: '94105' },
    };
    const created = await post('vendor', made);
    expectSameShape(created, bodyOf('2026-vendor', 0));
    const plain = await client.write('Vendor', { DisplayName: 'Plain Parts' });
    expectSameShape(await get(`vendor/${id(plain)}`), bodyOf('2026-vendor', 1));
    expect(textAt(plain, 'V4IDPseudonym')).toMatch(/^002098[0-9a-f]{32}$/);
    const line = {
      DetailType: 'AccountBasedExpenseLineDetail',
      Amount: 150,
      AccountBasedExpenseLineDetail: { AccountRef: { value: '12' } },
    };
    const bill = (vendor: Doc, more: Doc = {}) => ({ VendorRef: { value: vendor['Id'] }, Line: [line], ...more });
    expectSameShape(await post('bill', bill(plain)), bodyOf('2026-bill', 0));
    const vendor = docAt(created, 'Vendor');
    const [owed] = [docAt(await post('bill', bill(vendor, { PrivateNote: 'note' })), 'Bill')];
    await client.write('BillPayment', {
      VendorRef: { value: vendor['Id'] },
      PayType: 'Check',
      DocNumber: '2',
      CheckPayment: { BankAccountRef: { value: '35' } },
      TotalAmt: 150,
      Line: [{ Amount: 150, LinkedTxn: [{ TxnId: owed['Id'], TxnType: 'Bill' }] }],
    });
    const small = docAt(await post('bill', bill(plain)), 'Bill');
    // A bill payment's lines have only their links, and the payment itself has none.
    await client.write('BillPayment', {
      VendorRef: { value: plain['Id'] },
      PayType: 'CreditCard',
      DocNumber: '1',
      CreditCardPayment: { CCAccountRef: { value: '41' } },
      TotalAmt: 5,
      Line: [{ Amount: 5, LinkedTxn: [{ TxnId: small['Id'], TxnType: 'Bill' }] }],
    });
    const payments = await get(`query?query=${encodeURIComponent('select * from BillPayment')}`);
    expectSameShape(payments, bodyOf('2026-billpayment', 0));
    const read = await get(`bill/${id(owed)}`);
    // The recorded vendor's address had a state and no country.
    const other = { missing: [/CountrySubDivisionCode$/], extra: [/Addr\.Country$/] };
    expectSameShape(read, bodyOf('2026-bill', 1), other);
    expect(docAt(docAt(read, 'Bill'), 'VendorAddr')['Id']).toBe(docAt(vendor, 'BillAddr')['Id']);
    const found = listAt(await client.query('select * from Vendor'), 'Vendor').find((row) => id(row) === id(plain));
    expect(found).not.toHaveProperty('CostRate');
    expect(found).toHaveProperty('V4IDPseudonym');
  });

  test('lists of vendors, employees, and customers have the recorded members', async () => {
    const ask = (statement: string) => get(`query?query=${encodeURIComponent(statement)}`);
    // Optional members that the vendors and customers here lack.
    const sparse = [
      /(WebAddr|Mobile|Fax|TermRef|AcctNum|BillRate|PrimaryPhone|PrimaryEmailAddr|Suffix|Title|MiddleName|TaxIdentifier)\b/,
    ];
    const newer = [/V4IDPseudonym$/, /ClientEntityId$/, /IsProject$/];
    const vendors = await ask('select * from Vendor where Active in (true, false)');
    expectSameShape(vendors, bodyOf('vcr-query-inactive-vendors', 0), { missing: sparse, extra: newer });
    await client.write('Employee', { GivenName: 'John', FamilyName: 'Johnson' });
    const employees = await ask('select * from Employee where Active in (true, false)');
    expectSameShape(employees, bodyOf('vcr-query-inactive-employees', 1), {
      missing: [...sparse, /PrimaryAddr/, /SSN$/, /BirthDate$/, /HiredDate$/],
      extra: newer,
    });
    const found = await ask(`select * from Customer where Id = '${id(customer)}'`);
    expectSameShape(found, bodyOf('vcr-query-escaping', 1), { missing: sparse, extra: newer });
  });

  test('credit memo and estimate created by an app', async () => {
    const body = { CustomerRef: { value: customer['Id'] }, Line: [saleOf(100)] };
    const memo = await post('creditmemo', body);
    expectSameShape(memo, bodyOf('2026-creditmemo', 0));
    const estimate = await post('estimate', body);
    expectSameShape(estimate, bodyOf('2026-estimate', 0));
    // Each form has a separate sender address.
    const ids = [docAt(memo, 'CreditMemo'), docAt(estimate, 'Estimate')].map(
      (form) => docAt(form, 'ShipFromAddr')['Id'],
    );
    expect(new Set(ids).size).toBe(2);
  });

  test('a sales receipt keeps its number in a full update without one', async () => {
    const line = {
      Description: 'Design',
      ...saleOf(337.5, {}, { UnitPrice: 75, Qty: 4.5, TaxCodeRef: { value: 'NON' } }),
    };
    const made = await client.write('SalesReceipt', { Line: [line] });
    const newer = [/ItemAccountRef/, /CustomExtensions/, /FreeFormAddress$/];
    const missing = [/CustomField\[\]/];
    expectSameShape({ SalesReceipt: made, time: '' }, bodyOf('vcr-salesreceipt-update', 0), {
      missing,
      extra: newer,
    });
    const updated = await post('salesreceipt', { Line: [line], Id: made['Id'], SyncToken: '0' });
    expectSameShape(updated, bodyOf('vcr-salesreceipt-update', 1), { missing, extra: newer });
    expect(docAt(updated, 'SalesReceipt')['DocNumber']).toBe(made['DocNumber']);
  });

  test('mixed batch', async () => {
    const receipt = await client.write('SalesReceipt', {
      Line: [saleOf(337.5, { Description: 'Design' }, { UnitPrice: 75, Qty: 4.5 })],
    });
    const items = [
      { bId: 'bid1', operation: 'create', Vendor: { DisplayName: 'Corner Store' } },
      { bId: 'bid2', operation: 'delete', Invoice: { Id: '129', SyncToken: '0' } },
      {
        bId: 'bid3',
        operation: 'update',
        SalesReceipt: { sparse: true, Id: receipt['Id'], SyncToken: '9', PrivateNote: 'x' },
      },
      { bId: 'bid4', Query: "select * from SalesReceipt where TotalAmt > '300.00'" },
    ];
    const answer = await post('batch', { BatchItemRequest: items });
    expectSameShape(answer, bodyOf('vcr-batch-mixed', 0), {
      // The recorded receipts had a customer, an address, and a custom field.
      missing: [
        /CustomField\[\]/,
        /CustomerRef/,
        /Addr/,
        /CustomerMemo/,
        /PaymentMethodRef/,
        /PaymentRefNum/,
        /PrivateNote/,
        /BillEmail/,
        /TxnTaxDetail\./,
        /ClassRef/,
      ],
      extra: [/BillRate|CostRate|V4IDPseudonym/, /ItemAccountRef/, /CustomExtensions/, /FreeFormAddress$/],
    });
    const codes = (doc: Doc) =>
      listAt(doc, 'BatchItemResponse').map((item) =>
        listAt(docAt(item, 'Fault'), 'Error').map(({ code, Message }) => [code, Message]),
      );
    expect(codes(answer)).toEqual(codes(bodyOf('vcr-batch-mixed', 0)));
  });

  test('changes', async () => {
    await client.write('Estimate', {
      CustomerRef: { value: customer['Id'] },
      CustomerMemo: { value: 'x' },
      BillEmail: { Address: 'a@b.example' },
      BillAddr: { Line1: '900 Main St.', City: 'Middlefield', CountrySubDivisionCode: 'CA', PostalCode: '94303' },
      Line: [saleOf(300, { Description: 'Design' }, { UnitPrice: 75, Qty: 4 })],
    });
    await world.advance(10);
    const answer = await get('cdc?changedSince=2025-02-20T09:00:00-07:00&entities=estimate');
    expectSameShape(answer, bodyOf('vcr-cdc', 0), {
      missing: [
        /CustomField\[\]/,
        /AcceptedBy|AcceptedDate|ExpirationDate|TotalTax|TaxLine|TxnTaxCodeRef/,
        /DiscountLineDetail/,
        /DeliveryInfo/,
        /ClassRef/,
        /SalesTermRef/,
        /DueDate/,
        /totalCount/,
      ],
      extra: [
        /ItemAccountRef/,
        /CustomExtensions/,
        /FreeFormAddress$/,
        /ShipFromAddr/,
        // An older estimate took the address of its customer.
        /BillAddr\.(City|CountrySubDivisionCode|PostalCode)$/,
      ],
    });
  });

  test('attachment: upload, fault, and deletion', async () => {
    const send = (type: string, value: string): Promise<Answer> => {
      const head = (name: string, file: string, kind: string) =>
        `--B\r\nContent-Disposition: form-data; name="${name}"; filename="${file}"\r\nContent-Type: ${kind}\r\n\r\n`;
      const metadata = JSON.stringify({
        AttachableRef: [{ EntityRef: { type, value } }],
        FileName: 'no_detail.xml',
        ContentType: 'text/xml',
      });
      const body = `${head('file_metadata_01', 'attachment.json', 'application/json')}${metadata}\r\n${head('file_content_01', 'no_detail.xml', 'text/xml')}<x/>\r\n--B--\r\n`;
      return client.send('POST', 'upload', body, { 'Content-Type': 'multipart/form-data; boundary=B' });
    };
    const uploaded = (await send('Invoice', '9141')).body;
    expectSameShape(uploaded, bodyOf('vcr-attachment-upload', 0));
    expectSameShape((await send('Estimate', '75')).body, bodyOf('vcr-attachment-upload-fault', 0));
    const attachable = docAt(listAt(uploaded, 'AttachableResponse')[0], 'Attachable');
    expectSameShape(await get(`attachable/${id(attachable)}`), bodyOf('vcr-attachment-read-delete', 0));
    expectSameShape(
      await post('attachable?operation=delete', { Id: attachable['Id'] }),
      bodyOf('vcr-attachment-read-delete', 1),
    );
  });

  test('faults: duplicate name, unknown member, unsupported path, invalid ID', async () => {
    const duplicate = await post('customer', { DisplayName: 'Acme Dental' });
    expectSameShape(duplicate, bodyOf('vcr-error-duplicate-name', 0));
    expectSameFault(duplicate, bodyOf('vcr-error-duplicate-name', 0));
    expect(duplicate).toMatchObject({
      Fault: {
        Error: [{ Detail: listAt(docAt(bodyOf('vcr-error-duplicate-name', 0), 'Fault'), 'Error')[0]?.['Detail'] }],
      },
    });
    const unknown = await post('invoice', { BadJson: true });
    expectSameShape(unknown, bodyOf('vcr-error-unknown-property', 0));
    expectSameFault(unknown, bodyOf('vcr-error-unknown-property', 0));
    const path = await get('customer/1/5');
    expectSameShape(path, bodyOf('vcr-error-unsupported-operation', 0));
    expectSameFault(path, bodyOf('vcr-error-unsupported-operation', 0));
    const strange = await get('customer/1.5');
    expect(strange).toEqual(bodyOf('vcr-error-unsupported-operation', 1));
  });

  test('faults quoted by integrators: gateway, numbers, queries', async () => {
    const quoted = recorded('quoted-errors').map(({ response }) => docAt(response, 'body'));
    const withCode = (code: string) => quoted.find((body) => JSON.stringify(body).includes(`"${code}"`)) ?? {};
    const lost = await world.connect();
    lost.accessToken = 'x';
    expectSameShape((await lost.get('preferences')).body, withCode('3200'));
    const foreign = await world.connect(world.sandbox.credentials.realms[1]?.realmId);
    expectSameShape((await foreign.send('GET', `../${client.realmId}/preferences`)).body, withCode('3100'));
    await world.control('PUT', 'entities/Preferences/1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
    const number = await post('invoice', {
      CustomerRef: { value: customer['Id'] },
      DocNumber: '1038',
      Line: [saleOf(1)],
    });
    const english = quoted.find((body) => JSON.stringify(body).includes('TxnType=Invoice')) ?? {};
    expectSameShape(number, english);
    expectSameFault(number, english);
    await world.control('PUT', 'entities/Preferences/1', { SalesFormsPrefs: { CustomTxnNumbers: false } });
    for (const statement of ["select * from Customer where DisplayName = 'O'R x'", 'select * from Customer where %'])
      expectSameFault(await get(`query?query=${encodeURIComponent(statement)}`), withCode('4000'));
  });

  test('expired token', async () => {
    const late = await world.connect();
    await world.advance(3600);
    const answer = await late.get('customer/1');
    expectSameShape(answer.body, bodyOf('vcr-error-token-expired', 0));
    expect(answer.headers.get('www-authenticate')).toBe(
      docAt(recorded('vcr-error-token-expired')[0]?.response, 'headers')['Www-Authenticate'],
    );
    client = await world.connect();
  });

  test('company, preferences, classes, rates', async () => {
    expectSameShape(await get(`companyinfo/${client.realmId}`), bodyOf('doc-companyinfo', 0), {
      missing: [/EmployerId$/],
      extra: [/WebAddr\.URI$/, /CustomerCommunicationEmailAddr/, /\.time$/, /Addr\.Country$/],
    });
    const objects = (file: string) => docAt(recorded(file)[0]?.response, 'objects');
    const [preferences] = listAt(objects('2019-preferences'), 'Preferences');
    world.sandbox.reset();
    client = await world.connect();
    const ours = docAt(await get('preferences'), 'Preferences');
    expectSameShape(ours, preferences ?? {}, {
      missing: [/DepartmentTerminology$/],
      extra: [
        /UseAccountNumbers|FirstMonthOfFiscalYear|TaxYearMonth|TaxForm|BookCloseDate/,
        /EmailCopyToCompany|AutoApply|UsingProgressInvoicing/,
        /CustomField\[\]\.CustomField\[\]\.StringValue/,
      ],
    });
    const found = await client.query('select * from Class');
    expectSameShape(
      listAt(found, 'Class')[0] ?? {},
      listAt(objects('2019-class-department-employee'), 'Class')[0] ?? {},
    );
    const rates = await client.query('select * from ExchangeRate');
    expectSameShape(
      listAt(rates, 'ExchangeRate')[0] ?? {},
      listAt(objects('2019-exchangerate'), 'ExchangeRate')[0] ?? {},
    );
  });

  test('tokens and user', async () => {
    const back = await world.consent({
      scope: 'com.intuit.quickbooks.accounting openid email profile phone address',
    });
    const tokens = await world.token({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: 'http://localhost:9/callback',
    });
    expectSameShape(tokens.body, bodyOf('oauth-tokens', 0));
    const refused = await world.token({ grant_type: 'refresh_token', refresh_token: 'unknown' });
    expectSameShape(refused.body, bodyOf('oauth-tokens', 1));
    const user: unknown = await (
      await fetch(`${world.sandbox.url}/v1/openid_connect/userinfo`, {
        headers: { Authorization: `Bearer ${textAt(tokens.body, 'access_token')}` },
      })
    ).json();
    expectSameShape(isDoc(user) ? user : {}, bodyOf('oauth-tokens', 2));
  });
});
