import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Doc, type Json, shown } from './doc.ts';
import { entityKinds } from './entities.ts';
import { enumValues } from './schema-data.ts';
import { type Field, fieldsOf, membersOf } from './schema.ts';
import { type Client, World } from './test-client.ts';

let world: World;
let northwind: Client;
beforeAll(async () => {
  world = await World.start();
  northwind = await world.connect();
});
afterAll(() => world.close());

const ids = [
  '1',
  '3',
  '5',
  '12',
  '14',
  '20',
  '21',
  '26',
  '30',
  '31',
  '35',
  '41',
  '58',
  '60',
  '62',
  '90',
  '91',
  '200',
  '9138',
  '9141',
  '9152',
  'TAX',
  'NON',
  '',
  '-1',
  'x',
  '99999999999999999999',
];

/** Existing IDs for references, with an occasional unknown one. */
const goodIds: Readonly<Record<string, readonly string[]>> = {
  CustomerRef: ['58', '59', '61', '60'],
  VendorRef: ['90', '91'],
  ItemRef: ['21', '24', '32', '31'],
  AccountRef: ['12', '14', '35', '41'],
  APAccountRef: ['20'],
  DepositToAccountRef: ['26', '35'],
  FromAccountRef: ['35'],
  ToAccountRef: ['41', '26'],
  BankAccountRef: ['35'],
  CCAccountRef: ['41'],
  IncomeAccountRef: ['1', '2'],
  ExpenseAccountRef: ['14', '12'],
  SalesTermRef: ['1', '3', '7'],
  ClassRef: ['200', '201'],
  TaxCodeRef: ['TAX', 'NON'],
  TxnTaxCodeRef: ['5', '6'],
  CurrencyRef: ['USD'],
  ParentRef: ['58', '21', '1', '200'],
  PaymentMethodRef: ['1', '3'],
};

function referenceTo(member: string): fc.Arbitrary<Json> {
  const good = goodIds[member] ?? ids;
  return fc.record({
    value: fc.oneof(
      { weight: 12, arbitrary: fc.constantFrom(...good) },
      { weight: 1, arbitrary: fc.constantFrom(...ids) },
    ),
  });
}

/** Returns a value for a field: mostly of its type, sometimes of any type. */
function valueFor(field: Field, depth: number): fc.Arbitrary<Json> {
  const one = ((): fc.Arbitrary<Json> => {
    switch (field.type) {
      case 's':
        return fc.oneof(
          fc.string({ maxLength: 30 }),
          fc.constantFrom('AUTO_GENERATE', 'Service', 'Acme Dental', '1038', 'a@b.example'),
        );
      case 'id':
        return fc.constantFrom(...ids);
      case 'n':
        return fc.oneof(fc.integer({ min: -1000, max: 1000 }), fc.constantFrom(0.005, 1e14, -0, 3.175));
      case 'i':
        return fc.integer({ min: -5, max: 1200 });
      case 'b':
        return fc.boolean();
      case 'd':
        return fc.oneof(
          { weight: 20, arbitrary: fc.constantFrom('2025-03-03', '2025-02-28', '2025-12-31') },
          { weight: 1, arbitrary: fc.constantFrom('2025-01-31', '2025-02-30', '') },
        );
      case 't':
        return fc.constant('2025-03-03T10:00:00-08:00');
      case 'any':
        return fc.jsonValue({ maxDepth: 1 });
      case 'ReferenceType':
        return referenceTo(field.name);
      default: {
        const values = enumValues[field.type];
        if (values !== undefined) return fc.constantFrom(...values.trim().split(/\s*\|\s*/));
        return depth > 3 ? fc.constant({}) : bodyFor([...(membersOf(field.type)?.values() ?? [])], depth + 1);
      }
    }
  })();
  const odd = fc.constantFrom<Json>(null, '', {}, [], 0, true);
  return fc.oneof(
    { weight: 60, arbitrary: field.isList ? fc.array(one, { maxLength: 3 }) : one },
    { weight: 1, arbitrary: odd },
  );
}

function bodyFor(fields: readonly Field[], depth: number): fc.Arbitrary<Doc> {
  if (fields.length === 0) return fc.constant({});
  return fc
    .subarray([...fields], { maxLength: Math.min(fields.length, depth === 0 ? 9 : 5) })
    .chain(
      (some) =>
        fc.record(Object.fromEntries(some.map((field) => [field.name, valueFor(field, depth)]))) as fc.Arbitrary<Doc>,
    );
}

const detailTypes = [
  'SalesItemLineDetail',
  'ItemBasedExpenseLineDetail',
  'AccountBasedExpenseLineDetail',
  'DiscountLineDetail',
  'JournalEntryLineDetail',
  'DepositLineDetail',
] as const;

