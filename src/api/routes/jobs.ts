import { actorOf } from '#flows/access/principal.ts';
import { cancelJob, listJobs, listRuns, readJob } from '#flows/jobs/jobs.ts';
import { readReview } from '#flows/jobs/review.ts';
import { createStreams, streamJob, type JobWatcher } from '../job-events.ts';
import { serve, serveRaw, type Serving } from '../serve.ts';
import { toSummary } from './planned.ts';
import { toJobReply, toResult, toRunReply } from './wire.ts';

export function jobRoutes(serving: Serving, watcher: JobWatcher, closing: AbortSignal): void {
  const { sessions } = serving;
  const streams = createStreams();

  serve(serving, 'listJobs', async ({ context }) => ({
    data: { jobs: (await listJobs(context)).map(toJobReply) },
  }));

  serve(serving, 'listRuns', async ({ context, query: { type, mode, outcome, page, page_size: pageSize } }) => {
    const { runs, counts } = await listRuns(context, {
      page,
      pageSize,
      ...(type !== undefined && { kind: type }),
      ...(mode !== undefined && { mode }),
      ...(outcome !== undefined && { outcome }),
    });
    return { data: { counts, runs: runs.map(toRunReply) } };
  });

  serve(serving, 'readJob', async ({ context, params }) => ({
    data: { job: toJobReply(await readJob(context, params.id)) },
  }));

  serve(serving, 'readReview', async ({ context, params }) => {
    const { job, postedBy, summary, planned, notPosted, asking } = await readReview(context, params.id);
    const { results, ...head } = toJobReply({ ...job, results: notPosted });
    return {
      data: {
        job: head,
        posted: postedBy !== null,
        posted_run: postedBy,
        prefers: job.prefers ?? null,
        ...toSummary(summary),
        warnings: summary.warnings.map(({ code, message, draftIds }) => ({
          code,
          message,
          documents: draftIds.length,
        })),
        documents: planned.map(({ result, preview }) => ({
          ...toResult(result),
          posts: preview !== null,
          warnings: preview?.warnings.map(({ message }) => message) ?? [],
          replaces: [...(preview?.view.replaces ?? [])],
        })),
        not_posted: results.map((one) => ({
          ...one,
          asks: asking.has(one.entityid),
          fields: [...(asking.get(one.entityid) ?? [])],
        })),
      },
    };
  });

  serve(serving, 'cancelJob', async ({ context, params, principal }) => {
    const job = await cancelJob(context, params.id, actorOf(principal));
    return { data: { job: toJobReply(job) } };
  });

  serveRaw(serving, 'watchJob', async ({ context, params, principal, reply }) => {
    const { id } = await readJob(context, params.id);
    const leave = streams.open(principal.userId, context.tenantId);
    const isAlive = () => sessions.isAlive(principal);
    await streamJob(reply, watcher, { tenantId: context.tenantId, id }, isAlive, closing).finally(leave);
  });
}
