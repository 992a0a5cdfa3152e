import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { differenceClassNames } from '#core/reconciliation/difference-classes.ts';
import { hasTitle } from '#test/support/cited.ts';

/**
 * The situations of a month end (docs/reference/month-end.md): each names the tests that hold it, by the number of its
 * row. What is not held is named here as well, so that it does not grow unnoticed.
 */
const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'reference', 'month-end.md'), 'utf8');
const count = 67;
const notHeld: readonly number[] = [];

const rows = page
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, number = '', situation = '', ledger = '', heldBy = '']) => ({
    number: Number(number),
    situation,
    ledger,
    heldBy,
  }));

test('every row stands on the page once, in order', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
});

test('what is not held is known', () => {
  const open = rows.filter(({ heldBy }) => heldBy.startsWith('Not held: ')).map(({ number }) => number);
  expect(open).toEqual(notHeld);
});

describe.each(rows)('row $number: $situation', ({ number, situation, ledger, heldBy }) => {
  test('says what the ledger shows, and is held by tests of its number', () => {
    expect([situation, ledger].every((text) => text.length > 3)).toBe(true);
    if (notHeld.includes(number)) return;
    const links = [...heldBy.matchAll(/\]\(\.\.\/\.\.\/([^)]+)\)(?: "([^"]+)")?/g)];
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

test('every case that names a row stands on the page', () => {
  const named = readdirSync(import.meta.dirname, { withFileTypes: true })
    .filter((one) => one.isDirectory())
    .flatMap(({ name: kind }) =>
      readdirSync(join(import.meta.dirname, kind)).map((name) => `test/cases/${kind}/${name}`),
    )
    .filter((path) => path.split('/').at(-1)?.startsWith('row-'));
  expect(named.filter((path) => !page.includes(`(../../${path})`))).toEqual([]);
});

test('lists every reason for a difference', () => {
  const [, section = ''] = page.split('## Reasons for differences');
  const listed = [...section.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual(differenceClassNames.toSorted());
});
