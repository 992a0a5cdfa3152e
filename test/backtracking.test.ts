import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkSync } from 'recheck';
import { parseSync } from 'vite';
import { describe, expect, test } from 'vitest';

/** Hostile text must not keep the process busy: the time of every regular expression grows linearly with its input. */

const folder = join(import.meta.dirname, '..', 'src');
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }));

interface Found {
  readonly file: string;
  readonly pattern: string;
  readonly flags: string;
}

function expressionsIn({ file, text }: (typeof sources)[number]): readonly Found[] {
  const found: Found[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || node instanceof RegExp) return;
    const { regex } = node as { readonly regex?: Omit<Found, 'file'> };
    if (regex !== undefined) found.push({ file, pattern: regex.pattern, flags: regex.flags });
    for (const child of Object.values(node)) visit(child);
  };
  visit(parseSync(file, text).program);
  return found;
}

/** Returns why an expression may take more than linear time; null if it cannot. The analysis has a fixed seed. */
function complaint({ pattern, flags }: Omit<Found, 'file'>): string | null {
  // Without an unbounded repetition, the time is limited whatever the text.
  if (!/[*+]|\{\d+,\}/.test(pattern)) return null;
  const result = checkSync(pattern, flags, { randomSeed: 1, timeout: 600_000 });
  if (result.status === 'safe') return null;
  return result.status === 'vulnerable' ? result.complexity.summary : `not analyzed: ${result.error.kind}`;
}

/**
 * Files with expressions that are put together when they run. Their parts are names and constants of the product, and
 * each has at most one repetition.
 */
const composed = [
  'api/openapi.ts',
  'api/single-page.ts',
  'connectors/quickbooks/query.ts',
  'contract/quickbooks.ts',
  'core/reconciliation/completeness.ts',
];

describe('regular expressions', () => {
  test('the analysis finds quadratic and exponential time', () => {
    expect(complaint({ pattern: '=+$', flags: '' })).toContain('polynomial');
    expect(complaint({ pattern: '^(?:a+)+$', flags: '' })).toContain('exponential');
    expect(complaint({ pattern: '^a+$', flags: '' })).toBeNull();
  });

  test('take linear time for any text', () => {
    const all = sources.flatMap(expressionsIn);
    const unique = [...new Map(all.map((one) => [`/${one.pattern}/${one.flags}`, one])).entries()];
    expect(unique.length).toBeGreaterThan(150);
    const slow = unique.flatMap(([text, one]) => {
      const why = complaint(one);
      return why === null ? [] : [`${one.file}: ${text} (${why})`];
    });
    expect(slow).toEqual([]);
  });

  test('are literals, except for a few', () => {
    const files = sources.filter(({ text }) => /(?<![\w.])RegExp\(/.test(text)).map(({ file }) => file);
    expect(files.toSorted()).toEqual(composed);
  });
});
