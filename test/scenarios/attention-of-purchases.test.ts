import { expect, test } from 'vitest';
import type { Kind } from '#core/kinds.ts';
import { listAttention } from '#flows/attention/list.ts';
import { mapExpenses } from '../support/mappings.ts';
import { eachWorld } from '../support/each-world.ts';

/** Refused purchase orders and expense reports in Needs attention: one group for each cause, with its fix. */
const world = eachWorld({ settings: { po_payable_account: '20' } });

const live = (kind: Kind, ...psaIds: number[]) => world.sync(kind, { mode: 'live', psaIds });
const groups = async () =>
  (await listAttention(world.tenant)).map(({ code, repairs, screen, documents }) => {
    const [fix] = repairs;
    const of =
      fix?.do === 'map'
        ? `${fix.namespace} ${fix.sourceLabel}`
        : fix?.do === 'choose_setting'
          ? fix.key
          : (fix?.do ?? 'none');
    return [code, of, screen, documents.map(({ psaId }) => psaId).sort()];
  });

test('each missing mapping and setting is one group with all its documents', async () => {
  await world.saveSettings({
    vendor_create_automatically: false,
    po_create_item_automatically: false,
    po_default_expense_account: null,
    po_freight_account: null,
    exp_cash_advance_expense_account: null,
  });
  await world.autotask.put('PurchaseOrders', 3_310, { vendorID: 303 });
  await world.autotask.put('ExpenseReports', 1_207, { submitterID: 22 });
  await live('purchase_order', 3_310, 3_311);
  await live('expense_report', 1_207, 1_208, 1_209);
  const found = await groups();
  expect(found.map((one) => JSON.stringify(one)).sort()).toEqual(
    [
      ['CASH_ADVANCE_ACCOUNT_REQUIRED', 'exp_cash_advance_expense_account', '/settings', [1_207, 1_209]],
      ['EXPENSE_ACCOUNT_REQUIRED', 'po_default_expense_account', '/settings', [3_311]],
      ['EXPENSE_CATEGORY_NOT_MAPPED', 'ExpenseCategoryBillable Travel', '/expense-mappings', [1_207]],
      ['EXPENSE_CATEGORY_NOT_MAPPED', 'ExpenseCategoryNonBillable Meals', '/expense-mappings', [1_207, 1_209]],
      ['EXPENSE_CATEGORY_NOT_MAPPED', 'ExpenseCategoryNonBillable Mileage', '/expense-mappings', [1_207]],
      ['EXPENSE_CATEGORY_NOT_MAPPED', 'ExpenseCategoryNonBillable Toner', '/expense-mappings', [1_208]],
      ['EXPENSE_CATEGORY_NOT_MAPPED', 'ExpenseCategoryNonBillable Travel', '/expense-mappings', [1_209]],
      ['FREIGHT_ACCOUNT_REQUIRED', 'po_freight_account', '/settings', [3_310, 3_311]],
      ['ITEM_NOT_MAPPED', 'ItemPurchasing 24-inch monitor MON-24', '/item-mappings', [3_311]],
      ['VENDOR_NOT_MAPPED', "Employee John O'Brien", '/vendor-mappings', [1_207, 1_208, 1_209]],
      ['VENDOR_NOT_MAPPED', 'Vendor Pax Cloud', '/vendor-mappings', [3_310, 3_311]],
    ].map((one) => JSON.stringify(one)),
  );
  const employee = (await listAttention(world.tenant)).find(({ message }) => message.includes("O'Brien"));
  expect(employee?.remedy).toMatch(/^Map the employee under Vendor Mappings/);
});

test('refusals of QuickBooks with one first sentence and different reasons are separate groups', async () => {
  await mapExpenses(world.store, [41, 42, 43, 44]);
  await world.saveSettings({ exp_cash_advance_expense_account: '25' });
  const refuse = (body: string, code: string, detail: string) =>
    world.quickbooks.fault({
      match: { method: 'POST', path: '/(batch|bill|purchaseorder)$', body },
      action: {
        status: 400,
        body: { Fault: { Error: [{ Message: 'M', Detail: detail, code }], type: 'ValidationFault' } },
      },
    });
  const first = "Business Validation Error: We couldn't save this.";
  await refuse('purchase order 3310,', '6000', `${first} The vendor is on hold.`);
  await refuse('expense report 1207', '6000', `${first} The vendor is on hold.`);
  await refuse('expense report 1208', '6000', `${first} The account needs a tax code.`);
  await refuse('expense report 1209', '2500', 'Invalid Reference Id : Accounts element id 12 not found');
  await refuse('purchase order 3311,', '2500', 'Invalid Reference Id : Accounts element id 14 not found');
  await live('purchase_order', 3_310);
  await live('purchase_order', 3_311);
  for (const id of [1_207, 1_208, 1_209]) await live('expense_report', id);
  const found = (await listAttention(world.tenant)).map(({ message, screen, documents }) => [
    message.replace(/ The document uses .*$/, ''),
    screen,
    documents.map(({ psaId }) => psaId).sort(),
  ]);
  expect(found.map((one) => JSON.stringify(one)).sort()).toEqual(
    [
      [
        'A record used by this document no longer exists in QuickBooks: Invalid Reference Id : Accounts element id 12 not found.',
        '/expense-mappings',
        [1_209],
      ],
      [
        'A record used by this document no longer exists in QuickBooks: Invalid Reference Id : Accounts element id 14 not found.',
        '/item-mappings',
        [3_311],
      ],
      [`QuickBooks rejected the document: ${first} The account needs a tax code.`, null, [1_208]],
      [`QuickBooks rejected the document: ${first} The vendor is on hold.`, null, [1_207, 3_310]],
    ].map((one) => JSON.stringify(one)),
  );
});
