import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exceptionsOf, obstaclesOf, type Exception } from '#core/reconciliation/close.ts';
import { settlements, type Settlement } from '#core/reconciliation/exception-actions.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { settleException } from '#flows/close/settle.ts';
import { Business } from '../support/business.ts';
import { mapping } from '../support/mappings.ts';
import { loggedIn, proveMonth } from '../support/month-end.ts';
import { payInvoice } from '../support/pay-invoice.ts';
import { newWorld } from '../support/world.ts';

/** Plants one difference per invoice, on both sides, and compares the names that the proof gives them. */
const march = month('2025-03');
const world = await newWorld({ settings: { pay_sync_active: true, void_sync_active: true } });
afterAll(() => world.close());
const { quickbooks, autotask } = world;
const business = new Business(world);

type Change = (of: { readonly psaId: number; readonly id: string; readonly row: JsonObject }) => Promise<unknown>;

/** Replaces the lines of an invoice that have an item. */
const lines = (
  row: JsonObject,
  change: (line: JsonObject, index: number) => JsonObject | null,
  more: JsonObject[] = [],
) => ({
  Line: [
    ...(row['Line'] as JsonObject[])
      .filter((line) => line['SalesItemLineDetail'] !== undefined)
      .map((line, index) => change(line, index))
      .filter((line) => line !== null),
    ...more,
  ],
});
const detail = (line: JsonObject, change: JsonObject): JsonObject => ({
  ...line,
  SalesItemLineDetail: { ...(line['SalesItemLineDetail'] as JsonObject), ...change },
});
const first = (change: JsonObject) => (line: JsonObject, index: number) => (index === 0 ? detail(line, change) : line);
const priced = (line: JsonObject, amount: number) => ({
  ...detail(line, { Qty: 1, UnitPrice: amount }),
  Amount: amount,
});
/** Saves an invoice like a user of QuickBooks. */
const edit = (row: JsonObject, change: JsonObject) =>
  quickbooks.add('Invoice', { Id: row['Id'] ?? null, SyncToken: row['SyncToken'] ?? null, sparse: true, ...change });
const put =
  (change: (row: JsonObject) => JsonObject): Change =>
  ({ row }) =>
    edit(row, change(row));
const psa =
  (change: JsonObject): Change =>
  ({ psaId }) =>
    autotask.put('Invoices', psaId, change);

