import { hostname } from 'node:os';
import { wakeChannel, type Announcements } from '#core/ports/announcements.ts';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { RootStore } from '#core/ports/store.ts';
import { StoreUnavailable } from '#core/ports/unavailable.ts';
import type { TenantContext } from '#flows/context.ts';
import { runTenantSession } from '#flows/sync/job/tenant-session.ts';
import { startConsumer } from './consumer.ts';

/**
 * Tenants that one process works for at once. A cycle with nothing to do waits almost only for the PSA: three calls of up
 * to 300 ms, so that 40 at once are 40 a second, four times what 10,000 tenants need.
 */
const permits = 40;
/** How long a stop waits for the documents under way. */
const stopTimeoutMs = 20_000;

/** A process that syncs. */
export interface Worker {
  /** Finishes the documents under way, begins none, and gives the tenants back. */
  stop(): Promise<void>;
}

/**
 * Works for tenants with something to do: at once when work is saved, and within two seconds whatever was lost in between
 * (a worker that died, an attempt whose waiting time is over). While the database cannot be used, no work is begun; a
 * process whose database lacks something that it uses begins none until it is restarted.
 */
export function startWorker(parts: {
  readonly announcements: Announcements;
  readonly store: RootStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly forTenant: (tenantId: string) => TenantContext;
}): Worker {
  const { announcements, store, clock, logger } = parts;
  const owner = `${hostname()}:${process.pid}:${crypto.randomUUID().slice(0, 8)}`;
  const stopping = new AbortController();
  /** The database cannot be used: no work is begun until it can. */
  let isPaused = false;
  const pause = (error: StoreUnavailable): void => {
    if (!isPaused) logger.error({ error, trouble: error.trouble }, 'the worker pauses: the database cannot be used');
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
      if (!(await canWork())) return [];
      // Until announcements are back, the look itself finds the work.
      await announcements
        .ensure()
        .catch((error: unknown) => logger.warn({ error }, 'announcements cannot be received'));
      return store.dueTenants(clock.now(), limit);
    },
    async handle(tenantId) {
      // The next look finds the tenant again.
      if (isPaused) return;
      try {
        await runTenantSession(parts.forTenant(tenantId), owner, stopping.signal);
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
      stopping.abort();
      await consumer.stop(stopTimeoutMs);
    },
  };
}
