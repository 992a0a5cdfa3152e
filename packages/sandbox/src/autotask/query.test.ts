import { assert, configureGlobal, constantFrom, integer, property, array, record, option } from 'fast-check';
import { expect, test } from 'vitest';
import { compileQuery, QueryRefused, type QueryRules } from './query.ts';
import { select } from './read.ts';
import { entityType } from './schema.ts';
import { Table, type Row } from './table.ts';
import { ids, start, where } from './testing.ts';

configureGlobal({ seed: 20_250_303 });

const invoices = [
  48213, 48214, 48301, 48302, 48303, 48304, 48305, 48306, 48307, 48308, 48309, 48310, 48311, 48312, 48313, 48314,
];
const except = (...some: number[]) => invoices.filter((id) => !some.includes(id));

test.each<[string, unknown, number[]]>([
  ['eq on an id', [where('id', 'eq', 48213)], [48213]],
  ['eq with the number as text', [where('id', 'eq', '48213')], [48213]],
  [
    'eq on text ignores letter case',
    [where('taxRegionName', 'eq', 'TRAVIS county'), where('id', 'lt', 48214)],
    [48213],
  ],
  [
    'eq on empty text does not find null',
    [where('invoiceNumber', 'eq', ''), where('id', 'lte', 48301)],
    [48213, 48301],
  ],
  ['eq null finds no rows', [where('webServiceDate', 'eq', null)], []],
  ['noteq skips null', [where('invoiceNumber', 'noteq', ''), where('id', 'lte', 48301)], []],
  ['noteq true on a flag', [where('isVoided', 'noteq', true)], except(48312, 48313)],
  ['eq true on a flag', [where('isVoided', 'eq', true)], [48312, 48313]],
  ['gt and lt', [where('id', 'gt', 48213), where('id', 'lt', 48302)], [48214, 48301]],
  ['gte and lte', [where('id', 'gte', 48213), where('id', 'lte', 48301)], [48213, 48214, 48301]],
  ['gt on an amount', [where('invoiceTotal', 'gt', 1966.24), where('invoiceTotal', 'lt', 1966.26)], [48213]],
  ['lt on a negative amount', [where('invoiceTotal', 'lt', -179.99)], [48301]],
  [
    'gte on an instant',
    [where('createDateTime', 'gte', '2025-02-17T06:05:00Z'), where('createDateTime', 'lt', '2025-02-18')],
    [48310],
  ],
  ['gte with a date alone is midnight UTC', [where('invoiceDateTime', 'lte', '2025-02-16')], [48305, 48311]],
  ['an instant with an offset', [where('createDateTime', 'eq', '2025-02-17T00:05:00-06:00')], [48310]],
  ['lt on an instant', [where('createDateTime', 'lt', '2025-02-17T06:05:00.001Z')], [48310, 48311]],
  ['beginsWith', [where('invoiceNumber', 'beginsWith', '2025')], [48314]],
  ['endsWith', [where('invoiceNumber', 'endsWith', '38')], [48312]],
  ['contains ignores letter case', [where('comments', 'contains', 'YOUR BUSINESS')], [48213]],
  ['contains has no wildcards', [where('comments', 'contains', '%business%')], []],
  ['exist', [where('webServiceDate', 'exist')], [48312, 48313]],
  ['notExist', [where('webServiceDate', 'notExist')], except(48312, 48313)],
  ['notExist: an empty text is a value', [where('invoiceNumber', 'notExist')], [48214]],
  ['in', [where('id', 'in', [48213, '48301', 7])], [48213, 48301]],
  ['in with no values', [where('id', 'in', [])], []],
  ['in on text', [where('invoiceNumber', 'in', ['1038', '1039'])], [48312, 48313]],
  ['notIn', [where('companyID', 'notIn', [175, 176])], [48304, 48307, 48308, 48310]],
  ['or', [{ op: 'or', items: [where('id', 'eq', 48213), where('id', 'eq', 48301)] }], [48213, 48301]],
  [
    'and in or in and',
    [
      {
        op: 'and',
        items: [
          where('isVoided', 'eq', false),
          {
            op: 'or',
            items: [
              { op: 'and', items: [where('companyID', 'eq', 177), where('invoiceTotal', 'gt', 0)] },
              { op: 'and', items: [where('companyID', 'eq', 176), where('invoiceTotal', 'eq', 0)] },
              where('invoiceNumber', 'eq', '1038'),
            ],
          },
        ],
      },
    ],
    [48303, 48308],
  ],
  [
    'an unknown operator is ignored, and other conditions apply',
    [where('id', 'ne', 48213), where('companyID', 'eq', 180)],
    [48307],
  ],
  ['an unknown operator alone finds every row', [where('companyID', 'like', 'x')], invoices],
  ['an operator in another letter case is unknown', [where('id', 'EQ', 48213)], invoices],
  [
    'an unknown operator is removed from an or',
    [{ op: 'or', items: [where('id', 'eq', 48213), where('id', 'startsWith', 4)] }],
    [48213],
  ],
  [
    'an unknown field with an unknown operator is ignored',
    [where('nothing', 'like', 1), where('id', 'eq', 48213)],
    [48213],
  ],
  ['field names in any letter case', [where('COMPANYid', 'eq', 180)], [48307]],
])('%s', async (_what, filter, expected) => {
  const { query, api } = await start();
  expect(ids((await query('Invoices', filter)).items)).toEqual(expected);
  const search = encodeURIComponent(JSON.stringify({ filter }));
  expect(ids((await api('GET', `Invoices/query?search=${search}`)).items)).toEqual(expected);
  expect((await api('POST', 'Invoices/query/count', { filter })).json).toEqual({ queryCount: expected.length });
  expect((await api('GET', `Invoices/query/count?search=${search}`)).json).toEqual({ queryCount: expected.length });
});

