import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Doc, docAt, listAt, textAt } from '../doc.ts';
import { type Client, codesOf, invoiceOf, saleOf, World } from '../test-client.ts';
import { reportNames } from './run-report.ts';

let world: World;
let northwind: Client;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  world.sandbox.reset();
  // The shape of the reports that were recorded.
  await world.behave({ reports_service: 'classic' });
  northwind = await world.connect();
});
afterAll(() => world.close());

const report = async (name: string, query = ''): Promise<Doc> => (await northwind.get(`reports/${name}${query}`)).body;

/** Renders a report as text: cells with IDs in brackets, sections indented. */
function lines(body: Doc): string[] {
  const cells = (of: Doc) =>
    listAt(of, 'ColData')
      .map(
        (cell) => `${textAt(cell, 'value') ?? ''}${textAt(cell, 'id') === undefined ? '' : `[${textAt(cell, 'id')}]`}`,
      )
      .join(' | ');
  const walk = (rows: readonly Doc[], depth: string): string[] =>
    rows.flatMap((row) => [
      ...(row['Header'] === undefined ? [] : [`${depth}${cells(docAt(row, 'Header'))}`]),
      ...(row['ColData'] === undefined ? [] : [`${depth}${cells(row)}`]),
      ...walk(listAt(docAt(row, 'Rows'), 'Row'), `${depth}  `),
      ...(row['Summary'] === undefined ? [] : [`${depth}= ${cells(docAt(row, 'Summary'))}`]),
    ]);
  return walk(listAt(docAt(body, 'Rows'), 'Row'), '');
}
const titles = (body: Doc) => listAt(docAt(body, 'Columns'), 'Column').map((column) => column['ColTitle']);

async function march(): Promise<void> {
  await northwind.write('Invoice', {
    ...invoiceOf(0),
    Line: [
      saleOf(150, {}, { ClassRef: { value: '200' } }),
      saleOf(500, {}, { ItemRef: { value: '32' }, TaxCodeRef: { value: 'TAX' }, ClassRef: { value: '201' } }),
    ],
    SalesTermRef: { value: '3' },
  });
  await northwind.write('Bill', {
    VendorRef: { value: '90' },
    TxnDate: '2025-03-03',
    DueDate: '2025-03-13',
    DocNumber: 'IN-77',
    Line: [
      {
        DetailType: 'AccountBasedExpenseLineDetail',
        Amount: 80,
        AccountBasedExpenseLineDetail: { AccountRef: { value: '14' } },
      },
    ],
  });
}

test('the trial balance lists every account, with earlier years in retained earnings', async () => {
  await march();
  const body = await report('TrialBalance', '?start_date=2025-03-01&end_date=2025-03-31');
  expect(body['Header']).toEqual({
    Time: '2025-03-03T10:00:00-08:00',
    ReportName: 'TrialBalance',
    StartPeriod: '2025-03-01',
    EndPeriod: '2025-03-31',
    ReportBasis: 'Accrual',
    Currency: 'USD',
    Option: [{ Name: 'NoReportData', Value: 'false' }],
  });
  expect(lines(body)).toEqual([
    'Accounts Receivable[30] | 2311.25 | ',
    'Undeposited Funds[26] | 300.00 | ',
    'Accounts Payable[20] |  | 80.00',
    'Sales Tax Payable[27] |  | 41.25',
    'Hardware Income[2] |  | 500.00',
    'Project Income[3] |  | 800.00',
    'Service Income[1] |  | 1270.00',
    'Cost of Goods – Hardware[14] | 80.00 | ',
    '= TOTAL | 2691.25 | 2691.25',
  ]);
  expect(lines(await report('TrialBalance', '?end_date=2026-01-31')).slice(3)).toEqual([
    'Sales Tax Payable[27] |  | 41.25',
    'Retained Earnings[89] |  | 2490.00',
    '= TOTAL | 2611.25 | 2611.25',
  ]);
});

