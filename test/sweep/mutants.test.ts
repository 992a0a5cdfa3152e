import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { mutants } from './mutants.ts';

const root = resolve(import.meta.dirname, '../..');

test('every planted bug has its place in the sources, which there is once, and a name of its own', () => {
  const lost = mutants.filter(({ file, find }) => readFileSync(join(root, file), 'utf8').split(find).length !== 2);
  expect(lost.map(({ name }) => name)).toEqual([]);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
