import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const here = import.meta.dirname;
const library = readFileSync(createRequire(import.meta.url).resolve('@mantine/core/styles.layer.css'), 'utf8');
const tokens = ['tokens.css', 'theme.css'].map((name) => readFileSync(join(here, name), 'utf8')).join('');

const declared = new Map(
  [...`${library}${tokens}`.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map(([, name = '', value = '']) => [
    name,
    value.trim(),
  ]),
);

/** Returns the color of a variable in a scheme as red, green, and blue. */
function color(name: string, scheme: 'light' | 'dark'): readonly number[] {
  const value = declared.get(name) ?? '';
  const reference = /^var\((--[\w-]+)\)$/.exec(value)?.[1];
  if (reference !== undefined) return color(reference, scheme);
  const [, light, dark] = /^light-dark\((#[\da-f]{6}), (#[\da-f]{6})\)$/.exec(value) ?? [];
  const hex = (scheme === 'light' ? light : dark) ?? '';
  expect(hex, `${name} in ${scheme}`).toMatch(/^#[\da-f]{6}$/);
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);
}

/** Returns the contrast of two colors as WCAG 2 defines it, 1 to 21. */
function contrast(a: string, b: string, scheme: 'light' | 'dark'): number {
  const luminance = (name: string) => {
    const [red = 0, green = 0, blue = 0] = color(name, scheme).map((part) =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [high = 0, low = 0] = [luminance(a), luminance(b)].toSorted((one, other) => other - one);
  return (high + 0.05) / (low + 0.05);
}

const backgrounds = ['--tb-page', '--tb-surface', '--tb-raised', '--tb-quiet', '--tb-hover'];
const texts: readonly (readonly [string, readonly string[]])[] = [
  ['--tb-text', backgrounds],
  ['--tb-text-soft', backgrounds],
  ['--tb-text-dim', backgrounds],
  ['--tb-accent-text', [...backgrounds, '--tb-accent-quiet', '--tb-accent-quiet-hover']],
  ['--tb-accent-on', ['--tb-accent', '--tb-accent-hover']],
  ['--tb-ok-text', [...backgrounds, '--tb-ok-quiet']],
  ['--tb-held-text', [...backgrounds, '--tb-held-quiet']],
  ['--tb-bad-text', [...backgrounds, '--tb-bad-quiet']],
  ['--tb-bad-on', ['--tb-bad', '--tb-bad-hover']],
  ['--tb-info-text', [...backgrounds, '--tb-info-quiet']],
  ['--tb-test-text', [...backgrounds, '--tb-test-quiet']],
  ['--tb-gray-on', ['--tb-gray']],
];
const pairs = texts.flatMap(([text, under]) => under.map((background) => [text, background] as const));

test.each(pairs)('%s is readable on %s in both schemes', (text, background) => {
  expect(contrast(text, background, 'light')).toBeGreaterThanOrEqual(4.5);
  expect(contrast(text, background, 'dark')).toBeGreaterThanOrEqual(4.5);
});

test.each(['--tb-accent', '--tb-ok', '--tb-held', '--tb-bad', '--tb-control-border', '--tb-test-line'])(
  'the flag or line %s is visible on a surface in both schemes',
  (mark) => {
    expect(contrast(mark, '--tb-surface', 'light')).toBeGreaterThanOrEqual(3);
    expect(contrast(mark, '--tb-surface', 'dark')).toBeGreaterThanOrEqual(3);
  },
);

test('every variable in a style is defined', () => {
  const web = join(here, '..');
  const own = readdirSync(web, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(css|tsx?)$/.test(name) && !name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(web, name), 'utf8'));
  const used = own.flatMap((text) => [...text.matchAll(/var\((--(?:tb|mantine)-[\w-]+)\)/g)]);
  const missing = new Set(used.map(([, name = '']) => name).filter((name) => !declared.has(name)));
  expect([...missing]).toEqual([]);
});

// The content security policy forbids the style element that these properties need.
test('no component hides itself with a class that the page does not have', () => {
  const web = join(here, '..');
  const hidden = readdirSync(web, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      name.endsWith('.tsx') &&
      /\b(?:visibleFrom|hiddenFrom|lightHidden|darkHidden)\b/.test(readFileSync(join(web, name), 'utf8')),
  );
  expect(hidden).toEqual([]);
});
