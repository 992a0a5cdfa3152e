import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docAt, listAt, textAt } from './doc.ts';
import { parseQuery } from './query-parse.ts';
import { type Client, codesOf, faultOf, invoiceOf, World } from './test-client.ts';

let world: World;
let northwind: Client;
beforeAll(async () => {
  world = await World.start();
  northwind = await world.connect();
});
afterAll(() => world.close());

const refused = async (statement: string) =>
  faultOf(await northwind.get(`query?query=${encodeURIComponent(statement)}`));

test('any value works with escaped quotes and backslashes', () => {
  const typographic = /[\u2010-\u201f]/;
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }).filter((text) => !typographic.test(text)),
      (value) => {
        const escaped = value.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`);
        expect(parseQuery(`select * from Customer where DisplayName = '${escaped}'`).where).toEqual([
          { field: 'DisplayName', operator: '=', values: [value] },
        ]);
      },
    ),
  );
});

test('any text is parsed or rejected as a query without a crash', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.constantFrom("select * from Item where Name = '", 'select', 'SELECT * FROM', '')),
      (text) => {
        try {
          parseQuery(text);
        } catch (error) {
          expect(String(error)).toMatch(/4000|4001/);
        }
      },
    ),
  );
});

test.each([
  ['SELECT * FROM Customer MAXRESULTS 2 STARTPOSITION 3', { startPosition: 3, maxResults: 2 }],
  ['select * from customer startposition 3 maxresults 2', { startPosition: 3, maxResults: 2 }],
  ['Select Id, DocNumber From Invoice Order By TxnDate Desc, Id', { select: ['Id', 'DocNumber'] }],
  ['select count(*) from Invoice', { select: 'count' }],
])('parses %s', (statement, expected) => {
  expect(parseQuery(statement)).toMatchObject(expected);
});

test('an unescaped apostrophe is a parse error with its position and the expected tokens (4000)', async () => {
  const detail = await refused(
    "SELECT * FROM Customer WHERE DisplayName = 'Amy's Bird' AND Active = true AND Notes = ''",
  );
  expect(detail).toContain('4000: QueryParserError: Encountered " <IDENTIFIER> "s "" at line 1, column 49.');
  const expected = [
    '<EOF> ',
    '<AND> ...',
    '"iterator" ...',
    '"maxresults" ...',
    '<OR> ...',
    '"order" ...',
    '"orderby" ...',
    '"startposition" ...',
  ];
  expect(detail.slice(detail.indexOf('Was expecting'))).toBe(
    `Was expecting one of:\n${expected.map((token) => `    ${token}\n`).join('')}    `,
  );
});

test('escapes an apostrophe with a backslash and an ampersand by URL encoding', async () => {
  await northwind.write('Vendor', { DisplayName: "O'Brien & Sons" });
  expect(
    await northwind.column(String.raw`SELECT * FROM Vendor WHERE DisplayName = 'O\'Brien & Sons'`, 'DisplayName'),
  ).toEqual(["O'Brien & Sons"]);
});

test('double encoding and typographic quotes are lexer errors (4000)', async () => {
  const twice = encodeURIComponent(encodeURIComponent("select * from Item where Name = 'a'"));
  expect(faultOf(await northwind.get(`query?query=${twice}`))).toContain(
    '4000: QueryParserError: Invalid content. Lexical error at line 1, column 7.  Encountered: "%" (37), after : ""',
  );
  expect(await refused('select * from Item where Name = ‘a’')).toContain('Lexical error at line 1, column 33');
  expect(await refused("select * from Item where Name = 'Acme – North'")).toContain('Encountered: "–" (8211)');
});

test.each([
  [
    "select * from Invoice where Colour = 'red'",
    '4001: QueryValidationError: Property Colour not found for Entity Invoice',
  ],
  ["select * from Invoice where BillAddr = 'x'", "4001: QueryValidationError: property 'BillAddr' is not queryable"],
  ["select * from Bill where Line = 'x'", "4001: QueryValidationError: property 'Line' is not queryable"],
  [
    "select * from PurchaseOrder where CustomField = 'x'",
    "4001: QueryValidationError: property 'CustomField' is not queryable",
  ],
  ['select * from Invoice startposition 0', '4001: QueryValidationError: value 0 is too small. Min allowed value is 1'],
  ['select * from Invoice maxresults 0', '4001: QueryValidationError: value 0 is too small. Min allowed value is 1'],
  [
    'select * from Invoice maxresults 1001',
    '4001: QueryValidationError: value 1001 is too large. Max allowed value is 1000',
  ],
  ["select * from Invoice where Id > '5'", "4001: QueryValidationError: operator > is not supported for property 'Id'"],
  [
    "select * from Invoice where DocNumber = '1' or DocNumber = '2'",
    '4001: QueryValidationError: operator OR is not supported',
  ],
  ['select BillAddr from Invoice', "4001: QueryValidationError: property 'BillAddr' is not queryable"],
  ["select * from Invoice where TotalAmt > '1'", "4001: QueryValidationError: property 'TotalAmt' is not queryable"],
])('rejects %s', async (statement, fault) => {
  expect(await refused(statement)).toBe(fault);
});

test.each([
  "select * from Invoice where DocNumber != '1'",
  'select * from Invoice where DocNumber is null',
  'select * from Invoice group by DocNumber',
  'select * from Invoice where Balance > 5',
  "select * from Invoice where not DocNumber = '1'",
  'select DocNumber Invoice',
])('%s is a syntax error (4000)', async (statement) => {
  expect(await refused(statement)).toMatch(/^4000: QueryParserError: /);
});

test('compares references by ID, amounts by number, and dates by day', async () => {
  expect(await northwind.column("select * from Invoice where CustomerRef = '59' orderby DocNumber desc", 'Id')).toEqual(
    ['8801', '9138'],
  );
  expect(await northwind.column("select * from Invoice where Balance >= '500.00' orderby Balance", 'Id')).toEqual([
    '9138',
    '8801',
  ]);
  expect(await northwind.column("select * from Invoice where TxnDate < '2025-02-20'", 'Id')).toEqual(['8801']);
  expect(
    await northwind.column(
      "select * from Invoice where DocNumber in ('1038', '1039') orderby DocNumber desc",
      'DocNumber',
    ),
  ).toEqual(['1039', '1038']);
});

test('hides inactive names unless the query mentions Active', async () => {
  expect(await northwind.column("select * from Customer where DisplayName like 'Old%'", 'Id')).toEqual([]);
  expect(await northwind.column('select * from Customer where Active = false', 'Id')).toEqual(['62']);
  expect(await northwind.column("select * from Customer where Active in (true, false) and Id = '62'", 'Id')).toEqual([
    '62',
  ]);
});

test('LIKE is case-sensitive only when switched', async () => {
  const statement = "select * from Customer where DisplayName like '%ACME%'";
  expect(await northwind.column(statement, 'Id')).toEqual(['58']);
  await world.behave({ query_like: 'respects-case' });
  expect(await northwind.column(statement, 'Id')).toEqual([]);
  await world.control('DELETE', 'behaviour');
});

test('refuses, ignores, or allows sorting by Id', async () => {
  const ids = async () => northwind.column('select * from Invoice orderby Id', 'Id');
  expect(await refused('select * from Invoice orderby Id')).toBe(
    "4001: QueryValidationError: property 'Id' is not sortable",
  );
  await world.behave({ query_order_by_id: 'ignored' });
  expect(await ids()).toEqual(await northwind.column('select * from Invoice', 'Id'));
  await world.behave({ query_order_by_id: 'allowed' });
  expect(await ids()).toEqual(['8801', '9138', '9141']);
  await world.behave({ query_order_by_id: 'refused' });
});

test.each(['Term', 'TaxCode', 'TaxRate', 'TaxAgency'])('does not sort %s by creation', async (entity) => {
  expect(await refused(`select * from ${entity} orderby MetaData.CreateTime`)).toContain('is not sortable');
});

test('sorts documents by latest change and names by name without ORDERBY', async () => {
  expect(await northwind.column('select * from Invoice', 'Id')).toEqual(['9138', '9141', '8801']);
  expect(await northwind.column('select * from Item', 'Name')).toEqual([
    'AP-620 Access point',
    'Managed Workstation',
    'Onsite Support',
    'Project milestone',
    'Remote Support',
    'Switch',
  ]);
});

test('pages show their size; totalCount appears for invoices only; an empty result is an empty object', async () => {
  expect(await northwind.query('select * from Invoice maxresults 2')).toMatchObject({
    startPosition: 1,
    maxResults: 2,
    totalCount: 2,
  });
  const items = await northwind.query('select * from Item startposition 2 maxresults 2');
  expect(items).toMatchObject({ startPosition: 2, maxResults: 2 });
  expect(items).not.toHaveProperty('totalCount');
  expect(await northwind.query("select * from Invoice where DocNumber = 'none'")).toEqual({});
  expect(await northwind.query('select count(*) from Item')).toEqual({ totalCount: 6 });
});

test('a page without MAXRESULTS has 100 rows', async () => {
  const other = await World.start({ invoices: 130 });
  const client = await other.connect();
  expect(listAt(await client.query('select * from Invoice'), 'Invoice')).toHaveLength(100);
  expect(listAt(await client.query('select * from Invoice startposition 101'), 'Invoice')).toHaveLength(33);
  await other.close();
});

test('a field list returns the selected members; a switch adds Id, SyncToken, and MetaData', async () => {
  expect(await northwind.query("select DocNumber, MetaData.CreateTime from Invoice where Id = '9141'")).toMatchObject({
    Invoice: [
      { DocNumber: '1038', MetaData: { CreateTime: '2025-02-24T10:00:00-08:00' }, domain: 'QBO', sparse: true },
    ],
  });
  const [lean] = listAt(await northwind.query("select DocNumber from Invoice where Id = '9141'"), 'Invoice');
  expect(lean).not.toHaveProperty('Id');
  await world.behave({ query_projection: 'with-id' });
  const [full] = listAt(await northwind.query("select DocNumber from Invoice where Id = '9141'"), 'Invoice');
  expect(full).toMatchObject({ Id: '9141', SyncToken: '0' });
  await world.control('DELETE', 'behaviour');
});

test('time windows are exact with and without offsets', async () => {
  await world.advance(60);
  await northwind.write('Invoice', invoiceOf(10));
  const [changed] = listAt(await northwind.query('select * from Invoice maxresults 1'), 'Invoice');
  const at = textAt(docAt(changed, 'MetaData'), 'LastUpdatedTime') ?? '';
  expect(await northwind.column(`select * from Invoice where MetaData.LastUpdatedTime >= '${at}'`, 'Id')).toEqual([
    changed?.['Id'],
  ]);
  expect(await northwind.column(`select * from Invoice where MetaData.LastUpdatedTime > '${at}'`, 'Id')).toEqual([]);
  const utc = new Date(at).toISOString().replace('.000Z', '+00:00');
  expect(await northwind.column(`select * from Invoice where MetaData.LastUpdatedTime >= '${utc}'`, 'Id')).toEqual([
    changed?.['Id'],
  ]);
});

test('accepts a query posted as text', async () => {
  const answer = await northwind.send('POST', 'query', 'select count(*) from Item', {
    'Content-Type': 'application/text',
  });
  expect(answer.body).toMatchObject({ QueryResponse: { totalCount: 6 } });
  for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/html'])
    expect(codesOf(await northwind.send('POST', 'query', 'select * from Item', { 'Content-Type': type }))).toEqual([
      '1050',
    ]);
});

test('reads an unencoded plus as a blank, which is invalid in a time offset', async () => {
  expect((await northwind.get('query?query=select+count(*)+from+Item')).body).toMatchObject({
    QueryResponse: { totalCount: 6 },
  });
  const since = (time: string) => `query?query=select+Id+from+Item+where+MetaData.LastUpdatedTime+>+'${time}'`;
  expect(codesOf(await northwind.get(since('2020-01-01T00:00:00+00:00')))).toEqual(['4001']);
  expect(codesOf(await northwind.get(since('2020-01-01T00:00:00%2B00:00')))).toEqual([]);
});

test('undocumented filters work when switched', async () => {
  await world.behave({ query_undocumented_filters: true });
  expect(await northwind.column("select * from Invoice where TotalAmt = '420'", 'Id')).toEqual(['9141']);
  await world.control('DELETE', 'behaviour');
});
