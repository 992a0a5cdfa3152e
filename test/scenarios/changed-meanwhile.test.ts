import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Psa } from '#core/ports/psa.ts';
import type { Job } from '#core/records/jobs.ts';
import type { SubmittableKind } from '#core/kinds.ts';
import type { TenantContext } from '#flows/context.ts';
import { runTenantSession } from '#flows/sync/job/tenant-session.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { mapExpenses } from '../support/mappings.ts';
import { newWorld, today, type World } from '../support/world.ts';

let world: World;
const actor = { username: 'admin@northwind-msp.example' };

/** Makes a change right before the first invoice is sent. */
async function whileItIsSent(change: () => Promise<void>): Promise<void> {
  const changes: Promise<void>[] = [];
  await world.work((name, when) => {
    const isSent = when === 'before' && name.startsWith('post:') && !name.endsWith('void');
    if (isSent && changes.length === 0) changes.push(change());
  });
  await Promise.all(changes);
}

const reads = {
  invoice: 'readInvoices',
  purchase_order: 'readPurchaseOrders',
  expense_report: 'readExpenseReports',
} as const satisfies Record<SubmittableKind, keyof Psa>;

/** Runs a live sync during which a user changes something in Autotask after it was read. */
async function syncWhile(
  kind: SubmittableKind,
  psaIds: readonly number[],
  change: () => Promise<unknown>,
  force = false,
): Promise<Job | null> {
  const tenant: TenantContext = {
    ...world.tenant,
    async psa(how) {
      const psa = await world.tenant.psa(how);
      const read = psa[reads[kind]];
      const readThenChanged = async (ids: readonly number[]) => {
        const found = await read(ids);
        await change();
        return found;
      };
      return { ...psa, [reads[kind]]: readThenChanged };
    },
  };
  const { id } = await submit(tenant, { kind, mode: 'live', force, psaIds, actor });
  await runTenantSession(tenant, 'test worker', new AbortController().signal);
  return world.store.readJob(id);
}
const voided = (psaId: number) => () => world.autotask.put('Invoices', psaId, { isVoided: true });

const logsOf = async (psaId: number) => (await world.logs()).filter((log) => log.psaId === psaId);

describe('in a scheduled sync', () => {
  beforeEach(async () => {
    world = await newWorld({ settings: { inv_sync_active: true, void_sync_active: true } });
  });
  afterEach(() => world.close());

  test('an invoice voided in Autotask before its sync is never sent', async () => {
    await world.autotask.put('Invoices', 48_213, { isVoided: true });
    await world.work();
    await world.cycle();
    expect(await world.madeFor(48_213)).toEqual([]);
  });

  test('an invoice voided in Autotask while it is sent leaves no open document', async () => {
    await whileItIsSent(() => world.autotask.put('Invoices', 48_213, { isVoided: true }));
    await world.cycle();
    expect((await world.madeFor(48_213)).map((row) => row['TotalAmt'])).toEqual([0]);
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'voided' });
    await world.cycle();
    expect(await world.madeFor(48_213)).toHaveLength(1);
  });

  test('an invoice that leaves the age window while it is sent is posted once and stays', async () => {
    await whileItIsSent(() =>
      world.autotask.put('Invoices', 48_213, {
        createDateTime: '2024-12-01T15:00:00Z',
        invoiceDateTime: '2024-12-01T00:00:00Z',
      }),
    );
    await world.cycle();
    await world.cycle();
    const [document, ...others] = await world.madeFor(48_213);
    expect(others).toEqual([]);
    expect(document).toMatchObject({ TotalAmt: 1966.25, TxnDate: '2025-03-03' });
    expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: document?.['DocNumber'] });
  });
});

