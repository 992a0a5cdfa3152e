import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startConsumer } from './consumer.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `tenant ${index}`);
const nobody = () => Promise.resolve([]);
const unexpected = (error: unknown) => {
  throw error;
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

/** Tenants with work, as the tables show them, each until its work is done. */
function newTables(count: number) {
  const due = new Set(names(count));
  return { due, look: async (limit: number) => [...due].slice(0, limit) };
}

test('a tenant that takes as long as all the others together keeps none of them waiting', async () => {
  const { due, look } = newTables(50);
  const large = Promise.withResolvers<void>();
  const consumer = startConsumer({
    permits: 2,
    look,
    onError: unexpected,
    async handle(tenantId) {
      if (tenantId === 'tenant 0') await large.promise;
      due.delete(tenantId);
    },
  });
  await settle();
  expect([...due]).toEqual(['tenant 0']);
  large.resolve();
  await settle();
  expect(due.size).toBe(0);
  await consumer.stop(1_000);
});

test('no more are under way than there are permits, and more than one look finds are all taken at once', async () => {
  const { due, look } = newTables(2_500);
  let [underWay, max] = [0, 0];
  const consumer = startConsumer({
    permits: 7,
    look,
    onError: unexpected,
    async handle(tenantId) {
      max = Math.max(max, (underWay += 1));
      await Promise.resolve();
      underWay -= 1;
      due.delete(tenantId);
    },
  });
  await settle();
  expect([due.size, max]).toEqual([0, 7]);
  await consumer.stop(1_000);
});

test('a tenant that is announced is taken at once, and never twice at the same time', async () => {
  const handled: string[] = [];
  const end = Promise.withResolvers<void>();
  const consumer = startConsumer({
    permits: 3,
    look: nobody,
    onError: unexpected,
    async handle(tenantId) {
      handled.push(tenantId);
      await end.promise;
    },
  });
  await settle();
  consumer.wake('one');
  consumer.wake('one');
  await settle();
  expect(handled).toEqual(['one']);
  end.resolve();
  await settle();
  consumer.wake('one');
  await settle();
  expect(handled).toEqual(['one', 'one']);
  await consumer.stop(1_000);
});

test('a tenant whose work fails rests for longer and longer, and is taken again', async () => {
  const at: number[] = [];
  const { look } = newTables(1);
  const began = Date.now();
  const consumer = startConsumer({
    permits: 1,
    look,
    onError: unexpected,
    handle() {
      at.push((Date.now() - began) / 1_000);
      return Promise.reject(new Error('it went wrong'));
    },
  });
  await settle(40_000);
  expect(at).toEqual([0, 2, 4, 8, 16, 32]);
  await consumer.stop(1_000);
});

test('a look that fails is told, and the next one is made', async () => {
  const errors: unknown[] = [];
  let looks = 0;
  const consumer = startConsumer({
    permits: 1,
    look: () => ((looks += 1) === 1 ? Promise.reject(new Error('gone')) : nobody()),
    onError: (error) => errors.push(error),
    handle: () => Promise.resolve(),
  });
  await settle(2_000);
  expect([looks, errors.length]).toEqual([2, 1]);
  await consumer.stop(1_000);
});

test('a stop takes nothing more and waits for what is under way, but not for ever', async () => {
  const { look } = newTables(10);
  const end = Promise.withResolvers<void>();
  const handled: string[] = [];
  const consumer = startConsumer({
    permits: 2,
    look,
    onError: unexpected,
    async handle(tenantId) {
      handled.push(tenantId);
      await (handled.length === 1 ? end.promise : new Promise(() => undefined));
    },
  });
  await settle();
  let isStopped = false;
  const stopped = consumer.stop(50).then(() => (isStopped = true));
  end.resolve();
  await settle(49);
  expect(isStopped).toBe(false);
  await settle(1);
  await stopped;
  expect(handled).toHaveLength(2);
});
