import { hasEnded, type Attempt } from '#core/attempt.ts';
import type { Job, JobResult } from '#core/ports/store.ts';
import { never } from '#core/values/assert.ts';
import { resultOf } from './end.ts';
import { planning } from './plan-document.ts';
import { refusing } from './refuse.ts';
import type { Road } from './road.ts';
import type { Run } from './run.ts';
import { posting } from './send.ts';
import { unsure } from './settle.ts';
import { posted } from './write-back.ts';

/**
 * Takes up one document of a job and brings it as far as it will go: gather, plan, post, write back. Every outcome is
 * saved before this returns; recovery after a crash is this same function, called again.
 *
 * @throws ServiceError when a service cannot be used at all: the run stops, the attempt waits or has ended.
 * @throws LeaseLost when another worker has taken over.
 */
export async function runDocument(run: Run, road: Road, job: Job, psaId: number): Promise<JobResult> {
  const { attempt } = await run.context.store.openAttempt(run.lease, {
    jobId: job.id,
    kind: road.flow.kind,
    psaId,
    mode: job.mode,
    force: job.force,
    trigger: job.trigger,
    logLevel: job.logLevel,
    startedAt: run.context.clock.now(),
  });
  return resumeDocument(run, road, attempt);
}

/** Brings an attempt as far as it will go from wherever it stands. */
export const resumeDocument = (run: Run, road: Road, attempt: Attempt): Promise<JobResult> =>
  run.context.about({ kind: attempt.kind, psaIds: [attempt.psaId] }, () => walk(run, road, attempt));

async function walk(run: Run, road: Road, attempt: Attempt): Promise<JobResult> {
  let current = attempt;
  let isDecidedNow = false;
  while (!hasEnded(current) && !isWaiting(run, current)) {
    const before = current;
    current = await step(run, road, before, isDecidedNow);
    isDecidedNow = before.state === 'planning' || (isUnsent(before) && isUnsent(current));
  }
  return resultOf(current);
}

const isUnsent = (attempt: Attempt): boolean => attempt.state === 'posting' && attempt.sentAt === null;

const isWaiting = (run: Run, attempt: Attempt): boolean =>
  attempt.notBefore !== null && attempt.notBefore > run.context.clock.now();

function step(run: Run, road: Road, attempt: Attempt, isDecidedNow: boolean): Promise<Attempt> {
  switch (attempt.state) {
    case 'planning':
      return planning(run, road, attempt);
    case 'posting':
      return posting(run, road, attempt, isDecidedNow);
    case 'unsure':
      return unsure(run, road, attempt);
    case 'posted':
      return posted(run, road, attempt);
    case 'refusing':
      return refusing(run, road, attempt);
    case 'done':
    case 'simulated':
    case 'skipped':
    case 'refused':
    case 'postponed':
      return Promise.resolve(attempt);
    default:
      return never(attempt);
  }
}
