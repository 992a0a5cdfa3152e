import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** One word for one thing in everything that a person reads: the specification's are Login and Email. */

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const isComment = (line: string) => /^\s*(\/\/|\/?\*)/.test(line);

/** Lines with text for people: screens, messages, mails, pages, the contract's summaries. Names of files are none. */
const lines = globSync('src/{web,core,flows,api,contract,main,store,connectors,worker}/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .flatMap((file) =>
    read(file)
      .split('\n')
      .filter((line) => !isComment(line) && !/\bimport\b|from '/.test(line))
      .map((line) => line.trim()),
  );

/** Documents without the pages that they link to and the tests that they cite by name. */
const prose = globSync('{README,CHANGELOG}.md', { cwd: root })
  .concat(globSync('docs/**/*.{md,yml}', { cwd: root }))
  .flatMap((file) =>
    read(file)
      .replaceAll(/\[[^\]]*\]\([^)]*\)|“[^”]*”/g, '')
      .split('\n')
      .map((line) => `${file}: ${line}`),
  );

test('there is text to look at', () => {
  expect(lines.filter((line) => /\blog in\b/i.test(line)).length).toBeGreaterThan(5);
  expect(prose.length).toBeGreaterThan(1_000);
});

test.each([
  ['people log in and out, and never sign in', /\bsign(s|ed|ing)?[ -](in|ins|out)\b|\bsign(s|ed|ing)? \S+ out\b/i],
  ['mail has one spelling', /\be-mails?\b/i],
])('%s', (_, other) => {
  expect(lines.filter((line) => other.test(line))).toEqual([]);
  expect(prose.filter((line) => other.test(line))).toEqual([]);
});
