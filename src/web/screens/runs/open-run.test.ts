import { expect, it } from 'vitest';
import { backFromRun, isBackFromRun, reviewPath, runPath, startedFrom, startOf } from './open-run.ts';

it('opens the page of the first run, which links to the others', () => {
  expect(runPath(['a'])).toBe('/runs/a');
  expect(runPath(['a', 'b', 'c'])).toBe('/runs/a?with=b&with=c');
  expect(reviewPath(['a', 'b'])).toBe('/my?review=a&review=b');
});

it('reads the screen on which a run was started', () => {
  expect(startedFrom({ from: '/my-invoices?by=id' })).toBe('/my-invoices?by=id');
  for (const state of [null, undefined, 'x', { from: 1 }, { usr: 'x' }]) expect(startedFrom(state)).toBeNull();
});

it('recognizes a screen that the user returned to from a run', () => {
  expect(isBackFromRun(backFromRun)).toBe(true);
  for (const state of [null, undefined, 'x', { from: '/runs' }]) expect(isBackFromRun(state)).toBe(false);
});

it.each([
  ['?by=id&id=48213', '/my-invoices?by=id&id=48213'],
  ['?by=id&id=48213&review=a', '/my-invoices?by=id&id=48213'],
  ['?review=a', '/my-invoices'],
  ['', '/my-invoices'],
])('returns to the list with its search after %s', (search, to) => {
  expect(startOf({ pathname: '/my-invoices', search, state: null })).toBe(to);
});

it('returns from a review to the screen that opened it', () => {
  const state = { from: '/runs/a' };
  expect(startOf({ pathname: '/my', search: '?review=a', state })).toBe('/runs/a');
  expect(startOf({ pathname: '/runs/b', search: '', state })).toBe('/runs/b');
});
