import { dateIn, instant } from '#core/values/dates.ts';
import { addAmounts, isPlainAmount } from './add-amounts.ts';
import { type Locale, locales, readLocale } from './locale.ts';

/**
 * Formats values for the screen in the user's locale (`locale.ts`). Amounts are decimal text and are never converted to
 * binary floats.
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
  monthName: { month: 'long' },
} as const satisfies Readonly<Record<string, Intl.DateTimeFormatOptions>>;

// Creating a formatter takes about a millisecond, so each is created on first use.
const dateFormats = new Map<string, Intl.DateTimeFormat>();
const relativeFormats = new Map<Locale, Intl.RelativeTimeFormat>();
let threeDecimals: Intl.NumberFormat | undefined;

/** Instants are formatted in a time zone; calendar dates have none. */
function formatWith(name: keyof typeof formats, locale: Locale, ms: number, timeZone = 'UTC'): string {
  const key = `${locale} ${name} ${timeZone}`;
  const format = dateFormats.get(key) ?? new Intl.DateTimeFormat(locale, { ...formats[name], timeZone });
  dateFormats.set(key, format);
  return format.format(ms);
}

const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/**
 * Formats an instant relative to now: “just now”, “2 min. ago”, “2:30 PM”, “yesterday, 2:30 PM”, “Mon 9:15 AM”, “Mar 3,
 * 9:15 AM”.
 *
 * @param at ISO 8601 with a zone.
 * @param timeZone IANA name.
 */
export function formatRelativeTime(at: string, nowMs: number, timeZone: string, locale = readLocale()): string {
  const ms = Date.parse(at);
  const age = nowMs - ms;
  if (age < minuteMs && age > -minuteMs) return 'just now';
  if (age > 0 && age < hourMs) {
    const relative =
      relativeFormats.get(locale) ?? new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
    relativeFormats.set(locale, relative);
    return relative.format(-Math.round(age / minuteMs), 'minute');
  }
  const days = dayNumber(nowMs, timeZone) - dayNumber(ms, timeZone);
  if (days === 0) return formatWith('clock', locale, ms, timeZone);
  if (days === 1) return `yesterday, ${formatWith('clock', locale, ms, timeZone)}`;
  if (days > 1 && days < 7) return formatWith('weekday', locale, ms, timeZone);
  return formatWith(days < 300 && days > 0 ? 'dayOfYear' : 'stamp', locale, ms, timeZone);
}

/** Returns the calendar day in a time zone as days since 1970. */
const dayNumber = (ms: number, timeZone: string): number =>
  Date.parse(`${dateIn(instant(ms), timeZone)}T00:00:00Z`) / dayMs;

/** Formats only the day, e.g. “Mar 3”. */
export const formatDay = (at: string, timeZone: string, locale = readLocale()): string =>
  formatWith('day', locale, Date.parse(at), timeZone);

const dayPattern = /^\d{4}-\d\d-\d\d/;

/**
 * Formats a calendar date, e.g. “Mar 3, 2025”. Ignores a time in the text. Returns other text unchanged.
 */
export function formatDate(date: string, locale = readLocale()): string {
  const ms = Date.parse(`${dayPattern.exec(date)?.[0] ?? ''}T00:00:00Z`);
  return Number.isNaN(ms) ? date : formatWith('calendarDay', locale, ms);
}

/** Formats the month of a document's date, e.g. “March 2025”. */
export const formatMonth = (date: string, locale = readLocale()): string =>
  formatWith('month', locale, Date.parse(`${date.slice(0, 7)}-01T00:00:00Z`));

/** Formats the name of a date's month, e.g. “March”. */
export const formatMonthName = (date: string, locale = readLocale()): string =>
  formatWith('monthName', locale, Date.parse(`${date.slice(0, 7)}-01T00:00:00Z`));

/** Formats the time of day, e.g. “2:30 PM”. */
export const formatClock = (at: string, timeZone: string, locale = readLocale()): string =>
  formatWith('clock', locale, Date.parse(at), timeZone);

/** Formats date and time to the minute. */
export const formatDateTime = (at: string, timeZone: string, locale = readLocale()): string =>
  formatWith('stamp', locale, Date.parse(at), timeZone);

/** Formats date and time to the second, with the name of the zone. */
export const formatExactTime = (at: string, timeZone: string, locale = readLocale()): string =>
  formatWith('full', locale, Date.parse(at), timeZone);

/** Returns the current short name of a time zone, e.g. `CST`; shown once on screens with times. */
export const zoneName = (timeZone: string, locale = readLocale()): string =>
  new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'short' })
    .formatToParts()
    .find(({ type }) => type === 'timeZoneName')?.value ?? timeZone;

const decimalPattern = /^(-?)(\d+)(?:\.(\d+))?$/;