describe('a document that changes between reading and sending', () => {
  beforeAll(async () => {
    world = await newWorld({ settings: { po_payable_account: '20', exp_cash_advance_expense_account: '25' } });
    await world.store.setStatus('pending');
  });
  afterAll(() => world.close());

  test('is not created when it was voided, and its log entry gives the reason', async () => {
    const job = await syncWhile('invoice', [48_213], voided(48_213));
    expect(job).toMatchObject({ status: 'finished', succeeded: 0, skipped: 1 });
    expect(await world.madeFor(48_213)).toEqual([]);
    expect(await world.store.readPosting('invoice', 48_213)).toBeNull();
    expect(await world.store.listBusy('invoice')).toEqual([]);
    const [log, ...more] = await logsOf(48_213);
    expect(more).toEqual([]);
    expect(log).toMatchObject({ psaId: 48_213, success: true, message: 'Skipped: voided in Autotask.' });
    expect(log?.transcript).toMatch(
      /Changed in Autotask since it was read: not sent\n.*RESULT SKIPPED {2}Skipped: voided/,
    );
  });

  test('is not created again when it was voided, even when forced', async () => {
    await world.sync('invoice', { mode: 'live', psaIds: [48_214] });
    const job = await syncWhile('invoice', [48_214], voided(48_214), true);
    expect(job).toMatchObject({ status: 'finished', skipped: 1 });
    expect(await world.madeFor(48_214)).toHaveLength(1);
    expect(await world.store.readPosting('invoice', 48_214)).toMatchObject({ status: 'synced' });
  });

  test('is not created when another tool synced it', async () => {
    const job = await syncWhile('invoice', [48_310], () =>
      world.autotask.put('Invoices', 48_310, { invoiceNumber: 'T-77' }),
    );
    expect(job).toMatchObject({ skipped: 1 });
    expect(await world.madeFor(48_310)).toEqual([]);
    expect(await world.psaInvoice(48_310)).toMatchObject({ invoiceNumber: 'T-77' });
  });

  test('is not created when it is a canceled purchase order', async () => {
    const job = await syncWhile('purchase_order', [3_310], () =>
      world.autotask.put('PurchaseOrders', 3_310, { status: 5 }),
    );
    expect(job).toMatchObject({ status: 'finished', skipped: 1 });
    expect(await logsOf(3_310)).toMatchObject([{ message: expect.stringContaining('not submitted in Autotask') }]);
    const orders = await world.quickbooks.list('PurchaseOrder');
    expect(orders.filter((row) => JSON.stringify(row).includes('Autotask purchase order 3310'))).toEqual([]);
  });

  test('is not created when it is a rejected expense report, and loses IN PROCESS', async () => {
    await mapExpenses(world.store);
    const job = await syncWhile('expense_report', [1_207], () =>
      world.autotask.put('ExpenseReports', 1_207, { status: 4 }),
    );
    expect(job).toMatchObject({ status: 'finished', skipped: 1 });
    expect(await world.quickbooks.list('Bill')).not.toContainEqual(expect.objectContaining({ DocNumber: 'EXP-1207' }));
    const report = (await world.autotask.list('ExpenseReports')).find((row) => row['id'] === 1_207);
    expect(report?.['quickBooksReferenceNumber'] ?? '').toBe('');
  });

  test('is not created when it was deleted', async () => {
    const job = await syncWhile('purchase_order', [3_311], () => world.autotask.remove('PurchaseOrders', 3_311));
    expect(job).toMatchObject({ status: 'finished', failed: 1 });
    expect(await logsOf(3_311)).toMatchObject([
      { success: false, message: 'Autotask has no purchase order 3311, or the API user cannot read it.' },
    ]);
    expect(await world.store.listBusy('purchase_order')).toEqual([]);
  });
});

