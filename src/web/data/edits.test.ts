import { expect, test } from 'vitest';
import { changesOf, conflictsOf, toSend, undoOf, withEdit } from './edits.ts';

const saved = { a: true, b: 1, list: ['x'] };

test('lists only changed fields', () => {
  expect(changesOf(saved, { ...saved, b: 2 })).toEqual({ b: 2 });
  expect(changesOf(saved, { ...saved, list: ['x'] })).toEqual({});
});

test('sends edited fields with the values that the user saw, and related fields as they are shown', () => {
  const edits = withEdit(withEdit({}, saved, 'b', 2), saved, 'b', 3);
  // The saved value changes while the form is open.
  expect(toSend({ ...saved, a: false, b: 9 }, edits, ['a', 'b'])).toEqual({
    changes: { b: 3 },
    was: { a: false, b: 1 },
  });
});

test('forgets an edit that is reverted', () => {
  expect(withEdit(withEdit({}, saved, 'list', ['y']), saved, 'list', ['x'])).toEqual({});
});

test('reports a conflict only for an edited field with a third value', () => {
  const edits = withEdit({}, saved, 'b', 2);
  expect(conflictsOf({ ...saved, a: false }, edits)).toEqual([]);
  expect(conflictsOf({ ...saved, b: 2 }, edits)).toEqual([]);
  expect(conflictsOf({ ...saved, b: 3 }, edits)).toEqual(['b']);
});

test('reverts only the values that were sent, as they are stored now', () => {
  const stored = { a: false, b: 1, list: ['y'] };
  const sent = { a: false, list: ['y '], was: { a: true, b: 1, list: ['x'] } };
  expect(undoOf(sent, stored)).toEqual({
    a: true,
    list: ['x'],
    was: { a: false, list: ['y'] },
  });
});
