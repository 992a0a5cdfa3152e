import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addDays,
  addSeconds,
  calendarDate,
  dateIn,
  daysBetween,
  documentDate,
  instant,
  isCalendarDate,
  isTimeZone,
  secondsBetween,
  startOfDay,
} from './dates.ts';

fc.configureGlobal({ seed: 20_250_303 });

const zones = [
  'UTC',
  'America/Chicago',
  'America/New_York',
  'America/Los_Angeles',
  'America/St_Johns',
  'America/Sao_Paulo',
  'America/Havana',
  'Europe/London',
  'Europe/Berlin',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Australia/Sydney',
  'Pacific/Auckland',
  'Pacific/Kiritimati',
];
const days = fc.integer({ min: 0, max: 20_000 }).map((n) => addDays(calendarDate('1990-01-01'), n));
const moments = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2045, 0, 1) }).map((ms) => instant(ms));

describe('calendar dates', () => {
  test.each(['2025-02-29', '2025-13-01', '2025-00-10', '2025-2-3', '20250203', '', '2025-02-03T00:00:00Z'])(
    'rejects “%s”',
    (text) => {
      expect(isCalendarDate(text)).toBe(false);
      expect(() => calendarDate(text)).toThrow(RangeError);
    },
  );

  test('adds and counts days across months, leap years, and clock changes', () => {
    expect(addDays(calendarDate('2025-03-03'), -14)).toBe('2025-02-17');
    expect(addDays(calendarDate('2024-02-28'), 1)).toBe('2024-02-29');
    fc.assert(
      fc.property(days, fc.integer({ min: -4_000, max: 4_000 }), (day, n) => {
        expect(daysBetween(day, addDays(day, n))).toBe(n);
      }),
    );
  });
});

describe('instants', () => {
  test('rejects an instant without a zone and converts offsets to UTC', () => {
    expect(() => instant('2025-03-03T15:00:00')).toThrow(RangeError);
    expect(() => instant('tomorrowZ')).toThrow(RangeError);
    expect(instant('2025-03-03T09:00:00-06:00')).toBe('2025-03-03T15:00:00.000Z');
  });

  test('adds and counts seconds', () => {
    expect(addSeconds(instant('2025-03-03T23:59:59Z'), 2)).toBe('2025-03-04T00:00:01.000Z');
    expect(secondsBetween(instant('2025-03-03T15:00:00Z'), instant('2025-03-03T15:02:10.500Z'))).toBe(130.5);
  });
});

describe('days in a time zone', () => {
  test.each([
    ['2025-03-03T05:59:59Z', 'America/Chicago', '2025-03-02'],
    ['2025-03-03T06:00:00Z', 'America/Chicago', '2025-03-03'],
    ['2025-07-03T04:59:59Z', 'America/Chicago', '2025-07-02'],
    ['2025-07-03T05:00:00Z', 'America/Chicago', '2025-07-03'],
    ['2025-03-03T10:00:00Z', 'Pacific/Kiritimati', '2025-03-04'],
    ['2025-12-31T23:30:00Z', 'Europe/London', '2025-12-31'],
  ])('%s in %s is %s', (at, zone, day) => {
    expect(dateIn(instant(at), zone)).toBe(day);
  });

  test.each([
    ['2025-03-09', 'America/Chicago', '2025-03-09T06:00:00.000Z'], // the clock changes at 2:00
    ['2025-03-10', 'America/Chicago', '2025-03-10T05:00:00.000Z'],
    ['2025-11-02', 'America/Chicago', '2025-11-02T05:00:00.000Z'],
    ['2025-11-03', 'America/Chicago', '2025-11-03T06:00:00.000Z'],
    ['2025-04-06', 'Australia/Lord_Howe', '2025-04-05T13:00:00.000Z'],
    ['2025-03-03', 'Asia/Kathmandu', '2025-03-02T18:15:00.000Z'],
  ])('%s begins in %s at %s', (day, zone, at) => {
    expect(startOfDay(calendarDate(day), zone)).toBe(at);
  });

  test('a day begins where the previous day ends, in every zone', () => {
    fc.assert(
      fc.property(days, fc.constantFrom(...zones), (day, zone) => {
        const start = startOfDay(day, zone);
        expect(dateIn(start, zone)).toBe(day);
        expect(dateIn(addSeconds(start, -1), zone)).not.toBe(day);
      }),
    );
  });

  test('every instant is within its day', () => {
    fc.assert(
      fc.property(moments, fc.constantFrom(...zones), (at, zone) => {
        const day = dateIn(at, zone);
        expect(startOfDay(day, zone) <= at).toBe(true);
        expect(at < startOfDay(addDays(day, 1), zone)).toBe(true);
      }),
    );
  });

  test.each([
    ['America/Chicago', true],
    ['UTC', true],
    ['Etc/Unknown', false],
    ['+02:00', false],
    ['', false],
  ])('“%s” is a time zone: %s', (text, isOne) => expect(isTimeZone(text)).toBe(isOne));

  test('rejects an unknown time zone', () => {
    expect(() => dateIn(instant(0), 'Mars/Olympus')).toThrow(RangeError);
  });
});

describe('dates of documents', () => {
  test.each([
    ['2025-03-03T00:00:00Z', '2025-03-03'],
    ['2025-03-03T00:00:00.000Z', '2025-03-03'],
    ['2025-03-03', '2025-03-03'],
    ['2025-03-03T00:00:00', '2025-03-03'],
    ['2025-03-03T05:00:00Z', '2025-03-02'],
    ['2025-03-03T15:00:00.123Z', '2025-03-03'],
    ['2025-03-03T00:00:01Z', '2025-03-02'],
  ])('dates %s %s in Chicago, keeping midnight UTC', (text, day) => {
    expect(documentDate(text, 'America/Chicago')).toBe(day);
  });

  test('midnight UTC is the same day in every zone', () => {
    fc.assert(
      fc.property(days, fc.constantFrom(...zones), (day, zone) => {
        expect(documentDate(`${day}T00:00:00Z`, zone)).toBe(day);
      }),
    );
  });
});
