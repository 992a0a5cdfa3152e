import { expect, test } from 'vitest';
import { startTaking, type Taking } from './taking.ts';

/** A queue in memory, and what became of what stood in it. */
function newQueue(waiting: number[]) {
  const told = { fetched: 0, settled: [] as number[], failed: [] as number[] };
  return {
    told,
    fetch(limit: number): Promise<readonly number[]> {
      const taken = waiting.splice(0, limit);
      told.fetched += taken.length;
      return Promise.resolve(taken);
    },
    settle(ended: readonly number[], failed: readonly number[]): Promise<void> {
      told.settled.push(...ended);
      told.failed.push(...failed);
      return Promise.resolve();
    },
    keep: () => Promise.resolve(),
    onError(error: unknown) {
      throw error;
    },
  };
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

test('one that takes as long as all the others together keeps none of them waiting', async () => {
  const queue = newQueue(numbers(50));
  const others = Promise.withResolvers<void>();
  const done: number[] = [];
  const large = Promise.withResolvers<void>();
  const taking: Taking = startTaking({
    ...queue,
    places: 2,
    async handle(one) {
      // The first one ends only after all the others have.
      if (one === 0) {
        await others.promise;
        large.resolve();
      } else done.push(one);
      if (done.length === 49) others.resolve();
    },
  });
  await large.promise;
  await taking.stop(1_000);
  expect(done).toHaveLength(49);
  expect(queue.told.settled.toSorted((a, b) => a - b)).toEqual(numbers(50));
});

test('no more are under way than there are places, and each place is filled again', async () => {
  const queue = newQueue(numbers(100));
  let [underWay, most, ended] = [0, 0, 0];
  const all = Promise.withResolvers<void>();
  const taking = startTaking({
    ...queue,
    places: 7,
    async handle() {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
      ended += 1;
      if (ended === 100) all.resolve();
    },
  });
  await all.promise;
  await taking.stop(1_000);
  expect(most).toBe(7);
  expect(queue.told.settled).toHaveLength(100);
});

test('one that fails is told as failed, and the next one takes its place', async () => {
  const queue = newQueue(numbers(3));
  const last = Promise.withResolvers<void>();
  const taking = startTaking({
    ...queue,
    places: 1,
    handle(one) {
      if (one === 1) return Promise.reject(new Error('it went wrong'));
      if (one === 2) last.resolve();
      return Promise.resolve();
    },
  });
  await last.promise;
  await taking.stop(1_000);
  expect([queue.told.settled, queue.told.failed]).toEqual([[0, 2], [1]]);
});

test('a stop takes nothing more, waits for what is under way, and gives back what does not end', async () => {
  const queue = newQueue(numbers(10));
  const begun = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const taking = startTaking({
    ...queue,
    places: 2,
    async handle(one) {
      if (one === 1) begun.resolve();
      await (one === 0 ? mayEnd.promise : new Promise(() => undefined));
    },
  });
  await begun.promise;
  const stopped = taking.stop(50);
  mayEnd.resolve();
  await stopped;
  expect([queue.told.settled, queue.told.failed]).toEqual([[0], [1]]);
  expect(queue.told.fetched).toBe(2);
});
