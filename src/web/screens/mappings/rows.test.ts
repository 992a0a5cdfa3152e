import { describe, expect, test } from 'vitest';
import type { MappingRowReply } from '#contract/mappings.ts';
import { summaryOf } from './namespaces.ts';
import { coverageOf, matching, placesOf } from './rows.ts';

const row = (source_value: string, of: Partial<MappingRowReply> = {}): MappingRowReply => ({
  source_value,
  label: `Record ${source_value}`,
  number: null,
  group: null,
  is_active: true,
  xref: null,
  target_label: null,
  state: null,
  state_text: null,
  ...of,
});
const used = (amount: string) => ({ amount, waiting: '0', documents: 1 });

describe('coverage', () => {
  test('counts active records and weighs them by money; what cannot be used does not count', () => {
    const rows = [row('1', { state: 'ok' }), row('2'), row('3', { state: 'gone' }), row('4', { is_active: false })];
    expect(coverageOf(rows, { 1: used('96.00'), 2: used('3.00'), 3: used('1.00') })).toEqual({
      mapped: 1,
      total: 3,
      percent: '96',
    });
    expect(coverageOf(rows, {})).toMatchObject({ percent: null });
    expect(coverageOf(rows, undefined)).toMatchObject({ percent: null });
  });
});

describe('search', () => {
  const rows = [row('1', { label: 'Acme' }), row('2', { label: 'Birch', is_active: false, number: 'B-7' })];
  const found = (text: string, isActiveOnly: boolean, group: string | null = null) =>
    matching(rows, { text, isActiveOnly, group }).map(({ source_value: value }) => value);

  test('finds by any part of name or number, in any case', () => {
    expect(found('ACM', false)).toEqual(['1']);
    expect(found('b-7', false)).toEqual(['2']);
    expect(found('', true)).toEqual(['1']);
    expect(found('', false, '4')).toEqual([]);
  });
});

describe('places', () => {
  const mapped = (value: string, label: string, target: string | null) => row(value, { label, target_label: target });
  const rows = [
    mapped('a', 'Site 10', 'zebra'),
    mapped('b', 'site 9', null),
    mapped('c', 'Éclair', 'Apple'),
    mapped('d', 'eclair', 'apple'),
  ];
  const inOrder = (places: ReadonlyMap<string, number>) =>
    rows.map(({ source_value: value }) => value).toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));

  test('are by name with numbers as numbers, by target with none first, by exact money with what had none as 0', () => {
    const places = placesOf(rows, {
      a: used('0.10'),
      b: used('-1.00'),
      c: used('0.1'),
      d: used('100000000000000000.01'),
    });
    expect(inOrder(places.source)).toEqual(['c', 'd', 'b', 'a']);
    expect(places.source.get('c')).toBe(places.source.get('d'));
    expect(inOrder(places.target)).toEqual(['b', 'c', 'd', 'a']);
    expect(inOrder(places.amount)).toEqual(['b', 'a', 'c', 'd']);
    expect(places.amount.get('a')).toBe(places.amount.get('c'));
    expect(inOrder(placesOf(rows, undefined).amount)).toEqual(['a', 'b', 'c', 'd']);
  });
});

test('a summary names three and counts the others', () => {
  const words = { one: 'company', many: 'companies' };
  expect(summaryOf(['A', 'B', 'C'], words)).toBe('A, B, C');
  expect(summaryOf(['A', 'B', 'C', 'D'], words)).toBe('A, B, C and 1 other company');
  expect(summaryOf(['A', 'B', 'C', 'D', 'E'], words)).toBe('A, B, C and 2 other companies');
  expect(
    summaryOf(
      Array.from({ length: 5_007 }, () => 'A'),
      words,
    ),
  ).toBe('A, A, A and 5,004 other companies');
});
