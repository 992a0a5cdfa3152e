import { afterAll, expect, test } from 'vitest';
import { exceptionsOf, tieOut } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { gatherMonth } from '#flows/close/gather.ts';
import { proveMonth } from '../support/month-end.ts';
import { newWorld } from '../support/world.ts';

/** Month-end situations (docs/reference/month-end.md) that only the reconciliation shows. */
const march = month('2025-03');

const world = await newWorld();
await world.sync('invoice', { mode: 'live' });
afterAll(() => world.close());

const found = async (psaId: number) =>
  exceptionsOf((await proveMonth(world)).proof)
    .filter((one) => one.psaId === psaId)
    .map((one) => [one.class, one.amount])
    .sort();
/** Returns the document of an invoice in QuickBooks. */
async function inAccounting(psaId: number): Promise<JsonObject> {
  const posting = await world.store.readPosting('invoice', psaId);
  const row = (await world.quickbooks.list('Invoice')).find((one) => one['Id'] === posting?.targetId);
  if (row === undefined) throw new Error(`invoice ${psaId} was not posted`);
  return row;
}

test('row 29: approved work without an invoice is listed to be accrued', async () => {
  await world.autotask.put('BillingItems', 9_000_000, { totalAmount: 123.45, internalCurrencyTotalAmount: 123.45 });
  const unbilled = (await proveMonth(world)).proof.tieOuts.find(({ name }) => name === 'unbilled');
  expect([unbilled?.left, unbilled?.rightLabel]).toEqual(['123.45', 'Accrue by hand']);
});

test('row 66: a total changed in Autotask after posting is reported with its amount', async () => {
  const total = Number((await world.psaInvoice(48_214))['invoiceTotal']);
  expect(await found(48_214)).toEqual([]);
  await world.autotask.put('Invoices', 48_214, { invoiceTotal: total + 589 });
  expect(await found(48_214)).toContainEqual(['edited_in_psa', '-589']);
});

test('row 66: another date, customer and item in QuickBooks are reported, even with the same amount', async () => {
  const row = await inAccounting(48_213);
  const [first, ...rest] = row['Line'] as readonly JsonObject[];
  const detail = first?.['SalesItemLineDetail'] as JsonObject;
  await world.quickbooks.put('Invoice', String(row['Id']), {
    TxnDate: '2025-02-20',
    CustomerRef: { value: '59' },
    Line: [{ ...first, SalesItemLineDetail: { ...detail, ItemRef: { value: '27' } } }, ...rest],
  });
  const classes = (await found(48_213)).map(([of]) => of);
  expect(classes).toEqual(expect.arrayContaining(['customer_differs', 'date_edited', 'item_differs']));
});

test('row 35: a child whose parent pays is a sub-customer of the parent in the reconciliation', async () => {
  const [parent] = await world.autotask.list('Companies').then((all) => all.filter(({ id }) => id === 175));
  await world.autotask.put('Companies', 181, {
    ...parent,
    id: 181,
    companyName: 'Acme Dental North',
    parentCompanyID: 175,
  });
  await world.saveSettings({ inv_child_work: 'sub_customer' });
  const [head] = await world.autotask.list('Invoices').then((all) => all.filter(({ id }) => id === 48_213));
  const [item] = await world.autotask
    .list('BillingItems')
    .then((all) => all.filter((one) => one['invoiceID'] === 48_213));
  for (const id of [48_410, 48_411]) {
    await world.autotask.put('Invoices', id, {
      ...head,
      id,
      invoiceNumber: '',
      webServiceDate: null,
      invoiceTotal: 300,
      totalTaxValue: 0,
    });
    const charged = { totalAmount: 300, internalCurrencyTotalAmount: 300, taxDollars: 0 };
    const itemId = 9_100_000 + id;
    const of = { invoiceID: id, companyID: 181 };
    await world.autotask.put('BillingItems', itemId, { ...item, ...charged, ...of, id: itemId });
  }
  const job = await world.sync('invoice', { mode: 'live', psaIds: [48_410, 48_411] });
  expect(job).toMatchObject({ succeeded: 2, failed: 0 });

  const children = (await world.quickbooks.list('Customer')).filter((one) => one['Job'] === true);
  expect(children).toMatchObject([
    { DisplayName: 'Acme Dental North', ParentRef: { value: '58' }, BillWithParent: true },
  ]);
  const [child] = children;
  for (const id of [48_410, 48_411])
    expect(await inAccounting(id)).toMatchObject({ CustomerRef: { value: child?.['Id'] }, TotalAmt: 300 });
  // Matched by the mapping that was saved when it was created.
  expect(await world.store.listMappings(['Customer'])).toContainEqual(
    expect.objectContaining({ sourceValue: '181', targetValue: String(child?.['Id']) }),
  );
  expect(await found(48_410)).toEqual([]);

  // Open amounts of parent and child are one row, because one customer pays both.
  await world.quickbooks.put('Invoice', String((await inAccounting(48_410))?.['Id']), { Balance: 100 });
  const { facts } = await gatherMonth(world.tenant, march);
  const open = tieOut(facts).tieOuts.find(({ name }) => name === 'receivables_psa');
  expect(open?.rows.filter(({ label }) => /Acme Dental/.test(label)).map(({ label }) => label)).toEqual([
    'Acme Dental',
  ]);
});