const manyConditions = Array.from({ length: 501 }, (_, n) => where('id', 'eq', n));
test.each<[string, string, unknown, string]>([
  [
    'an unknown field',
    'Companies',
    { filter: [where('companyname2', 'eq', 'x')] },
    'Unable to find companyname2 in the Company Entity.',
  ],
  [
    'an unknown field deep in a group',
    'Invoices',
    { filter: [{ op: 'or', items: [where('nothing', 'eq', 1)] }] },
    'Unable to find nothing in the Invoice Entity.',
  ],
  [
    'a field that cannot be queried',
    'Invoices',
    { filter: [where('dueDate', 'gte', '2025-01-01')] },
    'The field dueDate in the Invoice Entity cannot be queried.',
  ],
  [
    'text for a number',
    'Invoices',
    { filter: [where('paymentTerm', 'eq', 'Net 30')] },
    "Conversion failed when converting the nvarchar value 'Net 30' to data type int.",
  ],
  [
    'text for an amount',
    'Invoices',
    { filter: [where('invoiceTotal', 'gt', 'much')] },
    'Error converting data type nvarchar to float.',
  ],
  [
    'text for an instant',
    'Invoices',
    { filter: [where('createDateTime', 'gte', 'yesterday')] },
    'Conversion failed when converting date and/or time from character string.',
  ],
  [
    '1 for true',
    'Companies',
    { filter: [where('isActive', 'eq', 1)] },
    'The value 1 of the field isActive must be true or false.',
  ],
  [
    'null for true',
    'Companies',
    { filter: [where('isActive', 'eq', null)] },
    'The value null of the field isActive must be true or false.',
  ],
  [
    'a comparison of flags',
    'Companies',
    { filter: [where('isActive', 'gt', true)] },
    'The operator gt cannot be used with the field isActive.',
  ],
  [
    'contains on a number',
    'Invoices',
    { filter: [where('id', 'contains', '48')] },
    'The operator contains cannot be used with the field id.',
  ],
  ['in without a list', 'Invoices', { filter: [where('id', 'in', 5)] }, 'The operator in needs a list of values.'],
  [
    'eq with a list',
    'Invoices',
    { filter: [where('id', 'eq', [5])] },
    'The value of the field id must be a single value.',
  ],
  [
    '501 values',
    'Invoices',
    {
      filter: [
        where(
          'id',
          'in',
          manyConditions.map((_, n) => n),
        ),
      ],
    },
    "Invalid query syntax. Queries are limited to 500 or fewer 'OR' conditions.",
  ],
  [
    '501 conditions',
    'Invoices',
    { filter: [{ op: 'or', items: manyConditions }] },
    "Invalid query syntax. Queries are limited to 500 or fewer 'OR' conditions.",
  ],
  ['a group without items', 'Invoices', { filter: [{ op: 'or' }] }, 'The group or has no items.'],
  ['a condition without a field', 'Invoices', { filter: [{ op: 'eq', value: 1 }] }, 'A filter item has no field.'],
  ['a condition that is not an object', 'Invoices', { filter: ['id eq 1'] }, 'A filter item is not an object.'],
  ['no filter', 'Invoices', {}, 'The query has no filter.'],
  ['an empty filter', 'Invoices', { filter: [] }, 'The filter of the query is empty.'],
  [
    'an unknown column',
    'Invoices',
    { filter: [where('id', 'gt', 0)], IncludeFields: ['nothing'] },
    'Unable to find nothing in the Invoice Entity.',
  ],
  [
    'zero records',
    'Invoices',
    { filter: [where('id', 'gt', 0)], MaxRecords: 0 },
    'MaxRecords must be a whole number from 1 to 500.',
  ],
  [
    'two user-defined fields',
    'Companies',
    {
      filter: [
        { ...where('Tier', 'eq', 'Gold'), udf: true },
        { ...where('Seats', 'gt', 1), udf: true },
      ],
    },
    'Queries are limited to one user-defined field.',
  ],
  [
    'an unknown user-defined field',
    'Companies',
    { filter: [{ ...where('Colour', 'eq', 'x'), udf: true }] },
    'Unable to find Colour in the Company Entity.',
  ],
])('rejects %s with a 500 and a message', async (_what, entity, body, text) => {
  const { api } = await start();
  const answer = await api('POST', `${entity}/query`, body);
  expect([answer.status, answer.json]).toEqual([500, { errors: [text] }]);
});

