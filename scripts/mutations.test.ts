import { expect, test } from 'vitest';
import { lineOf, mutated, mutationsOf } from './mutations.ts';

const all = (source: string): string[] => mutationsOf(source).map((one) => mutated(source, one));

test.each([
  ['a < b', ['a <= b']],
  ['a === b && c', ['a === b || c', 'a !== b && c']],
  ['!a', ['a']],
  ['a ? 1 : 2', ['!(a) ? 1 : 2', 'a ? 2 : 2', 'a ? 1 : 3']],
  ['if (a) b();', ['if (!(a)) b();']],
  ['const a = true;', ['const a = false;']],
  ['function f() { return [1]; }', ['function f() { return []; }', 'function f() { return [2]; }']],
  ['a - (b)', ['a + (b)']],
])('%s', (source, expected) => {
  expect(all(source)).toEqual(expected);
});

test('does not change types', () => {
  expect(all('type A = 1 | true; const b: Array<2> = c;')).toEqual([]);
});

test('counts lines from 1', () => {
  const source = 'a;\nb > c;';
  expect(mutationsOf(source).map((one) => lineOf(source, one))).toEqual([2]);
});
