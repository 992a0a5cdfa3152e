import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';

/** Areas whose comments are held to the rule. */
const areas = [
  ...['core', 'contract', 'flows', 'connectors', 'store', 'api', 'worker', 'main', 'web', 'sandbox'].map(
    (area) => `src/${area}`,
  ),
  'bench',
  'scripts',
  'test',
] as const;

const root = join(import.meta.dirname, '..');

/** This file, whose samples are riddles. */
const itself = basename(import.meta.filename);

/** Words that open a sentence without its subject: only the code tells what "What is kept of it" is about. */
const riddle = /^(?:What|Whatever|Who|Whom|Whose|Whoever|Where|Wherever|Which|Whichever|Those)\b/;

/** First words of each comment of a source, with the line: of every docstring, and of every block of line comments. */
function openings(source: string): readonly { readonly line: number; readonly text: string }[] {
  const starts = source.matchAll(/\/\*\*[\s*]*(?<doc>[^\n]*)|(?<!^[ \t]*\/\/[^\n]*\n)^[ \t]*\/\/ ?(?<line>[^\n]*)/gm);
  return [...starts].map(({ index, groups = {} }) => ({
    line: source.slice(0, index).split('\n').length,
    text: groups['doc'] ?? groups['line'] ?? '',
  }));
}

const riddles = (source: string) => openings(source).filter(({ text }) => riddle.test(text));

test('a riddle is seen at the beginning of a comment, and nowhere else', () => {
  const beginning = [
    '/** What it is. */',
    '/**\n * Whoever asks.\n */',
    'a({ /** Where it is. */ b })',
    '  // Who knows.',
  ];
  for (const source of beginning) expect(riddles(`const a = 1;\n${source}\nconst b = 2;`)).toHaveLength(1);
  const fine = [
    '/** Documents of one chunk. */',
    '/**\n * Documents that\n * What calls may name.\n */',
    '// A price that\n// Which is known.',
    '/** Whether it is. */',
    'const a = "What is it?";',
  ];
  for (const source of fine) expect(riddles(source)).toEqual([]);
});

test.each(areas)('every comment of %s begins with its subject', (area) => {
  const files = globSync(['**/*.ts', '**/*.tsx'], { cwd: join(root, area) }).filter((file) => file !== itself);
  const found = files.map((file) => ({ file, source: readFileSync(join(root, area, file), 'utf8') }));
  expect(found.flatMap(({ source }) => openings(source)).length).toBeGreaterThan(0);
  expect(
    found.flatMap(({ file, source }) =>
      riddles(source).map(({ line, text }) => `${area}/${file.replaceAll('\\', '/')}:${line} ${text}`),
    ),
  ).toEqual([]);
});