test('rejects invalid JSON and a missing body', async () => {
  const { api } = await start();
  expect((await api('POST', 'Invoices/query', '{"filter":')).status).toBe(500);
  expect((await api('POST', 'Invoices/query')).status).toBe(500);
  expect((await api('GET', 'Invoices/query')).status).toBe(500);
  expect((await api('GET', 'Invoices/query?search=nonsense')).errors).toHaveLength(1);
});

test('accepts 500 values', async () => {
  const { query } = await start();
  const list = Array.from({ length: 500 }, (_, n) => 48_000 + n);
  expect((await query('Invoices', [where('id', 'in', list)])).items).toHaveLength(invoices.length);
});

test('IncludeFields selects columns in any letter case, including user-defined ones', async () => {
  const { query, api, behave } = await start();
  await api('PATCH', 'Companies', {
    id: 175,
    userDefinedFields: [
      { name: 'tier', value: 'Gold' },
      { name: 'Seats', value: 20 },
    ],
  });
  const filter = [where('id', 'eq', 175)];
  const [item] = (await query('Companies', filter, { includefields: ['STATE', 'companyname', 'Id', 'city'] })).items;
  expect(item).toEqual({ id: 175, city: 'Austin', companyName: 'Acme Dental', state: 'TX', userDefinedFields: [] });
  expect(Object.keys(item ?? {})).toEqual(['id', 'city', 'companyName', 'state', 'userDefinedFields']);
  expect((await query('Companies', filter, { IncludeFields: ['companyName', 'Tier'] })).items).toEqual([
    { companyName: 'Acme Dental', userDefinedFields: [{ name: 'Tier', value: 'Gold' }] },
  ]);
  await behave({ include_fields_adds_id: true });
  expect((await query('Companies', filter, { IncludeFields: ['companyName'] })).items).toEqual([
    { id: 175, companyName: 'Acme Dental', userDefinedFields: [] },
  ]);
});

