import { sql } from 'kysely';
import type { DeploymentTotals } from '#core/records/deployment-totals.ts';
import type { Instant } from '#core/values/dates.ts';
import { leaseTime } from './leases.ts';
import type { Tx } from './database.ts';
import type { RootWork } from './scope.ts';
import { movedTenants } from './tables.ts';

type Row = Record<'unsearched' | 'queued' | 'running' | 'due' | 'psa' | 'accounting' | 'mails', string> &
  Record<'restored' | 'backedUp', Instant | null>;

const unsearchedClients = sql`(select count(*) from tenants
  where status = 'active' and moved_at is null and ledger_gaps_settled <> noted_gaps())`;

const newestEvent = (action: string) => sql`(select max(at) from deployment_events where action = ${action})`;

export const deploymentTotals = {
  readDeploymentTotals: async ({ tx }: RootWork, now: Instant): Promise<DeploymentTotals> => {
    const { rows } = await sql<Row>`
      select ${unsearchedClients} as unsearched, ${newestEvent('database.restored')} as restored,
             ${newestEvent('database.backed_up')} as "backedUp",
             (select count(*) from jobs where status = 'queued' and tenant_id not in ${movedTenants}) as queued,
             (select count(*) from jobs where status = 'running' and tenant_id not in ${movedTenants}) as running,
             (select coalesce(max(extract(epoch from ${now}::timestamptz - next_sync_at)), 0) from tenants t
               where status = 'active' and next_sync_at <= ${now}
                 and not exists (select from leases l where l.tenant_id = t.id and l.owner is not null and l.ends_at > ${leaseTime})) as due,
             (select count(*) from connections where service = 'psa' and status = 'inactive') as psa,
             (select count(*) from connections where service = 'accounting' and status = 'inactive') as accounting,
             (select count(*) from outbox
               where kind = 'mail' and ended_at is null
                 and (tenant_id is null or tenant_id not in ${movedTenants})) as mails`.execute(tx);
    const [row] = rows;
    return {
      jobs: { queued: Number(row?.queued), running: Number(row?.running) },
      oldestDueSeconds: Number(row?.due),
      connectionsEnded: { psa: Number(row?.psa), accounting: Number(row?.accounting) },
      mailsWaiting: Number(row?.mails),
      clientsUnsearched: Number(row?.unsearched),
      restoredAt: row?.restored ?? null,
      backedUpAt: row?.backedUp ?? null,
    };
  },
};

/** Counts active clients for which the documents lost in a restore were not searched yet. */
export async function countUnsearchedClients(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: string }>`select ${unsearchedClients} as count`.execute(tx);
  return Number(rows[0]?.count);
}
