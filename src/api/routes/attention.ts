import type { AttentionGroup } from '#core/attention.ts';
import { countByState } from '#core/attention.ts';
import { readAttention } from '#flows/attention/list.ts';
import { readThisMonth } from '#flows/close/this-month.ts';
import { readMoney, type PeriodTotals } from '#flows/overview/money.ts';
import { serve, type Serving } from '../serve.ts';
import { toDocumentHead } from './wire.ts';

export function attentionRoutes(serving: Serving): void {
  serve(serving, 'listAttention', async ({ context }) => {
    const { groups, changed, left } = await readAttention(context);
    return {
      data: {
        ...countByState(groups),
        groups: groups.map(toGroup),
        changed_since: changed.map(({ month, count, amounts }) => ({ month, count, amounts: [...amounts] })),
        left_out: left.map(({ kind, because, count, amounts, psaIds }) => ({
          type: kind,
          because,
          count,
          amounts: [...amounts],
          entityids: [...psaIds],
        })),
      },
    };
  });

  serve(serving, 'readMonth', async ({ context }) => {
    const { from, through, currencies, unsynced } = await readThisMonth(context);
    return {
      data: {
        from,
        through,
        currencies: currencies.map((one) => ({
          currency: one.currency,
          psa_count: one.psaCount,
          psa_total: one.psaTotal,
          books_count: one.booksCount,
          books_total: one.booksTotal,
          difference: one.difference,
        })),
        unsynced: { count: unsynced.count, oldest_id: unsynced.oldestId },
      },
    };
  });

  serve(serving, 'readMoney', async ({ context }) => {
    const { currency, from, through, days, thisMonth, lastMonth, otherCurrencies, hoursFrom, hours } =
      await readMoney(context);
    return {
      data: {
        currency,
        from,
        through,
        days: days.map((day) => ({ date: day.on, ...toTotals(day) })),
        this_month: { from: thisMonth.from, through: thisMonth.through, ...toTotals(thisMonth) },
        last_month: { from: lastMonth.from, through: lastMonth.through, ...toTotals(lastMonth) },
        other_currencies: otherCurrencies.map((one) => ({ ...one })),
        hours_from: hoursFrom,
        hours: hours.map(({ kind, at, succeeded, failed }) => ({ type: kind, at, synced: succeeded, failed })),
      },
    };
  });
}

const toTotals = (totals: Omit<PeriodTotals, 'from' | 'through'>) => ({
  invoices: totals.invoices,
  invoiced: totals.invoiced,
  posted_invoices: totals.postedInvoices,
  posted: totals.posted,
});

const toGroup = ({ documents, repairs, ...group }: AttentionGroup) => ({
  ...group,
  repairs: repairs.map((one) => ({ ...one })),
  documents: documents.map((one) => ({
    type: one.type,
    entityid: one.psaId,
    ...toDocumentHead(one),
    message: one.message,
    log_key: one.key,
    at: one.at,
    tested: one.testedSince,
  })),
});
