import { describe, expect, test } from 'vitest';
import type { MappingRowReply } from '#contract/mappings.ts';
import { coverageOf, firstToMap, heldUpBy, inFront, matching, placesOf, rememberedGroup, summaryOf } from './rows.ts';
import { rowOf } from './testing.ts';

const used = (amount: string) => ({ amount, waiting: '0', documents: 1 });

describe('coverage', () => {
  test('counts active records weighted by money and ignores unusable mappings', () => {
    const rows = [
      rowOf('1', { state: 'ok' }),
      rowOf('2'),
      rowOf('3', { state: 'gone' }),
      rowOf('4', { is_active: false }),
    ];
    expect(coverageOf(rows, { 1: used('96.00'), 2: used('3.00'), 3: used('1.00') })).toEqual({
      mapped: 1,
      total: 3,
      percent: '96',
    });
    expect(coverageOf(rows, { 1: used('999.99'), 2: used('0.01') }), 'not all mapped').toMatchObject({
      percent: '99',
    });
    expect(coverageOf(rows, {})).toMatchObject({ percent: null });
    expect(coverageOf(rows, undefined)).toMatchObject({ percent: null });
  });
});

describe('search', () => {
  const rows = [
    rowOf('1', { label: 'Acme' }),
    rowOf('2', { label: 'Birch', is_active: false, number: 'B-7', target_label: 'Birch', state: 'ok' }),
  ];
  const found = (text: string, isActiveOnly: boolean, group: string | null = null) =>
    matching(rows, { text, isActiveOnly, group }).map(({ source_value: value }) => value);

  test('finds any part of name or number in any case', () => {
    expect(found('ACM', false)).toEqual(['1']);
    expect(found('b-7', false)).toEqual(['2']);
    expect(found('', true), 'no inactive companies').toEqual(['1']);
    expect(found('', false, '4')).toEqual([]);
  });
});

describe('sorting', () => {
  const mapped = (value: string, label: string, target: string | null) => rowOf(value, { label, target_label: target });
  const rows = [
    mapped('a', 'Site 10', 'zebra'),
    mapped('b', 'site 9', null),
    mapped('c', 'Éclair', 'Apple'),
    mapped('d', 'eclair', 'apple'),
  ];
  const inOrder = (places: ReadonlyMap<string, number>) =>
    rows.map(({ source_value: value }) => value).toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));

  test('sorts by name with numeric order, by target with empty ones first, and by exact amount', () => {
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

describe('work order', () => {
  const used = (amount: string, waiting: string) => ({ amount, waiting, documents: 1 });
  const rows = [
    rowOf('mapped', { state: 'ok' }),
    rowOf('quiet'),
    rowOf('small'),
    rowOf('big'),
    rowOf('stale', { state: 'gone' }),
    rowOf('past'),
    rowOf('renamed', { state: 'renamed' }),
  ];
  const usage = {
    mapped: used('900000', '900000'),
    small: used('5000', '12.50'),
    big: used('3000', '3000'),
    stale: used('40', '40'),
    past: used('7000', '0'),
  };

  test('starts with unmapped or unusable records by the amount on hold, then by amount', () => {
    const order = (some: readonly MappingRowReply[], first: readonly string[]) =>
      inFront(some, first).map(({ source_value: value }) => value);
    const first = firstToMap(rows, usage);
    expect(first).toEqual(['big', 'stale', 'small', 'past']);
    expect(order(rows, first)).toEqual(['big', 'stale', 'small', 'past', 'mapped', 'quiet', 'renamed']);
    expect(order(rows.slice(1, 3), first)).toEqual(['small', 'quiet']);
    expect(firstToMap(rows, undefined)).toEqual([]);
    expect(inFront(rows, [])).toBe(rows);
  });

  test('holds nothing when a sync would succeed or nothing is waiting', () => {
    const held = rows.map((one) => [one.source_value, heldUpBy(one, usage)]);
    expect(held.filter(([, amount]) => amount !== '0')).toEqual([
      ['small', '12.5'],
      ['big', '3000'],
      ['stale', '40'],
    ]);
  });
});

test('restores a stored group only if it exists', () => {
  const groups = [{ value: '4', text: 'Material' }];
  expect(rememberedGroup('4', groups)).toBe('4');
  expect(rememberedGroup('99', groups)).toBe('');
  expect(rememberedGroup('', groups)).toBe('');
  expect(rememberedGroup('99', undefined)).toBe('99');
});

test('a summary lists three names and counts the others', () => {
  const nouns = { one: 'company', many: 'companies' };
  expect(summaryOf(['A', 'B', 'C'], nouns)).toEqual({ shown: ['A', 'B', 'C'], others: null });
  expect(summaryOf(['A', 'B', 'C', 'D'], nouns)).toEqual({ shown: ['A', 'B', 'C'], others: 'and 1 other company' });
  expect(summaryOf(['A', 'B', 'C', 'D', 'E'], nouns).others).toBe('and 2 other companies');
  const many = Array.from({ length: 5_007 }, () => 'A');
  expect(summaryOf(many, nouns)).toEqual({ shown: ['A', 'A', 'A'], others: 'and 5,004 other companies' });
});
