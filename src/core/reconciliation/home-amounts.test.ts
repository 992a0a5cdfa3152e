import { expect, test } from 'vitest';
import { decimal } from '../values/decimal.ts';
import { homeLines } from './home-amounts.ts';
import { documentOf, lineOf } from './testing.ts';

const amountsOf = (document: Parameters<typeof homeLines>[0]) => homeLines(document).map(({ amount }) => amount);
const abroad = { currency: 'CAD', exchangeRate: decimal('0.7402') } as const;

test('adds the rounding cent of converted lines to the largest line', () => {
  // 1,228.70 × 0.7402 is 909.48; the lines converted separately are 474.65 + 388.61 + 46.23 = 909.49.
  const lines = [lineOf('525'), lineOf('641.25'), lineOf('62.45')];
  expect(amountsOf(documentOf(1, '1228.7', { ...abroad, lines }))).toEqual(['388.61', '474.64', '46.23']);
});

test('leaves lines without a rounding difference and home currency documents unchanged', () => {
  expect(amountsOf(documentOf(1, '450', abroad))).toEqual(['333.09']);
  expect(amountsOf(documentOf(1, '75', { lines: [lineOf('100'), lineOf('-25')] }))).toEqual(['100', '-25']);
});

test('converts tax separately from the lines', () => {
  const lines = [lineOf('641.25'), lineOf('525')];
  const document = documentOf(1, '1228.7', { ...abroad, tax: decimal('62.45'), lines });
  expect(amountsOf(document)).toEqual(['474.64', '388.61']);
});

test('does not adjust lines that do not total the document', () => {
  const lines = [lineOf('641.25'), lineOf('525')];
  expect(amountsOf(documentOf(1, '1228.7', { ...abroad, lines }))).toEqual(['474.65', '388.61']);
});
