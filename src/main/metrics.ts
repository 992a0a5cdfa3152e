import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CountedUnexpected } from '#core/records/unexpected-answers.ts';
import type { MaintenanceWatch } from '#core/records/maintenance.ts';
import type { DeploymentTotals } from '#core/records/deployment-totals.ts';
import { epochMs } from '#core/values/dates.ts';

/** Details of one outgoing call, as reported by the connectors. */
interface OutsideCall {
  readonly service: 'psa' | 'accounting';
  readonly operation: string;
  readonly status: number | null;
  readonly durationMs: number;
}

/**
 * Measures every call to the external services: number, outcome and duration. Labels are names defined by us, never an
 * id or an address.
 */
export function measureOutsideCalls(registry: Registry): (call: OutsideCall) => void {
  const calls = new Counter({
    name: 'tallybridge_outside_calls_total',
    help: 'Calls to the PSA and QuickBooks, by status of the response; `none` without a complete response.',
    labelNames: ['service', 'operation', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'tallybridge_outside_call_seconds',
    help: 'Duration of calls to the PSA and QuickBooks in seconds.',
    labelNames: ['service', 'operation'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [registry],
  });
  return ({ service, operation, status, durationMs }) => {
    calls.inc({ service, operation, status: status ?? 'none' });
    seconds.observe({ service, operation }, durationMs / 1_000);
  };
}

/** Counts the documents whose attempts ended in this process, by kind and outcome. */
export function measureDocuments(registry: Registry): (kind: string, outcome: string) => void {
  const documents = new Counter({
    name: 'tallybridge_documents_total',
    help: 'Documents whose sync ended: done, skipped, refused, postponed or simulated.',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  });
  return (kind, outcome) => documents.inc({ kind, outcome });
}

/** Counts answers of the services that contradict a fact of `docs/facts`. */
export function measureUnexpected(registry: Registry): (answer: CountedUnexpected) => void {
  const answers = new Counter({
    name: 'tallybridge_unexpected_answers_total',
    help: 'Answers of the PSA and QuickBooks that contradict what the program relies on, by fact and kind.',
    labelNames: ['service', 'fact', 'kind'],
    registers: [registry],
  });
  return ({ service, fact, kind, count }) => answers.inc({ service, fact, kind }, count);
}

/** Exports the version and role of this process. */
export function measureVersion(registry: Registry, version: string, role: string): void {
  new Gauge({
    name: 'tallybridge_build_info',
    help: 'Always 1; the version and role of the process are labels.',
    labelNames: ['version', 'role'],
    registers: [registry],
  }).set({ version, role }, 1);
}

/** Measures the connections of this process to its database. */
export function measurePool(
  registry: Registry,
  pool: { readonly totalCount: number; readonly idleCount: number; readonly waitingCount: number },
): void {
  registry.registerMetric(
    new Gauge({
      name: 'tallybridge_database_connections',
      help: 'Database connections of the process that are used or idle, and requests that wait for one.',
      labelNames: ['state'],
      registers: [],
      collect() {
        this.set({ state: 'used' }, pool.totalCount - pool.idleCount);
        this.set({ state: 'idle' }, pool.idleCount);
        this.set({ state: 'waiting' }, pool.waitingCount);
      },
    }),
  );
}

/** Measures the whole deployment with one query whenever the metrics are read; no values while the database is down. */
export function measureDeployment(registry: Registry, read: () => Promise<DeploymentTotals>): void {
  let reading: Promise<DeploymentTotals | null> | undefined;
  const current = () =>
    (reading ??= read()
      .catch(() => null)
      .finally(() => (reading = undefined)));
  const gauge = (
    name: string,
    help: string,
    labelNames: readonly string[],
    set: (to: Gauge, now: DeploymentTotals) => void,
  ) =>
    registry.registerMetric(
      new Gauge({
        name,
        help,
        labelNames,
        registers: [],
        async collect() {
          const totals = await current();
          this.reset();
          if (totals !== null) set(this, totals);
        },
      }),
    );
  gauge('tallybridge_jobs', 'Jobs that wait or run.', ['state'], (to, { jobs }) => {
    to.set({ state: 'queued' }, jobs.queued);
    to.set({ state: 'running' }, jobs.running);
  });
  gauge(
    'tallybridge_oldest_due_seconds',
    'Seconds for which the client that waits longest for a worker has been due.',
    [],
    (to, { oldestDueSeconds }) => to.set(oldestDueSeconds),
  );
  gauge(
    'tallybridge_connections_ended',
    'Clients whose connection ended, by service.',
    ['service'],
    (to, { connectionsEnded }) => {
      to.set({ service: 'psa' }, connectionsEnded.psa);
      to.set({ service: 'accounting' }, connectionsEnded.accounting);
    },
  );
  gauge('tallybridge_mails_waiting', 'Emails that are not sent yet.', [], (to, { mailsWaiting }) =>
    to.set(mailsWaiting),
  );
  gauge(
    'tallybridge_clients_unsearched',
    'Clients for which documents that a restore may have lost were not searched in QuickBooks yet.',
    [],
    (to, { clientsUnsearched }) => to.set(clientsUnsearched),
  );
  gauge('tallybridge_restored_timestamp_seconds', 'When the last restore was recorded.', [], (to, { restoredAt }) => {
    if (restoredAt !== null) to.set(epochMs(restoredAt) / 1_000);
  });
  gauge('tallybridge_backup_timestamp_seconds', 'When the last backup was written.', [], (to, { backedUpAt }) => {
    if (backedUpAt !== null) to.set(epochMs(backedUpAt) / 1_000);
  });
}

/** Measures whether maintenance is on, so that alerts about resting workers do not fire. */
export function measureMaintenance(registry: Registry, maintenance: MaintenanceWatch): void {
  registry.registerMetric(
    new Gauge({
      name: 'tallybridge_maintenance',
      help: '1 while maintenance is on, otherwise 0.',
      registers: [],
      collect() {
        this.set(maintenance.current() === null ? 0 : 1);
      },
    }),
  );
}

/** Measures how many clients are stalled by a defect; queries the database whenever the metrics are read. */
export function measureStalls(registry: Registry, count: () => Promise<number>): void {
  const gauge = new Gauge({
    name: 'tallybridge_clients_stalled',
    help: 'Clients whose sync is stalled because a defect ends every session.',
    registers: [],
    async collect() {
      this.set(await count());
    },
  });
  registry.registerMetric(gauge);
}

/** Measures the metered calls of all clients this month, and what the tier of the application includes. */
export function measureReads(registry: Registry, count: () => Promise<number>, share: number | null): void {
  if (share !== null)
    new Gauge({
      name: 'tallybridge_quickbooks_reads_share',
      help: 'Metered calls a month that the tier at Intuit includes; absent without a limit.',
      registers: [registry],
    }).set(share);
  registry.registerMetric(
    new Gauge({
      name: 'tallybridge_quickbooks_reads_this_month',
      help: 'Metered calls to QuickBooks this month: reads and batches. Intuit counts them for the application as a whole.',
      registers: [],
      async collect() {
        this.set(await count());
      },
    }),
  );
}

/** Measures how the deployment's time differs from the clock of its database; the clock is that of this process. */
export function measureClock(registry: Registry, clock: { aheadSeconds(): number; steps(): number }): void {
  for (const [name, help, read] of [
    [
      'tallybridge_clock_ahead_seconds',
      'Seconds by which product time is ahead of the database clock.',
      () => clock.aheadSeconds(),
    ],
    [
      'tallybridge_clock_steps',
      'How often the clock of the database was set while it was in use.',
      () => clock.steps(),
    ],
  ] as const)
    registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(read());
        },
      }),
    );
}
