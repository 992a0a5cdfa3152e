import { beforeEach, describe, expect, test } from 'vitest';
import { alertAboutReads, readMonthOfReads } from '#flows/connections/watch-service.ts';
import type { JsonObject } from '#core/values/json.ts';
import { eachWorld } from '../support/each-world.ts';
import { newUser } from '#test/cases/sample-records.ts';
import { today } from '../support/world.ts';

/** Intuit blocks all reads of an app for the rest of the month. The test starts on Mar 3, 2025. */
const world = eachWorld();

const live = (psaId: number, force = false) => world.sync('invoice', { mode: 'live', force, psaIds: [psaId] });
const isWrite = ({ method, path }: { method: string; path: string }) =>
  method === 'POST' && !/\/query$|tokens/.test(path);
const readsSince = async (sequence: number) =>
  (await world.quickbooks.journal()).filter(
    (call) => call.sequence > sequence && call.path.includes('/v3/company/') && !isWrite(call),
  );

describe.each(['blocked', 'blocked-without-words'])('while reads are %s', (metered_reads) => {
  beforeEach(async () => {
    // Caches the lists, as for any client that syncs.
    await world.sync('invoice', { mode: 'test', psaIds: [48_213] });
    if (metered_reads === 'blocked-without-words') {
      await world.app.store.addMeteredReads([{ tenantId: world.tenant.tenantId, month: '2025-03', reads: 500_000 }]);
      await world.app.readCounter.save();
    }
    await world.quickbooks.behave({ metered_reads });
  });

  test('posting continues, each document once, with its debits and credits', async () => {
    const job = await live(48_213);
    expect(world.resultOf(job, 48_213)).toMatchObject({ outcome: 'succeeded' });
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'synced' });
    const posting = await world.store.readPosting('invoice', 48_213);
    const answer = await fetch(
      `${world.quickbooks.url}/__sandbox/ledger?transaction_type=Invoice&transaction_id=${posting?.targetId}`,
    );
    const { entries } = (await answer.json()) as { entries: readonly JsonObject[] };
    const sum = (side: string) => entries.reduce((total, entry) => total + Math.round(Number(entry[side]) * 100), 0);
    expect([sum('debit'), sum('credit')]).toEqual([196_625, 196_625]);
    expect(world.resultOf(await live(48_213), 48_213)?.outcome).toBe('skipped');
  });

  test('a cycle posts invoices, payments wait, and the pause shows its end', async () => {
    await world.saveSettings({ inv_sync_active: true, pay_sync_active: true });
    await world.cycle();
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'synced' });
    expect(await world.store.listPauses()).toMatchObject([
      { service: 'accounting', code: 'QBO_READS_BLOCKED', detail: expect.stringContaining('until Apr 1, 2025') },
    ]);
    const jobs = await world.store.listNewestJobs();
    expect(jobs.find(({ kind }) => kind === 'payment')?.message).toMatch(/monthly limit of reads .+ until Apr 1, 2025/);
  });

  test("only a user's request reads again within 15 minutes", async () => {
    await live(48_213);
    const before = await world.quickbooks.lastRequest();
    await live(48_214);
    expect(await readsSince(before)).toEqual([]);
    await (await world.tenant.accounting({ endsPause: true })).identify().catch(() => undefined);
    expect(await readsSince(before)).toHaveLength(1);
    await world.quickbooks.behave({ metered_reads: 'open' });
    await (await world.tenant.accounting({ endsPause: true })).identify();
    expect(await world.store.listPauses()).toEqual([]);
  });

  test('a document with a lost response waits, and is found once reads are back', async () => {
    await world.quickbooks.fault({ match: { path: '/invoice$' }, times: 1, action: { reset: 'after' } });
    const job = await live(48_213);
    expect(world.resultOf(job, 48_213)).toMatchObject({
      outcome: 'pending',
      message: 'Waiting until it is certain what QuickBooks did. Intuit blocks reads until Apr 1, 2025.',
    });
    await world.advance(135);
    await world.work();
    expect(await world.store.readPosting('invoice', 48_213)).not.toMatchObject({ status: 'synced' });
    await world.quickbooks.behave({ metered_reads: 'open' });
    await world.advance(3_600);
    await world.work();
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'synced' });
    const invoices = await world.quickbooks.list('Invoice');
    expect(invoices.filter(({ PrivateNote }) => String(PrivateNote).includes('48213'))).toHaveLength(1);
  });

  test('a forced document is not created without a search', async () => {
    await live(48_213);
    // A forced document may exist already, and only a search shows it. The job continues with the next one.
    const job = await world.sync('invoice', { mode: 'live', force: true, psaIds: [48_213, 48_214] });
    expect(world.resultOf(job, 48_213)).toMatchObject({
      outcome: 'held',
      message: expect.stringMatching(/^This needs a read from QuickBooks\. .+ until Apr 1, 2025\.$/),
    });
    expect(world.resultOf(job, 48_214)).toMatchObject({ outcome: 'held' });
    expect(job.status).toBe('finished');
    const invoices = await world.quickbooks.list('Invoice');
    expect(invoices.filter(({ PrivateNote }) => String(PrivateNote).includes('48213'))).toHaveLength(1);
  });
});

