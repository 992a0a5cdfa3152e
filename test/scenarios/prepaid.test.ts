import { decimal } from '#core/values/decimal.ts';
import { afterAll, describe, expect, test } from 'vitest';
import { exceptionsOf, tieOut } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { gatherMonth } from '#flows/close/gather.ts';
import { mapping } from '../support/mappings.ts';
import { newWorld } from '../support/world.ts';

/** Prepaid money from the sale in Autotask to the ledger of QuickBooks and the month-end reconciliation. */
const tickets = 2_005;

const world = await newWorld();
const account = (await world.quickbooks.list('Account')).find((one) => one['Name'] === 'Customer Prepayments');
await world.saveSettings({
  inv_create_item_automatically: true,
  inv_default_income_account: '2',
  prepaid_account: String(account?.['Id']),
  prepaid_drawdown: true,
});
const [block] = (await world.autotask.list('Contracts')).filter(({ id }) => id === 2_002);
await world.autotask.put('Contracts', tickets, {
  ...block,
  id: tickets,
  contractName: 'Acme Dental tickets',
  contractType: 6,
});
afterAll(() => world.close());

/** Creates an invoice of Acme Dental in Autotask. Its lines belong to the block contract by default. */
async function invoiced(id: number, lines: readonly JsonObject[], of: JsonObject = {}): Promise<void> {
  const [head] = (await world.autotask.list('Invoices')).filter((one) => one['id'] === 48_213);
  const [item] = (await world.autotask.list('BillingItems')).filter((one) => one['invoiceID'] === 48_213);
  const total = lines.reduce((all, { totalAmount }) => all + Number(totalAmount), 0);
  const own = { id, invoiceNumber: '', webServiceDate: null, invoiceTotal: total, totalTaxValue: 0, ...of };
  await world.autotask.put('Invoices', id, { ...head, ...own });
  for (const [index, line] of lines.entries())
    await world.autotask.put('BillingItems', id * 100 + index, {
      ...item,
      id: id * 100 + index,
      invoiceID: id,
      contractID: 2_002,
      taxCategoryID: null,
      taxDollars: 0,
      internalCurrencyTotalAmount: line['totalAmount'] ?? null,
      internalCurrencyRate: line['rate'] ?? null,
      ...line,
    });
}
const sale = { billingCodeID: null, roleID: null, timeEntryID: null, ticketID: null };
const blockSale = (more: JsonObject): JsonObject => ({
  ...sale,
  itemName: 'Block of 10 hours',
  billingItemType: 12,
  subType: 17,
  quantity: 10,
  rate: 135,
  extendedPrice: 1_350,
  totalAmount: 1_350,
  ...more,
});
const worked = (hours: number, totalAmount: number, more: JsonObject = {}): JsonObject => ({
  itemName: 'Firewall rule',
  billingItemType: 1,
  subType: 1,
  quantity: hours,
  rate: 165,
  extendedPrice: hours * 165,
  totalAmount,
  ...more,
});

const sync = async (psaId: number) => (await world.sync('invoice', { mode: 'live', psaIds: [psaId] })).results;

/** Returns debits and credits of an invoice from the general ledger of QuickBooks. */
async function ledgerOf(psaId: number): Promise<string[]> {
  const posting = await world.store.readPosting('invoice', psaId);
  const url = `${world.quickbooks.url}/__sandbox/ledger?transaction_type=Invoice&transaction_id=${posting?.targetId}`;
  const { entries } = (await (await fetch(url)).json()) as {
    entries: readonly { account: { name: string }; home_debit: string; home_credit: string }[];
  };
  return entries
    .map(({ account, home_debit: debit, home_credit: credit }) =>
      Number(debit) === 0 ? `Cr ${account.name} ${credit}` : `Dr ${account.name} ${debit}`,
    )
    .filter((row) => !/ 0(\.00)?$/.test(row))
    .sort();
}

test('holds work until its block is synced, then draws at the rate of the block until it is used up', async () => {
  await invoiced(48_500, [blockSale({ contractBlockID: 1 })]);
  await invoiced(48_501, [worked(8, 0)]);
  expect(await sync(48_501)).toMatchObject([{ outcome: 'held' }]);
  expect(await world.store.readPosting('invoice', 48_501)).toBeNull();

  await sync(48_500);
  expect(await ledgerOf(48_500)).toEqual(['Cr Customer Prepayments 1350.00', 'Dr Accounts Receivable 1350.00']);
  await sync(48_501);
  expect(await ledgerOf(48_501)).toEqual(['Cr Service Income 1080.00', 'Dr Customer Prepayments 1080.00']);

  // Two hours are left. The third covered hour posts no income; the billed hours are income.
  await invoiced(48_502, [worked(3, 0), worked(2, 330)]);
  await sync(48_502);
  expect((await ledgerOf(48_502)).sort()).toEqual([
    'Cr Service Income 270.00',
    'Cr Service Income 330.00',
    'Dr Accounts Receivable 330.00',
    'Dr Customer Prepayments 270.00',
  ]);
});

