import { expect, test } from 'vitest';
import { toCsv } from './csv.ts';

const columns: Parameters<typeof toCsv<readonly [string, string | null]>>[0] = [
  ['Name', ([name]) => name],
  ['Amount', ([, amount]) => amount],
];

test('a table has its heads first, texts are quoted and amounts stay numbers', () => {
  expect(
    toCsv(columns, [
      ['Acme "Dental", Inc.', '-180.00'],
      ['Two\nlines', null],
    ]),
  ).toBe('"Name","Amount"\r\n"Acme ""Dental"", Inc.",-180.00\r\n"Two\nlines",\r\n');
});

test.each(['=HYPERLINK("http://evil.example")', '+1+1', '-2+3', '@SUM(A1)', 'Acme;=1+1'])(
  'the formula in %s stays a text',
  (formula) => expect(toCsv(columns, [[formula, '1']])).toMatch(/\n"(Acme;)?'[=+\-@]/),
);
