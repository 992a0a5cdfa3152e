import { expect, test } from 'vitest';
import { chunked } from '../in-parallel.ts';

test.each([
  [[], 3, []],
  [[1, 2, 3], 3, [[1, 2, 3]]],
  [[1, 2, 3, 4], 3, [[1, 2, 3], [4]]],
])('splits %j into pieces of %i', (rows, size, pieces) => {
  expect(chunked(rows, size)).toEqual(pieces);
});
