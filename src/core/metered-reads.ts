import { addDays, dateIn, endOfMonth, type CalendarDate, type Instant } from './values/dates.ts';

/**
 * Intuit does not document when its month begins. Its own time zone is the safe choice, because UTC months end earlier.
 */
export const readMonthZone = 'America/Los_Angeles';

/** Monthly reads of an application on Intuit's Builder tier; paid tiers have no limit (facts, metered reads). */
export const builderReads = 500_000;

/** Percentages of the monthly limit at which the system administrators get an email. */
export const readAlertPercents = [70, 85] as const;

/** Returns the month that reads at this instant count toward, e.g. `2026-11`. */
export const readMonth = (now: Instant): string => dateIn(now, readMonthZone).slice(0, 7);

/** Returns the first day of the next month. */
export const nextReadMonth = (now: Instant): CalendarDate => addDays(endOfMonth(dateIn(now, readMonthZone)), 1);

/** Returns the used part of the limit in whole percent, rounded down so that 100 means used up. */
export const readPercent = (reads: number, limit: number): number => Math.floor((reads * 100) / limit);
