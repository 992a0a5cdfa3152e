import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasTitle } from '#test/support/cited.ts';

/**
 * Checks docs/reference/month-end.md: each situation cites tests with its row number. Untested situations must be
 * listed here.
 */
const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'reference', 'month-end.md'), 'utf8');
const count = 67;
const untested: readonly number[] = [];

const rows = page
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, number = '', situation = '', ledger = '', tests = '']) => ({
    number: Number(number),
    situation,
    ledger,
    tests,
  }));

test('has every row once, in order', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
});

test('lists the untested situations', () => {
  const open = rows.filter(({ tests }) => tests.startsWith('Not held: ')).map(({ number }) => number);
  expect(open).toEqual(untested);
});

describe.each(rows)('row $number: $situation', ({ number, situation, ledger, tests }) => {
  test('has a ledger description and cites tests with its number', () => {
    expect([situation, ledger].every((text) => text.length > 3)).toBe(true);
    if (untested.includes(number)) return;
    const links = [...tests.matchAll(/\]\(\.\.\/\.\.\/([^)]+)\)(?: "([^"]+)")?/g)];
    expect(links.length).toBeGreaterThan(0);
    for (const [, path = '', title] of links) {
      if (title === undefined) {
        expect(path).toMatch(new RegExp(`^test/cases/[a-z-]+/row-${String(number).padStart(2, '0')}-`));
        expect(existsSync(join(root, path, 'plan.json')), path).toBe(true);
      } else {
        expect(title).toMatch(new RegExp(`^rows? (?:\\d+ and )?${number}\\b`));
        expect([path, hasTitle(readFileSync(join(root, path), 'utf8'), title)]).toEqual([path, true]);
      }
    }
  });
});

test('lists every case with a row number', () => {
  const named = readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .flatMap(({ name: kind }) =>
      readdirSync(join(import.meta.dirname, kind)).map((name) => `test/cases/${kind}/${name}`),
    )
    .filter((path) => path.split('/').at(-1)?.startsWith('row-'));
  expect(named.filter((path) => !page.includes(`(../../${path})`))).toEqual([]);
});
