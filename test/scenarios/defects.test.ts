import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { sendDigest } from '#flows/alerts/send-digests.ts';
import { readSubscription } from '#flows/connections/subscription.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { invoiceFlow } from '#flows/sync/kinds/invoice.ts';
import { payInvoice } from '../support/pay-invoice.ts';
import { newWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await newWorld({ settings: { pay_sync_active: true } });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await world.close();
});

const actor = { username: 'admin@northwind-msp.example' };
const hour = 3_600;
const day = 24 * hour;
const logsOf = async (psaId: number, type: string) =>
  (await world.logs()).filter((log) => log.psaId === psaId && log.type === type);
const postingOf = async (psaId: number) => (await world.store.readPosting('invoice', psaId))?.targetId ?? '';
const paidDate = async (psaId: number) => (await world.psaInvoice(psaId))['paidDate'] ?? null;

describe('changed decisions', () => {
  /** 48304 is marked as paid in Autotask. The request for its payment is cut. */
  async function cutPayment(): Promise<string> {
    await world.sync('invoice', { mode: 'live', psaIds: [48_304] });
    const id = await postingOf(48_304);
    await world.autotask.put('Invoices', 48_304, { paidDate: '2025-03-03T00:00:00Z' });
    await world.cycle();
    await world.quickbooks.fault({
      match: { method: 'POST', path: '/payment$' },
      times: 9,
      action: { reset: 'before' },
    });
    await world.advance(day + hour);
    await world.work();
    await world.quickbooks.clearFaults();
    expect(await world.store.listBusy('payment')).toEqual([48_304]);
    return id;
  }

  test('a customer’s payment while a cut payment waits, and a removed paid date, are no defect', async () => {
    const id = await cutPayment();
    const invoice = (await world.quickbooks.list('Invoice')).find((row) => row['Id'] === id);
    const customer = (invoice?.['CustomerRef'] as JsonObject | undefined)?.['value'];
    await payInvoice(world, id, 300, { on: '2025-03-04', customer: String(customer) });
    await world.autotask.put('Invoices', 48_304, { paidDate: null });
    await world.advance(200);
    await world.work();
    expect(await world.store.listBusy('payment')).toEqual([]);
    expect(await paidDate(48_304)).toMatch(/^2025-03-04/);
    expect(await world.quickbooks.list('Payment')).toSatisfy(
      (rows: readonly JsonObject[]) =>
        rows.filter((row) => row['PrivateNote'] === 'Autotask invoice 48304 marked paid').length === 0,
    );
    // The client continues.
    expect(await world.sync('invoice', { mode: 'live', psaIds: [48_213] })).toMatchObject({
      status: 'finished',
      succeeded: 1,
    });
  });

  test('an invoice deleted in QuickBooks and synced manually ends its waiting payment', async () => {
    const id = await cutPayment();
    await world.quickbooks.remove('Invoice', id);
    await world.advance(200);
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_304, 48_213] });
    expect(job).toMatchObject({ status: 'finished' });
    await world.advance(200);
    await world.work();
    expect(await world.store.listBusy('payment')).toEqual([]);
    expect(await world.store.listUnfinished(world.clock.now())).toEqual([]);
  });
});

describe('a defect', () => {
  test('in one document ends that document with a log entry, and other documents and jobs continue', async () => {
    const decide = invoiceFlow.decide.bind(invoiceFlow);
    vi.spyOn(invoiceFlow, 'decide').mockImplementation((run, shared, read, wish, posting) => {
      if (read.invoice.id === 48_213) throw new TypeError('Impossible: planted');
      return decide(run, shared, read, wish, posting);
    });
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_308] });
    expect(job).toMatchObject({ status: 'finished', total: 2, succeeded: 1, failed: 1 });
    expect(await logsOf(48_213, 'invoice')).toMatchObject([{ success: false, problems: [{ code: 'DEFECT' }] }]);
    expect((await logsOf(48_213, 'invoice'))[0]?.transcript).toContain('Impossible: planted');
    expect(await world.madeFor(48_308)).toHaveLength(1);
    vi.restoreAllMocks();
    expect(await world.sync('invoice', { mode: 'live', psaIds: [48_213] })).toMatchObject({ succeeded: 1 });
    expect(await world.madeFor(48_213)).toHaveLength(1);
  });

  test('is reported once by scheduled syncs', async () => {
    await world.saveSettings({ inv_sync_active: true });
    const decide = invoiceFlow.decide.bind(invoiceFlow);
    vi.spyOn(invoiceFlow, 'decide').mockImplementation((run, shared, read, wish, posting) => {
      if (read.invoice.id === 48_213) throw new TypeError('Impossible: planted');
      return decide(run, shared, read, wish, posting);
    });
    for (let cycles = 0; cycles < 4; cycles += 1) await world.cycle();
    expect(await logsOf(48_213, 'invoice')).toHaveLength(1);
    expect(await world.madeFor(48_308)).toHaveLength(1);
    expect((await world.store.readPendingAlerts())?.items).toContainEqual(
      expect.objectContaining({ psaId: 48_213, codes: ['DEFECT'] }),
    );
  });

  test('after a document may have reached QuickBooks keeps it unfinished and loses nothing', async () => {
    let isBroken = true;
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_308] }, (name, when) => {
      if (name !== 'psa:write' || when !== 'before' || !isBroken) return;
      isBroken = false;
      throw new TypeError('Impossible: planted');
    });
    expect(job).toMatchObject({ status: 'finished', succeeded: 1 });
    expect(await world.store.listBusy('invoice')).toHaveLength(1);
    await world.advance(hour);
    await world.work();
    expect(await world.store.listBusy('invoice')).toEqual([]);
    for (const psaId of [48_213, 48_308]) {
      expect(await world.madeFor(psaId)).toHaveLength(1);
      expect((await world.store.readPosting('invoice', psaId))?.status).toBe('synced');
    }
  });
});

describe('a client blocked by a defect', () => {
  test('is shown on the Overview, in an email and in the metrics after repeated failures, until it continues', async () => {
    await world.saveSettings({ inv_sync_active: true });
    const broken = vi.spyOn(world.store, 'listUnfinished').mockRejectedValue(new TypeError('Impossible: planted'));
    const taken = vi.spyOn(world.store, 'takeJob').mockRejectedValue(new TypeError('Impossible: planted'));
    const stall = async () => (await readSubscription(world.app, world.tenant)).stalledSince;
    await submit(world.tenant, { kind: 'invoice', mode: 'live', force: false, psaIds: [48_213], actor });
    await expect(world.work()).rejects.toThrow('planted');
    expect(await stall()).toBeNull();
    await world.advance(360);
    await expect(world.work()).rejects.toThrow('planted');
    const since = await stall();
    expect(since).toMatch(/^2025-03-03T15:00:0/);
    expect(await world.app.store.countStalledTenants(world.clock.now())).toBe(1);
    expect(await world.store.readPendingAlerts()).toMatchObject({ stalledSince: since });
    await sendDigest(world.app, world.tenant.tenantId);
    expect((await world.store.readPendingAlerts())?.stalledSince ?? null).toBeNull();
    broken.mockRestore();
    taken.mockRestore();
    await world.work();
    expect(await stall()).toBeNull();
    expect(await world.madeFor(48_213)).toHaveLength(1);
  });
});
