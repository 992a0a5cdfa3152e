import { strFromU8, unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { workbookBlob } from './workbook.ts';

const sheetOf = async (cells: readonly (string | null)[], as: 'text' | 'number' | 'amount' = 'text') => {
  const blob = workbookBlob([['Name & <more>', (cell: string | null) => cell, as]], cells);
  const files = unzipSync(new Uint8Array(await blob.arrayBuffer()));
  return strFromU8(files['xl/worksheets/sheet1.xml'] ?? new Uint8Array());
};

const valuesIn = (sheet: string) => [...sheet.matchAll(/<c[^>]*?(?:\/>|>.*?<\/c>)/g)].map(([cell]) => cell);

test('stores texts as strings, never as formulas', async () => {
  const sheet = await sheetOf(['=HYPERLINK("https://x.example")', '+1', '@SUM(A1)', '-1', null]);
  expect(sheet).not.toContain('<f');
  expect(valuesIn(sheet).slice(1, 5)).toEqual([
    '<c s="0" t="inlineStr"><is><t xml:space="preserve">=HYPERLINK("https://x.example")</t></is></c>',
    '<c s="0" t="inlineStr"><is><t xml:space="preserve">+1</t></is></c>',
    '<c s="0" t="inlineStr"><is><t xml:space="preserve">@SUM(A1)</t></is></c>',
    '<c s="0" t="inlineStr"><is><t xml:space="preserve">-1</t></is></c>',
  ]);
  expect(valuesIn(sheet)[5]).toBe('<c/>');
});

test('stores amounts as numbers, unless digits would be lost', async () => {
  const sheet = await sheetOf(['1234567.89', '-0.05', '12345678901234.5', '1.23456', 'unknown'], 'amount');
  expect(sheet).toContain('<c s="2"><v>1234567.89</v></c><');
  expect(sheet).toContain('<c s="2"><v>-0.05</v></c>');
  for (const text of ['12345678901234.5', '1.23456', 'unknown']) expect(sheet).toContain(`preserve">${text}</t>`);
});

test('escapes names and drops characters that XML forbids', async () => {
  const sheet = await sheetOf(['A & B <C>\u0000\u001F\uFFFF', 'Zoë 😀']);
  expect(sheet).toContain('>Name &amp; &lt;more&gt;</t>');
  expect(sheet).toContain('>A &amp; B &lt;C&gt;</t>');
  expect(sheet).toContain('>Zoë 😀</t>');
});
