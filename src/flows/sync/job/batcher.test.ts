import { describe, expect, test } from 'vitest';
import { createBatcher } from './batcher.ts';

describe('a batcher', () => {
  test('combines simultaneous items in a call and later ones in the next', async () => {
    const calls: number[][] = [];
    const open = Promise.withResolvers<void>();
    const ask = createBatcher<number, number>(async (items) => {
      calls.push([...items]);
      if (calls.length === 1) await open.promise;
      return items.map((item) => ({ status: 'fulfilled', value: item * 10 }));
    });
    const first = [ask(1), ask(2)];
    while (calls.length === 0) await new Promise((go) => setImmediate(go));
    const second = [ask(3), ask(4), ask(5)];
    open.resolve();
    expect(await Promise.all([...first, ...second])).toEqual([10, 20, 30, 40, 50]);
    expect(calls).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
  });

  test('rejects failed items individually, and all when the call fails', async () => {
    const ask = createBatcher<number, number>(async (items) => {
      if (items.includes(9)) throw new Error('all');
      return items.map((item) =>
        item === 2 ? { status: 'rejected', reason: new Error('two') } : { status: 'fulfilled', value: item },
      );
    });
    const one = await Promise.allSettled([ask(1), ask(2), ask(3)]);
    expect(one.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(Promise.all([ask(8), ask(9)])).rejects.toThrow('all');
    expect(await ask(4)).toBe(4);
  });

  test('sends at most a hundred items per call', async () => {
    const sizes: number[] = [];
    const ask = createBatcher<number, number>(async (items) => {
      sizes.push(items.length);
      return items.map((value) => ({ status: 'fulfilled', value }));
    });
    await Promise.all(Array.from({ length: 250 }, (_, n) => ask(n)));
    expect(sizes).toEqual([100, 100, 50]);
  });
});
