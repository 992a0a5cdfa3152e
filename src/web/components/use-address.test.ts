import { expect, test } from 'vitest';
import { oneOf, pageOf, textOf, withChanges } from './use-address.ts';

const change = (query: string, changes: Readonly<Record<string, string>>) =>
  withChanges(new URLSearchParams(query), changes).toString();

test('a change opens page 1 and keeps the other parameters; an empty value removes one', () => {
  expect(change('type=invoice&page=4', { mode: 'live' })).toBe('type=invoice&mode=live');
  expect(change('q=ada&state=active&page=4', { q: '' })).toBe('state=active');
  expect(change('q=x&type=void&sort=type&key=k&page=2', { q: '', type: '' })).toBe('sort=type&key=k');
});

test('a new page changes nothing else, and page 1 is not in the address', () => {
  expect(change('type=invoice&page=4', { page: '5' })).toBe('type=invoice&page=5');
  expect(change('q=ada&page=2', { page: '1' })).toBe('q=ada');
});

test('invalid values are ignored', () => {
  for (const invalid of ['0', '-1', '1.5', 'x', '1e9']) expect(pageOf(new URLSearchParams({ page: invalid }))).toBe(1);
  expect(pageOf(new URLSearchParams('page=3'))).toBe(3);
  expect(textOf(new URLSearchParams(`q=${'x'.repeat(300)}`), 'q')).toHaveLength(200);
  expect(textOf(new URLSearchParams('q=+ada+'), 'q')).toBe('ada');
  expect(oneOf(new URLSearchParams('state=gone'), 'state', ['active'])).toBeUndefined();
  expect(oneOf(new URLSearchParams('state=active'), 'state', ['active'])).toBe('active');
});
