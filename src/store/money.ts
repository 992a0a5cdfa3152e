import { sql } from 'kysely';
import type { DayOfInvoices, HourOfAttempts } from '#core/records/money.ts';
import type { CalendarDate, Instant } from '#core/values/dates.ts';
import { isOnHold } from './log.ts';
import type { TenantWork } from './scope.ts';

/** Totals of what the log and the ledger know; no service is called. */
export const money = {
  /** Adds up the invoices of each date and currency, as their newest log entries know them; oldest date first. */
  sumInvoicesByDay: async (
    { tx, tenantId }: TenantWork,
    from: CalendarDate,
    through: CalendarDate,
  ): Promise<readonly DayOfInvoices[]> => {
    // `type` is compared with a literal, because PostgreSQL uses the partial index only with this exact condition.
    const { rows } = await sql<DayOfInvoices>`
      with newest as (
        select distinct on (psa_id) psa_id, at, seq, dated, currency, amount from logs
         where tenant_id = ${tenantId}::uuid and type = 'invoice' and amount is not null
           and dated between ${from}::date and ${through}::date
         order by psa_id, at desc, seq desc
      )
      select l.dated as "on", l.currency, count(*) as invoices, sum(l.amount) as invoiced,
             count(posting.total) as "postedInvoices",
             coalesce(sum(case when l.amount < 0 then -posting.total else posting.total end), 0) as posted
      from newest as l
      left join lateral (
        select total from postings
        where tenant_id = ${tenantId}::uuid and kind = 'invoice' and psa_id = l.psa_id
          and status in ('synced', 'unconfirmed')
        order by generation desc, revision desc limit 1
      ) as posting on true
      where not exists (
          select 1 from logs as newer
          where newer.tenant_id = ${tenantId}::uuid and newer.psa_id = l.psa_id
            and (newer.at, newer.seq) > (l.at, l.seq)
            and (newer.type = 'invoice' and newer.amount is not null
              or newer.type = 'void' and newer.success and not newer.is_test)
        )
      group by l.dated, l.currency
      order by l.dated, l.currency
    `.execute(tx);
    return rows;
  },

  /** Returns the place of the newest log entry; null without entries. */
  findNewestLog: async ({ tx, tenantId }: TenantWork): Promise<string | null> => {
    const newest = await tx
      .selectFrom('logs')
      .select(['at', 'seq'])
      .where('tenant_id', '=', tenantId)
      .orderBy('at', 'desc')
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    return newest === undefined ? null : `${newest.at} ${newest.seq}`;
  },

  /** Counts live attempts since a moment by kind and hour; oldest first. */
  countAttemptsByHour: async ({ tx, tenantId }: TenantWork, since: Instant): Promise<readonly HourOfAttempts[]> => {
    const { rows } = await sql<HourOfAttempts>`
      select type as kind, date_trunc('hour', at, 'UTC') as at,
             count(*) filter (where success) as succeeded,
             count(*) filter (where not success and not ${isOnHold}) as failed,
             count(*) filter (where ${isOnHold}) as held
      from logs
      where tenant_id = ${tenantId}::uuid and at >= ${since} and not is_test and not awaits_approval
      group by 1, 2
      order by 2, 1
    `.execute(tx);
    return rows;
  },
};
