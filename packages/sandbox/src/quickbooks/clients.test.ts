/** Runs unchanged third-party clients against the sandbox; they only get its URL. */
import { createRequire } from 'node:module';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Doc, docAt, isDoc, listAt, textAt } from './doc.ts';
import { invoiceOf, redirectUri, saleOf, World } from './test-client.ts';

// The clients have no types. These are the parts that the tests use.
type Callback = (error: unknown, answer: unknown) => void;
type NodeQuickBooks = Readonly<Record<string, (...args: unknown[]) => void>>;
interface NodeQuickBooksClass {
  new (...args: unknown[]): NodeQuickBooks;
  V3_ENDPOINT_BASE_URL: string;
  TOKEN_URL: string;
  REVOKE_URL: string;
  USER_INFO_URL: string;
}
interface OAuthAnswer {
  readonly json: Doc;
  readonly body?: string;
  readonly status?: number;
}
interface IntuitOAuth {
  setAuthorizeURLs(urls: Readonly<Record<string, string>>): void;
  authorizeUri(params: Readonly<Record<string, unknown>>): string;
  createToken(url: string): Promise<OAuthAnswer>;
  refresh(): Promise<OAuthAnswer>;
  revoke(): Promise<OAuthAnswer>;
  getUserInfo(): Promise<OAuthAnswer>;
  isAccessTokenValid(): boolean;
  makeApiCall(call: Readonly<Record<string, unknown>>): Promise<OAuthAnswer>;
  validateIdToken(): Promise<unknown>;
}
interface IntuitOAuthClass {
  new (config: Readonly<Record<string, unknown>>): IntuitOAuth;
  environment: Readonly<Record<string, string>>;
}

const require = createRequire(import.meta.url);
const QuickBooks = require('node-quickbooks') as NodeQuickBooksClass;
const OAuthClient = require('intuit-oauth') as IntuitOAuthClass;

let world: World;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  world.sandbox.reset();
  await world.control('POST', 'revoke', {});
});
afterAll(() => world.close());

