import { expect, test } from 'vitest';
import { isSameOrigin, originOf, generationOf } from './origin.ts';

test.each([
  ['Autotask invoice 48213, number 1042 · synced 2025-03-03', 'Autotask invoice 48213'],
  ['Autotask invoice 48213 · synced 2025-03-03', 'Autotask invoice 48213'],
  ['Autotask purchase order 1009 · synced', 'Autotask purchase order 1009'],
  ['Autotask expense report 1201: March · synced', 'Autotask expense report 1201'],
  ['Voided - Autotask invoice 48213 · synced', 'Voided - Autotask invoice 48213'],
  ['Thank you for your business', null],
  ['invoice 48213', null],
  ['', null],
  [null, null],
])('the note %j contains the origin %j', (note, origin) => expect(originOf(note)).toBe(origin));

test('matches notes of the same document, ignoring the rest of the note and voids', () => {
  const note = 'Autotask invoice 48213, number 1042 · synced 2025-03-03';
  expect(isSameOrigin(note, 'Autotask invoice 48213 · synced 2025-03-04')).toBe(true);
  expect(isSameOrigin(note, 'Autotask invoice 482130 · synced 2025-03-03')).toBe(false);
  expect(isSameOrigin(note, 'Autotask purchase order 48213')).toBe(false);
  expect(isSameOrigin(note, `Voided - ${note}`)).toBe(false);
  expect(isSameOrigin(null, null)).toBe(false);
});

test.each([
  ['Autotask invoice 48213 · synced 2025-03-03T15:00:02Z', 1],
  ['Autotask invoice 48213, number 1042 · synced 2025-03-03T15:00:04Z · document 2', 2],
  ['Autotask expense report 7: · document x', 1],
  [null, 1],
])('the note %j is of document %i of its source', (note, generation) => {
  expect(generationOf(note)).toBe(generation);
});
