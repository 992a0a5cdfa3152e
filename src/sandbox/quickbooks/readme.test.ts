import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8');
const rows = read('README.md')
  .split('\n')
  .filter((line) => line.startsWith('|') && line.includes('.test.ts)'));

test('every test file in the table of rules exists', () => {
  expect(rows.length).toBeGreaterThan(40);
  for (const row of rows) {
    const column = row.split('|').at(-2) ?? '';
    for (const part of column.split(';')) {
      const file = /\]\(([\w/-]+\.test\.ts)\)/.exec(part)?.[1];
      expect([row, file]).toEqual([row, expect.any(String)]);
      expect([file, read(file ?? '').includes('test')]).toEqual([file, true]);
    }
  }
});
