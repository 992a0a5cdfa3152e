import { assert, constantFrom, property, record, shuffledSubarray, uniqueArray } from 'fast-check';
import { expect, test } from 'vitest';
import { addSeconds, instant } from '../values/dates.ts';
import type { AccountingLists } from './reference-data.ts';
import { type CachedLists, type ListChanges, withChanges } from './accounting-change.ts';

const began = instant('2025-03-03T15:00:00Z');
const term = (id: string, name: string) => ({ id, name });
const lists = { terms: [term('1', 'Net 15'), term('2', 'Net 30')], accounts: [] } as unknown as AccountingLists;
const cached: CachedLists = { lists, changedAt: {} };
const found = (id: string, name: string, seconds: number): ListChanges => ({
  found: [{ list: 'term', row: term(id, name), changedAt: addSeconds(began, seconds) }],
  gone: [],
});
const deleted = (id: string, seconds: number): ListChanges => ({
  found: [],
  gone: [{ list: 'term', id, changedAt: addSeconds(began, seconds) }],
});

test('replaces changed records, adds new ones, and removes deleted ones', () => {
  expect(withChanges(cached, found('2', 'Net 31', 0)).lists.terms).toEqual([term('1', 'Net 15'), term('2', 'Net 31')]);
  expect(withChanges(cached, found('3', 'Net 60', 0)).lists.terms).toHaveLength(3);
  expect(withChanges(cached, deleted('1', 0)).lists.terms).toEqual([term('2', 'Net 30')]);
  expect(withChanges(cached, found('2', 'Net 31', 0)).lists.accounts).toBe(lists.accounts);
});

test('keeps the newest version of a record for changes in any order, even repeated', () => {
  const change = record({
    id: constantFrom('1', '2', '3'),
    isGone: constantFrom(true, false),
    at: constantFrom(1, 2, 3, 4),
  });
  assert(
    property(
      uniqueArray(change, { selector: ({ id, at }) => `${id} ${at}`, minLength: 1 }).chain((changes) =>
        shuffledSubarray([...changes, ...changes], { minLength: changes.length * 2 }).map((notices) => ({
          changes,
          notices,
        })),
      ),
      ({ changes, notices }) => {
        const toChange = ({ id, isGone, at }: (typeof changes)[number]) =>
          isGone ? deleted(id, at) : found(id, `as of ${at}`, at);
        const result = notices.reduce((lists, one) => withChanges(lists, toChange(one)), cached).lists.terms;
        for (const id of new Set(changes.map((one) => one.id))) {
          const newest = changes.filter((one) => one.id === id).toSorted((a, b) => b.at - a.at)[0];
          const name = result.find((one) => one.id === id)?.name;
          expect(name).toBe(newest?.isGone === true ? undefined : `as of ${newest?.at}`);
        }
      },
    ),
  );
});