test('the receivables aging lists open documents by age on the report date, oldest first', async () => {
  await march();
  const body = await report('AgedReceivableDetail', '?report_date=2025-04-05');
  expect(titles(body)).toEqual(['Date', 'Transaction Type', 'No.', 'Customer', 'Due Date', 'Amount', 'Open Balance']);
  expect(docAt(body, 'Header')).toMatchObject({
    EndPeriod: '2025-04-05',
    Option: [{ Name: 'report_date', Value: '2025-04-05' }, { Name: 'NoReportData' }],
  });
  expect(lines(body)).toEqual([
    '1 - 30 days past due |  |  |  |  |  | ',
    '  2025-02-12 | Invoice[8801] | 20250312 | Birch Legal LLP[59] | 2025-03-14 | 700.00 | 700.00',
    '  2025-02-20 | Invoice[9138] | 1039 | Birch Legal LLP[59] | 2025-03-22 | 800.00 | 500.00',
    '  2025-02-24 | Invoice[9141] | 1038 | Acme Dental[58] | 2025-03-26 | 420.00 | 420.00',
    '  2025-03-03 | Invoice[9177] | 1042 | Acme Dental[58] | 2025-04-02 | 691.25 | 691.25',
    '= Total for 1 - 30 days past due |  |  |  |  | 2611.25 | 2311.25',
    '= TOTAL |  |  |  |  | 2611.25 | 2311.25',
  ]);
  // The payment of 2025-02-27 did not exist the day before; columns have a fixed order.
  const before = await report(
    'AgedReceivableDetail',
    '?report_date=2025-02-26&customer=59&columns=due_date,cust_name,subt_home_open_bal,foreign_open_bal',
  );
  expect(titles(before)).toEqual(['Customer', 'Due Date', 'Foreign Open Balance', 'Open Balance']);
  expect(lines(before).at(-1)).toBe('= TOTAL |  | 1500.00 | 1500.00');
  expect(lines(await report('AgedReceivableDetail', '?report_date=2025-06-20&aging_period=10&num_periods=3'))[0]).toBe(
    '21 or more days past due |  |  |  |  |  | ',
  );
  expect(lines(await report('AgedReceivables', '?report_date=2025-04-05'))).toEqual([
    'Acme Dental[58] | 0.00 | 1111.25 | 0.00 | 0.00 | 0.00 | 1111.25',
    'Birch Legal LLP[59] | 0.00 | 1200.00 | 0.00 | 0.00 | 0.00 | 1200.00',
    '= TOTAL | 0.00 | 2311.25 | 0.00 | 0.00 | 0.00 | 2311.25',
  ]);
});

test('the payables aging lists the days past due', async () => {
  await march();
  expect(lines(await report('AgedPayableDetail', '?report_date=2025-04-05'))).toEqual([
    '1 - 30 days past due |  |  |  |  |  |  | ',
    '  2025-03-03 | Bill[9178] | IN-77 | Ingram Supplies[90] | 2025-03-13 | 23 | 80.00 | 80.00',
    '= Total for 1 - 30 days past due |  |  |  |  |  | 80.00 | 80.00',
    '= TOTAL |  |  |  |  |  | 80.00 | 80.00',
  ]);
  expect(lines(await report('AgedPayables', '?report_date=2025-03-05')).at(-1)).toBe(
    '= TOTAL | 80.00 | 0.00 | 0.00 | 0.00 | 0.00 | 80.00',
  );
});

