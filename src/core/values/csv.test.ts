import { assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { csvRow, withoutFormulaMarks } from './csv.ts';

test.each([
  ['Acme "Dental", Inc.', '"Acme ""Dental"", Inc."'],
  ['Two\nlines', '"Two\nlines"'],
  ['Acme', '"Acme"'],
  ['-180.00', '-180.00'],
  ['1042', '1042'],
  [7, '7'],
  [null, ''],
  ['', ''],
  ['2025-03-01', '"2025-03-01"'],
  ['+49 30 1234', `"'+49 30 1234"`],
  ['-180.00 EUR', `"'-180.00 EUR"`],
  ['Smith & Sons - Accounting', '"Smith & Sons - Accounting"'],
] as const)('writes %j as %s', (field, written) => expect(csvRow([field])).toBe(`${written}\r\n`));

test.each([
  ['=1+1', "'=1+1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1+1', "'\t'=1+1"],
  ['\rx', "'\rx"],
  ["Acme;=cmd|' /C calc'!A0", "Acme;'=cmd|' /C calc'!A0"],
  ['Acme,=1+1', "Acme,'=1+1"],
  ['Acme\t-1+1', "Acme\t'-1+1"],
  ['Acme\n+1+1', "Acme\n'+1+1"],
  ['Acme\r\n@x', "Acme\r\n'@x"],
  ['Acme|=1', "Acme|'=1"],
  ['Acme; "=1"', `Acme; "'=1"`],
  ['Acme;;=1', "Acme;;'=1"],
  ['＝1+1', "'＝1+1"],
])('writes the formula in %j as text and reads it back', (text, marked) => {
  expect(csvRow([text])).toBe(`"${marked.replaceAll('"', '""')}"\r\n`);
  expect(withoutFormulaMarks(marked)).toBe(text);
});

const dangerous = string({ unit: constantFrom(...Array.from('=+-@;,|\t\r\n" aＡ＝1')), maxLength: 30 });

test('spreadsheets find no formula in a text, with any separator or quoting', () => {
  assert(
    property(dangerous, (text) => {
      const written = csvRow([text, 'next']);
      if (/^-?\d+(\.\d+)?,/.test(written)) return;
      for (const separator of [',', ';', '|', '\t'])
        for (const cell of written.split(/[\r\n]/).flatMap((line) => line.split(separator)))
          expect(cell).not.toMatch(/^[" ]*[=+\-@＝]/);
    }),
    { numRuns: 2_000 },
  );
});

test('reads a text back unchanged unless its apostrophes look like formula escapes', () => {
  assert(
    property(dangerous, (text) => {
      const [, field = ''] = /^"(.*)"\r\n$/s.exec(csvRow([text])) ?? [];
      if (field !== '') expect(withoutFormulaMarks(field.replaceAll('""', '"'))).toBe(text);
    }),
  );
});
