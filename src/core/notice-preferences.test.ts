import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { channelOf, channelsOf, digestAt, groupOf, groupsFor, noticeGroups } from './notice-preferences.ts';
import { noticeKinds } from './notices.ts';
import { calendarDate, dateIn, instant, instantAt, secondsBetween } from './values/dates.ts';

describe('groups of notices', () => {
  test('contain every kind', () => {
    expect(new Set(noticeKinds.map(groupOf))).toEqual(new Set(noticeGroups));
  });

  test('are offered by role', () => {
    expect(groupsFor(['clientadmin'])).toEqual(noticeGroups);
    expect(groupsFor(['accountant'])).toEqual(['requests', 'month_signed']);
    expect(groupsFor([])).toEqual([]);
  });

  test('have a default, which is the app only while the emails go to other addresses', () => {
    expect(channelOf('failed_documents', {})).toBe('email');
    expect(channelOf('failed_documents', {}, true)).toBe('app');
    expect(channelOf('failed_documents', { failed_documents: 'email' }, true)).toBe('email');
    expect(channelOf('failed_documents', { failed_documents: 'off' })).toBe('off');
    expect(channelOf('month_signed', { failed_documents: 'off' })).toBe('app');
  });

  test('a request of another user cannot be turned off', () => {
    expect(channelsOf('requests')).not.toContain('off');
    expect(channelOf('requests', { requests: 'off' })).toBe('email');
  });
});

const chicago = 'America/Chicago';

describe('the time of the daily email', () => {
  test.each([
    ['in the morning', '2026-11-23T13:00:00Z', 8, chicago, '2026-11-23T14:00:00.000Z'],
    ['exactly at the hour', '2026-11-23T14:00:00Z', 8, chicago, '2026-11-24T14:00:00.000Z'],
    ['in the last minute', '2026-11-23T13:59:30Z', 8, chicago, '2026-11-24T14:00:00.000Z'],
    ['in the evening', '2026-11-24T03:00:00Z', 8, chicago, '2026-11-24T14:00:00.000Z'],
    ['at midnight', '2026-11-23T15:00:00Z', 0, chicago, '2026-11-24T06:00:00.000Z'],
    ['on the day that clocks go forward', '2026-03-08T07:00:00Z', 8, chicago, '2026-03-08T13:00:00.000Z'],
    ['at an hour that clocks skip', '2026-03-08T07:00:00Z', 2, chicago, '2026-03-08T08:00:00.000Z'],
    ['on the day that clocks go back', '2026-11-01T06:30:00Z', 8, chicago, '2026-11-01T14:00:00.000Z'],
    ['at an hour that clocks repeat', '2026-11-01T05:30:00Z', 1, chicago, '2026-11-01T06:00:00.000Z'],
    ['in the second pass of that hour', '2026-11-01T07:10:00Z', 1, chicago, '2026-11-02T07:00:00.000Z'],
    ['at a midnight that clocks skip', '2026-04-23T12:00:00Z', 0, 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
    [
      'where clocks change by half an hour',
      '2026-10-03T12:00:00Z',
      2,
      'Australia/Lord_Howe',
      '2026-10-03T15:30:00.000Z',
    ],
  ])('%s', (_, at, hour, timeZone, expected) => {
    expect(digestAt(instant(at), hour, timeZone)).toBe(expected);
  });

  test('comes once on every date, in order', () => {
    const zones = [chicago, 'Europe/Berlin', 'Australia/Lord_Howe', 'Africa/Cairo', 'Asia/Kolkata', 'America/St_Johns'];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: Date.parse('2026-01-01'), max: Date.parse('2027-01-01') }),
        (timeZone, hour, ms) => {
          const first = digestAt(instant(ms), hour, timeZone);
          const second = digestAt(first, hour, timeZone);
          expect(secondsBetween(instant(ms), first)).toBeGreaterThan(60);
          expect(Math.abs(secondsBetween(first, second) / 3_600 - 24)).toBeLessThanOrEqual(1);
          expect(dateIn(first, timeZone) < dateIn(second, timeZone)).toBe(true);
        },
      ),
      { seed: 20261128, numRuns: 300 },
    );
  });

  test('is the first instant of its hour or a later one', () => {
    expect(instantAt(calendarDate('2026-11-01'), 1, chicago)).toBe('2026-11-01T06:00:00.000Z');
    expect(instantAt(calendarDate('2026-11-23'), 23, chicago)).toBe('2026-11-24T05:00:00.000Z');
  });
});