const planted: readonly (readonly [what: string, change: Change, names: readonly Exception['class'][]])[] = [
  ['nothing', () => Promise.resolve(), []],
  ['deleted in QuickBooks', ({ id }) => quickbooks.remove('Invoice', id), ['deleted_in_accounting']],
  [
    'voided in QuickBooks',
    ({ id, row }) =>
      quickbooks.put('Invoice', id, {
        ...lines(row, (line) => priced(line, 0)),
        TxnTaxDetail: { TotalTax: 0 },
        TotalAmt: 0,
        Balance: 0,
        PrivateNote: `Voided - ${String(row['PrivateNote'])}`,
      }),
    ['voided_in_accounting'],
  ],
  ['another customer', put(() => ({ CustomerRef: { value: '59' } })), ['customer_differs']],
  ['another due date', put(() => ({ DueDate: '2025-08-01' })), ['due_differs']],
  ['another number', put(() => ({ DocNumber: 'OTHER-1' })), ['number_differs']],
  ['another day', put(() => ({ TxnDate: '2025-03-19' })), ['date_differs', 'due_differs']],
  ['another month', put(() => ({ TxnDate: '2025-04-02' })), ['date_edited', 'due_differs']],
  ['another item', put((row) => lines(row, first({ ItemRef: { value: '24' } }))), ['item_differs']],
  [
    'a higher amount',
    put((row) => lines(row, (line, index) => (index === 0 ? priced(line, 333) : line))),
    ['edited_in_accounting'],
  ],
  [
    'a removed line',
    put((row) => lines(row, (line, index) => (index === 0 ? null : line))),
    ['edited_in_accounting', 'item_differs'],
  ],
  [
    'an added line',
    put((row) =>
      lines(row, (line) => line, [
        {
          ...priced(detail({}, { ItemRef: { value: '21' }, TaxCodeRef: { value: 'NON' } }), 18),
          DetailType: 'SalesItemLineDetail',
        },
      ]),
    ),
    ['edited_in_accounting', 'item_differs'],
  ],
  [
    'an amount moved between lines',
    put((row) =>
      lines(row, (line, index) => priced(line, Number(line['Amount']) + (index === 0 ? -20 : index === 1 ? 20 : 0))),
    ),
    ['amounts_moved'],
  ],
  ['another class', put((row) => lines(row, first({ ClassRef: { value: '202' } }))), ['class_differs']],
  [
    'a class where none was',
    put((row) => lines(row, (line, index) => (index === 1 ? detail(line, { ClassRef: { value: '202' } }) : line))),
    ['class_differs'],
  ],
  ['a location where none was', put(() => ({ DepartmentRef: { value: '210' } })), ['location_differs']],
  [
    'a discount',
    put((row) =>
      lines(row, (line) => line, [
        { DetailType: 'DiscountLineDetail', Amount: 25, DiscountLineDetail: { PercentBased: false } },
      ]),
    ),
    ['discounted_in_accounting'],
  ],
  ['tax of another agency', put(() => ({ TxnTaxDetail: { TxnTaxCodeRef: { value: '950' } } })), ['tax_moved']],
  [
    'another income account of a line',
    async ({ row }) => {
      await quickbooks.put('Item', '22', { IncomeAccountRef: { value: '3' } });
      await edit(
        row,
        lines(row, (line) => line),
      );
      await quickbooks.put('Item', '22', { IncomeAccountRef: { value: '1' } });
    },
    ['account_differs'],
  ],
  [
    'paid in QuickBooks',
    ({ id, row }) => payInvoice(world, id, Number(row['TotalAmt']), { on: '2025-03-20', customer: '58' }),
    ['paid_differs'],
  ],
  [
    'a copy',
    ({ row }) =>
      quickbooks.add('Invoice', {
        ...lines(row, (line) => line),
        CustomerRef: row['CustomerRef'] ?? null,
        TxnDate: '2025-03-03',
        TxnTaxDetail: row['TxnTaxDetail'] ?? null,
        DocNumber: 'COPY-1',
      }),
    ['possible_duplicate'],
  ],
  ['paid in Autotask', psa({ paidDate: '2025-03-20T00:00:00Z' }), ['paid_differs']],
  ['paid in Autotask after the month', psa({ paidDate: '2025-04-01T00:00:00Z' }), []],
  ['another total in Autotask', ({ psaId }) => autotask.put('Invoices', psaId, { invoiceTotal: 1 }), ['edited_in_psa']],
  ['voided in Autotask', psa({ isVoided: true, voidedDate: '2025-03-10T00:00:00Z' }), ['voided_in_psa']],
  ['deleted in Autotask', ({ psaId }) => autotask.remove('Invoices', psaId), ['accounting_made_by_us']],
  ['another month in Autotask', psa({ invoiceDateTime: '2025-02-20T00:00:00Z' }), ['dated_elsewhere_in_psa']],
  ['another number in Autotask', psa({ invoiceNumber: 'PSA-7' }), ['number_differs']],
  ['another due date in Autotask', psa({ dueDate: '2025-07-01T00:00:00Z' }), ['due_differs']],
  ['another company in Autotask', psa({ companyID: 176 }), ['customer_differs']],
];

const isPayment = ({ action }: { readonly action: Settlement }) => action === 'sync_payment';
const ids = new Map<string, { readonly psaId: number; readonly id: string }>();
const known = new Set<string>();

async function exceptions(): Promise<readonly Exception[]> {
  const { proof } = await proveMonth(world);
  expect(obstaclesOf(proof)).toEqual([]);
  return exceptionsOf(proof).filter(({ key }) => !known.has(key));
}
const about = (all: readonly Exception[], what: string) => {
  const { psaId, id } = ids.get(what) ?? { psaId: 0, id: '' };
  const number = what === 'a copy' ? 'COPY-1' : null;
  return all.filter(
    (one) => one.psaId === psaId || one.accounting?.id === id || (number !== null && one.number === number),
  );
};

