import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostilePaths } from '#test/support/hostile-paths.ts';
import { ownPathOf } from './own-path.ts';

const origin = 'https://tally.example';

test('keeps a path of the application', () => {
  for (const path of [
    '/',
    '/my',
    '/logs?key=invoice%2F48213',
    '/logs?q=a//b',
    '/settings?tab=invoices',
    '/a//b',
    '/%2f%2fevil.example',
  ])
    expect(ownPathOf(path)).toBe(path);
});

test('rejects every hostile path that leaves the application', () => {
  expect(hostilePaths.length).toBeGreaterThanOrEqual(200);
  for (const text of hostilePaths) {
    const path = ownPathOf(text);
    if (path !== null) expect([text, new URL(path, `${origin}/login`).origin]).toEqual([text, origin]);
  }
  for (const text of [
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    '/%2e//evil.example',
    '/\t/evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '',
  ])
    expect([text, ownPathOf(text)]).toEqual([text, null]);
});

test('browsers resolve an accepted path the same way before and after parsing', () => {
  const sign = fc.constantFrom(
    '/',
    '/',
    '.',
    '..',
    '\\',
    '%2e',
    '%2f',
    '@',
    ':',
    '?',
    '#',
    '\t',
    '\n',
    'evil.example',
    'a',
    ';',
  );
  fc.assert(
    fc.property(fc.array(sign, { maxLength: 10 }), (signs) => {
      const path = ownPathOf(`/${signs.join('')}`);
      if (path === null) return;
      expect(new URL(path, `${origin}/login`).origin).toBe(origin);
      expect(ownPathOf(path)).toBe(path);
    }),
    { seed: 20_250_303, numRuns: 5_000 },
  );
});