describe('of several or waiting documents,', () => {
  beforeEach(async () => {
    world = await newWorld();
    await world.store.setStatus('pending');
  });
  afterEach(() => world.close());

  test('a voided one does not affect its batch and costs one call', async () => {
    await world.autotask.reset({ today, invoices: 40, lines_per_invoice: 1 });
    const ids = Array.from({ length: 40 }, (_, n) => 100_001 + n);
    const lost = [100_003, 100_040];
    const before = (await world.autotask.journal()).length;
    const job = await syncWhile('invoice', ids, async () => {
      for (const id of lost) await voided(id)();
    });
    expect(job).toMatchObject({ status: 'finished', succeeded: 38, skipped: 2 });
    for (const id of lost) expect(await world.madeFor(id)).toEqual([]);
    const rows = (await world.quickbooks.list('Invoice')).filter((row) =>
      /Autotask invoice 1000/.test(JSON.stringify(row['PrivateNote'] ?? '')),
    );
    expect(rows).toHaveLength(38);
    const looks = (await world.autotask.journal())
      .slice(before)
      .filter(({ path, request_body: body }) => path.endsWith('/Invoices/query') && body.includes('100040'));
    // Once to read them, and once before sending.
    expect(looks).toHaveLength(2);
  });

  test('a voided one is not created by the worker that resumes it hours after it was read', async () => {
    await world.quickbooks.fault({ match: { path: '/invoice$' }, times: 1, action: { reset: 'before' } });
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    expect(job.results).toMatchObject([{ outcome: 'pending' }]);
    await voided(48_213)();
    await world.advance(3_600);
    await world.work();
    expect(await world.madeFor(48_213)).toEqual([]);
    expect(await world.store.readJob(job.id)).toMatchObject({ skipped: 1 });
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'refused' });
    expect(await world.store.listBusy('invoice')).toEqual([]);
  });

  test('each is checked again when earlier calls were slow', async () => {
    await world.autotask.reset({ today, invoices: 61, lines_per_invoice: 1 });
    const psaIds = Array.from({ length: 61 }, (_, n) => 100_001 + n);
    let sent = 0;
    const slow: TenantContext = {
      ...world.tenant,
      async accounting(how) {
        const accounting = await world.tenant.accounting(how);
        return {
          ...accounting,
          async postBatch(items, requestId) {
            const answers = await accounting.postBatch(items, requestId);
            sent += 1;
            if (sent === 1) await voided(100_061)();
            world.clock.advance(20);
            return answers;
          },
        };
      },
    };
    const { id } = await submit(slow, { kind: 'invoice', mode: 'live', force: false, psaIds, actor });
    await runTenantSession(slow, 'test worker', new AbortController().signal);
    // A later write-back was not sent and is repeated.
    await world.advance(61);
    await world.work();
    expect(await world.store.readJob(id)).toMatchObject({ status: 'finished', succeeded: 60, skipped: 1 });
    expect(await world.madeFor(100_061)).toEqual([]);
    expect(sent).toBeGreaterThan(1);
  });

  test('later ones of a job are read when their turn comes', async () => {
    await world.autotask.reset({ today, invoices: 121, lines_per_invoice: 1 });
    const psaIds = Array.from({ length: 121 }, (_, n) => 100_001 + n);
    const last = 100_121;
    let sent = 0;
    const slow: TenantContext = {
      ...world.tenant,
      async accounting(how) {
        const accounting = await world.tenant.accounting(how);
        return {
          ...accounting,
          async postBatch(items, requestId) {
            const answers = await accounting.postBatch(items, requestId);
            sent += items.length;
            // The first chunk is almost done.
            if (sent === 90) await world.autotask.put('Invoices', last, { invoiceDateTime: '2025-02-20T00:00:00Z' });
            world.clock.advance(20);
            return answers;
          },
        };
      },
    };
    await submit(slow, { kind: 'invoice', mode: 'live', force: false, psaIds, actor });
    await runTenantSession(slow, 'test worker', new AbortController().signal);
    expect((await world.madeFor(last)).map((row) => row['TxnDate'])).toEqual(['2025-02-20']);
    expect(sent).toBe(120);
  });

  test('each one of a job is read once', async () => {
    await world.autotask.reset({ today, invoices: 160, lines_per_invoice: 1 });
    const psaIds = Array.from({ length: 160 }, (_, n) => 100_001 + n);
    const slow: TenantContext = {
      ...world.tenant,
      async accounting(how) {
        const accounting = await world.tenant.accounting(how);
        return {
          ...accounting,
          async postBatch(items, requestId) {
            const answers = await accounting.postBatch(items, requestId);
            world.clock.advance(8);
            return answers;
          },
        };
      },
    };
    await submit(slow, { kind: 'invoice', mode: 'live', force: false, psaIds, actor });
    await runTenantSession(slow, 'test worker', new AbortController().signal);
    const readings = (await world.autotask.journal()).filter(({ path }) => path.endsWith('/BillingItems/query'));
    expect(readings).toHaveLength(2);
    expect((await world.quickbooks.list('Invoice')).length).toBeGreaterThanOrEqual(160);
  });

  test('none is started when Autotask does not respond before they are sent, and the job reports it', async () => {
    const job = await syncWhile('invoice', [48_213, 48_214], () =>
      world.autotask.fault({ match: { path: '/Invoices/query' }, action: { status: 503, body: '' } }),
    );
    expect(job).toMatchObject({
      status: 'failed',
      done: 0,
      message: expect.stringMatching(/^Autotask responded with status 503[.]/),
    });
    expect([...(await world.madeFor(48_213)), ...(await world.madeFor(48_214))]).toEqual([]);
    expect(await world.store.listBusy('invoice')).toEqual([]);
    await world.autotask.clearFaults();
    expect(await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_214] })).toMatchObject({ succeeded: 2 });
  });
});
