/** Days and instants of the tenant, in Chicago time. */

/** The tenant's time zone. */
const timeZone = 'America/Chicago';
/** Today's date in the sample world. */
export const sampleToday = '2025-03-03';

const dayMs = 86_400_000;

/** Returns the calendar date a number of days later (or earlier). */
export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);
}

/** Whole days from one calendar date to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs);
}

const format = new Intl.DateTimeFormat('en-CA', {
  timeZone,
  hourCycle: 'h23',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

const quarterMs = 900_000;
/** Offset of the tenant's clocks from UTC, by quarter of an hour: no zone changes within one. */
const aheadMs = new Map<number, number>();

/** Returns the tenant's local time at an instant (epoch ms), encoded as if it were UTC. */
function wallClock(instant: number): number {
  const quarter = Math.floor(instant / quarterMs);
  let ahead = aheadMs.get(quarter);
  if (ahead === undefined) aheadMs.set(quarter, (ahead = readClock(quarter * quarterMs) - quarter * quarterMs));
  return instant + ahead;
}

function readClock(instant: number): number {
  const part = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  return Date.parse(`${part.year}-${part.month}-${part.day}T${part.hour}:${part.minute}:${part.second}Z`);
}

/** The tenant's calendar date at an instant (epoch ms). */
export function localDate(instant: number): string {
  return new Date(wallClock(instant)).toISOString().slice(0, 10);
}

/** The instant of a local date and time (`HH:MM:SS`, with or without `.mmm`), as the service writes it. */
export function localInstant(date: string, time: string): string {
  const wanted = Date.parse(`${date}T${time}Z`);
  // One correction is enough except within the hour of a clock change, which needs a second.
  const first = wanted - (wallClock(Math.floor(wanted / 1000) * 1000) - Math.floor(wanted / 1000) * 1000);
  const second = wanted - (wallClock(Math.floor(first / 1000) * 1000) - Math.floor(first / 1000) * 1000);
  return writeInstant(second);
}

/** Epoch milliseconds as the service writes them: milliseconds only when there are any. */
export function writeInstant(instant: number): string {
  return new Date(instant).toISOString().replace('.000Z', 'Z');
}
