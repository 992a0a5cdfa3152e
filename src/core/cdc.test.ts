import { describe, expect, test } from 'vitest';
import { areNotificationsComplete, cdcSince, hasCdcGap, isCdcDue } from './documents/accounting-change.ts';
import { addSeconds, instant } from './values/dates.ts';

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
