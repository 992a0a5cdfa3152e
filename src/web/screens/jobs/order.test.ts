import { expect, test } from 'vitest';
import { inOrder } from './order.ts';

test('lists failures first, then documents on hold, then the others, each newest first', () => {
  const results = ['succeeded', 'failed', 'held', 'skipped', 'failed', 'pending'] as const;
  expect(inOrder(results.map((outcome, id) => ({ outcome, id }))).map(({ id }) => id)).toEqual([4, 1, 2, 5, 3, 0]);
});
