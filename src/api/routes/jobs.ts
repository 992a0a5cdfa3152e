import type { Job } from '#core/ports/jobs.ts';
import { Refusal } from '#core/refusal.ts';
import { actorOf } from '#flows/access/principal.ts';
import type { JobWatcher } from '../dependencies.ts';
import { createStreams, streamJob } from '../job-events.ts';
import { serve, serveRaw, type Serving } from '../serve.ts';
import { toJobReply } from './wire.ts';

const mostJobs = 50;

export function jobRoutes(serving: Serving, watcher: JobWatcher, closing: AbortSignal): void {
  const { sessions } = serving;
  const streams = createStreams();

  serve(serving, 'listJobs', async ({ context }) => ({
    data: { jobs: (await context.store.listJobs(mostJobs)).map(toJobReply) },
  }));

  serve(serving, 'readJob', async ({ context, params }) => ({
    data: { job: toJobReply(existing(await context.store.readJob(params.id))) },
  }));

  serve(serving, 'cancelJob', async ({ context, params, principal }) => {
    const before = existing(await context.store.readJob(params.id));
    const job = existing(await context.store.cancelJob(params.id, context.clock.now()));
    if (before.cancelRequestedAt === null && job.cancelRequestedAt !== null)
      await context.store.addAudit({
        at: context.clock.now(),
        actor: actorOf(principal),
        action: 'job.cancelled',
        subject: job.id,
        before: null,
        after: { done: job.done, total: job.total },
      });
    return { data: { job: toJobReply(job) } };
  });

  serveRaw(serving, 'watchJob', async ({ context, params, principal, reply }) => {
    const { id } = existing(await context.store.readJob(params.id));
    const leave = streams.open(principal.userId, context.tenantId);
    const isAlive = () => sessions.isAlive(principal);
    await streamJob(reply, watcher, { tenantId: context.tenantId, id }, isAlive, closing).finally(leave);
  });
}

function existing(job: Job | null): Job {
  if (job === null) throw new Refusal('not_found', 'not_found', 'There is no such job.');
  return job;
}
