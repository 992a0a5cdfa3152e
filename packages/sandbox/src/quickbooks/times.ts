/** Calendar dates are `YYYY-MM-DD` texts; instants are milliseconds since 1970 (UTC). */
const dayMs = 86_400_000;

const pad = (value: number, width = 2) => String(value).padStart(width, '0');

/** Returns the day of month (1 to 31) of the n-th Sunday of a month; months are counted from 0. */
function nthSunday(year: number, month: number, n: number): number {
  const first = new Date(Date.UTC(year, month, 1)).getUTCDay();
  return 1 + ((7 - first) % 7) + (n - 1) * 7;
}

/**
 * Returns the hours between Pacific time and UTC at an instant: 7 in summer, 8 in winter (United States rule since
 * 2007).
 */
function pacificOffsetHours(atMs: number): number {
  const year = new Date(atMs).getUTCFullYear();
  const summerFrom = Date.UTC(year, 2, nthSunday(year, 2, 2), 10);
  const summerUntil = Date.UTC(year, 10, nthSunday(year, 10, 1), 9);
  return atMs >= summerFrom && atMs < summerUntil ? 7 : 8;
}

/**
 * Formats an instant like the service, in Pacific time: `2026-05-05T02:08:55-07:00`, with milliseconds in envelopes.
 */
export function pacificTime(atMs: number, options: { readonly withMs?: boolean } = {}): string {
  const offset = pacificOffsetHours(atMs);
  const local = new Date(atMs - offset * 3_600_000).toISOString();
  return `${local.slice(0, options.withMs === true ? 23 : 19)}-${pad(offset)}:00`;
}

/** The calendar date in Pacific time at an instant. */
export function pacificDate(atMs: number): string {
  return pacificTime(atMs).slice(0, 10);
}

/** Whether a text is a calendar date that exists. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text);
}

/** Milliseconds of a calendar date's midnight UTC, for counting days. */
function dayStart(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** Returns the date a number of days later (or earlier, when negative). */
export function addDays(date: string, days: number): string {
  return new Date(dayStart(date) + days * dayMs).toISOString().slice(0, 10);
}

/** Whole days from one date to another; negative when the second is earlier. */
export function daysBetween(from: string, to: string): number {
  return Math.round((dayStart(to) - dayStart(from)) / dayMs);
}

/** Returns a day in the month that is `months` after the date's month; days beyond its end become its last day. */
export function dayOfMonth(date: string, day: number, months: number): string {
  const [year = 1970, month = 1] = date.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + months, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + months, Math.min(day, last))).toISOString().slice(0, 10);
}

/**
 * Parses a date-time of a request: ISO 8601; without an offset it is Pacific time.
 *
 * @returns milliseconds since 1970, or undefined when it is invalid
 */
export function parseInstant(text: string): number | undefined {
  const parts = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/.exec(text);
  const date = parts?.[1];
  if (parts === null || date === undefined || !isDate(date)) return undefined;
  const time = parts[2] ?? '00:00';
  if (parts[3] !== undefined) {
    const at = Date.parse(
      `${date}T${time}${parts[3].length === 5 ? `${parts[3].slice(0, 3)}:${parts[3].slice(3)}` : parts[3]}`,
    );
    return Number.isNaN(at) ? undefined : at;
  }
  const asUtc = Date.parse(`${date}T${time}Z`);
  return Number.isNaN(asUtc) ? undefined : asUtc + pacificOffsetHours(asUtc + 8 * 3_600_000) * 3_600_000;
}
