import { addDays, dateIn, endOfMonth, type CalendarDate, type Instant } from './values/dates.ts';

/** Intuit does not say when its month begins: its own time zone is the safe choice, since UTC months end earlier. */
export const readMonthZone = 'America/Los_Angeles';

/** Reads of an application in a month on Intuit's Builder tier; paid tiers have no limit (facts, metered reads). */
export const builderReads = 500_000;

/** Shares of the monthly limit, in percent, at which the system administrators get an email. */
export const readAlertPercents = [70, 85] as const;

/** The month that reads of this instant count for, e.g. `2026-11`. */
export const readMonth = (now: Instant): string => dateIn(now, readMonthZone).slice(0, 7);

/** The first day of the month after that. */
export const nextReadMonth = (now: Instant): CalendarDate => addDays(endOfMonth(dateIn(now, readMonthZone)), 1);

/** The part of the limit that is used, in whole percent; rounded down, so that 100 means used up. */
export const readPercent = (reads: number, limit: number): number => Math.floor((reads * 100) / limit);
