import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { mutants } from './mutants.ts';

const root = resolve(import.meta.dirname, '..', '..');

test.each(mutants.map((mutant) => [mutant.name, mutant] as const))(
  'can be planted: %s (when the line has changed, change its row in test/sweep/mutants.ts too)',
  (_name, { file, find, replace, caughtBy }) => {
    const text = readFileSync(join(root, file), 'utf8');
    expect(text.split(find), `${file} holds the line once`).toHaveLength(2);
    expect(text.replace(find, () => replace)).not.toBe(text);
    expect(readFileSync(join(root, caughtBy.file), 'utf8')).toContain('test');
  },
);

test('there are enough of them, each with a name of its own', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(15);
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
});
