import { PgBoss, type Job } from 'pg-boss';
import type { Logger } from '#core/ports/logger.ts';
import type { Queue } from '#core/ports/queue.ts';
import { startTaking, type Taking } from './taking.ts';

/** The one queue: a tenant is in it at most once, waiting or under way (`exclusive` by unique index). */
const queueName = 'tenant';
/** Where wake-ups end whose handler failed every time; the schedule wakes the tenant again all the same. */
const deadLetterName = 'tenant-failed';
/** How long a stop waits for the documents under way. */
const stopTimeoutMs = 20_000;

interface Wake {
  readonly tenantId: string;
}

/**
 * The queue on PostgreSQL. A worker that dies is noticed by its missing heartbeat within about ten seconds, and its
 * tenants go to another worker.
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
    max: options.connections ?? 4,
    application_name: 'tallybridge queue',
    schedule: false,
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 2,
    queueCacheIntervalSeconds: 2,
  });
  const onError = (error: unknown) => logger.error({ error }, 'the queue reports an error');
  boss.on('error', onError);
  await boss.start();
  await boss.createQueue(deadLetterName, { policy: 'standard' });
  await boss.createQueue(queueName, {
    policy: 'exclusive',
    deadLetter: deadLetterName,
    heartbeatSeconds: 10,
    expireInSeconds: 3_600,
    retryLimit: 5,
    retryDelay: 1,
    retryBackoff: true,
    retryDelayMax: 30,
  });
  let taking: Taking | null = null;
  return {
    async wake(tenantIds) {
      if (tenantIds.length === 0) return;
      await boss.insert(
        queueName,
        tenantIds.map((tenantId) => ({ data: { tenantId }, singletonKey: tenantId })),
      );
      taking?.look();
    },
    work(handle, concurrency) {
      taking = startTaking<Job<Wake>>({
        places: concurrency,
        fetch: (limit) => boss.fetch<Wake>(queueName, { batchSize: limit }),
        async settle(ended, failed) {
          // A wake-up that was followed is worth nothing any more: thousands of rows an hour are not kept.
          if (ended.length > 0) await boss.deleteJob(queueName, [...ended]);
          if (failed.length > 0) await boss.fail(queueName, [...failed]);
        },
        async keep(underWay) {
          await boss.touch(queueName, [...underWay]);
        },
        handle: (job) => handle(job.data.tenantId),
        onError,
      });
      return Promise.resolve();
    },
    async stop() {
      await taking?.stop(stopTimeoutMs);
      await boss.stop({ graceful: false, close: true });
    },
  };
}