test('the general ledger has a section per account with its opening balance', async () => {
  await march();
  const body = await report('GeneralLedger', '?start_date=2025-03-01&end_date=2025-03-31');
  expect(lines(body).slice(0, 9)).toEqual([
    'Accounts Receivable[30] |  |  |  |  |  |  |  | ',
    '  Beginning Balance |  |  |  |  |  |  |  | 1620.00',
    '  2025-03-03 | Invoice[9177] | 1042 | Acme Dental[58] |  |  | -Split- | 691.25 | 2311.25',
    '= Total for Accounts Receivable |  |  |  |  |  |  | 691.25 | ',
    'Undeposited Funds[26] |  |  |  |  |  |  |  | ',
    '  Beginning Balance |  |  |  |  |  |  |  | 300.00',
    '= Total for Undeposited Funds |  |  |  |  |  |  | 0.00 | ',
    'Accounts Payable[20] |  |  |  |  |  |  |  | ',
    '  2025-03-03 | Bill[9178] | IN-77 | Ingram Supplies[90] |  |  | Cost of Goods – Hardware[14] | 80.00 | 80.00',
  ]);
  expect(lines(body)).toContain(
    '  2025-03-03 | Invoice[9177] | 1042 | Acme Dental[58] | Hardware[201] |  | -Split- | 500.00 | 500.00',
  );
  // With several currencies, the columns of single-currency companies are empty.
  const columns = 'tx_date,txn_type,debt_home_amt,credit_home_amt,subt_nat_amount';
  expect(
    lines(await report('GeneralLedger', `?start_date=2025-02-27&end_date=2025-03-31&account=30&columns=${columns}`)),
  ).toEqual([
    'Accounts Receivable[30] |  |  |  | ',
    '  Beginning Balance |  |  |  | ',
    '  2025-02-27 | Payment[9152] |  | 300.00 | ',
    '  2025-03-03 | Invoice[9177] | 691.25 |  | ',
    '= Total for Accounts Receivable |  | 691.25 | 300.00 | ',
  ]);
});

test('sub-accounts appear within their parent', async () => {
  const { Id } = await northwind.write('Account', {
    Name: 'Remote',
    AccountType: 'Income',
    SubAccount: true,
    ParentRef: { value: '1' },
  });
  const item = await northwind.write('Item', { Name: 'Remote', Type: 'Service', IncomeAccountRef: { value: Id } });
  await northwind.write('Invoice', {
    ...invoiceOf(0),
    Line: [saleOf(5), saleOf(70, {}, { ItemRef: { value: item['Id'] } })],
  });
  const body = await report(
    'GeneralLedger',
    '?start_date=2025-03-01&end_date=2025-03-31&columns=tx_date,subt_nat_home_amount',
  );
  expect(lines(body).slice(-6)).toEqual([
    'Service Income[1] | ',
    '  2025-03-03 | 5.00',
    `  Remote[${textAt({ Id }, 'Id') ?? ''}] | `,
    '    2025-03-03 | 70.00',
    '  = Total for Remote | 70.00',
    '= Total for Service Income with sub-accounts | 75.00',
  ]);
});

test('profit and loss by class and the balance sheet match', async () => {
  await march();
  const month = '?start_date=2025-03-01&end_date=2025-03-31';
  const body = await report('ProfitAndLoss', `${month}&summarize_column_by=Classes`);
  expect(titles(body)).toEqual(['', 'Hardware', 'Managed Services', 'Not Specified', 'Total']);
  expect(lines(body)).toContain('  Hardware Income[2] | 500.00 | 0.00 | 0.00 | 500.00');
  expect(lines(body)).toContain('= Gross Profit | 500.00 | 150.00 | -80.00 | 570.00');
  expect(lines(await report('ProfitAndLoss', `${month}&class=201`)).at(-1)).toBe('= Net Income | 500.00');
  expect(lines(await report('BalanceSheet', '?end_date=2025-03-31'))).toEqual([
    'ASSETS | ',
    '  Current Assets | ',
    '    Accounts Receivable | ',
    '      Accounts Receivable[30] | 2311.25',
    '    = Total Accounts Receivable | 2311.25',
    '    Other Current Assets | ',
    '      Undeposited Funds[26] | 300.00',
    '    = Total Other Current Assets | 300.00',
    '  = Total Current Assets | 2611.25',
    '= TOTAL ASSETS | 2611.25',
    'LIABILITIES AND EQUITY | ',
    '  Liabilities | ',
    '    Current Liabilities | ',
    '      Accounts Payable | ',
    '        Accounts Payable[20] | 80.00',
    '      = Total Accounts Payable | 80.00',
    '      Other Current Liabilities | ',
    '        Sales Tax Payable[27] | 41.25',
    '      = Total Other Current Liabilities | 41.25',
    '    = Total Current Liabilities | 121.25',
    '  = Total Liabilities | 121.25',
    '  Equity | ',
    '    Net Income | 2490.00',
    '  = Total Equity | 2490.00',
    '= TOTAL LIABILITIES AND EQUITY | 2611.25',
  ]);
});

