import { expect, test } from 'vitest';
import { csvBlob, toCsv } from './csv.ts';

const columns: Parameters<typeof toCsv<readonly [string, string | null]>>[0] = [
  ['Name', ([name]) => name],
  ['Amount', ([, amount]) => amount],
];

test('writes headers first, quotes texts, and leaves amounts as numbers', () => {
  expect(
    toCsv(columns, [
      ['Acme "Dental", Inc.', '-180.00'],
      ['Two\nlines', null],
    ]),
  ).toBe('"Name","Amount"\r\n"Acme ""Dental"", Inc.",-180.00\r\n"Two\nlines",\r\n');
});

test.each(['=HYPERLINK("http://evil.example")', '+1+1', '-2+3', '@SUM(A1)', 'Acme;=1+1'])(
  'writes the formula in %s as text',
  (formula) => expect(toCsv(columns, [[formula, '1']])).toMatch(/\n"(Acme;)?'[=+\-@]/),
);

test('a file begins with the mark by which a spreadsheet recognizes UTF-8', async () => {
  const file = csvBlob(toCsv(columns, [['Zoë 😀 שלום', '1.00']]));
  expect(file.type).toBe('text/csv;charset=utf-8');
  // `text()` would skip the mark.
  expect(Buffer.from(await file.arrayBuffer()).toString()).toBe('\uFEFF"Name","Amount"\r\n"Zoë 😀 שלום",1.00\r\n');
});
