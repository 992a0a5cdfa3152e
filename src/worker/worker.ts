import { hostname } from 'node:os';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { RootStore } from '#core/ports/store.ts';
import type { TenantContext } from '#flows/context.ts';
import { runTenantSession } from '#flows/sync/job/tenant-session.ts';
import { openQueue } from './queue.ts';
import { startSchedule } from './schedule.ts';
import { startMaintenance } from './maintenance.ts';

/**
 * Tenants that one process works for at once. A cycle with nothing to do waits almost only for the PSA: three calls of up
 * to 300 ms, so that 40 at once are 40 a second, four times what 10,000 tenants need.
 */
const concurrency = 40;

export interface Worker {
  /** Finishes the documents under way, begins none, and gives the tenants back. */
  stop(): Promise<void>;
}

/** Starts to take tenants from the queue and to wake those that have work. */
export async function startWorker(parts: {
  readonly connectionString: string;
  readonly store: RootStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly forTenant: (tenantId: string) => TenantContext;
  /** Looks after a tenant's connection that nobody uses, when its time has come. */
  readonly maintain: (tenantId: string) => Promise<void>;
}): Promise<Worker> {
  const { logger } = parts;
  const owner = `${hostname()}:${process.pid}:${crypto.randomUUID().slice(0, 8)}`;
  const stopping = new AbortController();
  const queue = await openQueue(parts.connectionString, logger);
  await queue.work(async (tenantId) => {
    try {
      await runTenantSession(parts.forTenant(tenantId), owner, stopping.signal);
    } catch (error) {
      logger.error({ tenantId, error }, 'work for a tenant failed');
      throw error;
    }
  }, concurrency);
  const schedule = await startSchedule({ ...parts, queue });
  const maintenance = startMaintenance(parts);
  return {
    async stop() {
      stopping.abort();
      await Promise.all([schedule.stop(), maintenance.stop()]);
      await queue.stop();
    },
  };
}
