import { expect, test } from 'vitest';
import { calendarDate, instant } from '#core/values/dates.ts';
import {
  conditionsOf,
  describeSearch,
  isOfSearch,
  readSearch,
  searchOf,
  type SearchFacts,
  startOfMonth,
  toQuery,
} from './search.ts';

const facts: SearchFacts = {
  now: instant('2025-03-03T15:00:00Z'),
  timeZone: 'America/Chicago',
  maxAgeDays: 14,
  usesPsaNumber: true,
};
const fromSettings = { op: 'gte', value: '2025-02-17T06:00:00.000Z' };
const notVoided = { field: 'isVoided', op: 'noteq', value: true };

test('searches invoices by settings; with PSA numbering, only invoices that are not exported', () => {
  expect(conditionsOf('invoice', { by: 'settings' }, facts)).toEqual([
    notVoided,
    { field: 'webServiceDate', op: 'notExist' },
    { field: 'createDateTime', ...fromSettings },
  ]);
  expect(conditionsOf('invoice', { by: 'settings' }, { ...facts, usesPsaNumber: false })).toEqual([
    notVoided,
    { field: 'createDateTime', ...fromSettings },
  ]);
});

test('a date begins at midnight in the client’s time zone', () => {
  const search = { by: 'date', from: calendarDate('2025-03-01') } as const;
  const condition = { op: 'gte', value: '2025-03-01T06:00:00.000Z' };
  expect(conditionsOf('invoice', search, facts)).toEqual([notVoided, { field: 'createDateTime', ...condition }]);
  expect(conditionsOf('purchase_order', search, facts)).toEqual([
    { field: 'status', op: 'eq', value: 2 },
    { field: 'createDateTime', ...condition },
  ]);
  expect(conditionsOf('expense_report', search, facts)).toEqual([
    { field: 'status', op: 'eq', value: 3 },
    { field: 'submitDate', ...condition },
  ]);
});

test('a search by invoice date takes exactly the invoices of that day', () => {
  const search = { by: 'day', on: calendarDate('2025-03-01') } as const;
  expect(conditionsOf('invoice', search, facts)).toEqual([
    notVoided,
    { field: 'invoiceDateTime', op: 'gte', value: '2025-02-28T00:00:00.000Z' },
    { field: 'invoiceDateTime', op: 'lte', value: '2025-03-02T23:59:59.999Z' },
  ]);
  expect(describeSearch('invoice', search, facts, 'Autotask')).toBe('Invoices that are not voided, dated Mar 1, 2025.');
  const isFound = (invoicedAt: string | null) => isOfSearch(search, invoicedAt, facts.timeZone);
  expect(['2025-03-01T00:00:00Z', '2025-03-01T06:00:00Z', '2025-03-02T05:59:00Z'].map(isFound)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['2025-02-28T00:00:00Z', '2025-03-01T05:59:00Z', '2025-03-02T00:00:00Z', null].map(isFound)).toEqual(
    Array.from({ length: 4 }, () => false),
  );
  expect(isOfSearch({ by: 'settings' }, null, facts.timeZone)).toBe(true);
  expect(readSearch(new URLSearchParams('by=day&on=2025-03-01'), 'purchase_order')).toEqual({ by: 'settings' });
});

test('searches an id only among documents that can be synced', () => {
  expect(conditionsOf('expense_report', { by: 'id', id: 902 }, facts)).toEqual([
    { field: 'id', op: 'eq', value: 902 },
    { field: 'status', op: 'eq', value: 3 },
  ]);
});

test('describes the active search in a sentence', () => {
  const sentence = (
    ...[kind, search]: readonly [Parameters<typeof describeSearch>[0], Parameters<typeof describeSearch>[1]]
  ) => describeSearch(kind, search, facts, 'Autotask');
  expect(sentence('invoice', { by: 'settings' })).toBe(
    'Invoices that are not voided, created in the last 14 days (from your settings) and not exported yet.',
  );
  expect(sentence('purchase_order', { by: 'date', from: calendarDate('2025-03-01') })).toBe(
    'Submitted purchase orders created on or after Mar 1, 2025.',
  );
  expect(sentence('expense_report', { by: 'id', id: 902 })).toBe('The approved expense report with Autotask ID 902.');
});

test.each(['by=id&id=48213', 'by=date&from=2025-03-01', 'by=day&on=2025-03-01', ''])(
  'the search %o survives a reload',
  (query) => {
    expect(toQuery(readSearch(new URLSearchParams(query), 'invoice')).toString()).toBe(query);
  },
);

test.each(['by=id&id=1.5', 'by=id&id=-1', 'by=id', 'by=date&from=2025-02-45', 'by=elsewhere', 'by=day'])(
  'an invalid URL (%o) searches by settings',
  (query) => expect(readSearch(new URLSearchParams(query), 'invoice')).toEqual({ by: 'settings' }),
);

test('reports a missing or invalid input', () => {
  expect(searchOf('id', '', '')).toBe('noId');
  expect(searchOf('id', '', '99999999999')).toBe('noId');
  expect(searchOf('id', '', ' 48213 ')).toEqual({ by: 'id', id: 48_213 });
  expect(searchOf('date', '', '')).toBe('noDate');
  expect(startOfMonth(calendarDate('2025-03-21'))).toBe('2025-03-01');
});
