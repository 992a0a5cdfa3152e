import { summarize, type RunSummary, type Summed } from '#core/approval-run.ts';
import { inParallel } from '#core/in-parallel.ts';
import { amountInQuickBooks, type Preview } from '#core/planning/preview.ts';
import { kinds, maxChosenDocuments } from '#core/kinds.ts';
import type { FieldConflict } from '#core/planning/update-merge.ts';
import type { Job, JobResult } from '#core/records/jobs.ts';
import { Refusal } from '#core/refusal.ts';
import type { TenantContext } from '../context.ts';
import { readLastMonth } from '../approval/read.ts';
import { readJob } from './jobs.ts';

/** Documents of a test: those that it would post and those that it would not. */
export interface Review {
  readonly job: Job;
  /** Id of the live job that posts or posted these plans, so that they cannot be posted again; null: none. */
  readonly postedBy: string | null;
  readonly summary: RunSummary;
  /** `preview` is null if nothing is posted for the document and only the PSA is updated. */
  readonly planned: readonly { readonly result: JobResult; readonly preview: Preview | null }[];
  readonly notPosted: readonly JobResult[];
  /** Documents whose fields both sides changed, by PSA id: an update needs a choice for each field. */
  readonly asking: ReadonlyMap<number, readonly FieldConflict[]>;
}

/**
 * Returns what a test has planned, summed like a run that waits for approval.
 *
 * @throws Refusal `not_found` (404); `no_review` (409) for a live sync; `too_many` (422) above 10,000 documents.
 */
export async function readReview(context: TenantContext, id: string): Promise<Review> {
  const job = await readJob(context, id);
  if (job.mode !== 'test') throw new Refusal('conflict', 'no_review', 'A live sync is not reviewed: it has posted.');
  if (job.results.length > maxChosenDocuments) throw new Refusal('unprocessable', 'too_many', tooMany(job));
  const [previews, lastMonth, asking, postedBy] = await inParallel([
    context.store.listPreviews(id),
    readLastMonth(context),
    job.revises === true ? context.store.listFailedWith(id, 'CHANGED_ON_BOTH_SIDES') : [],
    context.store.findPostingOf(id),
  ]);
  const planned = job.results
    .filter(({ outcome }) => outcome === 'succeeded')
    .map((result) => inAccounting(result, previews.get(result.psaId) ?? null));
  const documents = planned.flatMap(({ result, preview }) => (preview === null ? [] : [summed(job, result, preview)]));
  return {
    job,
    postedBy,
    summary: summarize(documents, lastMonth),
    planned,
    notPosted: job.results.filter(({ outcome }) => outcome !== 'succeeded'),
    asking: new Map(asking.map(({ psaId, problems }) => [psaId, problems.flatMap(({ fields = [] }) => fields)])),
  };
}

/** Returns the error for a test of too many documents, with the fix. */
const tooMany = ({ kind, results }: Job): string => {
  const [most, found] = [maxChosenDocuments, results.length].map((count) => count.toLocaleString('en-US'));
  const noun = kinds[kind].plural.toLowerCase();
  return `At most ${most} documents can be reviewed at once, and ${found} ${noun} were found. Search a shorter date range, then sync again.`;
};

/** Returns a result with the amount that would be posted, if any. */
const inAccounting = (result: JobResult, preview: Preview | null): Review['planned'][number] => ({
  result:
    preview === null || result.head === undefined
      ? result
      : { ...result, head: { ...result.head, ...amountInQuickBooks(preview) } },
  preview,
});

/** Returns a planned document in the form that a run sums. */
const summed = ({ kind }: Job, { psaId, head }: JobResult, preview: Preview): Summed => ({
  id: String(psaId),
  kind,
  about: {
    what: head?.what ?? '',
    psaId,
    number: head?.number ?? null,
    party: head?.party ?? preview.view.party,
    on: head?.on ?? null,
    ...amountInQuickBooks(preview),
  },
  ...preview,
});
