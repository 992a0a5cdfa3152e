import { call } from '../define.ts';
import type * as routes from '../jobs.ts';
import type { JobReply } from '../jobs.ts';

export const listJobs = call<typeof routes.listJobs>('GET', '/api/my/jobs');
export const listRuns = call<typeof routes.listRuns>('GET', '/api/my/runs');
export const readJob = call<typeof routes.readJob>('GET', '/api/my/jobs/:id');
export const watchJob = call<typeof routes.watchJob>('GET', '/api/my/jobs/:id/events');
export const cancelJob = call<typeof routes.cancelJob>('POST', '/api/my/jobs/:id/cancel');

/** Returns true when the job cannot change any more. */
export const hasEnded = (one: Pick<JobReply, 'status'>): boolean =>
  one.status === 'finished' || one.status === 'failed' || one.status === 'cancelled';