test('a document in a foreign currency waits while its rate cannot be read, and is posted after', async () => {
  await world.sync('invoice', { mode: 'test', psaIds: [48_213] });
  await world.quickbooks.behave({ metered_reads: 'blocked' });
  // EXCHANGE_RATE_UNREAD
  for (const mode of ['test', 'live'] as const)
    expect(world.resultOf(await world.sync('invoice', { mode, psaIds: [48_308] }), 48_308)).toMatchObject({
      outcome: 'held',
      message: expect.stringMatching(
        /^The exchange rate of CAD on .+ cannot be read until Apr 1, 2025, because Intuit’s monthly limit/,
      ),
    });
  expect(await world.store.readPosting('invoice', 48_308)).toBeNull();
  await world.quickbooks.behave({ metered_reads: 'open' });
  await world.saveSettings({ inv_sync_active: true });
  await world.advance(3_600);
  await world.cycle();
  const posting = await world.store.readPosting('invoice', 48_308);
  const made = (await world.quickbooks.list('Invoice')).filter((row) => row['Id'] === posting?.targetId);
  expect(made).toMatchObject([{ TotalAmt: 1620, ExchangeRate: 0.7402, HomeTotalAmt: 1199.12 }]);
});

test('prepaid work waits while its balance cannot be read, and is posted after', async () => {
  const account = (await world.quickbooks.list('Account')).find((one) => one['Name'] === 'Customer Prepayments');
  await world.saveSettings({
    inv_create_item_automatically: true,
    inv_default_income_account: '2',
    prepaid_account: String(account?.['Id']),
    prepaid_drawdown: true,
  });
  const [head] = (await world.autotask.list('Invoices')).filter((one) => one['id'] === 48_213);
  const [item] = (await world.autotask.list('BillingItems')).filter((one) => one['invoiceID'] === 48_213);
  const invoiced = async (id: number, line: JsonObject) => {
    const total = line['totalAmount'] ?? null;
    const none = { taxCategoryID: null, taxDollars: 0, internalCurrencyTotalAmount: total };
    await world.autotask.put('Invoices', id, { ...head, id, invoiceNumber: '', invoiceTotal: total, totalTaxValue: 0 });
    await world.autotask.put('BillingItems', id * 100, {
      ...item,
      id: id * 100,
      invoiceID: id,
      contractID: 2_002,
      ...none,
      ...line,
    });
  };
  await invoiced(48_500, {
    itemName: 'Block of 10 hours',
    billingItemType: 12,
    subType: 17,
    billingCodeID: null,
    roleID: null,
    timeEntryID: null,
    ticketID: null,
    quantity: 10,
    rate: 135,
    totalAmount: 1_350,
  });
  await live(48_500);
  await invoiced(48_501, {
    itemName: 'Firewall rule',
    billingItemType: 1,
    subType: 1,
    quantity: 6,
    rate: 165,
    totalAmount: 0,
  });
  await world.quickbooks.behave({ metered_reads: 'blocked' });
  // PREPAID_BALANCE_UNREAD
  expect(world.resultOf(await live(48_501), 48_501)).toMatchObject({
    outcome: 'held',
    message:
      'Invoice 48501 takes 810.00 of the prepaid money of Acme Dental. Its balance cannot be checked until Apr 1, 2025, because Intuit’s monthly limit of reads from QuickBooks is used up. Nothing was posted.',
  });
  expect(await world.store.readPosting('invoice', 48_501)).toBeNull();
  await world.quickbooks.behave({ metered_reads: 'open' });
  await world.advance(3_600);
  expect(world.resultOf(await live(48_501), 48_501)).toMatchObject({ outcome: 'succeeded' });
});

