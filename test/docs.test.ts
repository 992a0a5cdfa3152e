import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { autotaskChecks } from '#connectors/verification/autotask-checks.ts';
import { quickbooksReads } from '#connectors/verification/quickbooks-reads.ts';
import { quickbooksWrites } from '#connectors/verification/quickbooks-writes.ts';
import { routes } from '#contract/routes.ts';
import { tiers } from '#core/metered-reads.ts';
import { mayImport } from '../scripts/check-imports.ts';
import { hasTitle } from './support/cited.ts';

const root = resolve(import.meta.dirname, '..');
const documents = globSync(['*.md', 'docs/**/*.md', 'src/**/*.md', 'packages/*/{*.md,src/**/*.md}'], { cwd: root }).map(
  (name) => ({
    name: name.replaceAll('\\', '/'),
    text: readFileSync(join(root, name), 'utf8'),
  }),
);

const read = (name: string): string => {
  const found = documents.find((document) => document.name === name);
  if (found === undefined) throw new Error(`${name} not found`);
  return found.text;
};

/** Returns the cells of every table row, without separator rows. */
const rows = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\|[\s|:-]+\|$/.test(line))
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));

/** Returns the code in a cell that contains only code. */
const named = (cell: string | undefined): string | undefined => /^`([^`]+)`$/.exec(cell ?? '')?.[1];

const matches = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, first]) => first ?? '');

test('the main documents exist', () => {
  expect(documents.map((document) => document.name)).toEqual(
    expect.arrayContaining([
      'README.md',
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
      'docs/glossary.md',
      'docs/operate/configuration.md',
      'docs/adr/0002-workers-poll.md',
    ]),
  );
});

test.each(documents)('every relative link in $name works', ({ name, text }) => {
  const prose = text.replace(/^```[\s\S]*?^```/gm, '');
  const targets = matches(prose, /\]\(([^)\s]+)\)/g).filter((target) => !/^(#|\/|[a-z]+:)/.test(target));
  const missing = targets.filter((target) => !existsSync(join(root, dirname(name), target.replace(/#.*$/, ''))));
  expect(missing).toEqual([]);
});

test.each(['README.md', 'CONTRIBUTING.md'])('every npm script in %s exists', (name) => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
  const mentioned = matches(read(name), /\bnpm (?:run )?(start|test|(?<=run )[a-z][a-z:-]*)/g);
  expect(mentioned.length).toBeGreaterThan(0);
  expect(mentioned.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
});

test('the import table in ARCHITECTURE.md equals the enforced one', () => {
  const documented = rows(read('ARCHITECTURE.md'))
    .filter((cells) => cells.length === 3 && Object.hasOwn(mayImport, named(cells[0]) ?? ''))
    .map(([area, , may]) => [named(area), may === 'nothing' ? [] : (may ?? '').split(', ')]);
  expect(Object.fromEntries(documented)).toEqual(mayImport);
});

test('the screen table in CONTRIBUTING.md equals screens.ts, and each API path exists', () => {
  const text = readFileSync(join(root, 'src/web/shell/screens.ts'), 'utf8');
  // The first page contains the login, so it is imported statically.
  const source = text.replace(
    /Promise\.resolve\((\w+)\)/g,
    (_, name: string) => `import(${new RegExp(`\\b${name}\\b.* from ('.+');`).exec(text)?.[1] ?? ''})`,
  );
  const screens = [
    ...source.matchAll(
      /(?:paths: \[|outside\()\s*'([^']+)'(?:[\s\S]*?label: |,\s*)'([^']+)'[\s\S]*?import\('\.\.\/screens\/(.+?)\.tsx'\)/g,
    ),
  ].map(([, path = '', label = '', file = '']) => [label, `\`${path}\``, file.replace(/^(.+)\/\1$/, '$1')]);
  const documented = matches(read('CONTRIBUTING.md'), /^\|([A-Z][^|]*\|`\/.*)\|$/gm).map((line) => line.split('|'));
  expect(screens.length).toBeGreaterThan(30);
  expect(documented.map((cells) => cells.slice(0, 3))).toEqual(screens);
  const apis = documented.map(([, , , api]) => named(api) ?? '');
  expect(apis.filter((api) => !Object.values(routes).some(({ path }) => path.startsWith(api)))).toEqual([]);
});

const factPages = { A: 'docs/facts/autotask.md', Q: 'docs/facts/quickbooks.md' } as const;
const factsOf = (letter: keyof typeof factPages): string[] =>
  rows(read(factPages[letter])).flatMap(([first]) => (/^[AQ]\d+$/.test(first ?? '') ? [first ?? ''] : []));

test.each(['A', 'Q'] as const)('facts %s are numbered without gaps', (letter) => {
  const numbers = factsOf(letter);
  expect(numbers.length).toBeGreaterThan(0);
  expect(numbers).toEqual(numbers.map((_, index) => `${letter}${index + 1}`));
});

test('the sums of metered calls in sizing.md are right', () => {
  const table = rows(read('docs/operate/sizing.md'));
  const count = (cell: string | undefined): number => Number((cell ?? '').replaceAll(/[*,]/g, ''));
  const parts = table.filter(([, calls, busy]) => /^(\d+ |the same|1$)/.test(calls ?? '') && count(busy) >= 0);
  const [sum = []] = table.filter(([part]) => part === '**Sum**');
  expect(parts).toHaveLength(7);
  for (const column of [2, 3])
    expect(parts.reduce((all, cells) => all + count(cells[column]), 0)).toBe(count(sum[column]));
  for (const tier of ['builder', 'silver', 'gold'] as const) {
    const { label, calls } = tiers[tier];
    const [, busy, quiet] = table.findLast(([name]) => name === label) ?? [];
    expect([count(busy), count(quiet)]).toEqual([Math.floor(calls / count(sum[2])), Math.floor(calls / count(sum[3]))]);
  }
});

test.each(['A', 'Q'] as const)('every fact %s has a source, the day it was last checked, and a place', (letter) => {
  const facts = rows(read(factPages[letter])).filter(([first]) => /^[AQ]\d+$/.test(first ?? ''));
  const incomplete = facts.filter(
    ([, , source, checked, place, ...more]) =>
      source === '' ||
      place === '' ||
      place === undefined ||
      more.length > 0 ||
      !/^[A-Z][a-z]{2} \d{1,2}, 20\d\d$/.test(checked ?? '') ||
      Number.isNaN(Date.parse(checked ?? '')),
  );
  expect(incomplete.map(([number]) => number)).toEqual([]);
});

test('every check of the services cites facts that exist', () => {
  const known = new Set([...factsOf('A'), ...factsOf('Q')]);
  const facts = [...quickbooksReads, ...quickbooksWrites, ...autotaskChecks].flatMap((check) => check.facts);
  expect(new Set(facts).size).toBeGreaterThan(50);
  expect(facts.filter((fact) => !known.has(fact))).toEqual([]);
});

test('every cited fact exists', () => {
  const known = new Set([...factsOf('A'), ...factsOf('Q')]);
  const sources = globSync('{src,packages/*/src}/**/*.{ts,tsx,sql}', { cwd: root }).map((name) => ({
    name,
    text: readFileSync(join(root, name), 'utf8'),
  }));
  const cited = [...sources, ...documents].flatMap(({ name, text }) =>
    matches(text, /\[([AQ]\d+)(?: to [AQ]\d+)?\]/g).map((fact) => ({ name, fact })),
  );
  expect(cited.length).toBeGreaterThan(0);
  expect(cited.filter(({ fact }) => !known.has(fact))).toEqual([]);
});

test('decisions are numbered from 1 without gaps', () => {
  const numbers = documents.flatMap(({ name }) => /^docs\/adr\/(\d{4})-/.exec(name)?.[1] ?? []);
  expect(numbers.toSorted().map(Number)).toEqual(numbers.map((_, index) => index + 1));
});

test('every test cited in security.md exists', () => {
  const named = [...read('docs/security.md').matchAll(/“((?:[^“”]|“[^”]*”)+)” \(\[[^\]]+\]\(\.\.\/([^)]+)\)\)/g)].map(
    ([, name = '', file = '']) => ({ name, file }),
  );
  expect(named.length).toBeGreaterThan(50);
  const missing = named.filter(({ name, file }) => !hasTitle(readFileSync(join(root, file), 'utf8'), name));
  expect(missing).toEqual([]);
});

test.each([
  ['docs/faults.md', 25],
  ['docs/invariants.md', 19],
])('every test cited in %s exists', (name, minimum) => {
  const named = rows(read(name)).filter((cells) => cells.at(-1)?.includes(']('));
  expect(named.length).toBeGreaterThan(minimum);
  const missing: string[] = [];
  for (const cells of named)
    for (const part of cells.at(-1)?.split(/; (?=\[)/) ?? []) {
      const file = /\]\(\.\.\/([^)]+)\)/.exec(part)?.[1] ?? '';
      const source = readFileSync(join(root, file), 'utf8');
      const titles = matches(part, /"([^"]+)"/g);
      expect([part, titles.length > 0]).toEqual([part, true]);
      missing.push(...titles.filter((title) => !hasTitle(source, title)).map((title) => `${file}: ${title}`));
    }
  expect(missing).toEqual([]);
});

test('the invariants are numbered from 1 to 20', () => {
  const numbers = rows(read('docs/invariants.md')).flatMap(([first]) =>
    /^\d+$/.test(first ?? '') ? [Number(first)] : [],
  );
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
});

const references = ['domain', 'autotask', 'quickbooks', 'reliability', 'screens'] as const;

/**
 * Returns the cited sections of a reference, for example `6.5` for "domain reference 6.5". Joins wrapped comments
 * first.
 */
const citations = (text: string, reference: string): string[] => {
  const plain = text.replace(/\n\s*(\*|\/\/)?\s*/g, ' ');
  const list = '(\\d+(?:\\.\\d+)?(?:(?:, | and | to )\\d+(?:\\.\\d+)?)*)';
  return matches(plain, new RegExp(`${reference} reference(?:,? sections?)? ${list}`, 'g')).flatMap((numbers) =>
    matches(numbers, /(\d+(?:\.\d+)?)/g),
  );
};

test.each(references)('every cited section of the %s reference exists', (reference) => {
  const sections = new Set(matches(read(`docs/reference/${reference}.md`), /^#{2,3} (\d+(?:\.\d+)?)\.? /gm));
  const sources = globSync(['{src,test,scripts,bench}/**/*.{ts,tsx}'], { cwd: root });
  const cited = [
    ...sources.map((name) => readFileSync(join(root, name), 'utf8')),
    ...documents.map(({ text }) => text),
  ].flatMap((text) => citations(text, reference));
  expect(cited.length).toBeGreaterThan(0);
  expect([...new Set(cited)].filter((section) => !sections.has(section))).toEqual([]);
});
