import { expect, test, vi } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { signIn } from '../support/api-client.ts';
import { asOwner, newDatabase } from '../support/database.ts';
import { newProcessFixture } from '../support/process-fixture.ts';

/** Changes a process's time by an offset that changes every 200 ms. */
const skewed = (...hours: readonly number[]): string => {
  const source = `
    const True = Date, from = performance.now(), hours = ${JSON.stringify(hours)};
    const now = () => True.now() + hours[Math.floor((performance.now() - from) / 200) % hours.length] * 3600000;
    globalThis.Date = class Date extends True {
      constructor(...given) { if (given.length === 0) super(now()); else super(...given); }
      static now() { return now(); }
    };`;
  return `--import=data:text/javascript,${encodeURIComponent(source)}`;
};

test('workers with wrong, jumping clocks share the work by the database’s clock, also after it is set back by ten minutes', async () => {
  const database = await newDatabase({ isMigrated: false });
  const fixture = await newProcessFixture();
  const { autotask, quickbooks } = fixture;
  try {
    const shared = { DATABASE_URL: database.url, SECRET_KEY: 'a secret key that only this test knows' };
    const startWorker = (...hours: readonly number[]) =>
      fixture.start({ ...shared, TALLYBRIDGE_ROLE: 'worker', NODE_OPTIONS: skewed(...hours) });
    const [api, worker] = await Promise.all([
      fixture.start({ ...shared, TALLYBRIDGE_ROLE: 'api' }),
      startWorker(2, -2),
      startWorker(-2, 0, 1, 2),
    ]);
    const client = await signIn(api.url);
    await client.connectQuickBooks();
    const tokenCalls = async () =>
      (await quickbooks.journal()).filter(({ path }) => path.endsWith('/tokens/bearer')).length;
    const before = await tokenCalls();
    await client.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
    const sync = async (path: string, body: JsonObject, result: JsonObject) => {
      const { job } = await client.data('POST', `/api/my/invoices/sync/${path}`, { ...body, mode: 'live' });
      const address = `/api/my/jobs/${String((job as JsonObject)['id'])}`;
      await vi.waitFor(async () => expect(await client.data('GET', address)).toMatchObject({ job: result }), {
        timeout: 100_000,
        interval: 250,
      });
    };
    const invoice = (id: number) => autotask.item('Invoices', id);
    /** The date in Autotask comes from the database, not from the process. */
    const expectExportedNow = async (id: number) => {
      const exported = Date.parse(String((await invoice(id))['webServiceDate']));
      expect(Math.abs(exported - Date.now())).toBeLessThan(5 * 60_000);
    };
    const invoicedOn = String((await invoice(48_213))['invoiceDateTime']).slice(0, 10);
    await sync('submit/all', {}, { status: 'finished' });
    const posted = (await quickbooks.list('Invoice')).filter((row) =>
      /^Autotask invoice \d+ · synced/.test(String(row['PrivateNote'])),
    );
    const sources = posted.map((row) => /invoice (\d+)/.exec(String(row['PrivateNote']))?.[1]);
    expect(sources).toContain('48213');
    expect(new Set(sources).size).toBe(sources.length);
    expect(posted.find((row) => String(row['PrivateNote']).includes('48213'))).toMatchObject({ TxnDate: invoicedOn });
    // Valid tokens are not refreshed.
    expect(await tokenCalls()).toBe(before);
    await expectExportedNow(48_213);

    const items = (await autotask.list('BillingItems')).filter(({ invoiceID }) => invoiceID === 48_213);
    for (const [at, item] of items.entries())
      await autotask.put('BillingItems', 990_000 + at, { ...item, id: 990_000 + at, invoiceID: 48_290 });
    const fresh = { id: 48_290, invoiceNumber: '', webServiceDate: null };
    await autotask.put('Invoices', 48_290, { ...(await invoice(48_213)), ...fresh });
    await asOwner(database.url, (owner) =>
      owner.query(`create or replace function wall_clock_ms() returns bigint language sql volatile
        as $$ select (extract(epoch from clock_timestamp()) * 1000)::bigint - 600000 $$`),
    );
    // Killed, so that its lease and permits remain and end minutes later by the changed clock.
    process.kill(worker.pid, 'SIGKILL');
    await worker.ended;
    await startWorker(0);
    await sync('submit', { invoice_ids: [48_290] }, { status: 'finished', succeeded: 1 });
    const figure = async (name: string) =>
      Number(new RegExp(`^${name} (.+)$`, 'm').exec(await (await fetch(`${api.url}/metrics`)).text())?.[1]);
    await vi.waitFor(async () => expect(await figure('tallybridge_clock_steps')).toBeGreaterThan(0), {
      timeout: 60_000,
      interval: 250,
    });
    const ahead = await figure('tallybridge_clock_ahead_seconds');
    expect([ahead > 570, ahead <= 600]).toEqual([true, true]);
    await expectExportedNow(48_290);
  } finally {
    await fixture.close();
    await database.close();
  }
}, 180_000);
