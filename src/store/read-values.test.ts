import { expect, test } from 'vitest';
import { ReadValues } from './read-values.ts';

const read = (version: string, value: string, bytes = 10_000) => ({ version, value, bytes });

test('a value is told again for its own version only', () => {
  const kept = new ReadValues();
  expect(kept.versionOf('a')).toBeNull();
  kept.keep('a', read('1', 'one'));
  expect([kept.versionOf('a'), kept.take('a', '1'), kept.take('a', '2')]).toEqual(['1', 'one', undefined]);
  kept.keep('a', read('2', 'two'));
  expect([kept.take('a', '1'), kept.take('a', '2')]).toEqual([undefined, 'two']);
  kept.keep('a', read('3', 'short', 100));
  expect(kept.versionOf('a')).toBeNull();
});

test('what was used least lately goes first, and what is too long is not kept', () => {
  const kept = new ReadValues();
  kept.keep('a', read('1', 'one', 1_400_000));
  kept.keep('b', read('1', 'two', 1_400_000));
  kept.take('a', '1');
  kept.keep('c', read('1', 'three', 1_400_000));
  expect(['a', 'b', 'c'].map((key) => kept.versionOf(key))).toEqual(['1', null, '1']);
  kept.keep('d', read('1', 'four', 4_000_000));
  expect(['a', 'c', 'd'].map((key) => kept.versionOf(key))).toEqual(['1', '1', null]);
});
