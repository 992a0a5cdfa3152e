import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { fromCsv, toCsv } from './csv.ts';
import { companyOf } from './testing.ts';

const targets = [
  { value: '58', text: 'Acme Dental' },
  { value: '59', text: 'Birch, "Legal" LLP' },
  { value: '60', text: 'Twin' },
  { value: '61', text: 'twin' },
];
const rows = [companyOf('1', '=HYPERLINK("http://x")', '58'), companyOf('2', 'Birch'), companyOf('3', 'Cedar', '60')];
const read = (...lines: string[]) =>
  fromCsv(['PSA id,PSA name,QuickBooks id,QuickBooks name', ...lines].join('\r\n'), rows, targets);
const preview = (...lines: string[]) => {
  const { changes, unchanged, errors } = read(...lines);
  return {
    changes: changes.map((one) => [one.row.source_value, one.target?.value ?? null]),
    unchanged,
    errors: errors.map(({ line, text }) => `${line}: ${text}`),
  };
};

describe('mappings as CSV', () => {
  test('escape formulas and are read back unchanged', () => {
    const text = toCsv(rows);
    expect(text.split('\r\n')[1]).toBe(`1,"'=HYPERLINK(""http://x"")",58,"Customer 58",58`);
    expect(fromCsv(text, rows, targets)).toEqual({ changes: [], unchanged: 3, kept: 0, errors: [] });
  });

  test('change, add, and delete by ID, or by name without an ID', () => {
    expect(preview('1,,59,', '2,,,acme  DENTAL', '3,,,')).toEqual({
      changes: [
        ['1', '59'],
        ['2', '58'],
        ['3', null],
      ],
      unchanged: 0,
      errors: [],
    });
  });

  test("keep another user's change after the export, and refuse a line that both users changed", () => {
    const file = toCsv(rows);
    const now = [companyOf('1', 'Acme', '59'), companyOf('2', 'Birch', '58'), companyOf('3', 'Cedar')];
    expect(fromCsv(file, now, targets)).toEqual({ changes: [], unchanged: 0, kept: 3, errors: [] });
    const edited = file.replace('"Cedar",60,', '"Cedar",58,').replace('"Birch",,', '"Birch",59,');
    expect(fromCsv(edited, now, targets)).toMatchObject({
      changes: [],
      kept: 1,
      errors: [
        { line: 3, text: expect.stringMatching(/^Another user changed “Birch” to “Customer 58” after this file/) },
        { line: 4, text: expect.stringMatching(/^Another user changed “Cedar” to “not mapped” after this file/) },
      ],
    });
    // What both users want is no conflict, and what only this user edited is saved.
    expect(fromCsv(edited, rows.with(1, companyOf('2', 'Birch', '59')), targets)).toMatchObject({
      changes: [{ row: rows[2], target: { value: '58' } }],
      unchanged: 2,
      kept: 0,
      errors: [],
    });
  });

  test('report errors by line', () => {
    expect(preview('9,,58,', '1,,99,', '1,,58,', '2,,,Unknown', '3,,,Twin').errors).toEqual([
      '2: No record has the id “9”.',
      '3: No QuickBooks record with the id “99” can be mapped here.',
      '4: “=HYPERLINK("http://x")” appears twice.',
      '5: No QuickBooks record named “Unknown” can be mapped here.',
      '6: Several QuickBooks records are named “Twin”. Enter the id.',
    ]);
    expect(fromCsv('a,b\r\n1,2', rows, targets).errors[0]?.text).toBe(
      'The column “PSA id” and “QuickBooks id” is missing.',
    );
  });

  test('report the spreadsheet row despite line breaks in names and empty lines', () => {
    expect(preview('1,"Acme', 'Dental",58,', '', '9,,58,').errors).toEqual(['4: No record has the id “9”.']);
  });

  test('delete nothing for a short line or unmatched quotes', () => {
    expect(preview('1', '3,Cedar')).toEqual({
      changes: [],
      unchanged: 0,
      errors: [
        '2: The line ends before the column “QuickBooks id”.',
        '3: The line ends before the column “QuickBooks id”.',
      ],
    });
    expect(preview('1,Acme,58,', '3,"Cedar,60,Twin', '2,Birch,58,')).toMatchObject({
      changes: [],
      errors: ['3: The quotation marks do not match.'],
    });
  });

  test('ignore an unchanged mapping whose target can no longer be chosen', () => {
    const stale = [companyOf('1', 'Acme', '404'), companyOf('2', 'Birch')];
    const file = toCsv(stale);
    expect(fromCsv(file, stale, targets)).toEqual({ changes: [], unchanged: 2, kept: 0, errors: [] });
    // Its name identifies it like its ID.
    expect(fromCsv(file.replace(',404,', ',,'), stale, targets)).toEqual({
      changes: [],
      unchanged: 2,
      kept: 0,
      errors: [],
    });
  });

  test.each([
    ['500 characters', 'x'.repeat(500)],
    ['right-to-left text', 'شركة الاختبار "المحدودة"'],
    ['emoji', '👩‍👩‍👧‍👦 🚀'],
    ['quotes and colons', 'a:b "c" \'d\', e'],
    ['HTML', '<b>bold</b> &amp; <img src=x onerror=alert(1)>'],
    ['line breaks', 'one\r\ntwo\nthree'],
    ['a leading apostrophe', "'=1+1"],
    ...['=', '+', '-', '@', '\t=', '\r=', 'Acme;=', 'Acme\t"@'].map((sign) => [
      `${JSON.stringify(sign)} in front`,
      `${sign}1+1`,
    ]),
  ])('preserve names with %s', (_, name) => {
    const named = [companyOf('1', name, '58')];
    const made = [{ value: '58', text: name }];
    const before = named.map((one) => ({ ...one, target_label: name }));
    const file = toCsv(before);
    expect(fromCsv(file, before, made)).toEqual({ changes: [], unchanged: 1, kept: 0, errors: [] });
    // The name alone finds it too.
    const unmapped = [companyOf('1', name)];
    expect(fromCsv(file.replace(',58,', ',,').replace(/,58(\r?\n)?$/, ','), unmapped, made).changes).toEqual([
      { row: unmapped[0], target: made[0] },
    ]);
    for (const cell of Papa.parse<string[]>(file).data.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  });
});
