import { beforeEach, describe, expect, test } from 'vitest';
import type { MappingNamespace } from '#core/mapping/mapping.ts';
import type { CloseContent } from '#core/records/closes.ts';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { mapExpenses, mapping } from '../support/mappings.ts';
import { proveMonth } from '../support/month-end.ts';
import { eachWorld } from '../support/each-world.ts';

/** Employees are known by their resource id in Autotask, and are shown by their present name. */
const world = eachWorld({ settings: { po_payable_account: '20', exp_cash_advance_expense_account: '25' } });
beforeEach(async () => {
  await mapExpenses(world.store, [41, 42, 43, 44]);
}, 60_000);

const save = (namespace: MappingNamespace, from: string, to: string) =>
  world.store.saveMappings([mapping(namespace, from, to)]);
const sync = (psaId: number) => world.sync('expense_report', { mode: 'live', psaIds: [psaId] });
const lastLog = async (psaId: number) => (await world.logs()).filter((log) => log.psaId === psaId).at(-1);
const vendorOf = async (psaId: number) => {
  const bill = (await world.quickbooks.list('Bill')).find((one) => one['DocNumber'] === `EXP-${psaId}`);
  return bill === undefined ? null : String((bill['VendorRef'] as JsonObject)['name']);
};
async function proof(): Promise<CloseContent['proof']> {
  const close = await proveMonth(world, month('2025-02'));
  return close.proof;
}
const shownFor = async (psaId: number) =>
  exceptionsOf(await proof()).flatMap((one) =>
    one.kind === 'expense_report' && one.psaId === psaId ? [[one.party, one.class]] : [],
  );

test('the reconciliation shows the employee of a report by present name, before and after it is posted', async () => {
  expect(await shownFor(1_208)).toEqual([["John O'Brien", 'missing_not_taken_up']]);
  await world.autotask.put('Resources', 22, { firstName: 'Jonah', isActive: false });
  expect(await shownFor(1_208)).toEqual([["Jonah O'Brien", 'missing_not_taken_up']]);
  await sync(1_208);
  expect(await shownFor(1_208)).toEqual([]);
  await world.autotask.put('Resources', 22, { lastName: 'Keller' });
  const [bill] = (await world.quickbooks.list('Bill')).filter((one) => one['DocNumber'] === 'EXP-1208');
  await world.quickbooks.put('Bill', String(bill?.['Id']), { TxnDate: '2025-02-27' });
  expect(await shownFor(1_208)).toEqual([['Jonah Keller', 'date_differs']]);
});

test('an employee who left and was renamed keeps the vendor, and a namesake hired later does not get it', async () => {
  await sync(1_207);
  expect(await vendorOf(1_207)).toBe('v-Decker, Betty');
  await world.autotask.put('Resources', 21, { lastName: 'Miller', isActive: false });
  await world.autotask.put('ExpenseReports', 1_208, { submitterID: 21 });
  await sync(1_208);
  expect(await vendorOf(1_208)).toBe('v-Decker, Betty');

  await world.autotask.put('Resources', 22, { firstName: 'Betty', lastName: 'Decker' });
  await sync(1_209);
  expect(await vendorOf(1_209)).toBeNull();
  expect((await lastLog(1_209))?.problems).toMatchObject([
    { code: 'CUSTOMER_AMBIGUOUS', repairs: [{ namespace: 'Employee', sourceValue: '22' }, { do: 'create_as' }] },
  ]);
});

describe.each([
  { first: 'the inactive one', active: [false, true] },
  { first: 'the active one', active: [true, false] },
] as const)('two employees of one name, of whom $first reports first', ({ active }) => {
  test('get separate vendors, also after one is renamed', async () => {
    const like = (await world.autotask.list('Resources')).find((row) => row['id'] === 21) ?? {};
    for (const [at, isActive] of active.entries())
      await world.autotask.add('Resources', {
        ...like,
        id: 9_201 + at,
        firstName: 'Maria',
        lastName: 'Garcia',
        isActive,
      });
    await world.autotask.put('ExpenseReports', 1_207, { submitterID: 9_201 });
    await world.autotask.put('ExpenseReports', 1_208, { submitterID: 9_202 });
    await sync(1_207);
    await sync(1_208);
    // The name decides for neither of them.
    expect([await vendorOf(1_207), await vendorOf(1_208)]).toEqual([null, null]);
    await save('Employee', '9201', 'create:v-Garcia, Maria');
    await save('Employee', '9202', 'create:v-Garcia, Maria (9202)');
    await world.sync('expense_report', { mode: 'live', force: true, psaIds: [1_207, 1_208] });
    expect([await vendorOf(1_207), await vendorOf(1_208)]).toEqual(['v-Garcia, Maria', 'v-Garcia, Maria (9202)']);

    await world.autotask.put('Resources', 9_201, { lastName: 'Garcia-Lopez' });
    await world.autotask.put('ExpenseReports', 1_209, { submitterID: 9_201 });
    await sync(1_209);
    expect(await vendorOf(1_209)).toBe('v-Garcia, Maria');
  });
});

test('an employee whom Autotask no longer shows is posted to the mapped vendor, and refused without a mapping', async () => {
  await world.autotask.put('ExpenseReports', 1_207, { submitterID: 777 });
  await sync(1_207);
  expect((await lastLog(1_207))?.problems).toMatchObject([{ code: 'RESOURCE_NOT_FOUND' }]);
  await save('Employee', '777', '91');
  await world.sync('expense_report', { mode: 'live', force: true, psaIds: [1_207] });
  expect(await vendorOf(1_207)).toBe('v-Decker, Betty');
});

test('what employees are owed includes a vendor that was renamed in QuickBooks', async () => {
  await sync(1_207);
  const owed = async () => {
    const tie = (await proof()).tieOuts.find(({ name }) => name === 'employee_payables');
    return [tie?.left, tie?.right, tie?.rows.map(({ label }) => label)];
  };
  expect(await owed()).toEqual(['190.35', '190.35', ['v-Decker, Betty']]);
  await world.quickbooks.put('Vendor', '91', { DisplayName: 'Decker, Betty' });
  expect(await owed()).toEqual(['190.35', '190.35', ['Decker, Betty']]);
});
