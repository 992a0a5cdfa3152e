import { expect, test } from 'vitest';
import { inParallel } from './in-parallel.ts';

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
