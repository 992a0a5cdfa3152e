declare const brand: unique symbol;

/** A day without a time or a zone, `YYYY-MM-DD`: what a document is dated. */
export type CalendarDate = string & { readonly [brand]: 'CalendarDate' };

/** A moment in UTC, `YYYY-MM-DDTHH:MM:SS.sssZ`. */
export type Instant = string & { readonly [brand]: 'Instant' };

const datePattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const dayMs = 86_400_000;

/**
 * Reads a calendar date.
 *
 * @throws RangeError when the text is not `YYYY-MM-DD` or names a day that does not exist.
 */
export function calendarDate(text: string): CalendarDate {
  if (!isCalendarDate(text)) throw new RangeError(`Not a calendar date: ${JSON.stringify(text)}`);
  return text;
}

export function isCalendarDate(text: string): text is CalendarDate {
  if (!datePattern.test(text)) return false;
  // Month 13 is not a valid time; a nonexistent Feb 29 becomes Mar 1.
  const midnight = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(text);
}

/**
 * Reads an instant from ISO 8601 text with a zone, or from epoch milliseconds.
 *
 * @throws RangeError when it is neither.
 */
export function instant(value: string | number | Date): Instant {
  if (typeof value === 'string' && !/(Z|[+-]\d{2}:?\d{2})$/i.test(value))
    throw new RangeError(`An instant needs a zone: ${JSON.stringify(value)}`);
  const date = new Date(value);
  if (Number.isNaN(date.getTime())) throw new RangeError(`Not an instant: ${JSON.stringify(value)}`);
  return date.toISOString() as Instant;
}

export const epochMs = (at: Instant): number => Date.parse(at);
export const addSeconds = (at: Instant, seconds: number): Instant => instant(epochMs(at) + Math.round(seconds * 1_000));
export const secondsBetween = (from: Instant, to: Instant): number => (epochMs(to) - epochMs(from)) / 1_000;

/** The calendar date a number of days later (negative: earlier). */
export const addDays = (date: CalendarDate, days: number): CalendarDate =>
  new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10) as CalendarDate;

/** The last day of a day's month. */
export function endOfMonth(date: CalendarDate): CalendarDate {
  const [year = '', month = ''] = date.split('-');
  // Day 0 of a month is the last one of the month before.
  return calendarDate(new Date(Date.UTC(Number(year), Number(month), 0)).toISOString().slice(0, 10));
}

/** Whole months from one date to a later one. On the last day of a month, every month is whole. */
export function monthsBetween(from: CalendarDate, to: CalendarDate): number {
  const [[year = 0, month = 0, day = 0], [toYear = 0, toMonth = 0, toDay = 0]] = [from, to].map((one) =>
    one.split('-').map(Number),
  ) as [number[], number[]];
  const isWhole = toDay >= day || to === endOfMonth(to);
  return (toYear - year) * 12 + toMonth - month - (isWhole ? 0 : 1);
}

/** Whole days from one date to another. */
export const daysBetween = (from: CalendarDate, to: CalendarDate): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs);

/** Whether a text is the IANA name of a time zone; an offset such as `+01:00` is none, since it knows no summer. */
export function isTimeZone(text: string): boolean {
  if (!/^[A-Z]/i.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: text }).format(0) !== '';
  } catch {
    return false;
  }
}

/**
 * The calendar date on which an instant falls in a time zone.
 *
 * @param timeZone IANA name, e.g. `America/Chicago`.
 * @throws RangeError when the zone is unknown.
 */
export function dateIn(at: Instant, timeZone: string): CalendarDate {
  return calendarDate(formattersOf(timeZone).day.format(new Date(at)));
}

interface Formatters {
  readonly day: Intl.DateTimeFormat;
  readonly moment: Intl.DateTimeFormat;
}

/** Formatters by zone, of which there are a few hundred: to make one costs a hundred times as much as to use it. */
const formatters = new Map<string, Formatters>();

function formattersOf(timeZone: string): Formatters {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const made = {
    // The Swedish locale writes dates as YYYY-MM-DD.
    day: new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }),
    moment: new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
  };
  formatters.set(timeZone, made);
  return made;
}

/** The instant at which a calendar date begins in a time zone. */
export function startOfDay(date: CalendarDate, timeZone: string): Instant {
  const utcMidnight = Date.parse(`${date}T00:00:00Z`);
  // Two rounds settle zones whose offset changes near midnight.
  let guess = utcMidnight;
  for (let round = 0; round < 2; round += 1) guess = utcMidnight - offsetMs(guess, timeZone);
  return instant(guess);
}

const minuteMs = 60_000;

/**
 * Returns the first instant of a date at which clocks in a time zone show this hour or a later one: a skipped hour gives
 * the next one, and a repeated hour its first time.
 *
 * @param hour 0 to 23
 */
export function instantAt(date: CalendarDate, hour: number, timeZone: string): Instant {
  const usual = epochMs(startOfDay(date, timeZone)) + hour * 60 * minuteMs;
  const target = Date.parse(`${date}T00:00:00Z`) + hour * 60 * minuteMs;
  // Zones change their offset by half an hour or one hour.
  for (const minutes of [-60, -30, 0, 30]) {
    const at = usual + minutes * minuteMs;
    if (at + offsetMs(at, timeZone) >= target) return instant(at);
  }
  return instant(usual + 60 * minuteMs);
}

function offsetMs(at: number, timeZone: string): number {
  const parts = formattersOf(timeZone).moment.formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  return local - Math.floor(at / 1_000) * 1_000;
}

/**
 * Turns a PSA date-time into a document's date: midnight UTC is a date and is not shifted, any other time is an
 * instant and is read in the PSA's zone (domain reference 5.7).
 */
export function documentDate(text: string, timeZone: string): CalendarDate {
  const dateOnly = /^(\d{4}-\d{2}-\d{2})(T00:00:00(\.0+)?Z?)?$/.exec(text)?.[1];
  return dateOnly === undefined ? dateIn(instant(withZone(text)), timeZone) : calendarDate(dateOnly);
}

/** Returns a time with its zone; the PSA writes UTC with and without a `Z`. */
export const withZone = (text: string): string => (/(z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`);

const dayFormat = new Intl.DateTimeFormat('en-US', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});

/** Formats a calendar date for a sentence, e.g. `Nov 26, 2026`. */
export const dayText = (date: CalendarDate): string => dayFormat.format(Date.parse(`${date}T00:00:00Z`));

/** Formats an instant for a sentence, e.g. `Nov 26, 2026, 2:05 PM CST`. @param timeZone IANA name */
export const momentText = (at: Instant, timeZone: string): string =>
  new Intl.DateTimeFormat('en-US', {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  })
    .format(new Date(at))
    // Fonts of PDF files have no narrow space.
    .replaceAll('\u202F', ' ');
