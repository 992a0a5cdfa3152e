import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

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
    help: 'Calls to the PSA and the books, by the status of the answer; `none` when no whole answer came.',
    labelNames: ['service', 'operation', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'tallybridge_outside_call_seconds',
    help: 'Duration of calls to the PSA and the books in seconds.',
    labelNames: ['service', 'operation'],
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [registry],
  });
  return ({ service, operation, status, durationMs }) => {
    calls.inc({ service, operation, status: status ?? 'none' });
    seconds.observe({ service, operation }, durationMs / 1_000);
  };
}

/** Measures how many clients are stalled by a defect; queries the database whenever the metrics are read. */
export function measureStalls(registry: Registry, count: () => Promise<number>): void {
  const gauge = new Gauge({
    name: 'tallybridge_clients_standing_still',
    help: 'Clients for which nothing goes on, because a defect ends every session.',
    registers: [],
    async collect() {
      this.set(await count());
    },
  });
  registry.registerMetric(gauge);
}

/** Measures the QuickBooks reads of all clients that count toward this month's limit of the application. */
export function measureReads(registry: Registry, count: () => Promise<number>): void {
  registry.registerMetric(
    new Gauge({
      name: 'tallybridge_quickbooks_reads_this_month',
      help: 'Calls of this month that only read QuickBooks; Intuit limits them for the application as a whole.',
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
      'Seconds by which time goes ahead of the clock of the database.',
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