/** A line whose detail matches its type, or one linked to a document. */
const line: fc.Arbitrary<Doc> = fc.constantFrom(...detailTypes, ...detailTypes.slice(0, 3)).chain((type) => {
  const detail = fc
    .tuple(
      bodyFor([...(membersOf(type)?.values() ?? [])], 1),
      fc.record({ ItemRef: referenceTo('ItemRef'), AccountRef: referenceTo('AccountRef') }),
    )
    .map(([more, { ItemRef, AccountRef }]): Doc => ({
      ...more,
      ...(type.includes('Item') ? { ItemRef } : type === 'DiscountLineDetail' ? {} : { AccountRef }),
    }));
  const link = fc.record({
    TxnId: fc.constantFrom(...ids),
    TxnType: fc.constantFrom('Invoice', 'CreditMemo', 'Bill', 'Payment', 'PurchaseOrder', 'Estimate'),
  });
  return fc.record<Doc>(
    {
      DetailType: fc.constant(type),
      Amount: fc.integer({ min: -50, max: 500 }),
      [type]: detail,
      LinkedTxn: fc.array(link, { maxLength: 1 }),
    },
    { requiredKeys: ['DetailType', 'Amount', type] },
  );
});

/** Returns a body that mostly has the required members of its entity, so that the rules behind the schema run. */
function writeFor(name: string, needs: readonly string[]): fc.Arbitrary<Doc> {
  const fields = fieldsOf(name);
  const needed = needs.flatMap((member) => fields.get(member) ?? []);
  const base = fc.record(
    Object.fromEntries(
      needed.map((field) => [
        field.name,
        field.name === 'Line' ? fc.array(line, { minLength: 1, maxLength: 3 }) : valueFor(field, 0),
      ]),
    ),
  );
  // An Id makes it an update; most bodies should be creates.
  const others = [...fields.values()].filter((field) => field.name !== 'Id' && field.name !== 'Line');
  const target = fc.oneof(
    { weight: 5, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.record({
        Id: fc.constantFrom(...ids),
        SyncToken: fc.constantFrom('0', '1', '2'),
        sparse: fc.boolean(),
      }),
    },
  );
  const named = ['Name', 'DisplayName', 'GivenName'].some((member) => fields.has(member))
    ? fc.record({
        [fields.has('GivenName') ? 'GivenName' : fields.has('Name') ? 'Name' : 'DisplayName']: fc.string({
          minLength: 1,
          maxLength: 12,
        }),
      })
    : fc.constant({});
  return fc
    .tuple(bodyFor(others, 0), named, base, target)
    .map(([more, name, first, id]): Doc => ({ ...more, ...name, ...first, ...id }));
}

test.each(entityKinds)(
  'accepts or rejects any body for $name without a sandbox error',
  async ({ name, resource, needs }) => {
    await fc.assert(
      fc.asyncProperty(
        writeFor(name, needs),
        fc.constantFrom('', '', '', '', '?operation=void', '?operation=delete', '?include=allowduplicatedocnum'),
        async (body, query) => {
          const answer = await northwind.post(resource + query, body);
          expect([200, 400]).toContain(answer.status);
          if (answer.status === 400) expect(answer.text).toMatch(/"code":"\d+"/);
        },
      ),
      { numRuns: 120, seed: 11 },
    );
  },
);

test('afterward the ledger adds up: customer balances match open documents, and every record is readable', async () => {
  for (const { name, operations } of entityKinds)
    if (operations.has('query')) await northwind.query(`select * from ${name} maxresults 1000`);
  const all = async (entity: string) => (await northwind.query(`select * from ${entity} maxresults 1000`))[entity];
  const sums = new Map<string, number>();
  const add = (list: unknown, member: string, sign: number) => {
    for (const doc of Array.isArray(list) ? list : []) {
      const id = String(doc.CustomerRef?.value);
      sums.set(id, (sums.get(id) ?? 0) + sign * Math.round(Number(doc[member] ?? 0) * 100));
    }
  };
  add(await all('Invoice'), 'Balance', 1);
  add(await all('CreditMemo'), 'Balance', -1);
  add(await all('Payment'), 'UnappliedAmt', -1);
  const customers = (await northwind.query('select * from Customer where Active in (true, false) maxresults 1000'))[
    'Customer'
  ];
  for (const customer of Array.isArray(customers) ? customers : [])
    if (typeof customer === 'object' && customer !== null && !Array.isArray(customer)) {
      const { Id, Balance } = customer;
      expect([Id, Math.round(Number(Balance) * 100)]).toEqual([Id, sums.get(shown(Id)) ?? 0]);
    }
});