test('draws nothing from a block that is income in QuickBooks', async () => {
  const [block] = (await world.autotask.list('Contracts')).filter(({ id }) => id === 2_002);
  await world.autotask.put('Contracts', 2_006, { ...block, id: 2_006, contractName: 'Acme Dental earlier block' });
  await invoiced(48_506, [blockSale({ contractID: 2_006 })]);
  await sync(48_506);
  const posting = await world.store.readPosting('invoice', 48_506);
  const [document] = (await world.quickbooks.list('Invoice')).filter((one) => one['Id'] === posting?.targetId);
  const [line, ...rest] = (document?.['Line'] ?? []) as readonly JsonObject[];
  const detail = line?.['SalesItemLineDetail'] as JsonObject;
  await world.quickbooks.put('Invoice', String(posting?.targetId), {
    Line: [
      { ...line, SalesItemLineDetail: { ...detail, ItemRef: { value: '21' }, ItemAccountRef: { value: '1' } } },
      ...rest,
    ],
  });
  expect(await ledgerOf(48_506)).not.toContain('Cr Customer Prepayments 1350.00');
  await invoiced(48_507, [worked(1, 0, { contractID: 2_006 }), worked(1, 165)]);
  const results = await sync(48_507);
  expect(results).toMatchObject([{ outcome: 'succeeded' }]);
  expect(await ledgerOf(48_507)).toEqual(['Cr Service Income 165.00', 'Dr Accounts Receivable 165.00']);
});

test('holds the void of a block whose money was used until the block is invoiced again', async () => {
  const [block] = (await world.autotask.list('Contracts')).filter(({ id }) => id === 2_002);
  await world.autotask.put('Contracts', 2_007, { ...block, id: 2_007, contractName: 'Acme Dental corrected block' });
  await invoiced(48_510, [blockSale({ contractID: 2_007 })]);
  await sync(48_510);
  await invoiced(48_511, [worked(6, 0, { contractID: 2_007 })]);
  await sync(48_511);
  await world.autotask.put('Invoices', 48_510, { isVoided: true, voidedDate: '2025-03-03T15:00:00Z' });
  const voidIt = async () => (await world.sync('void', { mode: 'live', psaIds: [48_510] })).results;
  const { number } = (await world.store.readPosting('invoice', 48_510)) ?? {};
  // PREPAID_MONEY_USED
  expect(await voidIt()).toMatchObject([
    {
      outcome: 'failed',
      message: `Invoice ${number} sold prepaid work that was already used. Voiding it would make the prepaid balance of Acme Dental -810.00. Nothing was changed.`,
    },
  ]);
  await invoiced(48_512, [blockSale({ contractID: 2_007 })]);
  await sync(48_512);
  expect(await voidIt()).toMatchObject([{ outcome: 'succeeded' }]);
  await invoiced(48_513, [worked(6, 0, { contractID: 2_007 })]);
  await sync(48_513);
  expect(await ledgerOf(48_511)).toEqual(['Cr Service Income 810.00', 'Dr Customer Prepayments 810.00']);
  expect(await ledgerOf(48_513)).toEqual(['Cr Service Income 540.00', 'Dr Customer Prepayments 540.00']);
});

test('refuses to lower a sale whose money was used, by an update or by a credited difference', async () => {
  const [block] = (await world.autotask.list('Contracts')).filter(({ id }) => id === 2_002);
  // Another customer, because the balance is that of all contracts.
  const birch = { companyID: 176 };
  await world.autotask.put('Contracts', 2_008, { ...block, ...birch, id: 2_008, contractName: 'Birch Legal block' });
  await invoiced(48_514, [blockSale({ contractID: 2_008 })], birch);
  await sync(48_514);
  await invoiced(48_515, [worked(6, 0, { contractID: 2_008 })], birch);
  await sync(48_515);
  const soldFor = (rate: number) =>
    invoiced(48_514, [blockSale({ contractID: 2_008, rate, extendedPrice: rate * 10, totalAmount: rate * 10 })], birch);
  const change = async (kind: 'invoice' | 'difference') =>
    (await world.sync(kind, { mode: 'live', revises: kind === 'invoice', psaIds: [48_514] })).results;
  const { number } = (await world.store.readPosting('invoice', 48_514)) ?? {};
  const used = `Invoice ${number} sold prepaid work that was already used.`;
  const balance = 'would make the prepaid balance of Birch Legal LLP -310.00. Nothing was changed.';
  await soldFor(50);
  expect(await change('invoice')).toMatchObject([{ outcome: 'failed', message: `${used} Lowering it ${balance}` }]);
  expect(await change('difference')).toMatchObject([
    { outcome: 'failed', message: `${used} Crediting the difference ${balance}` },
  ]);
  // Exactly what was used.
  await soldFor(81);
  expect(await change('invoice')).toMatchObject([{ outcome: 'succeeded' }]);
  expect(await ledgerOf(48_514)).toEqual(['Cr Customer Prepayments 810.00', 'Dr Accounts Receivable 810.00']);
});

