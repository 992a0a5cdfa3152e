import { addDays, calendarDate, type CalendarDate } from '../values/dates.ts';

declare const brand: unique symbol;

/** A calendar month, `YYYY-MM`. */
export type Month = string & { readonly [brand]: 'Month' };

export const monthPattern = /^\d{4}-(0[1-9]|1[0-2])$/;

/**
 * Parses a month.
 *
 * @throws RangeError if the text is not `YYYY-MM`
 */
export function month(text: string): Month {
  if (!isMonth(text)) throw new RangeError(`Not a month: ${JSON.stringify(text)}`);
  return text;
}

export const isMonth = (text: string): text is Month => monthPattern.test(text);

export const monthOf = (date: CalendarDate): Month => month(date.slice(0, 7));
export const firstDay = (of: Month): CalendarDate => calendarDate(`${of}-01`);
/** 31 days after the first day is always in the next month, and never in the one after it. */
export const nextMonth = (of: Month): Month => monthOf(addDays(firstDay(of), 31));
export const previousMonth = (of: Month): Month => monthOf(addDays(firstDay(of), -1));

/** Returns the months from one to another, inclusive; none if the first is later. */
export function monthsThrough(from: Month, to: Month): readonly Month[] {
  const months: Month[] = [];
  for (let one = from; one <= to; one = nextMonth(one)) months.push(one);
  return months;
}

export const lastDay = (of: Month): CalendarDate => addDays(firstDay(nextMonth(of)), -1);
