import { createHash } from 'node:crypto';
import { inParallel } from '#core/in-parallel.ts';
import { kinds, maxChosenDocuments, type Kind, type Mode } from '#core/kinds.ts';
import type { Actor } from '#core/ports/audit.ts';
import type { Job } from '#core/ports/jobs.ts';
import { Refusal } from '#core/refusal.ts';
import type { LogLevel } from '#core/transcript.ts';
import type { TenantContext } from '../../context.ts';
import { readiness } from '../../settings/readiness.ts';
import { findAll } from './find-all.ts';
import { flowOf } from '../kinds/registry.ts';

export interface SubmitRequest {
  readonly kind: Kind;
  readonly mode: Mode;
  readonly force: boolean;
  /** Documents that stand in the books are changed to what the PSA says; never of all. */
  readonly revises?: boolean;
  /** PSA ids, or null for everything that is eligible now. */
  readonly psaIds: readonly number[] | null;
  readonly logLevel?: LogLevel;
  /** Id of the test whose plans were looked at: exactly these are posted. */
  readonly reviewed?: string;
  /** Number of documents that the person has agreed to, with force and all documents. */
  readonly confirmed?: number;
  readonly actor: Actor;
}

/**
 * Saves a job and wakes a worker; the work itself happens in the background (domain reference 11.3). Two people who
 * press at once get one job.
 *
 * @throws Refusal `nothing_selected` for an empty list; `not_connected` or `settings_invalid` while nothing can run;
 * `not_found` (404) and `review_over` (409) of a review; `confirm_number` when everything is to be synced again and nobody has confirmed how much that is.
 */
export async function submit(context: TenantContext, request: SubmitRequest): Promise<Job> {
  let psaIds: readonly number[] | null =
    request.psaIds === null ? null : [...new Set(request.psaIds)].sort((a, b) => a - b);
  if (psaIds?.length === 0) throw new Refusal('invalid', 'nothing_selected', 'Nothing is selected.');
  if (psaIds !== null && psaIds.length > maxChosenDocuments)
    throw new Refusal(
      'invalid',
      'too_many',
      `At most ${maxChosenDocuments.toLocaleString('en-US')} documents can be submitted at once.`,
    );
  if (request.force && (request.kind === 'payment' || request.kind === 'void'))
    throw new Refusal('invalid', 'validation_failed', 'Payments and voids are never made a second time.');
  if (request.revises === true && (request.force || request.psaIds === null || !isUpdatable(request.kind)))
    throw new Refusal('invalid', 'validation_failed', 'Only chosen documents that stand in the books are updated.');
  if (request.kind === 'difference' && request.psaIds === null)
    throw new Refusal('invalid', 'validation_failed', 'Differences are billed of chosen invoices alone.');
  // Reads from here on show what the person had mended before.
  const askedAt = context.clock.now();
  const ready = await readiness(context);
  if (!ready.isReady) throw new Refusal('conflict', ready.code, ready.message);

  const { kind, mode, revises = false } = request;
  // Earlier differences count as standing: each wish is for another document.
  const force = request.force || kind === 'difference';
  if (psaIds === null && request.force && mode === 'live') psaIds = await confirmedAgain(context, request);
  const { reviewed } = request;
  if (reviewed !== undefined) await assertReviewed(context, { ...request, force }, psaIds, reviewed);
  const job = await context.store.addJob({
    kind,
    mode,
    force,
    ...(revises && { revises }),
    ...(reviewed !== undefined && { reviews: reviewed }),
    trigger: 'manual',
    logLevel: request.logLevel ?? kinds[kind].logLevel,
    psaIds,
    submittedBy: request.actor,
    createdAt: askedAt,
    sameAs: [
      kind,
      mode,
      revises ? 'revises' : force,
      psaIds === null ? 'all' : digestOf(psaIds),
      ...(reviewed === undefined ? [] : [reviewed]),
    ].join('|'),
  });
  await context.store.addAudit({
    at: context.clock.now(),
    actor: request.actor,
    action: 'job.submitted',
    subject: job.id,
    before: null,
    after: {
      kind,
      mode,
      force,
      ...(revises && { revises }),
      ...(reviewed !== undefined && { reviewed }),
      documents: psaIds === null ? 'all eligible' : psaIds.length,
    },
  });
  return job;
}

/**
 * Refuses to post after a review unless each document was in it, it was a test of the same, and nothing of it was sent
 * yet.
 */
async function assertReviewed(
  { store }: TenantContext,
  { kind, mode, force, revises = false }: SubmitRequest,
  psaIds: readonly number[] | null,
  reviewed: string,
): Promise<void> {
  const review = await store.readJob(reviewed);
  if (review === null) throw new Refusal('not_found', 'not_found', 'There is no such review.');
  const seen = new Set(review.results.map(({ psaId }) => psaId));
  const isOfThese =
    review.kind === kind &&
    review.force === force &&
    (review.revises ?? false) === revises &&
    psaIds?.every((id) => seen.has(id)) === true;
  if (
    mode !== 'live' ||
    review.mode !== 'test' ||
    review.finishedAt === null ||
    !isOfThese ||
    (await store.isReviewPosted(reviewed))
  )
    throw new Refusal(
      'conflict',
      'review_over',
      'This is not what was reviewed, or it was sent already. Please review it once more.',
    );
}

/** Payments, voids and differences follow what others have made; there is nothing of their own to bring up to date. */
const isUpdatable = (kind: Kind): boolean => kind !== 'difference';

/**
 * Documents that “Sync it again” would process when nothing is chosen: more than one only after the person has
 * confirmed how many there are (domain reference 5.3), and then exactly these.
 *
 * @returns null when there is none, so that the job looks once more.
 */
async function confirmedAgain(
  context: TenantContext,
  { kind, confirmed }: SubmitRequest,
): Promise<readonly number[] | null> {
  const { store } = context;
  const [tenant, settings, psa, accounting] = await inParallel([
    store.readTenant(),
    store.readSettings(),
    context.psa(),
    context.accounting(),
  ]);
  const search = { force: true, startOn: null };
  const found = await findAll({ context, tenant, psa, accounting, session: null }, flowOf(kind), settings, search);
  if (found.length > 1 && confirmed !== found.length) {
    const noun = kinds[kind].plural.toLowerCase();
    const message = `${found.length} ${noun} would be synced, and those that are in QuickBooks already would be there twice. Confirm by entering ${found.length}.`;
    throw new Refusal('conflict', 'confirm_number', message, [
      { key: 'confirmed', error: `Enter ${found.length} to sync so many ${noun}.` },
    ]);
  }
  return found.length === 0 ? null : found;
}

/** Hash in place of a list of ids that may hold thousands. */
const digestOf = (psaIds: readonly number[]): string => createHash('sha256').update(psaIds.join(',')).digest('hex');

/** The sentence that answers a submission, e.g. `3 invoices queued for a test sync.` (domain reference 11.3). */
export function submittedMessage(job: Job): string {
  const noun = kinds[job.kind].plural.toLowerCase();
  const what =
    job.psaIds === null
      ? `All eligible ${noun}`
      : `${job.psaIds.length.toLocaleString('en-US')} ${job.psaIds.length === 1 ? kinds[job.kind].label.toLowerCase() : noun}`;
  return `${what} queued for a ${job.mode} sync.`;
}