describe('node-quickbooks', () => {
  let client: NodeQuickBooks;
  let realmId = '';
  beforeEach(async () => {
    const tokens = await world.connect();
    ({ realmId } = tokens);
    const { url, credentials } = world.sandbox;
    QuickBooks.V3_ENDPOINT_BASE_URL = `${url}/v3/company/`;
    QuickBooks.TOKEN_URL = `${url}/oauth2/v1/tokens/bearer`;
    QuickBooks.REVOKE_URL = `${url}/v2/oauth2/tokens/revoke`;
    client = new QuickBooks(
      credentials.clientId,
      credentials.clientSecret,
      tokens.accessToken,
      false,
      realmId,
      true,
      false,
      75,
      '2.0',
      tokens.refreshToken,
    );
  });

  /** Calls a method of the client; returns its first response, or throws the error it reports. */
  const call = (method: string, ...args: unknown[]): Promise<Doc> =>
    new Promise((resolve, reject) => {
      const done: Callback = (error, answer) => {
        if (error === null || error === undefined)
          resolve(isDoc(answer) && !Buffer.isBuffer(answer) ? answer : { value: String(answer) });
        else reject(error instanceof Error ? error : new Error(JSON.stringify(error)));
      };
      const run = client[method];
      if (run === undefined) throw new Error(`node-quickbooks has no ${method}`);
      run.call(client, ...args, done);
    });

  const expense = {
    DetailType: 'AccountBasedExpenseLineDetail',
    Amount: 20,
    AccountBasedExpenseLineDetail: { AccountRef: { value: '12' } },
  };
  const journal = (posting: string, account: string) => ({
    DetailType: 'JournalEntryLineDetail',
    Amount: 5,
    JournalEntryLineDetail: { PostingType: posting, AccountRef: { value: account } },
  });
  const sale = () => ({ CustomerRef: { value: '58' }, Line: [saleOf(30)] });

  test.each<[entity: string, body: () => Doc, expected: Doc]>([
    ['Account', () => ({ Name: 'Cloud costs', AccountType: 'Expense' }), { Classification: 'Expense', Active: true }],
    ['Bill', () => ({ VendorRef: { value: '90' }, Line: [expense] }), { TotalAmt: 20, Balance: 20 }],
    ['Class', () => ({ Name: 'Cloud' }), { FullyQualifiedName: 'Cloud' }],
    ['CreditMemo', sale, { TotalAmt: 30, RemainingCredit: 30, DocNumber: '1042' }],
    ['Customer', () => ({ DisplayName: 'Ember Cafe' }), { Id: '63', Balance: 0 }],
    ['Department', () => ({ Name: 'Austin' }), { SubDepartment: false }],
    ['Employee', () => ({ GivenName: 'Ada', FamilyName: 'Byron' }), { DisplayName: 'Ada Byron' }],
    ['Estimate', sale, { TotalAmt: 30, DocNumber: '1001' }],
    ['Invoice', sale, { TotalAmt: 30, Balance: 30, DocNumber: '1042' }],
    [
      'Item',
      () => ({ Name: 'Hardware', Type: 'Service', IncomeAccountRef: { value: '2' } }),
      { Id: '30', UnitPrice: 0 },
    ],
    ['JournalEntry', () => ({ Line: [journal('Debit', '12'), journal('Credit', '35')] }), { TotalAmt: 5 }],
    ['Payment', () => ({ CustomerRef: { value: '58' }, TotalAmt: 7 }), { UnappliedAmt: 7 }],
    ['PaymentMethod', () => ({ Name: 'Wire' }), { Type: 'NON_CREDIT_CARD' }],
    ['Purchase', () => ({ PaymentType: 'CreditCard', AccountRef: { value: '41' }, Line: [expense] }), { TotalAmt: 20 }],
    [
      'PurchaseOrder',
      () => ({ VendorRef: { value: '90' }, APAccountRef: { value: '20' }, Line: [expense] }),
      { DocNumber: '1009', POStatus: 'Open' },
    ],
    ['RefundReceipt', () => ({ ...sale(), DepositToAccountRef: { value: '35' } }), { TotalAmt: 30 }],
    ['SalesReceipt', sale, { TotalAmt: 30, Balance: 0 }],
    ['TaxAgency', () => ({ DisplayName: 'Hays County' }), { DisplayName: 'Hays County' }],
    ['Term', () => ({ Name: 'Net 60', DueDays: 60 }), { Type: 'STANDARD' }],
    ['TimeActivity', () => ({ NameOf: 'Vendor', VendorRef: { value: '91' }, Hours: 1 }), { Hours: 1 }],
    ['Transfer', () => ({ FromAccountRef: { value: '35' }, ToAccountRef: { value: '41' }, Amount: 9 }), { Amount: 9 }],
    ['Vendor', () => ({ DisplayName: 'Pax Cloud' }), { Id: '92' }],
    ['VendorCredit', () => ({ VendorRef: { value: '90' }, Line: [expense] }), { Balance: 20 }],
  ])('creates, reads, and finds %s', async (entity, body, expected) => {
    const created = await call(`create${entity}`, body());
    expect(created).toMatchObject({ ...expected, domain: 'QBO', SyncToken: '0' });
    const read = await call(`get${entity}`, created['Id']);
    expect(read).toMatchObject({ ...expected, Id: created['Id'] });
    const plural =
      { Class: 'Classes', TaxAgency: 'TaxAgencies', TimeActivity: 'TimeActivities', JournalEntry: 'JournalEntries' }[
        entity
      ] ?? `${entity}s`;
    const found = await call(`find${plural}`, { Id: created['Id'] });
    // A query returns slightly less of a name than a read, plus a client's ID.
    const { DefaultTaxCodeRef: _code, BillRate: _bill, CostRate: _cost, ...plain } = read;
    const expectedRow = entity === 'Customer' ? { ClientEntityId: '0', ...plain } : plain;
    expect(listAt(docAt(found, 'QueryResponse'), entity)).toEqual([expectedRow]);
  });

  test('updates sparsely, voids, deletes, and reports a stale token', async () => {
    expect(await call('updateInvoice', { Id: '9141', SyncToken: '0', PrivateNote: 'by the client' })).toMatchObject({
      SyncToken: '1',
      PrivateNote: 'by the client',
    });
    await expect(call('updateInvoice', { Id: '9141', SyncToken: '0', PrivateNote: 'late' })).rejects.toThrow();
    expect(await call('voidPayment', { Id: '9152', SyncToken: '0' })).toMatchObject({ TotalAmt: 0 });
    expect(await call('voidInvoice', { Id: '9141', SyncToken: '1' })).toMatchObject({
      Invoice: { TotalAmt: 0, SyncToken: '2' },
    });
    expect(await call('deleteInvoice', '9138')).toMatchObject({ Invoice: { status: 'Deleted', Id: '9138' } });
    expect(await call('updateCustomer', { Id: '61', SyncToken: '0', Active: false })).toMatchObject({ Active: false });
  });

  test('finds with operators, counts, and pages', async () => {
    const invoices = (answer: Doc) => listAt(docAt(answer, 'QueryResponse'), 'Invoice').map(({ Id }) => Id);
    expect(
      invoices(
        await call('findInvoices', [{ field: 'TxnDate', value: '2025-02-20', operator: '>=' }, { asc: 'TxnDate' }]),
      ),
    ).toEqual(['9138', '9141']);
    expect(
      await call('findInvoices', [{ field: 'CustomerRef', value: '59', operator: '=' }, { count: true }]),
    ).toMatchObject({ QueryResponse: { totalCount: 2 } });
    expect(
      invoices(
        await call('findInvoices', [
          { field: 'fetchAll', value: true },
          { field: 'limit', value: 1 },
        ]),
      ),
    ).toHaveLength(3);
    expect(invoices(await call('findInvoices', { DocNumber: ['1038', '1039'] }))).toHaveLength(2);
    await call('createVendor', { DisplayName: "O'Brien & Sons" });
    const vendors = await call('findVendors', [{ field: 'DisplayName', value: "O'Brien & Sons", operator: '=' }]);
    expect(listAt(docAt(vendors, 'QueryResponse'), 'Vendor')).toHaveLength(1);
    const like = await call('findCustomers', [{ field: 'DisplayName', value: '%acme%', operator: 'LIKE' }]);
    expect(listAt(docAt(like, 'QueryResponse'), 'Customer')).toHaveLength(1);
  });

  test('requestId creates once, and allowDuplicateDocNum avoids 6140', async () => {
    const body = () => ({ ...invoiceOf(10), requestId: 'n-1' });
    expect(await call('createInvoice', body())).toEqual(await call('createInvoice', body()));
    await world.control('PUT', 'entities/Preferences/1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
    await expect(call('createInvoice', { ...invoiceOf(1), DocNumber: '1038' })).rejects.toThrow();
    expect(
      await call('createInvoice', { ...invoiceOf(1), DocNumber: '1038', allowDuplicateDocNum: true }),
    ).toMatchObject({ DocNumber: '1038' });
  });

  test('supports batch, changes, email, PDF, company, preferences, and rates', async () => {
    await world.advance(10);
    expect(
      await call('batch', [
        { bId: '1', operation: 'create', Customer: { DisplayName: 'Batch' } },
        { bId: '2', Query: 'select count(*) from Customer' },
      ]),
    ).toMatchObject({
      BatchItemResponse: [{ Customer: { DisplayName: 'Batch' } }, { QueryResponse: { totalCount: 5 } }],
    });
    expect(
      JSON.stringify(await call('changeDataCapture', ['Invoice', 'Customer'], '2025-02-20T00:00:00-08:00')),
    ).toContain('"Id":"9141"');
    expect(await call('sendInvoicePdf', '9141', 'ap@acmedental.example')).toMatchObject({ EmailStatus: 'EmailSent' });
    expect(await call('getInvoicePdf', '9141')).toEqual({ value: expect.stringMatching(/^%PDF-1\.4/) });
    expect(await call('getCompanyInfo', realmId)).toMatchObject({ CompanyName: 'Northwind IT Services' });
    expect(await call('getPreferences')).toMatchObject({ CurrencyPrefs: { HomeCurrency: { value: 'USD' } } });
    expect(await call('getExchangeRate', { sourcecurrencycode: 'CAD' })).toMatchObject({
      ExchangeRate: { Rate: 0.7402 },
    });
    expect(
      await call('updateExchangeRate', { SourceCurrencyCode: 'CAD', Rate: 0.7, AsOfDate: '2025-03-03' }),
    ).toMatchObject({ ExchangeRate: { Rate: 0.7 } });
    const bill = await call('createBill', { VendorRef: { value: '90' }, Line: [expense] });
    const paid = {
      VendorRef: { value: '90' },
      PayType: 'Check',
      CheckPayment: { BankAccountRef: { value: '35' } },
      TotalAmt: 20,
      Line: [{ Amount: 20, LinkedTxn: [{ TxnId: bill['Id'], TxnType: 'Bill' }] }],
    };
    expect(await call('createBillPayment', paid)).toMatchObject({ TotalAmt: 20 });
    expect(
      await call('createDeposit', {
        DepositToAccountRef: { value: '35' },
        Line: [{ Amount: 300, LinkedTxn: [{ TxnId: '9152', TxnType: 'Payment' }] }],
      }),
    ).toMatchObject({ TotalAmt: 300 });
    expect(await call('getTaxCode', '5')).toMatchObject({ Name: 'Travis County' });
    expect(await call('getTaxRate', '9')).toMatchObject({ RateValue: 8.25 });
  });

  test('upload attaches a file', async () => {
    expect(
      await call('upload', 'contractor.pdf', 'application/pdf', Buffer.from('%PDF-'), 'Invoice', '9141'),
    ).toMatchObject({
      FileName: 'contractor.pdf',
      AttachableRef: [{ EntityRef: { type: 'Invoice', value: '9141' } }],
    });
  });

  test('refreshes and revokes its tokens', async () => {
    expect(await call('refreshAccessToken')).toMatchObject({ token_type: 'bearer', expires_in: 3600 });
    await call('revokeAccess', true);
    expect((await world.control('GET', 'connections')).body).toEqual({ items: [] });
  });
});

describe('intuit-oauth', () => {
  test('logs in, calls the API, refreshes, reads the user, and revokes', async () => {
    const { url, credentials } = world.sandbox;
    const [realm] = credentials.realms;
    OAuthClient.environment = { sandbox: `${url}/`, production: `${url}/` };
    const client = new OAuthClient({
      clientId: credentials.clientId,
      clientSecret: credentials.clientSecret,
      environment: 'sandbox',
      redirectUri,
    });
    client.setAuthorizeURLs({
      authorizeEndpoint: `${url}/connect/oauth2`,
      tokenEndpoint: `${url}/oauth2/v1/tokens/bearer`,
      revokeEndpoint: `${url}/v2/oauth2/tokens/revoke`,
      userInfoEndpoint: `${url}/v1/openid_connect/userinfo`,
    });
    const consentUrl = new URL(
      client.authorizeUri({ scope: ['com.intuit.quickbooks.accounting', 'openid', 'email'], state: 'abc' }),
    );
    const back = await world.consent({
      ...Object.fromEntries(consentUrl.searchParams),
      realm_id: realm?.realmId ?? '',
    });
    expect((await client.createToken(back.href)).json).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      id_token: expect.any(String),
    });
    expect(client.isAccessTokenValid()).toBe(true);
    const company = await client.makeApiCall({
      url: `${url}/v3/company/${realm?.realmId ?? ''}/companyinfo/${realm?.realmId ?? ''}`,
    });
    expect(docAt(company.json, 'CompanyInfo')).toMatchObject({ CompanyName: 'Northwind IT Services' });
    const before = textAt((await client.refresh()).json, 'access_token');
    expect(textAt((await client.refresh()).json, 'access_token')).not.toBe(before);
    expect((await client.getUserInfo()).json).toMatchObject({ email: 'robin.ledger@northwind-msp.example' });
    await client.revoke();
    expect((await world.control('GET', 'connections')).body).toEqual({ items: [] });
  });
});
