import { expect, test } from 'vitest';
import { ProcessEnded } from '#flows/context.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { eachWorld } from '../support/each-world.ts';
import { payInvoice } from '../support/pay-invoice.ts';

const world = eachWorld({ settings: { pay_sync_active: true } });

const actor = { username: 'admin@northwind-msp.example' };
const hour = 3_600;

test('a job that another worker resumes counts the documents of both', async () => {
  const { id } = await submit(world.tenant, { kind: 'invoice', mode: 'live', force: false, psaIds: null, actor });
  let ended = 0;
  const died = world.work((name, when) => {
    if (name === 'commit:done' && when === 'before') ended += 1;
    if (ended > 2) throw new ProcessEnded('the worker dies');
  });
  await expect(died).rejects.toThrow('the worker dies');
  const all = (await world.store.readJob(id))?.total ?? 0;
  expect(all).toBeGreaterThan(4);
  await world.advance(hour);
  await world.work();
  const job = await world.store.readJob(id);
  expect(job).toMatchObject({ status: 'finished', total: all });
  expect(job?.done).toBe(all);
  expect(job?.results).toHaveLength(all);
});

test.each([
  ['its outcome is unknown', 'post:', () => world.quickbooks, '/query$'],
  ['Autotask does not have its number yet', 'psa:write', () => world.autotask, '.*'],
  ['it was only started', 'store.openAttempts', () => world.autotask, '.*'],
] as const)('a job counts a started document that a search no longer finds: %s', async (_, at, service, path) => {
  const { id } = await submit(world.tenant, { kind: 'invoice', mode: 'live', force: false, psaIds: null, actor });
  const died = world.work((name, when) => {
    if (name.startsWith(at) && when === (at === 'store.openAttempts' ? 'after' : 'before'))
      throw new ProcessEnded('the worker dies');
  });
  await expect(died).rejects.toThrow('the worker dies');
  const all = (await world.store.readJob(id))?.total ?? 0;
  expect(all).toBeGreaterThan(4);
  const [begun] = await world.store.listUnfinished(world.clock.now());
  await world.autotask.put('Invoices', begun?.psaId ?? 0, { isVoided: true, voidedDate: world.clock.now() });
  // Its lease ended. The unfinished document waits while the job continues.
  await world.advance(15);
  await service().fault({ match: { path }, action: { status: 503, body: '' } });
  await world.work(async (name, when) => {
    if (name === 'store.takeJob' && when === 'before') await service().clearFaults();
  });
  expect(await world.store.readJob(id)).toMatchObject({ status: 'finished', total: all, done: all });
  await world.advance(hour);
  await world.work();
  const job = await world.store.readJob(id);
  expect(job).toMatchObject({ status: 'finished', total: all, done: all });
  expect(job?.results).toHaveLength(all);
});

test('changes during a disconnect are read right after the reconnect, not a day later', async () => {
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  const id = (await world.store.readPosting('invoice', 48_213))?.targetId ?? '';
  await world.store.addToInbox([{ record: 'invoice', id }], { isNotification: true });
  await world.cycle();
  await world.advance(2 * hour);
  await world.cycle();
  await world.store.markConnection('accounting', {
    status: 'inactive',
    problem: 'QuickBooks needs to be reconnected.',
  });
  await payInvoice(world, id, 1966.25);
  await world.store.addToInbox([{ record: 'invoice', id }], { isNotification: true });
  await world.work();
  await world.reconnectAccounting();
  await world.cycle();
  expect((await world.psaInvoice(48_213))['paidDate'] ?? null).toMatch(/^2025-03-03/);
});
