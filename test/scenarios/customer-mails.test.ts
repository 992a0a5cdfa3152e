import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '#core/values/json.ts';
import { newWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await newWorld({ settings: { inv_email_automatically: true } });
  await world.quickbooks.behave({ need_to_send: 'mails' });
});
afterEach(() => world.close());

/** What QuickBooks has mailed to customers. */
async function mails(): Promise<readonly JsonObject[]> {
  const answer = await fetch(`${world.quickbooks.url}/__sandbox/mails`);
  return ((await answer.json()) as { items: readonly JsonObject[] }).items;
}
const live = (psaId: number, force = false) => world.sync('invoice', { mode: 'live', force, psaIds: [psaId] });

test('an invoice is mailed to its customer once: a test sync, a second sync and a cleared status mail nothing', async () => {
  await world.sync('invoice', { mode: 'test', psaIds: [48_213] });
  expect(await mails()).toEqual([]);
  await live(48_213);
  expect(await mails()).toMatchObject([{ to: 'ap@acmedental.example' }]);
  await live(48_213);
  await world.autotask.put('Invoices', 48_213, { invoiceNumber: '', webServiceDate: null });
  expect(world.resultOf(await live(48_213), 48_213)?.message).toMatch(/^Relinked/);
  expect(await mails()).toHaveLength(1);
  await live(48_213, true);
  expect(await mails()).toHaveLength(2);
});

test.each(['all', 'none'])(
  'an invoice whose answer was lost is mailed once (requestid honoured by %s)',
  async (requestid) => {
    await world.quickbooks.behave({ requestid });
    await world.quickbooks.fault({ match: { path: '/invoice$' }, times: 1, action: { reset: 'after' } });
    await live(48_213);
    await world.advance(135);
    await world.work();
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'synced' });
    expect(await mails()).toHaveLength(1);
  },
);

test('a credit memo is mailed to nobody, nor is anything while the setting is off', async () => {
  await live(48_301);
  expect(await world.quickbooks.list('CreditMemo')).toContainEqual(
    expect.objectContaining({ PrivateNote: expect.stringContaining('Autotask invoice 48301') }),
  );
  await world.saveSettings({ inv_email_automatically: false });
  await live(48_213);
  expect(await mails()).toEqual([]);
});
