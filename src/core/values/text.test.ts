import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanName, counted, truncate, normalized, textOrNull } from './text.ts';

fc.configureGlobal({ seed: 20_250_303 });

describe('names', () => {
  test.each([
    ['Acme  Dental ', 'acme dental'],
    ['ＡＣＭＥ Dental', 'acme dental'],
    ['Acme\u00A0Dental', 'acme dental'],
    ['Acme\tDental\n', 'acme dental'],
  ])('“%s” compares as “%s”', (name, as) => {
    expect(normalized(name)).toBe(as);
  });

  test.each([
    ['Cedar: Logistics', 'Cedar Logistics'],
    ['A:B', 'A B'],
    [' Tab\there ', 'Tab here'],
    ['Line\nbreak', 'Line break'],
    ['::', ''],
    ['Ordinary & Sons, LLC', 'Ordinary & Sons, LLC'],
  ])('“%s” is cleaned to “%s”', (name, clean) => {
    expect(cleanName(name)).toBe(clean);
  });

  test('QuickBooks accepts cleaned names, and cleaning twice changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300, unit: 'binary' }), (name) => {
        const clean = cleanName(name);
        expect(clean.length).toBeLessThanOrEqual(100);
        expect(clean).not.toMatch(/[:\t\n\r]/);
        expect(clean).toBe(clean.trim());
        expect(cleanName(clean)).toBe(clean);
      }),
    );
  });

  test('normalized names are stable', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(normalized(` ${name}  `)).toBe(normalized(name));
      }),
    );
  });
});

describe('shortening', () => {
  test('keeps short text, ends long text with the sign, and never splits a character', () => {
    expect(truncate('abc', 3, '…')).toBe('abc');
    expect(truncate('abcd', 3, '…')).toBe('ab…');
    expect(truncate('ab\u{1F600}c', 3)).toBe('ab');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 20 }), (text, maxLength) => {
        const short = truncate(text, maxLength, '…');
        expect(short.length).toBeLessThanOrEqual(maxLength);
        if (text.isWellFormed()) expect(short.isWellFormed()).toBe(true);
      }),
    );
  });
});

test('white space counts as empty', () => {
  expect([textOrNull(' a '), textOrNull('  '), textOrNull(null), textOrNull(undefined)]).toEqual([
    'a',
    null,
    null,
    null,
  ]);
});

test('nouns match their counts', () => {
  expect([counted(1, 'item'), counted(2, 'item'), counted(0, 'item')]).toEqual(['1 item', '2 items', '0 items']);
});
