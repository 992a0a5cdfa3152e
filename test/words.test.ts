import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** One word for one thing in everything that a person reads: the specification's is Login. */

const root = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const isComment = (line: string) => /^\s*(\/\/|\/?\*)/.test(line);

/** Lines with text for people: screens, messages, mails, pages, the contract's summaries. Names of files are none. */
const lines = globSync('src/{web,core,flows,api,contract,main}/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !/\.test\.tsx?$/.test(file))
  .flatMap((file) =>
    read(file)
      .split('\n')
      .filter((line) => !isComment(line) && !/\bimport\b|from '/.test(line))
      .map((line) => line.trim()),
  );

test('there is text to look at', () => {
  expect(lines.filter((line) => /\blog in\b/i.test(line)).length).toBeGreaterThan(5);
});

test('people log in and out, and never sign in', () => {
  expect(lines.filter((line) => /\bsign(s|ed|ing)?[ -](in|ins|out)\b/i.test(line))).toEqual([]);
});
