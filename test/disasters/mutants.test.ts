import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { mutants } from './mutants.ts';

const root = resolve(import.meta.dirname, '..', '..');

test.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
  'fits its source file: %s (if the line changed, update test/disasters/mutants.ts)',
  (_name, { file, find, replace, caughtBy }) => {
    const text = readFileSync(join(root, file), 'utf8');
    expect(text.split(find), `occurrences in ${file}`).toHaveLength(2);
    expect(text.replace(find, () => replace)).not.toBe(text);
    expect(readFileSync(join(root, caughtBy.file), 'utf8')).toContain('test');
  },
);

test('has at least 15 bugs with unique names', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(15);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