test('queries a user-defined field', async () => {
  const { query, api } = await start();
  await api('PATCH', 'Companies', {
    id: 175,
    userDefinedFields: [
      { name: 'Seats', value: '20' },
      { name: 'Renewal Date', value: '2025-06-30T00:00:00Z' },
    ],
  });
  const find = async (field: string, op: string, value?: unknown) =>
    ids((await query('Companies', [{ ...where(field, op, value), udf: true }])).items);
  expect(await find('seats', 'gt', 19)).toEqual([175]);
  expect(await find('Seats', 'gt', 20)).toEqual([]);
  expect(await find('Renewal Date', 'lt', '2025-07-01')).toEqual([175]);
  expect(await find('Tier', 'exist')).toEqual([]);
});

test('uncertain behavior can be switched', async () => {
  const { query, behave } = await start();
  const count = async (filter: unknown) => (await query('Invoices', filter)).items.length;
  await behave({
    empty_filter_refused: false,
    operator_case_ignored: true,
    empty_text_exists: false,
    noteq_finds_null: true,
    boolean_filter_takes_numbers: true,
  });
  expect(await count([])).toBe(invoices.length);
  expect(await count([where('id', 'EQ', 48213)])).toBe(1);
  expect(await count([where('invoiceNumber', 'NotExist')])).toBe(invoices.length - 3);
  expect(await count([where('webServiceDate', 'noteq', '2030-01-01')])).toBe(invoices.length);
  expect(await count([where('invoiceNumber', 'notIn', ['', '1038', '1039', '20250312'])])).toBe(1);
  expect(await count([where('isVoided', 'eq', 1)])).toBe(2);
});

test("the product's queries find the expected records", async () => {
  const { query } = await start();
  const find = async (entity: string, ...filter: unknown[]) => ids((await query(entity, filter)).items);
  const threshold = '2025-02-17T06:00:00Z';
  expect(
    await find(
      'Invoices',
      where('isVoided', 'noteq', true),
      where('webServiceDate', 'notExist'),
      where('createDateTime', 'gte', threshold),
    ),
  ).toEqual(except(48311, 48312, 48313));
  expect(await find('Invoices', where('isVoided', 'eq', true), where('voidedDate', 'gte', threshold))).toEqual([
    48312, 48313,
  ]);
  expect(await find('BillingItems', where('invoiceID', 'in', [48213, 48214]))).toHaveLength(7);
  expect(await find('PurchaseOrders', where('status', 'eq', 2), where('createDateTime', 'gte', threshold))).toEqual([
    3310, 3311,
  ]);
  expect(await find('PurchaseOrderItems', where('orderID', 'eq', 3310))).toHaveLength(2);
  expect(await find('ExpenseReports', where('status', 'eq', 3), where('submitDate', 'gte', threshold))).toEqual([
    1207, 1208, 1209, 1210,
  ]);
  expect(await find('ExpenseItems', where('expenseReportID', 'eq', 1207))).toHaveLength(4);
  expect(
    await find(
      'Companies',
      where('companyType', 'eq', 7),
      where('isActive', 'eq', true),
      where('companyName', 'contains', 'a'),
    ),
  ).toEqual([301, 302, 303]);
  expect(
    await find('BillingCodes', where('billingCodeType', 'in', [0, 1]), where('isActive', 'eq', true)),
  ).toHaveLength(11);
  expect(await find('Products', where('isActive', 'eq', true), where('sku', 'contains', 'ap'))).toEqual([801]);
  expect(
    await find(
      'Resources',
      where('firstName', 'eq', 'Avery'),
      where('lastName', 'eq', 'Admin'),
      where('email', 'eq', 'admin@northwind-msp.example'),
      where('isActive', 'eq', true),
    ),
  ).toEqual([20]);
});

