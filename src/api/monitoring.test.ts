import { expect, test, vi } from 'vitest';
import { sharedReadiness } from './monitoring.ts';

test('a database that does not answer is not ready, and is asked once for requests of the same second', async () => {
  const check = vi.fn(() => new Promise<boolean>(() => undefined));
  const isReady = sharedReadiness(check);
  expect(await Promise.all([isReady(), isReady(), isReady()])).toEqual([false, false, false]);
  expect(check).toHaveBeenCalledTimes(1);
});

test('reports what the database answers', async () => {
  expect(await sharedReadiness(() => Promise.resolve(true))()).toBe(true);
  expect(await sharedReadiness(() => Promise.resolve(false))()).toBe(false);
});
