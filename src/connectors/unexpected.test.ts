import { beforeEach, expect, test } from 'vitest';
import { maxUnexpected } from '#core/records/unexpected-answers.ts';
import { memberPath, noteUnexpected, shapeOf, takeUnexpected } from './unexpected.ts';

beforeEach(() => void takeUnexpected());

const unknownCode = (name: string) =>
  ({ service: 'accounting', kind: 'unknown_code', fact: 'Q27', name, operation: 'create Invoice' }) as const;

test('shows names and types of members, no values', () => {
  const answer = {
    Id: '9177',
    TotalAmt: 12.5,
    Line: [{ Description: 'Visit of Maple Clinic', Amount: 1 }, { Other: 1 }],
    CustomerRef: null,
    Tags: [],
    'Maple Clinic, Inc.': true,
    a: { b: { c: { d: { e: { f: 1 } } } } },
  };
  const shape = shapeOf(answer);
  expect(shape).toBe(
    '{ Id: text, TotalAmt: number, Line: [{ Description: text, Amount: number }], CustomerRef: null, Tags: [], …: boolean, a: { b: { c: { d: { e: {…} } } } } }',
  );
  expect(shape).not.toContain('Maple');
});

test('counts equal answers, and forgets them when they are taken', () => {
  noteUnexpected(unknownCode('9999'), { Fault: {} });
  noteUnexpected(unknownCode('9999'), { Other: {} });
  noteUnexpected(unknownCode('8888'), null);
  expect(takeUnexpected()).toMatchObject([
    { name: '9999', count: 2, shape: '{ Fault: {} }' },
    { name: '8888', count: 1 },
  ]);
  expect(takeUnexpected()).toEqual([]);
});

test('hides what does not look like a code, and stores a limited number of distinct answers', () => {
  noteUnexpected(unknownCode('The customer “Maple” is unknown'), null);
  expect(takeUnexpected()).toMatchObject([{ name: '…' }]);
  for (let code = 0; code < maxUnexpected + 50; code += 1) noteUnexpected(unknownCode(String(code)), null);
  expect(takeUnexpected()).toHaveLength(maxUnexpected);
});

test('positions in lists do not make paths distinct', () => {
  expect(memberPath(['Line', 3, 'Amount'])).toBe('Line.[].Amount');
  expect(memberPath([])).toBe('the object');
});
