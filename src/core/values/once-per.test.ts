import { expect, test } from 'vitest';
import { oncePer } from './once-per.ts';

test('makes a value once for each object, also if it is undefined', () => {
  const made: object[] = [];
  const valueOf = oncePer((of: { readonly value?: number }) => (made.push(of), of.value));
  const [one, empty] = [{ value: 1 }, {}];
  expect([valueOf(one), valueOf(empty), valueOf(one), valueOf(empty)]).toEqual([1, undefined, 1, undefined]);
  expect(made).toEqual([one, empty]);
  expect(valueOf({ value: 2 })).toBe(2);
});
