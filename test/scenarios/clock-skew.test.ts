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

test('workers with wrong, jumping clocks share the work by the database’s clock: each document once, with the right date', async () => {
  const database = await newDatabase({ isMigrated: false });
  const fixture = await newProcessFixture();
  try {
    const shared = { DATABASE_URL: database.url, SECRET_KEY: 'a secret key that only this test knows' };
    const [api] = await Promise.all([
      fixture.start({ ...shared, TALLYBRIDGE_ROLE: 'api' }),
      fixture.start({ ...shared, TALLYBRIDGE_ROLE: 'worker', NODE_OPTIONS: skewed(2, -2) }),
      fixture.start({ ...shared, TALLYBRIDGE_ROLE: 'worker', NODE_OPTIONS: skewed(-2, 0, 1, 2) }),
    ]);
    const client = await signIn(api.url);
    await client.connectQuickBooks();
    const tokenCalls = async () =>
      (await fixture.quickbooks.journal()).filter(({ path }) => path.endsWith('/tokens/bearer')).length;
    const before = await tokenCalls();
    await client.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
    const day = async () => (await fixture.autotask.list('Invoices')).find((row) => row['id'] === 48_213);
    const invoicedOn = String((await day())?.['invoiceDateTime']).slice(0, 10);
    const { job } = await client.data('POST', '/api/my/invoices/sync/submit/all', { mode: 'live' });
    const { id } = job as JsonObject;
    await vi.waitFor(
      async () =>
        expect(await client.data('GET', `/api/my/jobs/${String(id)}`)).toMatchObject({ job: { status: 'finished' } }),
      { timeout: 100_000, interval: 250 },
    );
    const invoices = (await fixture.quickbooks.list('Invoice')).filter((row) =>
      /^Autotask invoice \d+ · synced/.test(String(row['PrivateNote'])),
    );
    const sources = invoices.map((row) => /invoice (\d+)/.exec(String(row['PrivateNote']))?.[1]);
    expect(sources).toContain('48213');
    expect(new Set(sources).size).toBe(sources.length);
    expect(invoices.find((row) => String(row['PrivateNote']).includes('48213'))).toMatchObject({ TxnDate: invoicedOn });
    // Valid tokens are not refreshed.
    expect(await tokenCalls()).toBe(before);
    // The date in Autotask comes from the database, not from the process.
    const exported = Date.parse(String((await day())?.['webServiceDate']));
    expect(Math.abs(exported - Date.now())).toBeLessThan(10 * 60_000);
  } finally {
    await fixture.close();
    await database.close();
  }
}, 180_000);

test('after the database’s clock is set back by ten minutes, old and new processes finish all work', async () => {
  const database = await newDatabase({ isMigrated: false });
  const fixture = await newProcessFixture();
  try {
    const shared = { DATABASE_URL: database.url, SECRET_KEY: 'a secret key that only this test knows' };
    const startWorker = () => fixture.start({ ...shared, TALLYBRIDGE_ROLE: 'worker' });
    const [api, worker] = await Promise.all([fixture.start({ ...shared, TALLYBRIDGE_ROLE: 'api' }), startWorker()]);
    const client = await signIn(api.url);
    await client.connectQuickBooks();
    await client.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
    const sync = async (psaId: number) => {
      const { job } = await client.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [psaId], mode: 'live' });
      await vi.waitFor(
        async () =>
          expect(await client.data('GET', `/api/my/jobs/${String((job as JsonObject)['id'])}`)).toMatchObject({
            job: { status: 'finished', succeeded: 1 },
          }),
        { timeout: 60_000, interval: 250 },
      );
    };
    await sync(48_213);
    await asOwner(database.url, (owner) =>
      owner.query(`create or replace function wall_clock_ms() returns bigint language sql volatile
        as $$ select (extract(epoch from clock_timestamp()) * 1000)::bigint - 600000 $$`),
    );
    // Killed, so that its lease and permits remain and end minutes later by the changed clock.
    process.kill(worker.pid, 'SIGKILL');
    await worker.ended;
    await startWorker();
    await sync(48_214);
    const figure = async (name: string) =>
      Number(new RegExp(`^${name} (.+)$`, 'm').exec(await (await fetch(`${api.url}/metrics`)).text())?.[1]);
    await vi.waitFor(async () => expect(await figure('tallybridge_clock_steps')).toBeGreaterThan(0), {
      timeout: 60_000,
      interval: 1_000,
    });
    const ahead = await figure('tallybridge_clock_ahead_seconds');
    expect([ahead > 570, ahead <= 600]).toEqual([true, true]);
    const exported = (await fixture.autotask.list('Invoices')).find((row) => row['id'] === 48_214)?.['webServiceDate'];
    expect(Math.abs(Date.parse(String(exported)) - Date.now())).toBeLessThan(5 * 60_000);
  } finally {
    await fixture.close();
    await database.close();
  }
}, 180_000);
