import { expect, test } from 'vitest';
import { createSemaphore } from './in-parallel.ts';

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
