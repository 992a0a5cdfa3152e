import { expect, test } from 'vitest';
import { stateOfAll, toggleAll } from './choose-all.ts';

test('the checkbox of the header changes only the listed rows', () => {
  const chosen = new Set(['a', 'b']);
  expect([...toggleAll(chosen, ['b', 'c'])]).toEqual(['a', 'b', 'c']);
  expect([...toggleAll(chosen, ['a'])]).toEqual(['b']);
  expect([...toggleAll(chosen, [])]).toEqual(['a', 'b']);
});

test('the checkbox of the header shows the state of the listed rows', () => {
  const chosen = new Set(['a', 'b']);
  expect(stateOfAll(chosen, ['a', 'b'])).toBe('all');
  expect(stateOfAll(chosen, ['b', 'c'])).toBe('some');
  expect(stateOfAll(chosen, ['c'])).toBe('none');
  expect(stateOfAll(chosen, [])).toBe('none');
});
