import { PgBoss } from 'pg-boss';
import type { Logger } from '#core/ports/logger.ts';
import type { Queue } from '#core/ports/queue.ts';

/** The one queue: a tenant is in it at most once, waiting or under way (`exclusive` by unique index). */
const queueName = 'tenant';
/** Where wake-ups end whose handler failed every time; the schedule wakes the tenant again all the same. */
const deadLetterName = 'tenant-failed';
/** How long a stop waits for the document under way. */
const stopTimeoutMs = 20_000;

interface Wake {
  readonly tenantId: string;
}

/**
 * The queue on PostgreSQL. A worker that dies is noticed by its missing heartbeat within about ten seconds, and its
 * tenant goes to another worker.
 *
 * @param connectionString the product's database; the queue keeps its tables in a schema of its own.
 * @param options `connections` bounds the queue's own pool.
 */
export async function openQueue(
  connectionString: string,
  logger: Logger,
  options: { readonly connections?: number } = {},
): Promise<Queue> {
  const boss = new PgBoss({
    connectionString,
    schema: 'queue',
    max: options.connections ?? 6,
    application_name: 'tallybridge queue',
    useListenNotify: true,
    schedule: false,
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 2,
    queueCacheIntervalSeconds: 2,
  });
  boss.on('error', (error) => logger.error({ error }, 'the queue reports an error'));
  await boss.start();
  await boss.createQueue(deadLetterName, { policy: 'standard' });
  await boss.createQueue(queueName, {
    policy: 'exclusive',
    notify: true,
    deadLetter: deadLetterName,
    heartbeatSeconds: 10,
    expireInSeconds: 3_600,
    retryLimit: 5,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 30,
  });
  return {
    async wake(tenantIds) {
      if (tenantIds.length === 0) return;
      await boss.insert(
        queueName,
        tenantIds.map((tenantId) => ({ data: { tenantId }, singletonKey: tenantId })),
      );
    },
    async work(handle, concurrency) {
      await boss.work<Wake>(
        queueName,
        {
          localConcurrency: concurrency,
          batchSize: 1,
          pollingIntervalSeconds: 0.5,
          notifyPollingIntervalSeconds: 10,
          heartbeatRefreshSeconds: 3,
        },
        async (jobs) => {
          for (const job of jobs) await handle(job.data.tenantId);
        },
      );
    },
    stop: () => boss.stop({ graceful: true, timeout: stopTimeoutMs, close: true }),
  };
}