const rules: QueryRules = {
  emptyFilterIsRefused: false,
  operatorsIgnoreCase: false,
  emptyTextExists: true,
  noteqFindsNull: false,
  booleansMayBeNumbers: false,
  includeFieldsAddsId: false,
};
const scalar = option(integer({ min: 0, max: 6 }), { nil: null });
const rowsOf = array(record({ companyID: scalar, paymentTerm: scalar, day: integer({ min: 1, max: 9 }) }), {
  maxLength: 40,
});
const conditions = array(
  record({
    field: constantFrom('id', 'companyID', 'paymentTerm', 'createDateTime'),
    op: constantFrom('eq', 'noteq', 'gt', 'gte', 'lt', 'lte', 'in', 'notIn', 'exist', 'notExist'),
    value: integer({ min: 0, max: 9 }),
  }),
  { minLength: 1, maxLength: 3 },
);

test('an index never changes the result of a query', () => {
  assert(
    property(rowsOf, conditions, (rows, wanted) => {
      const type = entityType('Invoices');
      const table = new Table(type);
      rows.forEach(({ day, ...fields }, index) =>
        table.put({ id: index + 1, ...fields, createDateTime: `2025-03-0${day}T00:00:00Z` }),
      );
      const filter = wanted.map(({ field, op, value }) => {
        const one = field === 'createDateTime' ? `2025-03-0${Math.max(value, 1)}` : value;
        return where(field, op, op === 'in' || op === 'notIn' ? [one] : one);
      });
      const compiled = compileQuery(type, { filter }, rules);
      const plain = table.all().filter((row: Row) => compiled.matches(row));
      expect(select(table, compiled, undefined, {}, Infinity)).toEqual(plain);
      expect(select(table, compiled, undefined, { after: 3 }, 5)).toEqual(
        plain.filter((row) => row.id > 3).slice(0, 5),
      );
      expect(select(table, compiled, undefined, { before: 9 }, 5)).toEqual(
        plain
          .filter((row) => row.id < 9)
          .reverse()
          .slice(0, 5),
      );
    }),
  );
});

test('an index follows every change of a record', () => {
  const type = entityType('Invoices');
  const table = new Table(type);
  const find = (filter: unknown) =>
    select(table, compileQuery(type, { filter }, rules), undefined, {}, Infinity).map((row) => row.id);
  for (let id = 1; id <= 40; id += 1)
    table.put({
      id,
      companyID: id % 20,
      createDateTime: `2025-03-${String((id % 20) + 1).padStart(2, '0')}T00:00:00Z`,
    });
  expect(find([where('companyID', 'eq', 3)])).toEqual([3, 23]);
  expect(find([where('createDateTime', 'gt', '2025-03-19')])).toEqual([19, 39]);
  const third = table.get(3);
  if (third !== undefined) table.change(third, { companyID: 4, createDateTime: '2025-04-01T00:00:00Z' });
  table.remove(23);
  table.put({ id: 2, companyID: 3 });
  expect(find([where('companyID', 'eq', 3)])).toEqual([2]);
  expect(find([where('companyID', 'eq', 4)])).toEqual([3, 4, 24]);
  expect(find([where('createDateTime', 'gt', '2025-03-19')])).toEqual([3, 19, 39]);
});

test('distinguishes a rejected query from a bug', () => {
  expect(() => compileQuery(entityType('Invoices'), null, rules)).toThrow(QueryRefused);
});
