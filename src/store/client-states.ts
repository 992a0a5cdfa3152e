import { sql } from 'kysely';
import type { ClientFilter, ClientPage, ClientState } from '#core/records/client-states.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { RootWork } from './scope.ts';

const daySeconds = 86_400;
const shownDays = 14;
/** Jobs of a client that its figures are counted from; an active client has about 4,000 in 14 days. */
const maxJobs = 5_000;

export const clientStates = {
  /** Lists clients; those that need help come first, then by name. */
  listClientStates: async (
    { tx }: RootWork,
    { text, needsHelp, page, pageSize, now }: ClientFilter & { readonly now: Instant },
  ): Promise<ClientPage> => {
    const found = sql`
      select t.id, t.name, t.status, stalls.since as "stalledSince",
             psa.status as psa, accounting.status as accounting, accounting.consent_ends_at as "consentEndsAt",
             t.status = 'active' and (
               stalls.since is not null or psa.status is distinct from 'active'
               or accounting.status is distinct from 'active'
             ) as "needsHelp"
      from tenants t
      left join stalls on stalls.tenant_id = t.id
      left join connections psa on psa.tenant_id = t.id and psa.service = 'psa'
      left join connections accounting on accounting.tenant_id = t.id and accounting.service = 'accounting'
      where strpos(lower(t.name), lower(${text})) > 0
    `;
    const { rows: counts } = await sql<{ total: number; needingHelp: number }>`
      select count(*)::int as total, (count(*) filter (where "needsHelp"))::int as "needingHelp" from (${found}) as c
    `.execute(tx);
    const since = addSeconds(now, -shownDays * daySeconds);
    const yesterday = addSeconds(now, -daySeconds);
    const { rows } = await sql<ClientState>`
      select c.*, figures.*
      from (
        select * from (${found}) as every_client
        where ${!needsHelp} or "needsHelp"
        order by "needsHelp" desc, lower(name), id
        limit ${pageSize} offset ${(page - 1) * pageSize}
      ) as c
      cross join lateral (
        with newest as (
          select finished_at, succeeded, failed, held from jobs
          where tenant_id = c.id and mode = 'live' and finished_at is not null
          order by seq desc limit ${maxJobs}
        )
        select max(finished_at) as "lastSyncedAt",
               coalesce(sum(failed) filter (where finished_at >= ${yesterday}), 0)::int as failed,
               coalesce(sum(held) filter (where finished_at >= ${yesterday}), 0)::int as held,
               (
                 select json_agg(coalesce(posted, 0) order by day)
                 from generate_series(0, ${shownDays - 1}) as day
                 left join (
                   select ${shownDays - 1} - floor(extract(epoch from ${now}::timestamptz - finished_at) / ${daySeconds})::int as day,
                          sum(succeeded)::int as posted
                   from newest where finished_at > ${since}
                   group by 1
                 ) as days using (day)
               ) as "postedByDay"
        from newest
      ) as figures
      order by "needsHelp" desc, lower(name), id
    `.execute(tx);
    return { ...(counts[0] ?? { total: 0, needingHelp: 0 }), clients: rows };
  },
};
