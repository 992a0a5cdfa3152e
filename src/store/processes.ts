import { hostname } from 'node:os';
import { sql } from 'kysely';
import type { Incident, ProcessRole, RunningProcess } from '#core/records/deployment-status.ts';
import { addSeconds, instant, type Instant } from '#core/values/dates.ts';
import type { Tx } from './database.ts';
import { leaseTime } from './leases.ts';
import type { RootWork } from './scope.ts';

/** PostgreSQL cuts names of connections after this many bytes. */
const maxNameBytes = 63;
const incidentDays = 30;
const daySeconds = 86_400;

/** Returns a new id of a process: processes in containers may have the same pid. */
export const newProcessId = (): string => crypto.randomUUID().slice(0, 8);

/** Returns the name with which the worker of a process owns leases. */
export const leaseOwner = (id: string): string => `${hostname()}:${process.pid}:${id}`;

/**
 * Returns the name of a process’s connections. It says which process it is, so PostgreSQL’s list of connections is also
 * the list of running processes. The host comes last, because long names are cut.
 *
 * @param id of {@link newProcessId}.
 */
export function processName(role: ProcessRole, version: string, id: string): string {
  const startedAt = Math.floor(performance.timeOrigin / 1_000).toString(36);
  return `tallybridge ${role} ${version} ${id} ${startedAt} ${hostname()}`.slice(0, maxNameBytes);
}

/** SQL pattern of the connections that processes open; those of commands have other names. */
export const processNamePattern = '^tallybridge( (all|api|worker) .*)?$';

const processParts = /^tallybridge (all|api|worker) (\S+) ([\da-f]{8}) ([a-z\d]+) (.*)$/;

export const processes = {
  /** Lists the running processes with the number of clients that each holds. */
  listProcesses: async ({ tx }: RootWork): Promise<readonly RunningProcess[]> => {
    const { rows } = await sql<{ name: string }>`
      select distinct application_name as name from pg_stat_activity
       where datname = current_database() and application_name ~ ${processNamePattern} order by 1`.execute(tx);
    const { rows: leases } = await sql<{ owner: string; clients: number }>`
      select owner, count(*)::int as clients from leases
       where owner is not null and ends_at > ${leaseTime} group by owner`.execute(tx);
    return rows.flatMap(({ name }): readonly RunningProcess[] => {
      const [, role, version = '', id = '', startedAt = '', host = ''] = processParts.exec(name) ?? [];
      if (role === undefined) return [];
      const held = leases.filter(({ owner }) => owner.endsWith(`:${id}`));
      return [
        {
          role: role as ProcessRole,
          version,
          host,
          startedAt: instant(Number.parseInt(startedAt, 36) * 1_000),
          clients: held.reduce((sum, { clients }) => sum + clients, 0),
        },
      ];
    });
  },

  /** Returns when the job that waits longest was submitted, and the newest incident of the last 30 days. */
  readTroubles: async ({
    tx,
    clock,
  }: RootWork): Promise<{ readonly oldestWaitingAt: Instant | null; readonly incident: Incident | null }> => {
    const { rows: waiting } = await sql<{ at: Instant | null }>`
      select min(created_at) as at from jobs where status = 'queued'`.execute(tx);
    const { rows } = await sql<Incident>`
      select * from (
        select since as at, 'stalled' as kind, t.name as client from stalls join tenants t on t.id = stalls.tenant_id
        union all
        select at, replace(replace(action, 'database.', ''), 'clock.', 'clock_'), null from deployment_events
         where action in ('database.restored', 'clock.stepped')
      ) as incidents
      where at > ${addSeconds(clock.now(), -incidentDays * daySeconds)}
      order by at desc limit 1`.execute(tx);
    return { oldestWaitingAt: waiting[0]?.at ?? null, incident: rows[0] ?? null };
  },
};

/** Counts the clients that workers hold now. */
export async function countHeldClients(tx: Tx): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from leases where owner is not null and ends_at > ${leaseTime}`.execute(tx);
  return rows[0]?.count ?? 0;
}
