import { expect, it } from 'vitest';
import { backFromRun, isBackFromRun, runPath, startedFrom } from './open-run.ts';

it('opens the page of the first run, which links to the others', () => {
  expect(runPath(['a'])).toBe('/runs/a');
  expect(runPath(['a', 'b', 'c'])).toBe('/runs/a?with=b&with=c');
});

it('reads the screen on which a run was started', () => {
  expect(startedFrom({ from: '/my-invoices?by=id' })).toBe('/my-invoices?by=id');
  for (const state of [null, undefined, 'x', { from: 1 }, { usr: 'x' }]) expect(startedFrom(state)).toBeNull();
});

it('recognizes a screen that the user returned to from a run', () => {
  expect(isBackFromRun(backFromRun)).toBe(true);
  for (const state of [null, undefined, 'x', { from: '/runs' }]) expect(isBackFromRun(state)).toBe(false);
});
