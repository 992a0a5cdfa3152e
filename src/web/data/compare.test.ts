import { expect, test } from 'vitest';
import { byDecimal, byText } from './compare.ts';

const rows = [
  { id: 'INV-10', total: '9.5' },
  { id: 'INV-9', total: '-100.25' },
  { id: 'inv-11', total: null },
  { id: 'INV-2', total: '10' },
];

test('sorts numbers in texts numerically and ignores case', () => {
  expect(rows.toSorted(byText(({ id }) => id)).map(({ id }) => id)).toEqual(['INV-2', 'INV-9', 'INV-10', 'inv-11']);
});

test('sorts amounts by value with missing ones as the highest', () => {
  expect(rows.toSorted(byDecimal(({ total }) => total)).map(({ id }) => id)).toEqual([
    'INV-9',
    'INV-10',
    'INV-2',
    'inv-11',
  ]);
});