test('a job of many posts one by one while batches are blocked', async () => {
  await world.autotask.reset({ today, invoices: 30, lines_per_invoice: 2, seed: 7 });
  const ids = Array.from({ length: 30 }, (_, n) => 100_001 + n);
  for (const id of ids) await world.autotask.put('Invoices', id, { invoiceNumber: `T-${id}` });
  await world.saveSettings({ inv_numbering_option: 'autotask' });
  await world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
  // Caches the lists and creates what the documents share.
  await world.sync('invoice', { mode: 'live', psaIds: ids.slice(0, 2) });
  await world.sync('invoice', { mode: 'test', psaIds: ids });
  const made = await world.quickbooks.list('Invoice');
  await world.quickbooks.behave({ metered_reads: 'blocked' });
  const before = await world.quickbooks.lastRequest();
  const job = await world.sync('invoice', { mode: 'live', psaIds: ids.slice(2) });
  expect(job).toMatchObject({ status: 'finished', succeeded: 28 });
  const batches = (await world.quickbooks.journal()).filter(
    ({ sequence, path }) => sequence > before && path.includes('/batch'),
  );
  expect(batches.length).toBeLessThanOrEqual(1);
  const posted = (await world.quickbooks.list('Invoice')).filter((row) => !made.some((one) => one['Id'] === row['Id']));
  expect(new Set(posted.map((row) => row['DocNumber'])).size).toBe(28);
  expect(posted).toHaveLength(28);
});

test('reads and batches are counted by client and month, single writes are not', async () => {
  const before = await world.quickbooks.lastRequest();
  const counted = async () => (await readMonthOfReads(world.app)).reads;
  const reads = await counted();
  await live(48_213);
  expect((await counted()) - reads).toBe((await readsSince(before)).length);
  // Only calls with a 2xx status count: this one fails and is repeated.
  await world.quickbooks.fault({ match: { path: '/companyinfo/' }, times: 1, action: { status: 503, body: '' } });
  const known = await counted();
  const sent = await world.quickbooks.lastRequest();
  await (await world.tenant.accounting()).readCompany();
  expect([(await readsSince(sent)).length, (await counted()) - known]).toEqual([2, 1]);
  expect(await readMonthOfReads(world.app)).toMatchObject({
    month: '2025-03',
    allowance: { tier: 'builder', calls: 500_000 },
    clientsBlocked: 0,
    clients: [{ id: world.tenant.tenantId, name: 'Northwind IT Services', reads: expect.any(Number) }],
  });
});

test('system administrators get one email at 70, 85 and 100 percent', async () => {
  await world.app.store.addUser(newUser('operator@tallybridge.example', { roles: ['sysadmin'] }));
  const add = (reads: number) =>
    world.app.store.addMeteredReads([{ tenantId: world.tenant.tenantId, month: '2025-03', reads }]);
  const events = async () =>
    (await world.app.store.listDeploymentEvents(10)).filter(({ action }) => action === 'reads.limit_near');
  const subjects = () =>
    (world.app.mailer.sent?.() ?? [])
      .filter(({ to }) => to === 'operator@tallybridge.example')
      .map(({ subject }) => subject);
  await add(349_999 - (await readMonthOfReads(world.app)).reads);
  await alertAboutReads(world.app);
  expect([subjects(), await events()]).toEqual([[], []]);
  await add(1);
  await alertAboutReads(world.app);
  await alertAboutReads(world.app);
  expect(subjects()).toEqual(["70% of this month's QuickBooks calls are used"]);
  expect(await events()).toMatchObject([{ subject: '2025-03', detail: { percent: 70 } }]);
  await add(75_000);
  await alertAboutReads(world.app);
  await alertAboutReads(world.app);
  await add(75_000);
  await alertAboutReads(world.app);
  expect(subjects()).toEqual([
    "This month's QuickBooks calls are used up",
    "85% of this month's QuickBooks calls are used",
    "70% of this month's QuickBooks calls are used",
  ]);
  const mails = (world.app.mailer.sent?.() ?? []).map(({ text }) => text).join('\n');
  expect(mails).toContain('Then Intuit blocks reads until Apr 1, 2025.');
  expect(mails).toContain('costs $3.50 per 1,000 further calls');
});