test('lists sales by customer with sub-customers, the tax of an agency, and the transactions', async () => {
  await march();
  const child = await northwind.write('Customer', { DisplayName: 'Acme North', Job: true, ParentRef: { value: '58' } });
  await northwind.write('Invoice', { ...invoiceOf(30), CustomerRef: { value: child['Id'] } });
  expect(lines(await report('CustomerSales', '?start_date=2025-01-01&end_date=2025-12-31'))).toEqual([
    'Acme Dental[58] | 1070.00',
    '  Acme North[63] | 30.00',
    '= Total Acme Dental | 1100.00',
    'Birch Legal LLP[59] | 1500.00',
    '= TOTAL | 2600.00',
  ]);
  expect(lines(await report('TaxSummary', '?agency_id=1'))).toEqual([
    'Travis County[9] | ',
    '  Taxable amount | 500.00',
    '  Tax | 41.25',
    '= Total Travis County | 41.25',
    '= Tax due | 41.25',
  ]);
  expect(
    lines(await report('TransactionList', '?start_date=2025-02-27&end_date=2025-03-31&columns=tx_date,txn_type,name')),
  ).toEqual([
    '2025-02-27 | Payment[9152] | Birch Legal LLP[59]',
    '2025-03-03 | Invoice[9177] | Acme Dental[58]',
    '2025-03-03 | Bill[9178] | Ingram Supplies[90]',
    '2025-03-03 | Invoice[9179] | Acme Dental:Acme North[63]',
  ]);
});

test.each([
  ['TrialBalance', '?start_date=today', '2060'],
  ['TrialBalance', '?start_date=2025-04-01&end_date=2025-03-01', '6000'],
  ['TrialBalance', '?date_macro=Someday', '2170'],
  ['ProfitAndLoss', '?accounting_method=Cash', '5030'],
  ['ProfitAndLoss', '?summarize_column_by=Moons', '2170'],
  ['AgedReceivableDetail', '?aging_period=a', '2090'],
  ['TaxSummary', '', '2020'],
  ['JournalReport', '', '500'],
])('rejects report %s%s with code %s', async (name, query, code) => {
  const answer = await northwind.get(`reports/${name}${query}`);
  expect(answer.status).toBe(400);
  expect(codesOf(answer)).toEqual([code]);
});

test('marks an empty report, and every report works for another company', async () => {
  const hill = await world.connect('9341452000000002');
  for (const name of reportNames) {
    const { status, body } = await hill.get(`reports/${name}?agency_id=1`);
    expect([name, status, listAt(docAt(body, 'Header'), 'Option').at(-1)]).toEqual([
      name,
      200,
      { Name: 'NoReportData', Value: 'true' },
    ]);
  }
});

test('returns 429 after 200 reports in a minute', async () => {
  await world.control('PUT', 'limits', { enforce: true, requests_per_second: null, reports_per_minute: 2 });
  const statuses = [];
  for (let n = 0; n < 3; n += 1) statuses.push((await northwind.get('reports/TrialBalance')).status);
  await world.control('PUT', 'limits', { enforce: false });
  expect(statuses).toEqual([200, 200, 429]);
});

test('the modernized service leaves 0 and -Split- empty and sorts rows differently', async () => {
  await march();
  const query = '?start_date=2025-03-01&end_date=2025-03-31';
  const [ledger, balance] = [await report('GeneralLedger', query), await report('TrialBalance', query)];
  await world.behave({ reports_service: 'modernized' });
  const [newLedger, newBalance] = [await report('GeneralLedger', query), await report('TrialBalance', query)];
  expect(JSON.stringify(newLedger)).not.toContain('-Split-');
  expect(JSON.stringify(newBalance)).not.toContain('"0.00"');
  expect(lines(newLedger).length).toBeGreaterThanOrEqual(lines(ledger).length);
  expect(lines(newBalance).at(-1)).toBe(lines(balance).at(-1));
  expect(lines(newBalance)[0]).not.toBe(lines(balance)[0]);
});
