import { expect, test } from 'vitest';
import { inParallel, createSemaphore, chunked } from './in-parallel.ts';

test('rejects with the first error after every call has ended', async () => {
  const slow = Promise.withResolvers<string>();
  const failing = inParallel([Promise.reject(new Error('first')), slow.promise, Promise.reject(new Error('second'))]);
  let hasRejected = false;
  const rejection = failing.catch((error: unknown) => {
    hasRejected = true;
    throw error;
  });
  await new Promise((go) => setImmediate(go));
  expect(hasRejected).toBe(false);
  slow.resolve('done');
  await expect(rejection).rejects.toThrow('first');
});

test('returns results in the order of the calls and passes values through', async () => {
  const late = new Promise<number>((done) => setImmediate(() => done(1)));
  const [one, two, three]: [number, string, boolean] = await inParallel([late, Promise.resolve('two'), true]);
  expect([one, two, three]).toEqual([1, 'two', true]);
});

test('limits parallel calls and runs them in order, also when some fail', async () => {
  const semaphore = createSemaphore(3);
  const began: number[] = [];
  let running = 0;
  let max = 0;
  const outcomes = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) =>
      semaphore(async () => {
        began.push(n);
        max = Math.max(max, (running += 1));
        await new Promise((go) => setImmediate(go));
        running -= 1;
        if (n % 4 === 0) throw new Error(`${n}`);
        return n;
      }),
    ),
  );
  expect(max).toBe(3);
  expect(began).toEqual(Array.from({ length: 20 }, (_, n) => n));
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(5);
});

test.each([
  [[], 3, []],
  [[1, 2, 3], 3, [[1, 2, 3]]],
  [[1, 2, 3, 4], 3, [[1, 2, 3], [4]]],
])('splits %j into pieces of %i', (rows, size, pieces) => {
  expect(chunked(rows, size)).toEqual(pieces);
});
