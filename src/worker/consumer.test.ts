import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startConsumer } from './consumer.ts';

const names = (count: number) => Array.from({ length: count }, (_, index) => `tenant ${index}`);
const none = () => Promise.resolve([]);
const unexpected = (error: unknown) => {
  throw error;
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

/** Tenants with work, as in the tables, each until its work is done. */
function newTables(count: number) {
  const due = new Set(names(count));
  return { due, look: async (limit: number) => [...due].slice(0, limit) };
}

test('a slow tenant does not delay the others', async () => {
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

test('runs at most as many tenants as permits and handles more than one query finds', async () => {
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

test('handles an announced tenant at once, never twice in parallel', async () => {
  const handled: string[] = [];
  const end = Promise.withResolvers<void>();
  const consumer = startConsumer({
    permits: 3,
    look: none,
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

test('retries a failing tenant after increasing delays', async () => {
  const at: number[] = [];
  const { look } = newTables(1);
  const began = Date.now();
  const consumer = startConsumer({
    permits: 1,
    look,
    onError: unexpected,
    handle() {
      at.push((Date.now() - began) / 1_000);
      return Promise.reject(new Error('failed'));
    },
  });
  await settle(40_000);
  expect(at).toEqual([0, 2, 4, 8, 16, 32]);
  await consumer.stop(1_000);
});

test('reports a failed query and continues with the next', async () => {
  const errors: unknown[] = [];
  let queries = 0;
  const consumer = startConsumer({
    permits: 1,
    look: () => ((queries += 1) === 1 ? Promise.reject(new Error('gone')) : none()),
    onError: (error) => errors.push(error),
    handle: () => Promise.resolve(),
  });
  await settle(2_000);
  expect([queries, errors.length]).toEqual([2, 1]);
  await consumer.stop(1_000);
});

test('stops taking work and waits for running work up to a limit', async () => {
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
