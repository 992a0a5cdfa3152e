import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';

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