test('draws a prepaid ticket once', async () => {
  await invoiced(48_503, [
    {
      ...sale,
      contractID: tickets,
      itemName: 'Ticket Purchase',
      billingItemType: 15,
      subType: 1,
      quantity: 20,
      rate: 95,
      extendedPrice: 1_900,
      totalAmount: 1_900,
    },
  ]);
  await sync(48_503);
  await invoiced(48_504, [
    worked(1, 0, { contractID: tickets, ticketID: 61_001 }),
    worked(2, 0, { contractID: tickets, ticketID: 61_001 }),
  ]);
  await sync(48_504);
  expect(await ledgerOf(48_504)).toEqual(['Cr Service Income 95.00', 'Dr Customer Prepayments 95.00']);
  // The same ticket on another invoice.
  await invoiced(48_505, [worked(1, 0, { contractID: tickets, ticketID: 61_001 })]);
  expect(await sync(48_505)).toMatchObject([{ outcome: 'skipped' }]);
  expect(await world.store.readPosting('invoice', 48_505)).toBeNull();
});

test('the reconciliation compares each contract with its balance in Autotask', async () => {
  const dates = { datePurchased: '2025-03-03', startDate: '2025-03-03', endDate: '2026-03-01', status: 1 };
  await world.autotask.put('ContractBlocks', 1, {
    ...dates,
    contractID: 2_002,
    hours: 10,
    // More than was bought: the rest is 0, not negative.
    hoursApproved: 11,
    hourlyRate: 135,
  });
  await world.autotask.put('ContractTicketPurchases', 1, {
    ...dates,
    contractID: tickets,
    ticketsPurchased: 20,
    ticketsUsed: 1,
    perTicketRate: 95,
  });
  const { facts } = await gatherMonth(world.tenant, month('2025-03'));
  const tie = tieOut(facts).tieOuts.find(({ name }) => name === 'prepayments');
  expect(tie?.rows.map(({ label, left, right }) => [label, left, right])).toEqual([
    ['Acme Dental block hours', '0', '0'],
    ['Acme Dental tickets', '1805', '1805'],
    ['Acme Dental corrected block', null, '0'],
    ['Birch Legal block', null, '0'],
  ]);
  expect([tie?.left, tie?.right, tie?.difference]).toEqual(['1805', '1805', '0']);
});

