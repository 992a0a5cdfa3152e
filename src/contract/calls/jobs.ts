import type { Call } from '../define.ts';
import type * as routes from '../jobs.ts';
import type { JobReply } from '../jobs.ts';

export const listJobs: Call<typeof routes.listJobs> = { method: 'GET', path: '/api/my/jobs' };
export const listRuns: Call<typeof routes.listRuns> = { method: 'GET', path: '/api/my/runs' };
export const readJob: Call<typeof routes.readJob> = { method: 'GET', path: '/api/my/jobs/:id' };
export const watchJob: Call<typeof routes.watchJob> = { method: 'GET', path: '/api/my/jobs/:id/events' };
export const cancelJob: Call<typeof routes.cancelJob> = { method: 'POST', path: '/api/my/jobs/:id/cancel' };

/** Returns true when the job cannot change any more. */
export const hasEnded = (one: Pick<JobReply, 'status'>): boolean =>
  one.status === 'finished' || one.status === 'failed' || one.status === 'cancelled';
