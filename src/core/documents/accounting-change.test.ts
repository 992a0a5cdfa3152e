import { assert, constantFrom, property, record, shuffledSubarray, uniqueArray } from 'fast-check';
import { expect, test, describe } from 'vitest';
import { addSeconds, instant } from '../values/dates.ts';
import type { AccountingLists } from './reference-data.ts';
import {
  type CachedLists,
  type ListChanges,
  withChanges,
  areNotificationsComplete,
  cdcSince,
  hasCdcGap,
  isCdcDue,
} from './accounting-change.ts';

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

const now = instant('2025-03-03T15:00:00Z');
const ago = (seconds: number) => addSeconds(now, -seconds);
const [hour, day] = [3_600, 86_400];

test.each([
  ['never read', true, null, true],
  ['read a day ago', true, day, true],
  ['read almost a day ago', true, day - 1, false],
  ['read an hour ago', true, hour, false],
  ['read an hour ago', false, hour, true],
  ['read almost an hour ago', false, hour - 1, false],
  ['never read', false, null, true],
])('a feed that was %s, with notifications %s, is due: %4$s', (_, hasNotifications, seconds, isDue) => {
  const state = {
    lastNotificationAt: hasNotifications ? ago(1) : null,
    polledAt: seconds === null ? null : ago(seconds),
  };
  expect(isCdcDue(state, now)).toBe(isDue);
});

test.each([
  ['never', null, 29 * day],
  ['an hour ago', hour, hour + 900],
  ['as long ago as its maximum range', 29 * day - 900, 29 * day],
  ['before its maximum range', 40 * day, 29 * day],
])('a feed last read %s is read with an overlap, within its maximum range', (_, seconds, from) => {
  expect(cdcSince({ cursor: seconds === null ? null : ago(seconds) }, now)).toBe(ago(from));
});

test.each([
  [hour, false],
  [29 * day - 901, false],
  [29 * day - 900, true],
  [40 * day, true],
])('a cursor %d seconds old requires a full read: %s', (seconds, isGap) => {
  expect(hasCdcGap(ago(seconds), now)).toBe(isGap);
});

describe('webhooks are complete', () => {
  test.each([
    ['not when no notification ever arrived', null, null, false],
    ['not when a change had no notification', null, hour, false],
    ['when the feed shows no change', hour, null, true],
    ['when a notification followed the last change', hour, hour + 1, true],
    ['within 15 minutes between the last notification and a change', 2 * hour, 2 * hour - 900, true],
    ['not when a change is over 15 minutes newer than the last notification', 2 * hour, 2 * hour - 901, false],
    ['while a change is at most 15 minutes old', 2 * hour, 900, true],
    ['not when a change is over 15 minutes old', 2 * hour, 901, false],
  ])('%s', (_, lastSeconds, newestSeconds, areComplete) => {
    const at = (seconds: number | null) => (seconds === null ? null : ago(seconds));
    expect(areNotificationsComplete(at(lastSeconds), at(newestSeconds), now)).toBe(areComplete);
  });
});
