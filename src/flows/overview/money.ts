import { LRUCache } from 'lru-cache';
import { inParallel } from '#core/in-parallel.ts';
import type { DayOfInvoices, HourOfAttempts } from '#core/records/money.ts';
import { firstDay, lastDay, monthOf, previousMonth } from '#core/reconciliation/month.ts';
import {
  addDays,
  addSeconds,
  dateIn,
  daysBetween,
  epochMs,
  instant,
  secondsBetween,
  type CalendarDate,
  type Instant,
} from '#core/values/dates.ts';
import { sum } from '#core/values/decimal.ts';
import { cachedHomeCurrency } from '../connections/cached-lists.ts';
import type { TenantContext } from '../context.ts';

/** Totals of the invoices that are dated within a period, in one currency. */
export interface PeriodTotals extends Omit<DayOfInvoices, 'on' | 'currency'> {
  readonly from: CalendarDate;
  readonly through: CalendarDate;
}

export interface Money {
  /** Currency of all amounts; null without invoices. */
  readonly currency: string | null;
  readonly from: CalendarDate;
  readonly through: CalendarDate;
  /** Since the first of the 30 days or of this month, oldest first; only days with invoices. */
  readonly days: readonly DayOfInvoices[];
  readonly thisMonth: PeriodTotals;
  /** The same days of the month before. */
  readonly lastMonth: PeriodTotals;
  readonly otherCurrencies: readonly { readonly currency: string; readonly invoices: number }[];
  /** Start of the first of the 24 hours. */
  readonly hoursFrom: Instant;
  readonly hours: readonly HourOfAttempts[];
}

const shownDays = 30;
const shownHours = 24;
const hourMs = 3_600_000;

/** Seconds for which a result is used again. A posting can change without a log entry. */
const maxAgeSeconds = 60;
/** A result about more documents than this is used again even if there are newer log entries: it takes long to read. */
const maxAlwaysCurrent = 5_000;
/** Clients whose result is cached. A result has at most 62 days and 24 hours. */
const maxCached = 500;

interface Cached {
  /** Equal keys give equal results, except for changes without a log entry. */
  readonly key: string;
  readonly newestLog: string | null;
  readonly at: Instant;
  readonly money: Promise<Money>;
  isLarge: boolean;
}

const cached = new LRUCache<string, Cached>({ max: maxCached });

/** Dates and times of the totals. */
interface Span {
  readonly from: CalendarDate;
  readonly through: CalendarDate;
  readonly thisFirst: CalendarDate;
  readonly lastFirst: CalendarDate;
  readonly lastThrough: CalendarDate;
  readonly hoursFrom: Instant;
}

/**
 * Returns what was invoiced and posted in the last 30 days, this month and the month before, and the attempts of the
 * last 24 hours. Dates are days of the client's time zone. Calls no service: an invoice that no sync or test has read
 * yet is not included. Parallel calls of a client share one reading, and its result is used again until the log grows;
 * that of a large client for a minute.
 */
export async function readMoney(context: TenantContext): Promise<Money> {
  const { tenantId, clock, store } = context;
  const [{ timeZone }, newestLog, homeCurrency] = await inParallel([
    store.readTenant(),
    store.findNewestLog(),
    cachedHomeCurrency({ store }),
  ]);
  const at = clock.now();
  const span = spanOf(at, timeZone);
  const key = `${span.through} ${span.hoursFrom} ${homeCurrency}`;
  const known = cached.get(tenantId);
  if (known !== undefined && known.key === key && secondsBetween(known.at, at) < maxAgeSeconds)
    if (known.isLarge || known.newestLog === newestLog) return known.money;
  const money = readTotals(context, span, homeCurrency);
  const entry: Cached = { key, newestLog, at, money, isLarge: false };
  cached.set(tenantId, entry);
  try {
    const { days, hours, lastMonth } = await money;
    const documents = [...days, lastMonth].reduce((sum, { invoices }) => sum + invoices, 0);
    const attempts = hours.reduce((sum, { succeeded, failed, held }) => sum + succeeded + failed + held, 0);
    entry.isLarge = documents + attempts > maxAlwaysCurrent;
  } catch (error) {
    if (cached.get(tenantId) === entry) cached.delete(tenantId);
    throw error;
  }
  return money;
}

function spanOf(now: Instant, timeZone: string): Span {
  const through = dateIn(now, timeZone);
  const thisFirst = firstDay(monthOf(through));
  const before = previousMonth(monthOf(through));
  const lastFirst = firstDay(before);
  const thisHour = instant(Math.floor(epochMs(now) / hourMs) * hourMs);
  return {
    from: addDays(through, 1 - shownDays),
    through,
    thisFirst,
    lastFirst,
    lastThrough: earlier(addDays(lastFirst, daysBetween(thisFirst, through)), lastDay(before)),
    hoursFrom: addSeconds(thisHour, (-(shownHours - 1) * hourMs) / 1_000),
  };
}

const readTotals = (
  context: TenantContext,
  { from, through, thisFirst, lastFirst, lastThrough, hoursFrom }: Span,
  homeCurrency: string | null,
): Promise<Money> =>
  context.store.readInOneTransaction(async (store) => {
    const [found, hours] = await inParallel([
      store.sumInvoicesByDay(earlier(from, lastFirst), through),
      store.countAttemptsByHour(hoursFrom),
    ]);
    const shown = found.filter(({ on }) => on >= from);
    const currency = homeCurrency ?? usualCurrency(found);
    const own = found.filter((day) => (day.currency ?? homeCurrency) === currency);
    const others = Map.groupBy(
      shown.filter((day) => !own.includes(day)),
      (day) => day.currency ?? 'unknown',
    );
    const within = (first: CalendarDate, last: CalendarDate): PeriodTotals => {
      const days = own.filter(({ on }) => on >= first && on <= last);
      return { from: first, through: last, ...totalsOf(days) };
    };
    const daysFrom = earlier(from, thisFirst);
    return {
      currency,
      from,
      through,
      days: [
        ...Map.groupBy(
          own.filter(({ on }) => on >= daysFrom),
          ({ on }) => on,
        ),
      ].map(([on, days]) => ({ on, currency, ...totalsOf(days) })),
      thisMonth: within(thisFirst, through),
      lastMonth: within(lastFirst, lastThrough),
      otherCurrencies: [...others].map(([name, days]) => ({ currency: name, invoices: totalsOf(days).invoices })),
      hoursFrom,
      hours,
    };
  });

const totalsOf = (days: readonly DayOfInvoices[]): Omit<DayOfInvoices, 'on' | 'currency'> => ({
  invoices: days.reduce((count, { invoices }) => count + invoices, 0),
  invoiced: sum(days.map(({ invoiced }) => invoiced)),
  postedInvoices: days.reduce((count, { postedInvoices }) => count + postedInvoices, 0),
  posted: sum(days.map(({ posted }) => posted)),
});

const earlier = (one: CalendarDate, other: CalendarDate): CalendarDate => (one < other ? one : other);

/** Returns the currency of most invoices; null if none is known. */
function usualCurrency(days: readonly DayOfInvoices[]): string | null {
  const counts = [...Map.groupBy(days, ({ currency }) => currency)].map(
    ([currency, own]) => [currency, totalsOf(own).invoices] as const,
  );
  return counts.toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}
