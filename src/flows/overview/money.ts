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

/**
 * Returns what was invoiced and posted in the last 30 days, this month and the month before, and the attempts of the
 * last 24 hours. Dates are days of the client's time zone. Calls no service: an invoice that no sync or test has read
 * yet is not included.
 */
export const readMoney = (context: TenantContext): Promise<Money> =>
  context.store.readInOneTransaction(async (store) => {
    const { timeZone } = await store.readTenant();
    const now = context.clock.now();
    const through = dateIn(now, timeZone);
    const from = addDays(through, 1 - shownDays);
    const thisFirst = firstDay(monthOf(through));
    const before = previousMonth(monthOf(through));
    const lastFirst = firstDay(before);
    const lastThrough = earlier(addDays(lastFirst, daysBetween(thisFirst, through)), lastDay(before));
    const thisHour = instant(Math.floor(epochMs(now) / hourMs) * hourMs);
    const hoursFrom = addSeconds(thisHour, (-(shownHours - 1) * hourMs) / 1_000);
    const [found, hours, homeCurrency] = await inParallel([
      store.sumInvoicesByDay(earlier(from, lastFirst), through),
      store.countAttemptsByHour(hoursFrom),
      cachedHomeCurrency({ store }),
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
