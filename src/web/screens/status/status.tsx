import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DeploymentStatus, RunningProcess } from '#contract/deployment.ts';
import { deploymentQuery } from '../../data/screen-queries.ts';
import { countOf, formatCount, formatRelativeTime } from '../../data/format.ts';
import { useNow } from '../../data/use-now.ts';
import { useTimeZone } from '../../data/use-time-zone.ts';
import { Facts } from '../../components/facts.tsx';
import { Figure, Figures } from '../../components/figures.tsx';
import { Notice } from '../../components/notice.tsx';
import { FailedPanel, Page, Panel } from '../../components/page.tsx';
import { PlainTable } from '../../components/plain-table.tsx';
import { Skeleton } from '../../components/states.tsx';
import { DateTime, RelativeTime } from '../../components/time.tsx';
import { MaintenanceSwitch } from './maintenance-switch.tsx';

/** A backup that is older counts as missing, as in the alert BackupIsOld. */
const maxBackupAgeMs = 2 * 86_400_000;
/** A sync that waits longer has no worker. */
const maxWaitMs = 5 * 60_000;

const roles = { all: 'Server and worker', api: 'Server', worker: 'Worker' } as const;

const incidents = {
  stalled: 'A defect stops all syncs',
  restored: 'The database was restored',
  clock_stepped: 'The clock of the database was set',
} as const;

/** Shows system administrators how the deployment is doing. */
export function Component() {
  const status = useQuery(deploymentQuery());
  return (
    <Page
      title="Status"
      lead="Processes, queue and backups of this deployment."
      actions={status.data !== undefined && <MaintenanceSwitch maintenance={status.data.maintenance} />}
    >
      {status.isLoadingError ? (
        <FailedPanel what="The status" of={status} />
      ) : status.data === undefined ? (
        <Panel>
          <Skeleton width="60%" />
        </Panel>
      ) : (
        <Content status={status.data} />
      )}
    </Page>
  );
}

function Content({ status }: { status: DeploymentStatus }) {
  return (
    <Stack gap="lg">
      <Warnings status={status} />
      <Overview status={status} />
      <Processes processes={status.processes} version={status.version} />
      <Panel title="Deployment">
        <Facts>
          <dt>Version</dt>
          <dd>{status.version}</dd>
          <dt>Pending migrations</dt>
          <dd>{status.pending_migrations.length === 0 ? 'None' : status.pending_migrations.join(', ')}</dd>
          <dt>Emails waiting</dt>
          <dd>{formatCount(status.mails_waiting)}</dd>
          <dt>Last restore</dt>
          <dd>{status.restored_at === null ? 'Never' : <DateTime at={status.restored_at} />}</dd>
          <dt>Last incident</dt>
          <dd>
            <LastIncident incident={status.incident} />
          </dd>
        </Facts>
      </Panel>
    </Stack>
  );
}

/** What an operator has to do something about. */
function Warnings({ status }: { status: DeploymentStatus }) {
  const { maintenance, newer_version: newer, clients_unsearched: unsearched } = status;
  return (
    <>
      {maintenance !== null && (
        <Notice tone="warning">
          Maintenance has been on since <DateTime at={maintenance.since} />. Users see a page, and no sync begins.
          {maintenance.message !== '' && ` Your message: “${maintenance.message}”`}
        </Notice>
      )}
      {status.pending_migrations.length > 0 && (
        <Notice tone="warning">Migrations are pending. Run “tallybridge migrate”.</Notice>
      )}
      {newer !== null && (
        <Notice tone="info">{`Version ${newer} runs on another process. Update the processes with older versions.`}</Notice>
      )}
      {unsearched > 0 && (
        <Notice tone="warning">{`After a restore, documents of ${countOf(unsearched, 'client')} are still searched for in QuickBooks.`}</Notice>
      )}
    </>
  );
}

function Overview({ status: { queue, backed_up_at: backedUpAt, processes } }: { status: DeploymentStatus }) {
  const nowMs = useNow();
  const zone = useTimeZone();
  const ago = (at: string) => formatRelativeTime(at, nowMs, zone);
  const { oldest_waiting_at: oldest } = queue;
  const isLate = oldest !== null && nowMs - Date.parse(oldest) > maxWaitMs;
  const workers = processes.filter(({ role }) => role !== 'api').length;
  const isBackedUp = backedUpAt !== null && nowMs - Date.parse(backedUpAt) < maxBackupAgeMs;
  return (
    <Figures label="Now" columns="repeat(4, 1fr)">
      <Figure
        label="Waiting syncs"
        value={formatCount(queue.waiting)}
        note={oldest === null ? 'No sync waits' : `Oldest: ${ago(oldest)}`}
        {...(isLate && { verdict: 'bad' as const })}
      />
      <Figure label="Running syncs" value={formatCount(queue.running)} note="In all clients" />
      <Figure
        label="Workers"
        value={formatCount(workers)}
        note={workers === 0 ? 'Start a worker' : 'Running now'}
        {...(workers === 0 && { verdict: 'bad' as const })}
      />
      <Figure
        label="Last backup"
        value={backedUpAt === null ? 'Never' : ago(backedUpAt)}
        note={isBackedUp ? 'By “tallybridge backup”' : 'Take a backup every day'}
        verdict={isBackedUp ? 'ok' : 'bad'}
      />
    </Figures>
  );
}

function Processes({ processes, version }: { processes: readonly RunningProcess[]; version: string }) {
  return (
    <Panel title="Processes" flush>
      <PlainTable
        label="Running processes"
        heads={['Process', 'Host', 'Version', 'Running since', { end: 'Clients in work' }]}
      >
        <tbody>
          {processes.map(({ role, host, version: own, started_at: startedAt, clients }) => (
            <tr key={`${role} ${host} ${startedAt}`}>
              <td>{roles[role]}</td>
              <td>{host}</td>
              <td>{own === version ? own : `${own} (this server: ${version})`}</td>
              <td>
                <RelativeTime at={startedAt} />
              </td>
              <td data-end>{role === 'api' ? '' : formatCount(clients)}</td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </Panel>
  );
}

function LastIncident({ incident }: Pick<DeploymentStatus, 'incident'>) {
  if (incident === null) return 'None in 30 days';
  return (
    <>
      {incidents[incident.kind]}
      {incident.client !== null && ` of ${incident.client}`}, <RelativeTime at={incident.at} />
    </>
  );
}
