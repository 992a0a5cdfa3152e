import { SpanStatusCode, trace } from '@opentelemetry/api';
import { wakeChannel, type Announcements } from '#core/ports/announcements.ts';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import { type MaintenanceWatch, neverInMaintenance } from '#core/records/maintenance.ts';
import type { RootStore } from '#store/root-store.ts';
import { StoreUnavailable } from '#core/records/unavailable.ts';
import { ProcessStopping } from '#core/stopping.ts';
import type { TenantContext } from '#flows/context.ts';
import { runTenantSession } from '#flows/sync/job/tenant-session.ts';
import { startConsumer } from './consumer.ts';

/**
 * Maximum tenants that one process works for at once. A cycle without work mostly waits for the PSA: three calls of up
 * to 300 ms, so 40 at once handle 40 per second, four times what 10,000 tenants need.
 */
const permits = 40;
/** Milliseconds that a stop waits for the calls in progress. */
const stopTimeoutMs = 20_000;

/** A process that syncs. */
export interface Worker {
  /** Finishes the calls in progress, sends no others, and releases the tenants. */
  stop(): Promise<void>;
}

/**
 * Works for tenants that have work: immediately when work is saved, and within two seconds after a worker died or an
 * attempt's wait ended. While the database cannot be used, no work is started. A process whose database lacks something
 * it uses starts no work until it is restarted.
 */
export function startWorker(parts: {
  readonly announcements: Announcements;
  readonly store: RootStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly forTenant: (tenantId: string) => TenantContext;
  /** During maintenance no work is started, and work in progress ends as when the process stops. */
  readonly maintenance?: MaintenanceWatch;
  /** Notices a restore of the database before work continues after a lost connection. */
  readonly verify?: () => Promise<void>;
  /** Name that owns the leases, with the id in the name of the process’s connections; unique by default. */
  readonly owner?: string;
}): Worker {
  const { announcements, store, clock, logger, maintenance = neverInMaintenance } = parts;
  const owner = parts.owner ?? crypto.randomUUID();
  const stopping = new AbortController();
  /** Aborted when maintenance begins. */
  let resting = new AbortController();
  const isResting = (): boolean => {
    const isOn = maintenance.current() !== null;
    if (isOn) resting.abort(new ProcessStopping());
    else if (resting.signal.aborted) resting = new AbortController();
    return isOn;
  };
  /** The database cannot be used, so no work is started. */
  let isPaused = false;
  const pause = (error: StoreUnavailable): void => {
    if (!isPaused) logger.error({ error, failure: error.failure }, 'the worker pauses: the database cannot be used');
    isPaused = true;
  };
  const canWork = async (): Promise<boolean> => {
    if (!isPaused) return true;
    if (!(await store.ready())) return false;
    logger.info({}, 'the worker resumes: the database can be used again');
    isPaused = false;
    return true;
  };
  const consumer = startConsumer({
    permits,
    async look(limit) {
      if (isResting() || !(await canWork())) return [];
      // Until announcements are received again, the search finds the work.
      await announcements
        .ensure()
        .catch((error: unknown) => logger.warn({ error }, 'announcements cannot be received'));
      return store.dueTenants(clock.now(), limit);
    },
    async handle(tenantId) {
      // The next search finds the tenant again.
      if (isPaused || isResting()) return;
      try {
        await parts.verify?.();
        const stop = AbortSignal.any([stopping.signal, resting.signal]);
        await traced(tenantId, () => runTenantSession(parts.forTenant(tenantId), owner, stop));
      } catch (error) {
        if (error instanceof StoreUnavailable) pause(error);
        else logger.error({ tenantId, error }, 'work for a tenant failed');
        throw error;
      }
    },
    onError: (error) => logger.warn({ error }, 'the tables could not be asked for work'),
  });
  announcements.on(wakeChannel, (tenantId) => consumer.wake(tenantId));
  return {
    async stop() {
      stopping.abort(new ProcessStopping());
      await consumer.stop(stopTimeoutMs);
    },
  };
}

/** Makes a span of a client's work, to which its calls to services belong; without a collector it does nothing. */
const traced = (tenantId: string, work: () => Promise<void>): Promise<void> =>
  trace.getTracer('tallybridge').startActiveSpan('work for a client', async (span) => {
    span.setAttribute('tallybridge.client_id', tenantId);
    try {
      await work();
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
