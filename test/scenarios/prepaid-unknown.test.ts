import { afterAll, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { newWorld } from '../support/world.ts';

/** Documents whose outcome is unknown keep their claim on prepaid money in later jobs, so that no balance is negative. */
const world = await newWorld();
const account = (await world.quickbooks.list('Account')).find((one) => one['Name'] === 'Customer Prepayments');
await world.saveSettings({
  inv_create_item_automatically: true,
  inv_default_income_account: '2',
  inv_numbering_option: 'autotask',
  po_payable_account: '20',
  prepaid_account: String(account?.['Id']),
  prepaid_drawdown: true,
});
await world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
afterAll(() => world.close());

const sale = { billingCodeID: null, roleID: null, timeEntryID: null, ticketID: null, itemName: 'Block of 10 hours' };
const block = (amount: number): JsonObject => ({
  ...sale,
  billingItemType: 12,
  subType: 17,
  quantity: amount < 0 ? -1 : 10,
  rate: amount < 0 ? -amount : amount / 10,
  extendedPrice: amount,
  totalAmount: amount,
});
let next = 0;
/** Creates a company with a block contract, and returns how to invoice it. */
async function client(name: string) {
  next += 1;
  const [companyID, contractID, first] = [9_500 + next, 2_500 + next, 52_000 + next * 20];
  const like = (await world.autotask.list('Companies')).find((row) => row['id'] === 176) ?? {};
  await world.autotask.add('Companies', { ...like, id: companyID, companyName: name });
  const contract = (await world.autotask.list('Contracts')).find(({ id }) => id === 2_002) ?? {};
  await world.autotask.put('Contracts', contractID, { ...contract, companyID, id: contractID, contractName: name });
  return {
    id: (at: number) => first + at,
    async bill(at: number, line: JsonObject): Promise<number> {
      const id = first + at;
      const [head] = (await world.autotask.list('Invoices')).filter((one) => one['id'] === 48_213);
      const [item] = (await world.autotask.list('BillingItems')).filter((one) => one['invoiceID'] === 48_213);
      const total = line['totalAmount'] ?? 0;
      await world.autotask.put('Invoices', id, {
        ...head,
        id,
        companyID,
        invoiceNumber: `P-${id}`,
        webServiceDate: null,
        invoiceTotal: total,
        totalTaxValue: 0,
      });
      await world.autotask.put('BillingItems', id * 100, {
        ...item,
        id: id * 100,
        invoiceID: id,
        contractID,
        taxCategoryID: null,
        taxDollars: 0,
        internalCurrencyTotalAmount: total,
        internalCurrencyRate: line['rate'] ?? null,
        ...line,
      });
      return id;
    },
  };
}

/** Returns the balance of Customer Prepayments for a customer, from the general ledger of QuickBooks. */
async function balanceOf(name: string): Promise<number> {
  const customer = (await world.quickbooks.list('Customer')).find((row) => row['DisplayName'] === name);
  const { entries } = (await (await fetch(`${world.quickbooks.url}/__sandbox/ledger`)).json()) as {
    entries: readonly {
      account: { name: string };
      entity: { id: string } | null;
      home_debit: string;
      home_credit: string;
    }[];
  };
  const own = entries.filter(
    ({ account, entity }) => account.name === 'Customer Prepayments' && entity?.id === customer?.['Id'],
  );
  const cents = own.reduce(
    (all, one) => all + Math.round(Number(one.home_credit) * 100) - Math.round(Number(one.home_debit) * 100),
    0,
  );
  return cents / 100;
}

/** QuickBooks applies the next such request only after 100 seconds, and its response is lost. */
const late = (path: string, body?: string) =>
  world.quickbooks.fault({
    match: { method: 'POST', path, ...(body !== undefined && { body }) },
    times: 1,
    action: { reset: 'late', apply_after_seconds: 100 },
  });
const live = async (psaIds: readonly number[], more: JsonObject = {}) =>
  (await world.sync('invoice', { mode: 'live', psaIds, ...more })).results;
async function settled(): Promise<void> {
  await world.advance(135);
  await world.work();
}

test('an update that lowers a sale', async () => {
  const one = await client('Quartz Labs');
  await live([await one.bill(0, block(1_350))]);
  await one.bill(0, block(500));
  await late('/invoice$');
  expect(await live([one.id(0)], { revises: true })).toMatchObject([{ outcome: 'pending' }]);
  const [used] = await live([await one.bill(1, block(-1_000))]);
  expect(used).toMatchObject({ outcome: 'failed' });
  await settled();
  expect(await balanceOf('Quartz Labs')).toBe(500);
});

test('the void of a sale', async () => {
  const one = await client('Raven Accounting');
  await live([await one.bill(0, block(1_350))]);
  await world.autotask.put('Invoices', one.id(0), { isVoided: true, voidedDate: '2025-03-03T15:00:00Z' });
  await late('/invoice$');
  const { results } = await world.sync('void', { mode: 'live', psaIds: [one.id(0)] });
  expect(results).toMatchObject([{ outcome: 'pending' }]);
  const [used] = await live([await one.bill(1, block(-1_000))]);
  expect(used).toMatchObject({ outcome: 'failed' });
  await settled();
  expect(await balanceOf('Raven Accounting')).toBe(0);
});

test('after a job gives way, neither another job nor the rest of this one takes the same prepaid money', async () => {
  const one = await client('Salt Harbor');
  await live([await one.bill(0, block(800))]);
  // The first chunk has the first credit, the last chunk the third. Autotask does not have the ids between them.
  const [first, between] = [await one.bill(1, block(-500)), await one.bill(2, block(-500))];
  next += 20;
  const last = first + 400;
  const bill = await one.bill(401, block(-500));
  expect(bill).toBe(last);
  await late('(batch|creditmemo)$', `invoice ${first}\\b`);
  const actor = { username: 'admin@northwind-msp.example' };
  const request = { kind: 'invoice', mode: 'live', force: false, actor } as const;
  const missing = Array.from({ length: 250 }, (_, n) => first + 100 + n);
  const large = await submit(world.tenant, { ...request, psaIds: [first, ...missing, last] });
  let small: string | null = null;
  const turns: string[] = [];
  await world.work(async (name, when) => {
    if (when === 'after' && (name === 'store.giveWay' || name === 'store.finishJob')) turns.push(name);
    if (when !== 'after' || name !== 'store.openAttempts') return;
    await world.advance(1);
    small ??= (await submit(world.tenant, { ...request, psaIds: [between] })).id;
  });
  expect(turns).toContain('store.giveWay');
  const used = { outcome: 'failed', message: expect.stringContaining('prepaid balance of Salt Harbor -200.00') };
  expect((await world.store.readJob(small ?? ''))?.results).toMatchObject([used]);
  const { results = [] } = (await world.store.readJob(large.id)) ?? {};
  expect(results.find(({ psaId }) => psaId === first)).toMatchObject({ outcome: 'pending' });
  expect(results.find(({ psaId }) => psaId === last)).toMatchObject(used);
  await settled();
  expect(await balanceOf('Salt Harbor')).toBe(300);
});
