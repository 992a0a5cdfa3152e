import { Client } from 'pg';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import { wakeChannel, type Queue } from '#core/ports/queue.ts';
import type { RootStore } from '#core/ports/store.ts';

/** How often the tables are asked for work that nobody announced. */
const scanEveryMs = 2_000;
/** More than this many tenants wait for the next look. */
const scanLimit = 1_000;

export interface Schedule {
  stop(): Promise<void>;
}

/**
 * Wakes tenants that have work: at once when a job is saved, and every two seconds whatever was lost in between (a
 * worker that died, an attempt whose waiting time is over).
 */
export async function startSchedule(parts: {
  readonly connectionString: string;
  readonly store: RootStore;
  readonly queue: Queue;
  readonly clock: Clock;
  readonly logger: Logger;
}): Promise<Schedule> {
  const { store, queue, clock, logger } = parts;
  let isStopped = false;
  let scanning: Promise<void> = Promise.resolve();

  const wake = (tenantIds: readonly string[]) =>
    queue.wake(tenantIds).catch((error: unknown) => {
      if (!isStopped) logger.warn({ error }, 'tenants could not be woken');
    });

  const scan = async () => {
    try {
      await wake(await store.dueTenants(clock.now(), scanLimit));
    } catch (error) {
      if (!isStopped) logger.warn({ error }, 'the tables could not be asked for work');
    }
  };

  let listener: Client | null = null;
  const listen = async () => {
    if (isStopped || listener !== null) return;
    const client = new Client({ connectionString: parts.connectionString, application_name: 'tallybridge wake' });
    client.on('notification', ({ payload }) => {
      if (payload !== undefined && payload !== '') void wake([payload]);
    });
    // A listener that is gone is opened again by the next scan; until then the scan itself finds the work.
    client.on('error', () => {
      listener = null;
    });
    client.on('end', () => {
      listener = null;
    });
    listener = client;
    try {
      await client.connect();
      await client.query(`listen ${wakeChannel}`);
    } catch (error) {
      listener = null;
      logger.warn({ error }, 'announcements of new jobs cannot be heard');
    }
  };

  await listen();
  const timer = setInterval(() => {
    scanning = scanning.then(listen).then(scan);
  }, scanEveryMs);
  scanning = scan();

  return {
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await scanning;
      const last = listener;
      listener = null;
      await last?.end();
    },
  };
}