test('row 46: received and unbilled goods of an order are listed to be accrued', async () => {
  await world.saveSettings({ po_payable_account: '20', po_default_expense_account: '14' });
  await world.sync('purchase_order', { mode: 'live', psaIds: [3310] });
  // Lists are always current, without another reconciliation.
  const shown = async () => {
    const { facts } = await gatherMonth(world.tenant, march);
    const tie = tieOut(facts).tieOuts.find(({ name }) => name === 'received_not_billed');
    return tie === undefined ? null : [tie.left, tie.right, tie.rows.map(({ label }) => label)];
  };
  expect(await shown()).toBeNull();

  const items = (await world.autotask.list('PurchaseOrderItems')).filter((one) => one['orderID'] === 3310);
  const [first] = items;
  const cost = Number(first?.['internalCurrencyUnitCost']);
  const receive = (id: number, quantityNowReceiving: number, receiveDate: string) =>
    world.autotask.put('PurchaseOrderItemReceiving', id, {
      purchaseOrderItemID: first?.['id'] ?? null,
      quantityNowReceiving,
      receiveDate,
    });
  await receive(1, 2, '2025-03-20T12:00:00Z');
  // It belongs to the next month.
  await receive(2, 1, '2025-04-02T12:00:00Z');
  await world.autotask.put('PurchaseOrders', 3310, { status: 3 });
  const posting = await world.store.readPosting('purchase_order', 3310);
  const order = (await world.quickbooks.list('PurchaseOrder')).find((one) => one['Id'] === posting?.targetId);
  const label = `${String(order?.['DocNumber'])} · Ingram Supplies`;
  expect(await shown()).toEqual([String(cost * 2), '0', [label]]);

  const bill = (amount: number, on: string) =>
    world.quickbooks.add('Bill', {
      VendorRef: order?.['VendorRef'] ?? null,
      TxnDate: on,
      Line: [
        {
          DetailType: 'AccountBasedExpenseLineDetail',
          Amount: amount,
          AccountBasedExpenseLineDetail: { AccountRef: { value: '14' } },
          LinkedTxn: [{ TxnId: posting?.targetId ?? '', TxnType: 'PurchaseOrder', TxnLineId: '1' }],
        },
      ],
    });
  await bill(cost, '2025-03-25');
  await bill(cost, '2025-04-03');
  expect(await shown()).toEqual([String(cost * 2), String(cost), [label]]);
  await bill(cost, '2025-03-31');
  expect(await shown()).toBeNull();
});

test('blocks and retainers are listed by contract, with the balance in Autotask and in QuickBooks', async () => {
  const account = (await world.quickbooks.list('Account')).find((one) => one['Name'] === 'Customer Prepayments');
  const accountId = String(account?.['Id']);
  await world.saveSettings({
    inv_create_item_automatically: true,
    inv_default_income_account: '2',
    prepaid_account: accountId,
    prepaid_drawdown: true,
  });
  const [head] = await world.autotask.list('Invoices').then((all) => all.filter(({ id }) => id === 48_213));
  const [item] = await world.autotask
    .list('BillingItems')
    .then((all) => all.filter((one) => one['invoiceID'] === 48_213));
  const invoice = async (id: number, total: number, line: JsonObject) => {
    await world.autotask.put('Invoices', id, {
      ...head,
      id,
      invoiceNumber: '',
      webServiceDate: null,
      invoiceTotal: total,
      totalTaxValue: 0,
    });
    const charged = { totalAmount: total, internalCurrencyTotalAmount: total, taxDollars: 0 };
    await world.autotask.put('BillingItems', 9_100_000 + id, {
      ...item,
      ...charged,
      id: 9_100_000 + id,
      invoiceID: id,
      contractID: 2002,
      taxCategoryID: null,
      ...line,
    });
  };
  // Twenty hours sold at 150, three and a quarter used.
  await invoice(48_500, 3_000, {
    itemName: 'Block of 20 hours',
    billingItemType: 12,
    subType: 17,
    quantity: 20,
    rate: 150,
    extendedPrice: 3_000,
    billingCodeID: null,
    roleID: null,
  });
  await invoice(48_501, 0, {
    itemName: 'Firewall rule',
    billingItemType: 1,
    subType: 1,
    quantity: 3.25,
    rate: 150,
    extendedPrice: 487.5,
  });
  await world.sync('invoice', { mode: 'live', psaIds: [48_500] });
  await world.sync('invoice', { mode: 'live', psaIds: [48_501] });
  const block = (id: number, datePurchased: string, hoursApproved: number) =>
    world.autotask.put('ContractBlocks', id, {
      contractID: 2002,
      datePurchased,
      startDate: datePurchased,
      endDate: '2026-03-01',
      hours: 20,
      hoursApproved,
      hourlyRate: 150,
      status: 1,
    });
  await block(1, '2025-03-03', 3.25);
  // Bought in the next month.
  await block(2, '2025-04-02', 0);
  // A manual entry without a contract.
  await world.quickbooks.add('JournalEntry', {
    TxnDate: '2025-03-12',
    Line: [
      {
        DetailType: 'JournalEntryLineDetail',
        Amount: 40,
        JournalEntryLineDetail: { PostingType: 'Credit', AccountRef: { value: accountId } },
      },
      {
        DetailType: 'JournalEntryLineDetail',
        Amount: 40,
        JournalEntryLineDetail: { PostingType: 'Debit', AccountRef: { value: '2' } },
      },
    ],
  });
  const { facts } = await gatherMonth(world.tenant, march);
  const tie = tieOut(facts).tieOuts.find(({ name }) => name === 'prepayments');
  expect(tie?.rows.map(({ label, left, right }) => [label, left, right])).toEqual([
    ['Acme Dental block hours', '2512.5', '2512.5'],
    [expect.stringMatching(/^Journal Entry/), null, '40'],
  ]);
  expect([tie?.left, tie?.right, tie?.difference]).toEqual(['2512.5', '2552.5', '-40']);
});
