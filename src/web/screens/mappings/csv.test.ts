import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import type { MappingRowReply } from '#contract/mappings.ts';
import { fromCsv, toCsv } from './csv.ts';

const row = (source_value: string, label: string, target: string | null = null): MappingRowReply => ({
  source_value,
  label,
  number: null,
  group: null,
  is_active: true,
  xref:
    target === null
      ? null
      : {
          id: 'x',
          namespace: 'Customer',
          source_entity: 'Company',
          source_value,
          source_value_label: label,
          target_entity: 'Customer',
          target_value: target,
          target_value_label: `Customer ${target}`,
        },
  target_label: target === null ? null : `Customer ${target}`,
  state: target === null ? null : 'ok',
  state_text: null,
  distinction: null,
});
const targets = [
  { value: '58', text: 'Acme Dental' },
  { value: '59', text: 'Birch, "Legal" LLP' },
  { value: '60', text: 'Twin' },
  { value: '61', text: 'twin' },
];
const rows = [row('1', '=HYPERLINK("http://x")', '58'), row('2', 'Birch'), row('3', 'Cedar', '60')];
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

describe('mappings as a file', () => {
  test('neutralise formulas, and are read back as they were', () => {
    const text = toCsv(rows);
    expect(text.split('\r\n')[1]).toBe(`1,"'=HYPERLINK(""http://x"")",58,"Customer 58"`);
    expect(fromCsv(text, rows, targets)).toEqual({ changes: [], unchanged: 3, errors: [] });
  });

  test('change, add and delete by id, and by name where no id stands', () => {
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

  test('say what is wrong by line', () => {
    expect(preview('9,,58,', '1,,99,', '1,,58,', '2,,,Nobody', '3,,,Twin').errors).toEqual([
      '2: No record has the id “9”.',
      '3: No QuickBooks record with the id “99” can be mapped here.',
      '4: “=HYPERLINK("http://x")” appears twice.',
      '5: No QuickBooks record named “Nobody” can be mapped here.',
      '6: Several QuickBooks records are named “Twin”. Enter the id.',
    ]);
    expect(fromCsv('a,b\r\n1,2', rows, targets).errors[0]?.text).toBe(
      'The column “PSA id” and “QuickBooks id” is missing.',
    );
  });

  test('name the row of the spreadsheet, whatever stands above it: line breaks in a name, empty lines', () => {
    expect(preview('1,"Acme', 'Dental",58,', '', '9,,58,').errors).toEqual(['4: No record has the id “9”.']);
  });

  test('delete nothing by a line that ends too early, or by marks that do not match', () => {
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

  test('say nothing of a mapping that is left as it is, although its target cannot be chosen any more', () => {
    const stale = [row('1', 'Acme', '404'), row('2', 'Birch')];
    const file = toCsv(stale);
    expect(fromCsv(file, stale, targets)).toEqual({ changes: [], unchanged: 2, errors: [] });
    // Its name alone says as much as its id did.
    expect(fromCsv(file.replace(',404,', ',,'), stale, targets)).toEqual({ changes: [], unchanged: 2, errors: [] });
  });

  test.each([
    ['500 characters', 'x'.repeat(500)],
    ['from right to left', 'شركة الاختبار "المحدودة"'],
    ['pictures', '👩‍👩‍👧‍👦 🚀'],
    ['quotes and colons', 'a:b "c" \'d\', e'],
    ['HTML', '<b>bold</b> &amp; <img src=x onerror=alert(1)>'],
    ['line breaks', 'one\r\ntwo\nthree'],
    ['an apostrophe in front', "'=1+1"],
    ...['=', '+', '-', '@', '\t=', '\r=', 'Acme;=', 'Acme\t"@'].map((sign) => [
      `${JSON.stringify(sign)} in front`,
      `${sign}1+1`,
    ]),
  ])('carry names with %s out and in again', (_, name) => {
    const named = [row('1', name, '58')];
    const made = [{ value: '58', text: name }];
    const before = named.map((one) => ({ ...one, target_label: name }));
    const file = toCsv(before);
    expect(fromCsv(file, before, made)).toEqual({ changes: [], unchanged: 1, errors: [] });
    // By the name alone it is found as well: nothing of it was lost on the way.
    const unmapped = [row('1', name)];
    expect(fromCsv(file.replace(',58,', ',,'), unmapped, made).changes).toEqual([
      { row: unmapped[0], target: made[0] },
    ]);
    for (const cell of Papa.parse<string[]>(file).data.flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  });
});