describe('the balance of a customer never becomes negative', () => {
  let next = 0;
  /**
   * Creates a company with a block contract, and returns functions for its invoices.
   *
   * @param sold amounts of its first invoices, which are synced.
   * @param hours work of the next invoice, which is synced; default: no invoice.
   */
  async function client(name: string, sold: readonly number[] = [], hours = 0) {
    next += 1;
    const [companyID, contractID, first] = [9_400 + next, 2_400 + next, 49_000 + next * 20];
    const like = (await world.autotask.list('Companies')).find((row) => row['id'] === 176) ?? {};
    await world.autotask.add('Companies', { ...like, id: companyID, companyName: name });
    const [block] = (await world.autotask.list('Contracts')).filter(({ id }) => id === 2_002);
    await world.autotask.put('Contracts', contractID, { ...block, companyID, id: contractID, contractName: name });
    const of = { contractID };
    const own = {
      companyID,
      contractID,
      id: (at: number) => first + at,
      sell: (at: number, amount: number, more: JsonObject = {}) =>
        invoiced(first + at, [blockSale({ ...of, rate: amount / 10, totalAmount: amount, ...more })], { companyID }),
      work: (at: number, hours: number) => invoiced(first + at, [worked(hours, 0, of)], { companyID }),
      bill: (at: number, lines: readonly JsonObject[]) =>
        invoiced(
          first + at,
          lines.map((line) => ({ ...of, ...line })),
          { companyID },
        ),
    };
    for (const [at, amount] of sold.entries()) {
      await own.sell(at, amount);
      await sync(own.id(at));
    }
    if (hours > 0) {
      await own.work(sold.length, hours);
      await sync(own.id(sold.length));
    }
    return own;
  }
  /** Maps a company to the customer Delta School. */
  async function mapToDelta(companyID: number): Promise<void> {
    await world.store.saveMappings([mapping('Customer', String(companyID), '61')]);
  }
  const voidIn = (psaId: number) =>
    world.autotask.put('Invoices', psaId, { isVoided: true, voidedDate: '2025-03-03T15:00:00Z' });
  const credited = (amount: number) => blockSale({ quantity: -1, rate: amount, totalAmount: -amount });
  /** Returns the balance of Customer Prepayments for a customer, from the general ledger of QuickBooks. */
  async function balanceOf(name: string): Promise<number> {
    const customer = (await world.quickbooks.list('Customer')).find((row) => row['DisplayName'] === name);
    const answer = await fetch(`${world.quickbooks.url}/__sandbox/ledger`);
    const { entries } = (await answer.json()) as {
      entries: readonly {
        account: { name: string };
        entity: { id: string } | null;
        home_debit: string;
        home_credit: string;
      }[];
    };
    const cents = entries
      .filter(({ account, entity: own }) => account.name === 'Customer Prepayments' && own?.id === customer?.['Id'])
      .reduce(
        (all, one) => all + Math.round(Number(one.home_credit) * 100) - Math.round(Number(one.home_debit) * 100),
        0,
      );
    return cents / 100;
  }
  const used = (name: string, amount: string) =>
    new RegExp(`would make the prepaid balance of ${name} -${amount}\\. Nothing was (changed|posted)\\.$`);

  test('two blocks that are drawn to the cent', async () => {
    const one = await client('Alder Press');
    const blocks = [blockSale({ quantity: 3, totalAmount: 100 }), blockSale({ quantity: 7, totalAmount: 1_000.01 })];
    await one.bill(0, blocks);
    await one.bill(1, [worked(2, 0), worked(2, 0)]);
    await one.bill(2, [worked(5.5, 0)]);
    await one.bill(3, [worked(3, 0), worked(1, 165)]);
    for (const at of [0, 1, 2, 3]) expect(await sync(one.id(at))).toMatchObject([{ outcome: 'succeeded' }]);
    expect(await ledgerOf(one.id(1))).toEqual([
      'Cr Service Income 142.86',
      'Cr Service Income 33.33',
      'Cr Service Income 66.67',
      'Dr Customer Prepayments 242.86',
    ]);
    expect(await ledgerOf(one.id(3))).toEqual([
      'Cr Service Income 165.00',
      'Cr Service Income 71.43',
      'Dr Accounts Receivable 165.00',
      'Dr Customer Prepayments 71.43',
    ]);
    expect(await balanceOf('Alder Press')).toBe(0);
  });

  test('work of a customer that was renamed in QuickBooks', async () => {
    const one = await client('Birch Mills', [1_000]);
    const made = (await world.quickbooks.list('Customer')).find((row) => row['DisplayName'] === 'Birch Mills');
    const name = 'Birch Mills of Ohio';
    await world.quickbooks.put('Customer', String(made?.['Id']), { DisplayName: name, FullyQualifiedName: name });
    await one.work(1, 4);
    expect(await sync(one.id(1))).toMatchObject([{ outcome: 'succeeded' }]);
    expect(await balanceOf(name)).toBe(600);
  });

  test('a new invoice with a negative block line', async () => {
    const one = await client('Cobalt Mining', [1_350], 6);
    await one.bill(2, [credited(600)]);
    expect(await sync(one.id(2))).toMatchObject([
      { outcome: 'failed', message: expect.stringMatching(used('Cobalt Mining', '60.00')) },
    ]);
    // Beside other lines.
    await one.bill(3, [worked(10, 1_650), credited(540.01)]);
    expect(await sync(one.id(3))).toMatchObject([{ outcome: 'failed' }]);
    // What is left can be credited.
    await one.bill(4, [worked(10, 1_650), credited(540)]);
    expect(await sync(one.id(4))).toMatchObject([{ outcome: 'succeeded' }]);
    expect(await ledgerOf(one.id(4))).toEqual([
      'Cr Service Income 1650.00',
      'Dr Accounts Receivable 1110.00',
      'Dr Customer Prepayments 540.00',
    ]);
    expect(await balanceOf('Cobalt Mining')).toBe(0);
  });

  test('two negative lines in one job', async () => {
    const one = await client('Dune Travel', [800]);
    await one.bill(1, [credited(500)]);
    await one.bill(2, [credited(500)]);
    const { results } = await world.sync('invoice', { mode: 'live', psaIds: [one.id(1), one.id(2)] });
    expect(results.toSorted((a, b) => a.psaId - b.psaId)).toMatchObject([
      { outcome: 'succeeded' },
      { outcome: 'failed', message: expect.stringMatching(used('Dune Travel', '200.00')) },
    ]);
    expect(await balanceOf('Dune Travel')).toBe(300);
  });

  test('a negative line for a block that was sold before the first sync', async () => {
    const one = await client('Elm Street Bakery');
    await one.bill(0, [worked(1, 165), credited(100)]);
    expect(await sync(one.id(0))).toMatchObject([
      { outcome: 'failed', message: expect.stringMatching(used('Elm Street Bakery', '100.00')) },
    ]);
  });

  test('work that is posted a second time', async () => {
    const one = await client('Fjord Ferries', [1_350], 6);
    const { results } = await world.sync('invoice', { mode: 'live', force: true, psaIds: [one.id(1)] });
    expect(results).toMatchObject([{ outcome: 'failed' }]);
    expect(await balanceOf('Fjord Ferries')).toBe(540);
  });

  test('work of a company that was mapped to another customer after the sale', async () => {
    const one = await client('Glass Works', [1_350]);
    await mapToDelta(one.companyID);
    await one.work(1, 6);
    expect(await sync(one.id(1))).toMatchObject([
      { outcome: 'failed', message: expect.stringMatching(used('Delta School', '810.00')) },
    ]);
    expect(await balanceOf('Delta School')).toBe(0);
  });

  test('voids of two sales in one job', async () => {
    const one = await client('Harbor Cranes', [500, 500], 8);
    expect(await balanceOf('Harbor Cranes')).toBe(600);
    await voidIn(one.id(0));
    await voidIn(one.id(1));
    const { results } = await world.sync('void', { mode: 'live', psaIds: [one.id(0), one.id(1)] });
    expect(results).toMatchObject([{ outcome: 'succeeded' }, { outcome: 'failed' }]);
    expect(await balanceOf('Harbor Cranes')).toBe(100);
  });

  test('the void of a sale that an earlier tool posted', async () => {
    const one = await client('Juniper Labs', [500], 8);
    // An earlier tool posted another sale, which was used too.
    const { targetId = null } = (await world.store.readPosting('invoice', one.id(0))) ?? {};
    const [ours] = (await world.quickbooks.list('Invoice')).filter((row) => row['Id'] === targetId);
    await world.quickbooks.add('Invoice', {
      CustomerRef: ours?.['CustomerRef'] ?? {},
      Line: ours?.['Line'] ?? [],
      DocNumber: 'E-500',
    });
    await one.sell(2, 500);
    await world.autotask.put('Invoices', one.id(2), { invoiceNumber: 'E-500' });
    await one.bill(3, [credited(550)]);
    await sync(one.id(3));
    expect(await balanceOf('Juniper Labs')).toBe(50);
    await voidIn(one.id(2));
    const { results } = await world.sync('void', { mode: 'live', psaIds: [one.id(2)] });
    expect(results).toMatchObject([
      { outcome: 'failed', message: expect.stringMatching(used('Juniper Labs', '450.00')) },
    ]);
    expect(await balanceOf('Juniper Labs')).toBe(50);
  });

  test('updates of two sales in one job', async () => {
    const one = await client('Iris Optics', [500, 500], 8);
    await one.sell(0, 100);
    await one.sell(1, 100);
    const { results } = await world.sync('invoice', {
      mode: 'live',
      revises: true,
      psaIds: [one.id(0), one.id(1)],
    });
    expect(results.map(({ outcome }) => outcome).sort()).toEqual(['failed', 'succeeded']);
    expect(await balanceOf('Iris Optics')).toBe(200);
  });

  test('the void of a used sale that a user decides on in the month-end close', async () => {
    const one = await client('Larch Motors', [1_350], 6);
    await one.sell(2, 500);
    await sync(one.id(2));
    await voidIn(one.id(0));
    await voidIn(one.id(2));
    const offered = async (psaId: number) => {
      const { facts } = await gatherMonth(world.tenant, month('2025-03'));
      return exceptionsOf(tieOut(facts)).find((row) => row.psaId === psaId && row.class === 'voided_in_psa')?.actions;
    };
    expect(await offered(one.id(0))).toEqual(['accept', 'carry']);
    expect(await offered(one.id(2))).toEqual(['void', 'accept', 'carry']);
    const { results } = await world.sync('void', { mode: 'live', revises: true, psaIds: [one.id(0)] });
    expect(results).toMatchObject([
      { outcome: 'failed', message: expect.stringMatching(used('Larch Motors', '310.00')) },
    ]);
    expect(await balanceOf('Larch Motors')).toBe(1_040);
  });

  test('an update that moves a used sale to another customer', async () => {
    const one = await client('Nut Traders', [1_350], 6);
    await mapToDelta(one.companyID);
    const { results } = await world.sync('invoice', { mode: 'live', revises: true, psaIds: [one.id(0)] });
    expect(results).toMatchObject([
      { outcome: 'failed', message: expect.stringMatching(used('Nut Traders', '810.00')) },
    ]);
    expect(await balanceOf('Nut Traders')).toBe(540);
  });

  /** Creates a block in Autotask that is valid between two days. */
  const blockIn = (id: number, contractID: number, startDate: string, endDate: string, rate: number) =>
    world.autotask.put('ContractBlocks', id, {
      datePurchased: startDate,
      startDate,
      endDate,
      status: 1,
      contractID,
      hours: 10,
      hoursApproved: 0,
      hourlyRate: rate,
    });
  const proofOf = async (of: string) => {
    const { facts } = await gatherMonth(world.tenant, month(of));
    return tieOut(facts).tieOuts.find(({ name }) => name === 'expired_prepayments');
  };
  const rowsFor = async (name: string, of = '2025-03') =>
    ((await proofOf(of))?.rows ?? []).filter(({ label }) => label.includes(name));

  test('work on the block of its day, and an expired block in the proof until its entry to income is posted', async () => {
    const one = await client('Oak Bakery');
    await blockIn(201, one.contractID, '2025-01-01', '2025-02-28', 126);
    await blockIn(202, one.contractID, '2025-03-01', '2025-12-31', 166.5);
    await one.sell(0, 1_260, { contractBlockID: 201, quantity: 10, rate: 126 });
    await one.sell(1, 1_665, { contractBlockID: 202, quantity: 10, rate: 166.5 });
    for (const at of [0, 1]) await sync(one.id(at));
    await one.bill(2, [worked(8, 0, { itemDate: '2025-03-01' })]);
    await sync(one.id(2));
    expect(await ledgerOf(one.id(2))).toEqual(['Cr Service Income 1332.00', 'Dr Customer Prepayments 1332.00']);
    // Invoiced late, but done on the last day of the first block.
    await one.bill(3, [worked(1, 0, { itemDate: '2025-02-28' })]);
    await sync(one.id(3));
    expect(await ledgerOf(one.id(3))).toEqual(['Cr Service Income 126.00', 'Dr Customer Prepayments 126.00']);
    expect(await balanceOf('Oak Bakery')).toBe(1_467);

    const income = (await world.quickbooks.list('Account')).find((row) => row['Name'] === 'Service Income');
    await world.saveSettings({ prepaid_breakage_account: String(income?.['Id']), prepaid_grace_months: 2 });
    expect(await rowsFor('Oak Bakery')).toMatchObject([
      { left: '1134', right: null, label: 'Oak Bakery · Oak Bakery · ended Feb 28, 2025' },
    ]);
    await world.saveSettings({ prepaid_grace_months: 0 });
    expect(await rowsFor('Oak Bakery')).toMatchObject([
      {
        left: '1134',
        right: '1134',
        note: expect.stringContaining('debit Customer Prepayments, credit Service Income'),
      },
    ]);

    const customer = (await world.quickbooks.list('Customer')).find((row) => row['DisplayName'] === 'Oak Bakery');
    const Entity = { Type: 'Customer', EntityRef: { value: String(customer?.['Id']) } };
    const line = (PostingType: string, account: unknown) => ({
      Amount: 1_134,
      DetailType: 'JournalEntryLineDetail',
      JournalEntryLineDetail: { PostingType, AccountRef: { value: String(account) }, Entity },
    });
    await world.quickbooks.add('JournalEntry', {
      TxnDate: '2025-03-03',
      Line: [line('Debit', account?.['Id']), line('Credit', income?.['Id'])],
    });
    expect(await balanceOf('Oak Bakery')).toBe(333);
    expect(await rowsFor('Oak Bakery')).toEqual([]);
    // Late work of the first block must not use the money of the second one. PREPAID_MONEY_EXPIRED
    await one.bill(4, [worked(2, 0, { itemDate: '2025-02-27' })]);
    expect(await sync(one.id(4))).toMatchObject([
      {
        outcome: 'failed',
        message: expect.stringContaining(
          'uses a prepaid purchase of Oak Bakery that has ended, and 252.00 of its money is not in QuickBooks any more.',
        ),
      },
    ]);
    await one.bill(5, [worked(2, 0, { itemDate: '2025-03-02' })]);
    await sync(one.id(5));
    expect(await balanceOf('Oak Bakery')).toBe(0);
  });

  test('posts a sale and its use in one job, and reports a used-up block by its name', async () => {
    const one = await client('Reed Studio');
    // The use has the lower id.
    await one.work(0, 6);
    await one.sell(1, 1_350);
    const { results } = await world.sync('invoice', { mode: 'live', psaIds: [one.id(0), one.id(1)] });
    expect(results.map(({ outcome }) => outcome)).toEqual(['succeeded', 'succeeded']);
    expect(await ledgerOf(one.id(0))).toEqual(['Cr Service Income 810.00', 'Dr Customer Prepayments 810.00']);
    expect(await balanceOf('Reed Studio')).toBe(540);
    await one.work(2, 4);
    await sync(one.id(2));
    await one.work(3, 3);
    // PREPAID_USED_UP
    expect(await sync(one.id(3))).toMatchObject([
      {
        outcome: 'skipped',
        message:
          'Skipped: “Reed Studio” covers 3 h of work without prepaid money in QuickBooks. No income is posted for it. (1 warning)',
      },
    ]);
    // Without its sale, the use waits.
    await one.work(4, 1);
    await one.sell(5, 1_350, { itemName: 'Blocked', billingCodeID: null });
    await world.autotask.put('Invoices', one.id(5), { invoiceTotal: 1 });
    const again = await world.sync('invoice', { mode: 'live', psaIds: [one.id(4), one.id(5)] });
    expect(again.results.map(({ psaId, outcome }) => [psaId, outcome]).sort()).toEqual([
      [one.id(4), 'held'],
      [one.id(5), 'failed'],
    ]);
  });

  test('covered work outside every block, until the block is extended', async () => {
    const one = await client('Pine Works');
    await blockIn(203, one.contractID, '2025-01-01', '2025-02-28', 135);
    await one.sell(0, 1_350, { contractBlockID: 203 });
    await sync(one.id(0));
    await one.bill(1, [worked(2, 0, { itemDate: '2025-03-02' })]);
    // PREPAID_OUTSIDE_DATES
    expect(await sync(one.id(1))).toMatchObject([
      {
        outcome: 'skipped',
        message:
          'Skipped: “Pine Works” covers 2 h of work of Mar 2, 2025, but is valid only for Jan 1, 2025 to Feb 28, 2025. No income is posted for it. (1 warning)',
      },
    ]);
    expect(await rowsFor('Pine Works')).toMatchObject([{ left: '1350' }]);
    await world.autotask.put('ContractBlocks', 203, { endDate: '2025-03-31' });
    await sync(one.id(1));
    expect(await ledgerOf(one.id(1))).toEqual(['Cr Service Income 270.00', 'Dr Customer Prepayments 270.00']);
    // The proof of March is made on Mar 3, when the block has not ended.
    expect(await rowsFor('Pine Works')).toEqual([]);
  });

  test('an expired block in a foreign currency, in home currency at the rate of its sale', async () => {
    await world.saveSettings({ exchange_rate_hold_over: decimal('1000') });
    const [contractID, companyID] = [2_483, 9_491];
    const [maple] = (await world.autotask.list('Companies')).filter(({ id }) => id === 177);
    await world.autotask.add('Companies', { ...maple, id: companyID, companyName: 'Fern Optics' });
    const [block] = (await world.autotask.list('Contracts')).filter(({ id }) => id === 2_002);
    await world.autotask.put('Contracts', contractID, { ...block, companyID, id: contractID, contractName: 'Fern' });
    await blockIn(204, contractID, '2025-02-01', '2025-02-28', 135);
    await invoiced(48_596, [blockSale({ contractID, contractBlockID: 204 })], { companyID });
    await sync(48_596);
    expect(await ledgerOf(48_596)).toContain('Cr Customer Prepayments 999.27');
    // Work of the last day leaves 7 of 10 hours.
    await invoiced(48_597, [worked(3, 0, { contractID, itemDate: '2025-02-28' })], { companyID });
    await sync(48_597);
    expect(await ledgerOf(48_597)).toEqual(['Cr Service Income 299.78', 'Dr Customer Prepayments 299.78']);
    const [account, income] = ['Customer Prepayments', 'Service Income'].map(
      async (name) => (await world.quickbooks.list('Account')).find((row) => row['Name'] === name)?.['Id'],
    );
    expect(await balanceOf('Fern Optics')).toBe(699.49);
    await world.saveSettings({ prepaid_breakage_account: String(await income), prepaid_grace_months: 0 });
    expect(await rowsFor('Fern Optics')).toMatchObject([
      {
        left: '699.49',
        right: '699.49',
        note: expect.stringContaining('debit Customer Prepayments, credit Service Income'),
      },
    ]);
    const customer = (await world.quickbooks.list('Customer')).find((row) => row['DisplayName'] === 'Fern Optics');
    const Entity = { Type: 'Customer', EntityRef: { value: String(customer?.['Id']) } };
    const line = (PostingType: string, AccountRef: string) => ({
      Amount: 699.49,
      DetailType: 'JournalEntryLineDetail',
      JournalEntryLineDetail: { PostingType, AccountRef: { value: AccountRef }, Entity },
    });
    await world.quickbooks.add('JournalEntry', {
      TxnDate: '2025-03-03',
      Line: [line('Debit', String(await account)), line('Credit', String(await income))],
    });
    expect(await balanceOf('Fern Optics')).toBe(0);
    expect(await rowsFor('Fern Optics')).toEqual([]);
  });

  test('foreign prepaid money of two contracts in one invoice, in the reconciliation', async () => {
    // These invoices have the same amounts in both currencies.
    await world.saveSettings({ exchange_rate_hold_over: decimal('1000') });
    const [first, second, companyID] = [2_481, 2_482, 9_490];
    const [maple] = (await world.autotask.list('Companies')).filter(({ id }) => id === 177);
    await world.autotask.add('Companies', { ...maple, id: companyID, companyName: 'Maple Dental' });
    const [block] = (await world.autotask.list('Contracts')).filter(({ id }) => id === 2_002);
    for (const [n, id] of [first, second].entries()) {
      await world.autotask.put('Contracts', id, { ...block, companyID, id, contractName: `Maple ${n + 1}` });
      await world.autotask.put('ContractBlocks', 90 + n, {
        datePurchased: '2025-03-03',
        startDate: '2025-02-01',
        endDate: '2026-03-01',
        status: 1,
        contractID: id,
        hours: 10,
        hoursApproved: n === 0 ? 3 : 0,
        hourlyRate: 135,
      });
    }
    await invoiced(48_594, [blockSale({ contractID: first }), blockSale({ contractID: second })], { companyID });
    await sync(48_594);
    await invoiced(48_595, [worked(3, 0, { contractID: first })], { companyID });
    await sync(48_595);
    expect((await ledgerOf(48_594)).slice(0, 2)).toEqual([
      'Cr Customer Prepayments 999.27',
      'Cr Customer Prepayments 999.27',
    ]);
    expect(await ledgerOf(48_595)).toEqual(['Cr Service Income 299.78', 'Dr Customer Prepayments 299.78']);
    const { facts } = await gatherMonth(world.tenant, month('2025-03'));
    const tie = tieOut(facts).tieOuts.find(({ name }) => name === 'prepayments');
    const own = tie?.rows.filter(({ label }) => label.startsWith('Maple'));
    expect(own?.map(({ label, left, right }) => [label, left, right])).toEqual([
      ['Maple 1', '699.49', '699.49'],
      ['Maple 2', '999.27', '999.27'],
    ]);
    expect(tie?.rows.filter(({ label }) => label.includes('Maple Dental'))).toEqual([]);
  });

  test('draws foreign prepaid money at the rate of its sale, until both balances are 0', async () => {
    // These invoices have the same amounts in both currencies.
    await world.saveSettings({ exchange_rate_hold_over: decimal('1000') });
    const [contractID, companyID] = [2_480, 177];
    const [block] = (await world.autotask.list('Contracts')).filter(({ id }) => id === 2_002);
    await world.autotask.put('Contracts', contractID, { ...block, companyID, id: contractID, contractName: 'Maple' });
    const bill = (id: number, lines: readonly JsonObject[]) =>
      invoiced(
        id,
        lines.map((line) => ({ contractID, ...line })),
        { companyID },
      );
    await bill(48_590, [blockSale({})]);
    await sync(48_590);
    // 1,350.00 × 0.7402
    expect(await ledgerOf(48_590)).toContain('Cr Customer Prepayments 999.27');
    await world.quickbooks.add('ExchangeRate', { SourceCurrencyCode: 'CAD', Rate: 0.7845, AsOfDate: '2025-03-03' });
    await world.advance(2 * 86_400);
    await bill(48_591, [worked(3, 0)]);
    await sync(48_591);
    expect(await ledgerOf(48_591)).toEqual(['Cr Service Income 299.78', 'Dr Customer Prepayments 299.78']);
    // An update changes no rate.
    await bill(48_591, [{ ...worked(3, 0), itemName: 'Firewall rules' }]);
    await world.sync('invoice', { mode: 'live', revises: true, psaIds: [48_591] });
    expect(await ledgerOf(48_591)).toEqual(['Cr Service Income 299.78', 'Dr Customer Prepayments 299.78']);
    // Other work needs the rate of the day, and one document has one rate.
    await bill(48_592, [worked(7, 0), worked(2, 330)]);
    // PREPAID_RATE_DIFFERS
    expect(await sync(48_592)).toMatchObject([
      {
        outcome: 'failed',
        message:
          'Invoice 48592 takes 945.00 CAD of the prepaid money of Maple Clinic, which was sold at another exchange rate, and bills other work. Nothing was posted.',
      },
    ]);
    await voidIn(48_592);
    await bill(48_593, [worked(7, 0)]);
    await sync(48_593);
    expect(await ledgerOf(48_593)).toEqual(['Cr Service Income 699.49', 'Dr Customer Prepayments 699.49']);
    expect(await balanceOf('Maple Clinic')).toBe(0);
  });

  test('a negative line while it is unknown whether another one was posted', async () => {
    const one = await client('Kelp Farms', [800]);
    await world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
    await world.saveSettings({ inv_numbering_option: 'autotask' });
    for (const at of [1, 2]) {
      await one.bill(at, [credited(500)]);
      await world.autotask.put('Invoices', one.id(at), { invoiceNumber: `K-${at}` });
    }
    await world.quickbooks.fault({
      match: { method: 'POST', path: '/creditmemo$' },
      times: 1,
      action: { reset: 'late', apply_after_seconds: 100 },
    });
    expect(await sync(one.id(1))).toMatchObject([{ outcome: 'pending' }]);
    expect(await sync(one.id(2))).toMatchObject([
      { outcome: 'failed', message: expect.stringMatching(used('Kelp Farms', '200.00')) },
    ]);
    await world.advance(135);
    await world.work();
    expect(await balanceOf('Kelp Farms')).toBe(300);
  });

  test('the void of a sale while it is unknown whether its money was used', async () => {
    const one = await client('Maple Yard');
    for (const at of [0, 1]) {
      await (at === 0 ? one.sell(0, 800) : one.bill(1, [credited(500)]));
      await world.autotask.put('Invoices', one.id(at), { invoiceNumber: `M-${at}` });
      if (at === 1)
        await world.quickbooks.fault({
          match: { method: 'POST', path: '/creditmemo$' },
          times: 1,
          action: { reset: 'late', apply_after_seconds: 100 },
        });
      await sync(one.id(at));
    }
    await voidIn(one.id(0));
    const { results } = await world.sync('void', { mode: 'live', psaIds: [one.id(0)] });
    expect(results).toMatchObject([
      { outcome: 'failed', message: expect.stringMatching(used('Maple Yard', '500.00')) },
    ]);
    await world.advance(135);
    await world.work();
    expect(await balanceOf('Maple Yard')).toBe(300);
  });
});
