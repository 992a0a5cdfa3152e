import { expect, test } from 'vitest';
import { findRows } from './find-rows.ts';

const rows = [
  { id: 48_213, customer: 'Contoso Dental' },
  { id: 48_214, customer: 'Blue Ridge Dental' },
] as const;
const find = (text: string) => findRows(rows, text, ({ id, customer }) => `${id} ${customer}`)?.map(({ id }) => id);

test.each([
  ['a part of the name', 'ridge', [48_214]],
  ['several words in any order', 'dental contoso', [48_213]],
  ['a number', '4821', [48_213, 48_214]],
  ['nothing', '', [48_213, 48_214]],
  ['a word that no row has', 'dental zebra', []],
])('finds rows by %s', (_, text, ids) => {
  expect(find(text)).toEqual(ids);
});