/**
 * Formats an amount with at least two decimals and thousands separators: `-1234.5` → `−1,234.50`. Text that is not a
 * decimal is returned unchanged.
 */
export function formatAmount(amount: string): string {
  const [, sign = '', whole = '', decimals = ''] = decimalPattern.exec(amount) ?? [];
  if (whole === '') return amount;
  return `${sign === '' ? '' : '−'}${groupDigits(whole)}.${decimals.padEnd(2, '0')}`;
}

/**
 * Formats an amount with its currency: the locale's own currency as a symbol (`$1,234.50` in the United States), any
 * other by its code (`CAD 1,234.50`), which stays on the line of the amount. Without a currency, formats only the amount.
 *
 * @param currency three letters, or null if unknown.
 */
export function formatMoney(amount: string, currency: string | null, locale = readLocale()): string {
  const text = formatAmount(amount);
  if (currency === null || !decimalPattern.test(amount)) return text;
  const sign = locales[locale].currency === currency ? currencySigns[currency] : undefined;
  return sign === undefined ? `${currency}\u00A0${text}` : text.replace(/^(−?)/, (minus) => `${minus}${sign}`);
}

/**
 * Formats a rounded amount for the axis of a chart, e.g. “$200K”.
 *
 * @param amount as a number, because it is only a label of an axis
 */
export function formatShortMoney(amount: number, currency: string | null, locale = readLocale()): string {
  const sign = currency !== null && locales[locale].currency === currency ? (currencySigns[currency] ?? '') : '';
  const digits = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });
  return `${amount < 0 ? '−' : ''}${sign}${digits.format(Math.abs(amount))}`;
}

const currencySigns: Readonly<Record<string, string>> = {
  USD: '$',
  CAD: '$',
  AUD: '$',
  NZD: '$',
  GBP: '£',
  EUR: '€',
  ZAR: 'R\u00A0',
};

/** An amount in decimal text; the currency is null while it loads. */
export interface Amount {
  readonly amount: string | null;
  readonly currency: string | null;
}

/** The sum and the number of amounts in one currency; the currency is null if unknown. */
interface CurrencySum {
  readonly amount: string;
  readonly currency: string | null;
  readonly count: number;
}

/**
 * Adds up amounts in decimal text per currency: the locale's own first, then by name. Skips texts that are not amounts.
 */
export function sumsByCurrency(amounts: Iterable<Amount>, locale = readLocale()): readonly CurrencySum[] {
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

/** Formats sums of several currencies in one line: “$1,200.00 and CAD 50.00”; empty for no sums. */
export const formatSums = (sums: readonly Omit<CurrencySum, 'count'>[], locale = readLocale()): string =>
  ordered(sums, locale)
    .map(({ amount, currency }) => formatMoney(amount, currency, locale))
    .join(' and ');

function ordered<Sum extends Omit<CurrencySum, 'count'>>(sums: readonly Sum[], locale: Locale): readonly Sum[] {
  const place = (currency: string | null) => (currency === locales[locale].currency ? '' : (currency ?? '~'));
  return sums.toSorted((a, b) => (place(a.currency) < place(b.currency) ? -1 : 1));
}

/** Formats a quantity with at most three decimals, without trailing zeros: `3.500` → `3.5`, `0.6667` → `0.667`. */
export function formatQuantity(quantity: string): string {
  const [text, sign = '', whole = '', decimals = ''] = decimalPattern.exec(quantity) ?? [];
  if (text === undefined) return quantity;
  // The text itself is rounded, not the nearest floating-point number.
  threeDecimals ??= new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });
  return `${sign === '' ? '' : '−'}${threeDecimals.format(`${whole}.${decimals}0` as `${number}`)}`;
}

/** Formats a whole number with thousands separators. */
export const formatCount = (count: number): string => groupDigits(String(count));

const grouping = new Intl.NumberFormat('en-US');
const groupDigits = (digits: string): string => grouping.format(BigInt(digits));

/** “1 invoice”, “12 invoices”; the default plural adds an s. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** “this invoice”, “these 12 invoices”. */
export const thisOrThese = (count: number, one: string, many?: string): string =>
  count === 1 ? `this ${one}` : `these ${countOf(count, one, many)}`;

/**
 * Returns “Showing 11-20 of 48 items” (specification 2, section 2); null if there is nothing to show.
 *
 * @param more whether there are more than the total: “of more than 10,000 items”.
 */
export function pagingText(page: number, pageSize: number, total: number, more = false): string | null {
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(page * pageSize, total);
  if (total === 0 || first > last) return null;
  return `Showing ${formatCount(first)}-${formatCount(last)} of ${more ? 'more than ' : ''}${formatCount(total)} items`;
}
