import { setTimeout as delay } from 'node:timers/promises';
import { kinds, submittableKinds, type SubmittableKind } from '#core/kinds.ts';
import type { Job } from '#core/records/jobs.ts';
import { readClient } from '#flows/tenants/change-status.ts';
import { submit, submittedMessage } from '#flows/sync/job/submit.ts';
import { operator, forOperator, type Outcome } from './operator-context.ts';
import { progressBar } from './progress.ts';

const pollMs = 1_000;

/**
 * Submits a sync of all eligible documents of a client. A running worker does it.
 *
 * @param options.waits follows the job until it ends; otherwise returns at once.
 */
export const syncClient = (
  id: string,
  segment: string,
  { isLive, waits }: { readonly isLive: boolean; readonly waits: boolean },
): Promise<Outcome> =>
  forOperator(async ({ app: compose }) => {
    const app = await compose();
    await readClient(app, id);
    const context = app.forTenant(id);
    const kind = submittableKinds.find((one) => kinds[one].segment === segment) as SubmittableKind;
    const request = { kind, mode: isLive ? 'live' : 'test', force: false, psaIds: null, actor: operator } as const;
    let job = await submit(context, request);
    if (!waits) return { text: submittedMessage(job), data: dataOf(job) };
    const show = progressBar(kinds[kind].plural);
    while (job.status === 'queued' || job.status === 'running') {
      await delay(pollMs);
      job = (await context.store.readJob(job.id)) ?? job;
      show(job.done, job.total ?? 0);
    }
    const { status, succeeded, failed, skipped, held, message } = job;
    const counts = `${succeeded} synced, ${failed} failed, ${held} on hold, ${skipped} skipped.`;
    return {
      text:
        status === 'finished'
          ? counts
          : `The job ${status === 'failed' ? 'failed' : 'was canceled'}${message === null ? '' : `: ${message}`} (${counts})`,
      data: dataOf(job),
      exitCode: status === 'finished' && failed === 0 ? 0 : 1,
    };
  });

const dataOf = ({ id, status, total, succeeded, failed, held, skipped, message }: Job) => ({
  job: { id, status, total, succeeded, failed, held, skipped, message },
});
