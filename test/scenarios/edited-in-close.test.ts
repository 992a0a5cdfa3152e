import { afterAll, expect, test } from 'vitest';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { prepareClose } from '#flows/close/prepare.ts';
import { mapExpenses } from '../support/mappings.ts';
import { newWorld } from '../support/world.ts';

/** The month-end reconciliation finds edits in QuickBooks after posting, even with the same total. */
const world = await newWorld({ settings: { inv_create_item_automatically: true } });
afterAll(() => world.close());

async function found(psaId: number, of = month('2025-03')): Promise<readonly string[]> {
  const { id } = await prepareClose(world.tenant, of, { username: 'admin@northwind-msp.example' }, 'test');
  const close = await world.store.readClose(id);
  return exceptionsOf(close?.proof ?? { rows: [] }).flatMap((one) => (one.psaId === psaId ? [one.class] : []));
}
/** Lets QuickBooks track locations; the sandbox has one with the name of the department. */
async function trackLocations(): Promise<void> {
  const [kept] = await world.quickbooks.list('Preferences');
  const accounting = { ...(kept?.['AccountingInfoPrefs'] as JsonObject), TrackDepartments: true };
  await world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: accounting });
  await world.saveSettings({ location_by: 'department' });
  await world.advance(3_601);
}
async function post(psaId: number): Promise<JsonObject> {
  await world.sync('invoice', { mode: 'live', psaIds: [psaId] });
  const id = (await world.store.readPosting('invoice', psaId))?.targetId;
  const row = (await world.quickbooks.list('Invoice')).find((one) => one['Id'] === id);
  if (row === undefined) throw new Error(`QuickBooks has no invoice for ${psaId}`);
  return row;
}
const detailOf = (line: JsonObject | undefined) => line?.['SalesItemLineDetail'] as JsonObject;

test('finds amounts moved between lines, customer, item, date, due date and number', async () => {
  const row = await post(48_213);
  const before = await found(48_213);
  const lines = row['Line'] as readonly JsonObject[];
  const [first = 0, second = 0] = lines.flatMap((line, at) => (line['SalesItemLineDetail'] === undefined ? [] : [at]));
  const plus = (at: number, amount: number) => ({ ...lines[at], Amount: Number(lines[at]?.['Amount']) + amount });
  const edits: readonly (readonly [string, JsonObject])[] = [
    ['amounts_moved', { Line: lines.map((one, n) => (n === first ? plus(n, -10) : n === second ? plus(n, 10) : one)) }],
    ['customer_differs', { CustomerRef: { value: '59' } }],
    ['date_edited', { TxnDate: '2025-02-27' }],
    ['due_differs', { DueDate: '2025-06-30' }],
    ['number_differs', { DocNumber: '1042A' }],
    [
      'item_differs',
      {
        Line: lines.map((line, n) =>
          n === first ? { ...line, SalesItemLineDetail: { ...detailOf(line), ItemRef: { value: '29' } } } : line,
        ),
      },
    ],
  ];
  for (const [name, change] of edits) {
    await world.quickbooks.put('Invoice', String(row['Id']), change);
    const now = await found(48_213);
    expect([name, now.filter((one) => !before.includes(one))]).toEqual([name, [name]]);
    const undone = Object.keys(change).map((member) => [member, row[member] ?? null]);
    await world.quickbooks.put('Invoice', String(row['Id']), Object.fromEntries(undone) as JsonObject);
  }
  expect(await found(48_213)).toEqual(before);
}, 60_000);

test('finds another company and another number in Autotask', async () => {
  const { companyID, invoiceNumber } = await world.psaInvoice(48_213);
  const before = await found(48_213);
  const edits: readonly (readonly [string, JsonObject, JsonObject])[] = [
    // A company that is mapped to another customer, and one that is mapped to none.
    ['customer_differs', { companyID: 176 }, { companyID: companyID ?? null }],
    ['customer_differs', { companyID: 180 }, { companyID: companyID ?? null }],
    ['number_differs', { invoiceNumber: '7777' }, { invoiceNumber: invoiceNumber ?? null }],
  ];
  for (const [name, change, undo] of edits) {
    await world.autotask.put('Invoices', 48_213, change);
    expect([change, (await found(48_213)).filter((one) => !before.includes(one))]).toEqual([change, [name]]);
    await world.autotask.put('Invoices', 48_213, undo);
  }
  expect(await found(48_213)).toEqual(before);
}, 60_000);

