import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { StoreUnavailable } from '#core/records/unavailable.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { createListener } from '#store/listener.ts';
import { startWorker } from '#worker/worker.ts';
import { asOwner, setReadOnly } from '../support/database.ts';
import { keepingLogger } from '../support/fake-ports.ts';
import { newWorld, type World } from '../support/world.ts';

const actor = { username: 'admin@northwind-msp.example' };
const psaIds = [48_213, 48_214, 48_304];

let world: World;
let logger: ReturnType<typeof keepingLogger>;
beforeEach(async () => {
  logger = keepingLogger();
  world = await newWorld({ logger });
});
afterEach(() => world.close());

const errors = () => logger.lines.filter(({ level }) => level === 'error').map(({ message }) => message);
const submitInvoices = () => submit(world.tenant, { kind: 'invoice', mode: 'live', force: false, psaIds, actor });

/** Waits until a statement succeeds. The first statement on a cut connection fails. */
const reachable = () =>
  vi.waitFor(async () => expect(await world.app.store.ready()).toBe(true), { timeout: 60_000, interval: 50 });

async function expectEachOnce(jobId: string): Promise<void> {
  expect(await world.store.readJob(jobId)).toMatchObject({ status: 'finished', succeeded: psaIds.length });
  for (const psaId of psaIds) {
    expect(await world.madeFor(psaId)).toHaveLength(1);
    expect((await world.logs()).filter((log) => log.psaId === psaId)).toMatchObject([{ success: true }]);
  }
}

const alter = (statement: string) => asOwner(world.database.url, (client) => client.query(statement));

describe('no document is marked as failed when the database', () => {
  test.each([
    ['commit:posting:1', 'before'],
    ['post:batch:1', 'after'],
    ['psa:write:1', 'after'],
  ] as const)('becomes read-only at %s, %s', async (moment, side) => {
    const job = await submitInvoices();
    const counts = new Map<string, number>();
    let isReadOnly = false;
    const work = world.work(async (name, when) => {
      const count = (counts.get(`${name} ${when}`) ?? 0) + 1;
      counts.set(`${name} ${when}`, count);
      if (isReadOnly || `${name}:${count}` !== moment || when !== side) return;
      isReadOnly = true;
      await setReadOnly(world.database.url, true);
    });
    await expect(work).rejects.toThrow(StoreUnavailable);
    expect(isReadOnly).toBe(true);
    expect(errors()).toEqual([]);
    await setReadOnly(world.database.url, false);
    await reachable();
    await world.advance(300);
    await world.work();
    await expectEachOnce(job.id);
  });

  test.each([
    ['a table', 'alter table attempts rename to attempts_later', 'alter table attempts_later rename to attempts'],
    [
      'a column',
      'alter table attempts rename column state to state_later',
      'alter table attempts rename column state_later to state',
    ],
    [
      'a function',
      'alter function enter_tenant(uuid, text) rename to enter_later',
      'alter function enter_later(uuid, text) rename to enter_tenant',
    ],
  ])('lacks %s', async (_what, remove, restore) => {
    const job = await submitInvoices();
    let isOutdated = false;
    const work = world.work(async (name, when) => {
      if (isOutdated || name !== 'post:batch' || when !== 'after') return;
      isOutdated = true;
      await alter(remove);
    });
    await expect(work).rejects.toMatchObject({ failure: 'mismatch' });
    expect(errors()).toEqual([]);
    await alter(restore);
    await world.advance(300);
    await world.work();
    await expectEachOnce(job.id);
  });
});

describe('a worker', () => {
  const begin = () =>
    startWorker({
      announcements: createListener(world.database.url),
      store: world.app.store,
      clock: world.clock,
      logger,
      forTenant: () => world.tenant,
    });

  test('pauses while the database is read-only, reports it once and resumes', async () => {
    const job = await submitInvoices();
    await setReadOnly(world.database.url, true);
    const worker = begin();
    try {
      await expect.poll(errors, { timeout: 60_000 }).toHaveLength(1);
      // Repeated notifications do not trigger a retry.
      const before = world.transactions();
      await expect.poll(() => world.app.store.ready()).toBe(false);
      expect(world.transactions()).toBe(before);
      await setReadOnly(world.database.url, false);
      await expect
        .poll(async () => (await world.store.readJob(job.id).catch(() => null))?.status, { timeout: 60_000 })
        .toBe('finished');
      expect(errors()).toEqual(['the worker pauses: the database cannot be used']);
    } finally {
      await worker.stop();
    }
    await expectEachOnce(job.id);
  });

  test('whose database lacks a table starts no more work, even when the table is back', async () => {
    const job = await submitInvoices();
    await alter('alter table postings rename to postings_later');
    const worker = begin();
    try {
      await expect.poll(errors, { timeout: 60_000 }).toHaveLength(1);
    } finally {
      await alter('alter table postings_later rename to postings');
    }
    const looks = vi.spyOn(world.app.store, 'ready');
    await expect.poll(() => looks.mock.calls.length, { timeout: 60_000 }).toBeGreaterThan(1);
    await worker.stop();
    expect(errors()).toEqual(['the worker pauses: the database cannot be used']);
    expect(await world.store.readJob(job.id)).toMatchObject({ succeeded: 0 });
  });
});
