import { describe, expect, test } from 'vitest';
import { areWebhooksComplete, cdcSince, hasCdcGap, isCdcDue } from './cdc.ts';
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
])('a feed that was %s, with messages %s, is due: %4$s', (_, hasWebhooks, seconds, isDue) => {
  const state = { lastWebhookAt: hasWebhooks ? ago(1) : null, polledAt: seconds === null ? null : ago(seconds) };
  expect(isCdcDue(state, now)).toBe(isDue);
});

test.each([
  ['never', null, 29 * day],
  ['an hour ago', hour, hour + 900],
  ['as long ago as it reaches', 29 * day - 900, 29 * day],
  ['longer ago than it reaches', 40 * day, 29 * day],
])('a feed that was read %s is read from what it showed late on, and never beyond its reach', (_, seconds, from) => {
  expect(cdcSince({ cursor: seconds === null ? null : ago(seconds) }, now)).toBe(ago(from));
});

test.each([
  [hour, false],
  [29 * day - 901, false],
  [29 * day - 900, true],
  [40 * day, true],
])('lists of %d seconds ago are read whole, because the feed reaches not so far: %s', (seconds, isGap) => {
  expect(hasCdcGap(ago(seconds), now)).toBe(isGap);
});

describe('messages of the books are relied on', () => {
  test.each([
    ['not where none ever came', null, null, false],
    ['not where none ever came and something changed', null, hour, false],
    ['while the feed shows no change', hour, null, true],
    ['while each change had its message', hour, hour + 1, true],
    ['for the quarter of an hour in which one may still come after the last', 2 * hour, 2 * hour - 900, true],
    ['not after a change that no message came for', 2 * hour, 2 * hour - 901, false],
    ['while the change is not a quarter of an hour old', 2 * hour, 900, true],
    ['not once it is', 2 * hour, 901, false],
  ])('%s', (_, lastSeconds, newestSeconds, areComplete) => {
    const at = (seconds: number | null) => (seconds === null ? null : ago(seconds));
    expect(areWebhooksComplete(at(lastSeconds), at(newestSeconds), now)).toBe(areComplete);
  });
});
