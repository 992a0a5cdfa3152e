/** How values are set on the screen. Amounts come as decimal text and are never turned into binary floats. */

const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto', style: 'short' });
const clock = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' });
const weekday = new Intl.DateTimeFormat('en-US', { weekday: 'short', hour: 'numeric', minute: '2-digit' });
const dayOfYear = new Intl.DateTimeFormat('en-US', {
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});
const full = new Intl.DateTimeFormat('en-US', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
});
const stamp = new Intl.DateTimeFormat('en-US', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
});
const day = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' });
const minuteMs = 60_000;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/**
 * An instant as a person would say it: “just now”, “2 min. ago”, “2:30 PM”, “yesterday, 2:30 PM”, “Mon 9:15 AM”,
 * “Mar 3, 9:15 AM”, in the reader's own time zone.
 *
 * @param at ISO 8601 with a zone.
 */
export function sayWhen(at: string, nowMs: number): string {
  const ms = Date.parse(at);
  const age = nowMs - ms;
  if (age < minuteMs && age > -minuteMs) return 'just now';
  if (age > 0 && age < hourMs) return relative.format(-Math.round(age / minuteMs), 'minute');
  const days = Math.round((startOfLocalDay(nowMs) - startOfLocalDay(ms)) / dayMs);
  if (days === 0) return clock.format(ms);
  if (days === 1) return `yesterday, ${clock.format(ms)}`;
  if (days > 1 && days < 7) return weekday.format(ms);
  return days < 300 && days > 0 ? dayOfYear.format(ms) : stamp.format(ms);
}

const startOfLocalDay = (ms: number): number => new Date(ms).setHours(0, 0, 0, 0);

/** Date and time to the minute, in the reader's time zone. */
export const setDateTime = (at: string): string => stamp.format(Date.parse(at));

/** The day alone, e.g. “Mar 3”, in the reader's time zone. */
export const setDay = (at: string): string => day.format(Date.parse(at));

/** Date and time to the second with the zone, for tooltips. */
export const setExactTime = (at: string): string => full.format(Date.parse(at));

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
 * An amount with its currency: `$1,234.50` for US dollars, `CAD 1,234.50` for any other; without a currency the amount
 * alone.
 *
 * @param currency three letters, or null when it is not known.
 */
export function setMoney(amount: string, currency: string | null): string {
  const set = setAmount(amount);
  if (currency === null) return set;
  return currency === 'USD' ? set.replace(/^(−?)/, '$1$$') : `${currency} ${set}`;
}

/** A quantity with at most three decimals and none that say nothing: `3.500` → `3.5`. */
export function setQuantity(quantity: string): string {
  const [, sign = '', whole = '', decimals = ''] = decimalPattern.exec(quantity) ?? [];
  if (whole === '') return quantity;
  const kept = decimals.slice(0, 3).replace(/0+$/, '');
  return `${sign === '' ? '' : '−'}${groups(whole)}${kept === '' ? '' : `.${kept}`}`;
}

/** A whole number with thousands set apart. */
export const setCount = (count: number): string => groups(String(count));

const groups = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, ',');

/** “1 invoice”, “12 invoices”; the plural adds an s unless it is given. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${setCount(count)} ${count === 1 ? one : many}`;

/** “Showing 11-20 of 48 items”, the specified words whatever the numbers; null when there is nothing to show. */
export function pagingText(page: number, pageSize: number, total: number): string | null {
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(page * pageSize, total);
  if (total === 0 || first > last) return null;
  return `Showing ${setCount(first)}-${setCount(last)} of ${setCount(total)} items`;
}
