import { afterAll, expect, test } from 'vitest';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { proveMonthsOf } from '#flows/close/prove-open-months.ts';
import { readMonthOfReads } from '#flows/connections/watch-service.ts';
import { newWorld } from '../support/world.ts';

/** A month is proved at night only if something that its proof depends on has changed. The test starts on Mar 3, 2025. */
const [february, march] = [month('2025-02'), month('2025-03')];
// No document becomes too old to be synced during the test, which would change a proof.
const world = await newWorld({ settings: { inv_max_age_days: 90, po_max_age_days: 90, exp_max_age_days: 90 } });
await world.sync('invoice', { mode: 'live' });
afterAll(() => world.close());

const day = 86_400;
const quiet = { calls: ['cdc'], metered: 1, months: [] };
/** Proves at night. Returns QuickBooks' calls and the proved months. */
async function night(): Promise<{
  readonly calls: readonly string[];
  readonly metered: number;
  readonly months: readonly string[];
}> {
  await world.advance(day);
  const before = await world.quickbooks.lastRequest();
  const at = world.clock.now();
  const { reads } = await readMonthOfReads(world.app);
  await proveMonthsOf(world.app, world.tenant);
  const calls = (await world.quickbooks.journal())
    .filter(({ sequence, path }) => sequence > before && path.includes('/v3/company/'))
    .map(({ path }) => path.replace(/^.*\/v3\/company\/\d+\/|\?.*$/g, ''));
  const runs = await Promise.all([february, march].map((one) => world.store.readCloseRun(one)));
  const months = [february, march].filter((_, index) => (runs[index]?.startedAt ?? at) >= at && runs[index] !== null);
  return { calls, metered: (await readMonthOfReads(world.app)).reads - reads, months };
}

test('the first night proves all open months, and a night without changes reads only the change feed', async () => {
  const first = await night();
  expect(first.months).toEqual([february, march]);
  // docs/operate/sizing.md names this number for a month.
  expect(first.metered).toBeLessThanOrEqual(2 * 26);
  expect(await night()).toEqual(quiet);
  expect(await night()).toEqual(quiet);
});

test('a change in QuickBooks proves its month and later ones', async () => {
  const [customer] = await world.quickbooks.list('Customer');
  const [item] = await world.quickbooks.list('Item');
  const invoice = (TxnDate: string) => ({
    TxnDate,
    CustomerRef: { value: String(customer?.['Id']) },
    Line: [
      {
        Amount: 10,
        DetailType: 'SalesItemLineDetail',
        SalesItemLineDetail: { ItemRef: { value: String(item?.['Id']) } },
      },
    ],
  });
  const made = await world.quickbooks.add('Invoice', invoice('2025-03-05'));
  expect((await night()).months).toEqual([march]);
  await world.quickbooks.add('Invoice', invoice('2025-02-20'));
  expect((await night()).months).toEqual([february, march]);
  await world.quickbooks.remove('Invoice', String((made['item'] as JsonObject)['Id']));
  expect((await night()).months).toEqual([february, march]);
  expect((await night()).calls).toEqual(['cdc']);
});

test('a change in Autotask, of a setting or of the program proves again', async () => {
  const [invoice] = (await world.autotask.list('Invoices')).filter((one) => one['id'] === 48_213);
  await world.autotask.put('Invoices', 48_213, { ...invoice, comments: 'Changed after it was posted' });
  expect((await night()).months).not.toEqual([]);
  expect(await night()).toEqual(quiet);
  await world.saveSettings({ inv_max_age_days: 89 });
  expect((await night()).months).toEqual([february, march]);
});

test('a failed proof is made again', async () => {
  await world.store.endCloseRun(march, world.clock.now(), 'QuickBooks did not respond.');
  expect((await night()).months).toEqual([march]);
});

test('without changes, a proof is made again before the change feed ends', async () => {
  expect((await night()).months).toEqual([]);
  await world.advance(27 * day);
  expect((await night()).months).toEqual([march]);
});
