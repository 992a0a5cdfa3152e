import { dateIn, instant } from '#core/values/dates.ts';
import { addAmounts, isPlainAmount } from './add-amounts.ts';
import { type Locale, locales, readLocale } from './locale.ts';

/**
 * How values are set on the screen, by the person's locale (`locale.ts`). Amounts come as decimal text and are never
 * turned into binary floats.
 */

const time = { hour: 'numeric', minute: '2-digit' } as const;
const date = { month: 'short', day: 'numeric' } as const;
const formats = {
  clock: time,
  weekday: { weekday: 'short', ...time },
  dayOfYear: { ...date, ...time },
  full: { year: 'numeric', ...date, ...time, second: '2-digit', timeZoneName: 'short' },
  stamp: { year: 'numeric', ...date, ...time },
  day: date,
  calendarDay: { year: 'numeric', ...date },
  month: { year: 'numeric', month: 'long' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

// Each takes about a millisecond to make, so it is made when it is needed first.
const made = new Map<string, Intl.DateTimeFormat>();
const relatives = new Map<Locale, Intl.RelativeTimeFormat>();
let threeDecimals: Intl.NumberFormat | undefined;

/** Instants are set in a time zone; calendar dates have none. */
function setBy(name: keyof typeof formats, locale: Locale, ms: number, timeZone = 'UTC'): string {
  const key = `${locale} ${name} ${timeZone}`;
  const format = made.get(key) ?? new Intl.DateTimeFormat(locale, { ...formats[name], timeZone });
  made.set(key, format);
  return format.format(ms);
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/**
 * An instant as a person would say it: “just now”, “2 min. ago”, “2:30 PM”, “yesterday, 2:30 PM”, “Mon 9:15 AM”,
 * “Mar 3, 9:15 AM”.
 *
 * @param at ISO 8601 with a zone.
 * @param timeZone IANA name
 */
export function sayWhen(at: string, nowMs: number, timeZone: string, locale = readLocale()): string {
  const ms = Date.parse(at);
  const age = nowMs - ms;
  if (age < minuteMs && age > -minuteMs) return 'just now';
  if (age > 0 && age < hourMs) {
    const relative = relatives.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
    relatives.set(locale, relative);
    return relative.format(-Math.round(age / minuteMs), 'minute');
  }
  const days = dayNumber(nowMs, timeZone) - dayNumber(ms, timeZone);
  if (days === 0) return setBy('clock', locale, ms, timeZone);
  if (days === 1) return `yesterday, ${setBy('clock', locale, ms, timeZone)}`;
  if (days > 1 && days < 7) return setBy('weekday', locale, ms, timeZone);
  return setBy(days < 300 && days > 0 ? 'dayOfYear' : 'stamp', locale, ms, timeZone);
}

/** Days since 1970 of the calendar in a time zone. */
const dayNumber = (ms: number, timeZone: string): number =>
  Date.parse(`${dateIn(instant(ms), timeZone)}T00:00:00Z`) / dayMs;

/** The day alone, e.g. “Mar 3”. */
export const setDay = (at: string, timeZone: string, locale = readLocale()): string =>
  setBy('day', locale, Date.parse(at), timeZone);

const dayPattern = /^\d{4}-\d\d-\d\d/;

/**
 * The date of a document, e.g. “Mar 3, 2025”, which has no time and no zone; of a text with a time the day that it
 * names. Anything else is answered as it is.
 */
export function setCalendarDay(date: string, locale = readLocale()): string {
  const ms = Date.parse(`${dayPattern.exec(date)?.[0] ?? ''}T00:00:00Z`);
  return Number.isNaN(ms) ? date : setBy('calendarDay', locale, ms);
}

/** The month of a document's date, e.g. “March 2025”. */
export const setMonth = (date: string, locale = readLocale()): string =>
  setBy('month', locale, Date.parse(`${date.slice(0, 7)}-01T00:00:00Z`));

/** Date and time to the minute. */
export const setDateTimeIn = (at: string, timeZone: string, locale = readLocale()): string =>
  setBy('stamp', locale, Date.parse(at), timeZone);

/** Date and time to the second with the name of the zone. */
export const setTimeIn = (at: string, timeZone: string, locale = readLocale()): string =>
  setBy('full', locale, Date.parse(at), timeZone);

/** Short name of a time zone now, e.g. `CST`; named once where a screen shows times in it. */
export const zoneName = (timeZone: string, locale = readLocale()): string =>
  new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' })
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;

const decimalPattern = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * An amount with two decimals, or as many as it has beyond them, and thousands set apart: `-1234.5` → `−1,234.50`.
 * Text that is not a decimal is answered as it is.
 */
export function setAmount(amount: string): string {
  const [, sign = '', whole = '', decimals = ''] = decimalPattern.exec(amount) ?? [];
  if (whole === '') return amount;
  return `${sign === '' ? '' : '−'}${groups(whole)}.${decimals.padEnd(2, '0')}`;
}

/**
 * An amount with its currency: the locale's own by its sign (`$1,234.50` in the United States), any other by its name
 * (`CAD 1,234.50`); without a currency the amount alone.
 *
 * @param currency three letters, or null when it is not known.
 */
export function setMoney(amount: string, currency: string | null, locale = readLocale()): string {
  const set = setAmount(amount);
  if (currency === null || !decimalPattern.test(amount)) return set;
  const sign = locales[locale].currency === currency ? signs[currency] : undefined;
  return sign === undefined ? `${currency} ${set}` : set.replace(/^(−?)/, (minus) => `${minus}${sign}`);
}

const signs: Readonly<Record<string, string>> = {
  USD: '$',
  CAD: '$',
  AUD: '$',
  NZD: '$',
  GBP: '£',
  EUR: '€',
  ZAR: 'R ',
};

/** The sum of the amounts of one currency, and how many they are; the currency is null where it is not known. */
interface CurrencySum {
  readonly amount: string;
  readonly currency: string | null;
  readonly count: number;
}

/**
 * Adds up amounts in decimal text, one sum for each currency: the locale's own first, then by name, whatever order the
 * amounts come in; what is no amount is left out.
 */
export function sumsByCurrency(
  amounts: Iterable<{ readonly amount: string | null; readonly currency: string | null }>,
  locale = readLocale(),
): readonly CurrencySum[] {
  const sums = new Map<string | null, { amount: string; count: number }>();
  for (const { amount, currency } of amounts) {
    if (amount === null || !isPlainAmount(amount)) continue;
    const known = sums.get(currency) ?? { amount: '0', count: 0 };
    sums.set(currency, { amount: addAmounts(known.amount, amount), count: known.count + 1 });
  }
  return ordered(
    [...sums].map(([currency, one]) => ({ currency, ...one })),
    locale,
  );
}

/** Sums of several currencies in one line: “$1,200.00 and CAD 50.00”; nothing for none. */
export const setSums = (sums: readonly CurrencySum[], locale = readLocale()): string =>
  ordered(sums, locale)
    .map(({ amount, currency }) => setMoney(amount, currency, locale))
    .join(' and ');

function ordered(sums: readonly CurrencySum[], locale: Locale): readonly CurrencySum[] {
  const place = (currency: string | null) => (currency === locales[locale].currency ? '' : (currency ?? '~'));
  return sums.toSorted((a, b) => (place(a.currency) < place(b.currency) ? -1 : 1));
}

/** A quantity rounded to at most three decimals, without any that say nothing: `3.500` → `3.5`, `0.6667` → `0.667`. */
export function setQuantity(quantity: string): string {
  const [text, sign = '', whole = '', decimals = ''] = decimalPattern.exec(quantity) ?? [];
  if (text === undefined) return quantity;
  // Text is rounded as it stands, never as the floating number nearest to it.
  threeDecimals ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
  return `${sign === '' ? '' : '−'}${threeDecimals.format(`${whole}.${decimals}0` as `${number}`)}`;
}

/** A whole number with thousands set apart. */
export const setCount = (count: number): string => groups(String(count));

const groups = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',');

/** “1 invoice”, “12 invoices”; the plural adds an s unless it is given. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${setCount(count)} ${count === 1 ? one : many}`;

/** “this invoice”, “these 12 invoices”. */
export const these = (count: number, one: string, many?: string): string =>
  count === 1 ? `this ${one}` : `these ${countOf(count, one, many)}`;

/**
 * “Showing 11-20 of 48 items”, the specified words whatever the numbers; null when there is nothing to show.
 *
 * @param more there are more than the total: “of more than 10,000 items”.
 */
export function pagingText(page: number, pageSize: number, total: number, more = false): string | null {
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(page * pageSize, total);
  if (total === 0 || first > last) return null;
  return `Showing ${setCount(first)}-${setCount(last)} of ${more ? 'more than ' : ''}${setCount(total)} items`;
}