beforeAll(async () => {
  const [preferences] = await quickbooks.list('Preferences');
  const accounting = { ...(preferences?.['AccountingInfoPrefs'] as JsonObject), TrackDepartments: true };
  await quickbooks.put('Preferences', '1', {
    AccountingInfoPrefs: accounting,
    SalesFormsPrefs: { ...(preferences?.['SalesFormsPrefs'] as JsonObject), AllowDiscount: true },
  });
  await quickbooks.put('TaxAgency', '90', { DisplayName: 'Other Agency' });
  await quickbooks.put('TaxRate', '95', {
    Name: 'Other',
    RateValue: 8.25,
    AgencyRef: { value: '90' },
    Active: true,
    EffectiveTaxRate: [{ RateValue: 8.25, EffectiveDate: '2010-01-01T00:00:00-08:00' }],
  });
  await quickbooks.put('TaxCode', '950', {
    Name: 'Other county',
    Active: true,
    Taxable: true,
    TaxGroup: true,
    SalesTaxRateList: {
      TaxRateDetail: [{ TaxRateRef: { value: '95' }, TaxTypeApplicable: 'TaxOnAmount', TaxOrder: 0 }],
    },
    PurchaseTaxRateList: { TaxRateDetail: [] },
  });
  for (const [index, [what]] of planted.entries()) {
    const psaId = await business.bill(175, [
      { article: 'onsite', quantity: 2, rate: 120 + index },
      { article: 'milestone', quantity: 1, rate: 400 },
      { article: 'hardware', quantity: 1, rate: 200 },
    ]);
    await autotask.put('Invoices', psaId, { dueDate: '2025-04-02T00:00:00Z' });
    ids.set(what, { psaId, id: '' });
  }
  await world.sync('invoice', { mode: 'live', psaIds: [...ids.values()].map(({ psaId }) => psaId) });
  for (const [what, { psaId }] of ids) {
    const id = (await world.store.readPosting('invoice', psaId))?.targetId ?? '';
    ids.set(what, { psaId, id });
  }
  await world.advance(29 * 86_400);
  for (const { key } of exceptionsOf((await proveMonth(world)).proof)) known.add(key);
  expect([...ids.keys()].flatMap((what) => about([], what))).toEqual([]);
  const rows = new Map((await quickbooks.list('Invoice')).map((row) => [String(row['Id']), row]));
  for (const [what, change] of planted) {
    const of = ids.get(what) ?? { psaId: 0, id: '' };
    await change({ ...of, row: rows.get(of.id) ?? {} });
  }
});

describe('each planted difference has its true name, and the others have none', () => {
  test('names', async () => {
    const all = await exceptions();
    expect(
      planted.map(([what]) => [
        what,
        about(all, what)
          .map((one) => one.class)
          .toSorted(),
      ]),
    ).toEqual(planted.map(([what, , names]) => [what, names.toSorted()]));
    const named = new Set(planted.flatMap(([what]) => about(all, what).map(({ key }) => key)));
    expect(all.filter(({ key }) => !named.has(key))).toEqual([]);
  });

  test('a document that failed live stays refused after a later test', async () => {
    const of = async () => (await exceptions()).filter(({ psaId }) => psaId === failing).map((one) => one.class);
    const failing = await business.bill(175, [{ article: 'onsite', quantity: 1, rate: 77 }], { on: '2025-03-21' });
    await autotask.put('Invoices', failing, { invoiceTotal: 99 });
    expect(await of()).toEqual(['missing_not_taken_up']);
    await world.sync('invoice', { mode: 'test', psaIds: [failing] });
    expect(await of()).toEqual(['missing_test_only']);
    await world.sync('invoice', { mode: 'live', psaIds: [failing] });
    await world.sync('invoice', { mode: 'test', psaIds: [failing] });
    expect(await of()).toEqual(['missing_error']);
    // Its lines do not add up, so posting it would be refused again.
    expect((await exceptions()).find(({ psaId }) => psaId === failing)?.actions).toEqual(['accept', 'carry']);
  });

  test('a customer is not mapped because an item has the same id', async () => {
    await world.store.saveMappings([mapping('ItemBilling', '44', '61')]);
    const line = { DetailType: 'SalesItemLineDetail', Amount: 9, SalesItemLineDetail: { ItemRef: { value: '21' } } };
    await quickbooks.add('Invoice', { TxnDate: '2025-03-22', CustomerRef: { value: '61' }, Line: [line] });
    expect((await exceptions()).filter(({ party }) => party === 'Delta School')).toEqual([]);
  });

  test('each offered fix settles its difference', async () => {
    const isFix = (action: string): action is Settlement => settlements.some((one) => one === action);
    const offered = (await exceptions()).flatMap((one) => {
      const action = one.actions.find((name) => isFix(name));
      return action === undefined ? [] : [{ ...one, action }];
    });
    expect(offered.length).toBeGreaterThan(15);
    // Money that later fixes leave open would need a decision before a payment.
    const inOrder = [...offered.filter(isPayment), ...offered.filter((one) => !isPayment(one))];
    // A fix settles all differences of an invoice that have the same fix.
    const fixes = [...new Map(inOrder.map((one) => [`${one.psaId} ${one.action}`, one])).values()];
    for (const { key, class: of, action } of fixes) {
      const { id } = await settleException(world.tenant, loggedIn(world), march, { key, action });
      await world.work();
      const job = await world.store.readJob(id);
      expect([of, action, job?.succeeded, job?.failed]).toEqual([of, action, 1, 0]);
    }
    const left = new Set((await exceptions()).map(({ key }) => key));
    expect(offered.filter(({ key }) => left.has(key)).map(({ class: of, action }) => [of, action])).toEqual([]);
  });
});