test('a voided invoice without a posting is not gone from Autotask', async () => {
  const actor = { username: 'admin@northwind-msp.example' };
  const { id } = await prepareClose(world.tenant, month('2025-02'), actor, 'test');
  const close = await world.store.readClose(id);
  // Invoices 48312 and 48313.
  const made = (await world.quickbooks.list('Invoice')).filter(({ PrivateNote }) =>
    /4831[23]/.test(String(PrivateNote)),
  );
  const ids = new Set(made.map((one) => one['Id']));
  const rows = exceptionsOf(close?.proof ?? { rows: [] }).filter(({ accounting }) => ids.has(accounting?.id ?? ''));
  expect(rows.map((one) => one.class)).toEqual(['voided_in_psa', 'voided_in_psa']);
}, 60_000);

test('finds the exchange rate, and a customer and item that were created with the invoice', async () => {
  const row = await post(48_308);
  const before = await found(48_308);
  const lines = row['Line'] as readonly JsonObject[];
  await world.quickbooks.put('Invoice', String(row['Id']), {
    CustomerRef: { value: '59' },
    ExchangeRate: 0.76,
    Line: lines.map((line, n) =>
      n === 0 ? { ...line, SalesItemLineDetail: { ...detailOf(line), ItemRef: { value: '29' } } } : line,
    ),
  });
  const now = (await found(48_308)).filter((one) => !before.includes(one));
  expect([...now].sort()).toEqual(['customer_differs', 'item_differs', 'rate_differs']);
}, 60_000);

test('names the employee of an expense report, and no user for a change in Autotask', async () => {
  const { id } = await prepareClose(
    world.tenant,
    month('2025-02'),
    { username: 'admin@northwind-msp.example' },
    'test',
  );
  const all = exceptionsOf((await world.store.readClose(id))?.proof ?? { rows: [] });
  expect(all.find((one) => one.kind === 'expense_report' && one.psaId === 1_207)?.party).toBe('Betty Decker');

  await post(48_213);
  await world.autotask.put('Invoices', 48_213, { invoiceTotal: 2_000 });
  const march = await prepareClose(world.tenant, month('2025-03'), { username: 'admin@northwind-msp.example' }, 'test');
  const found = exceptionsOf((await world.store.readClose(march.id))?.proof ?? { rows: [] });
  const edited = found.find((one) => one.psaId === 48_213 && one.class === 'edited_in_psa');
  expect([edited?.since, edited?.by]).toEqual([null, null]);
  expect(found.filter(({ by }) => /^\d+$/.test(by ?? ''))).toEqual([]);
}, 60_000);

test('finds a location that was changed, removed or added', async () => {
  await trackLocations();
  const row = await post(48_214);
  expect(row['DepartmentRef']).toMatchObject({ name: 'Service' });
  const before = await found(48_214);
  for (const other of [{ value: '210' }, null]) {
    await world.quickbooks.put('Invoice', String(row['Id']), { DepartmentRef: other });
    expect((await found(48_214)).filter((one) => !before.includes(one))).toEqual(['location_differs']);
  }
  await world.quickbooks.put('Invoice', String(row['Id']), { DepartmentRef: row['DepartmentRef'] ?? null });
  expect(await found(48_214)).toEqual(before);

  await world.saveSettings({ location_by: 'none' });
  const other = await post(48_304);
  const without = await found(48_304);
  await world.quickbooks.put('Invoice', String(other['Id']), { DepartmentRef: { value: '210' } });
  expect((await found(48_304)).filter((one) => !without.includes(one))).toEqual(['location_differs']);
}, 60_000);

test('finds another payables account of a bill, and a tax changed in Autotask under the same total', async () => {
  await mapExpenses(world.store);
  await world.saveSettings({ po_payable_account: '20', exp_cash_advance_expense_account: '25' });
  await world.quickbooks.add('Account', { Name: 'Employee Payables', AccountType: 'Accounts Payable' });
  const other = (await world.quickbooks.list('Account')).find(({ Name: name }) => name === 'Employee Payables');
  await world.sync('expense_report', { mode: 'live', psaIds: [1_207] });
  const bill = (await world.quickbooks.list('Bill')).find(({ DocNumber: number }) => number === 'EXP-1207');
  const february = month('2025-02');
  const before = await found(1_207, february);
  await world.quickbooks.put('Bill', String(bill?.['Id']), { APAccountRef: { value: String(other?.['Id']) } });
  expect((await found(1_207, february)).filter((one) => !before.includes(one))).toEqual(['account_differs']);

  await post(48_214);
  const agreed = await found(48_214);
  await world.autotask.put('Invoices', 48_214, { totalTaxValue: 30 });
  expect((await found(48_214)).filter((one) => !agreed.includes(one))).toEqual(['tax_differs']);
}, 60_000);
