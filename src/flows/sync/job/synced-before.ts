import type { Job } from '#core/ports/jobs.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { KindFlow } from '../kinds/kind.ts';
import type { Run } from '../run.ts';

/** What the Overview tells of documents that a job had made before another worker took it up. */
export async function syncedBefore(run: Run, flow: KindFlow<unknown>, job: Job): Promise<JsonObject[]> {
  const ids = job.results.flatMap(({ psaId, outcome }) => (outcome === 'succeeded' ? [psaId] : []));
  if (ids.length === 0 || job.mode === 'test') return [];
  const postings = new Map((await run.context.store.listPostings(flow.kind, ids)).map((one) => [one.psaId, one]));
  return ids.flatMap((psaId) => {
    const posting = postings.get(psaId);
    if (posting?.status !== 'synced' || posting.targetId === null) return [];
    // What was linked again had been made by an earlier job.
    if (job.startedAt !== null && posting.createdAt < job.startedAt) return [];
    return [flow.info(psaId, { id: posting.targetId, number: posting.number })];
  });
}
