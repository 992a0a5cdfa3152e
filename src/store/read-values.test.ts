import { expect, test } from 'vitest';
import { ReadValues } from './read-values.ts';

const read = (version: string, value: string, bytes = 10_000) => ({ version, value, bytes });

test('returns a cached value only for its version', () => {
  const cache = new ReadValues();
  expect(cache.versionOf('a')).toBeNull();
  cache.set('a', read('1', 'one'));
  expect([cache.versionOf('a'), cache.get('a', '1'), cache.get('a', '2')]).toEqual(['1', 'one', undefined]);
  cache.set('a', read('2', 'two'));
  expect([cache.get('a', '1'), cache.get('a', '2')]).toEqual([undefined, 'two']);
  cache.set('a', read('3', 'short', 100));
  expect(cache.versionOf('a')).toBeNull();
});

test('evicts the least recently used value and skips values that are too long', () => {
  const cache = new ReadValues();
  cache.set('a', read('1', 'one', 1_400_000));
  cache.set('b', read('1', 'two', 1_400_000));
  cache.get('a', '1');
  cache.set('c', read('1', 'three', 1_400_000));
  expect(['a', 'b', 'c'].map((key) => cache.versionOf(key))).toEqual(['1', null, '1']);
  cache.set('d', read('1', 'four', 4_000_000));
  expect(['a', 'c', 'd'].map((key) => cache.versionOf(key))).toEqual(['1', '1', null]);
});
