import { createHash } from 'node:crypto';
import { inParallel } from '#core/in-parallel.ts';
import { flagsOfChoice, type PaymentChoice } from '#core/planning/payment-choice.ts';
import { kinds, maxChosenDocuments, type Kind, type Mode } from '#core/kinds.ts';
import type { Actor } from '#core/records/audit.ts';
import type { Job } from '#core/records/jobs.ts';
import type { Preference, Side } from '#core/planning/update-merge.ts';
import { Refusal } from '#core/refusal.ts';
import type { LogLevel } from '#core/transcript.ts';
import type { TenantContext } from '../../context.ts';
import { readiness } from '../../settings/readiness.ts';
import { findAll } from '../kinds/kind.ts';
import { flowOf } from '../kinds/registry.ts';

export interface SubmitRequest {
  readonly kind: Kind;
  readonly mode: Mode;
  readonly force: boolean;
  /** Updates documents in QuickBooks to match the PSA; only for chosen documents. */
  readonly revises?: boolean;
  /** Whose value fields get in an update that both sides changed. Undefined means as in the review; without one, such documents are refused. */
  readonly prefers?: Preference;
  /** PSA ids, or null for all documents that are eligible now. */
  readonly psaIds: readonly number[] | null;
  /** Links the documents that a user entered in QuickBooks in place of deleted or voided ones; only chosen invoices. */
  readonly links?: boolean;
  /** What to do with open money of the customer; only for chosen payments. */
  readonly choice?: PaymentChoice;
  readonly logLevel?: LogLevel;
  /** Id of the test that the user reviewed; exactly its plans are posted. */
  readonly reviewed?: string;
  /** Number of documents that the user confirmed, for `force` with all documents. */
  readonly confirmed?: number;
  readonly actor: Actor;
}

/**
 * Saves a job and wakes a worker, which does the work in the background (domain reference 11.3). Two users who submit
 * the same at once get one job.
 *
 * @throws Refusal `nothing_selected` for an empty list; `not_connected` or `settings_invalid` while no sync can run;
 *   `not_found` (404) and `review_over` (409) of a review; `confirm_number` when all documents are to be synced again
 *   and the user has not confirmed their number.
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
    throw new Refusal('invalid', 'validation_failed', 'Payments and voids are never posted twice.');
  if (request.choice !== undefined && (request.kind !== 'payment' || request.psaIds === null))
    throw new Refusal('invalid', 'validation_failed', 'Open money can only be applied for selected payments.');
  if (request.links === true && (request.kind !== 'invoice' || request.psaIds === null))
    throw new Refusal('invalid', 'validation_failed', 'Only selected invoices can be linked.');
  if (request.revises === true && (request.force || request.psaIds === null || !isUpdatable(request.kind)))
    throw new Refusal('invalid', 'validation_failed', 'Only selected documents that are in QuickBooks can be updated.');
  if (request.kind === 'difference' && request.psaIds === null)
    throw new Refusal('invalid', 'validation_failed', 'Differences can only be billed for selected invoices.');
  // Reads from here on include what the user fixed before.
  const requestedAt = context.clock.now();
  const ready = await readiness(context, [request.kind]);
  if (!ready.isReady) throw new Refusal('conflict', ready.code, ready.message);

  const { kind, mode, choice } = request;
  const flags =
    request.links === true
      ? { force: true, revises: true }
      : choice === undefined
        ? { force: request.force, revises: request.revises ?? false }
        : flagsOfChoice(choice);
  const { revises } = flags;
  // Each request for a difference is for another document, so earlier ones do not block it.
  const force = flags.force || kind === 'difference';
  if (psaIds === null && request.force && mode === 'live') psaIds = await confirmedAgain(context, request);
  const { reviewed } = request;
  const review =
    reviewed === undefined ? null : await assertReviewed(context, { ...request, force, revises }, psaIds, reviewed);
  const prefers = revises ? (review?.prefers ?? request.prefers) : undefined;
  const job = await context.store.addJob({
    kind,
    mode,
    force,
    ...(revises && { revises }),
    ...(prefers !== undefined && { prefers }),
    ...(reviewed !== undefined && { reviews: reviewed }),
    trigger: 'manual',
    logLevel: request.logLevel ?? kinds[kind].logLevel,
    psaIds,
    submittedBy: request.actor,
    createdAt: requestedAt,
    sameAs: [
      kind,
      mode,
      choice ?? (request.links === true ? 'links' : revises ? updateKey(prefers) : force),
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
      ...(prefers !== undefined && { prefers: countsOf(prefers) }),
      ...(choice !== undefined && { choice }),
      ...(reviewed !== undefined && { reviewed }),
      documents: psaIds === null ? 'all eligible' : psaIds.length,
    },
  });
  return job;
}

/**
 * Returns the review. Rejects posting after it unless the test had the same parameters, included every document, and none of them was
 * sent yet.
 */
async function assertReviewed(
  { store }: TenantContext,
  { kind, mode, force, revises = false }: SubmitRequest,
  psaIds: readonly number[] | null,
  reviewed: string,
): Promise<Job> {
  const review = await store.readJob(reviewed);
  if (review === null) throw new Refusal('not_found', 'not_found', 'Review not found.');
  const seen = new Set(review.results.map(({ psaId }) => psaId));
  const isOfThese =
    review.kind === kind &&
    review.force === force &&
    (review.revises ?? false) === revises &&
    psaIds?.every((id) => seen.has(id)) === true;
  if (mode !== 'live' || review.mode !== 'test' || review.finishedAt === null || !isOfThese)
    throw new Refusal('conflict', 'review_over', 'This differs from the review. Review it again.');
  if ((await store.findPostingOf(reviewed)) !== null)
    throw new Refusal(
      'conflict',
      'review_over',
      'This review was already posted, by another user or in another window. Runs shows the result.',
    );
  return review;
}

/** Differences follow other documents, so there is nothing to update. */
const isUpdatable = (kind: Kind): boolean => kind !== 'difference';

/**
 * Returns the documents that “Sync it again” would process without a selection. If there are several, the user must
 * have confirmed their number (domain reference 5.3), and exactly these are processed.
 *
 * @returns null if there are none, so that the job searches again.
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
      { key: 'confirmed', error: `Enter ${found.length} to sync ${found.length} ${noun}.` },
    ]);
  }
  return found.length === 0 ? null : found;
}

/** Returns a hash that replaces a list of possibly thousands of ids. */
const digestOf = (texts: readonly (number | string)[]): string =>
  createHash('sha256').update(texts.join(',')).digest('hex');

/** Returns a text that is equal for updates with equal choices. */
const updateKey = (prefers: Preference | undefined): string =>
  `revises ${typeof prefers === 'object' ? digestOf(Object.entries(prefers).map(String).sort()) : (prefers ?? '')}`;

/** Returns the chosen side, or how many fields get the value of each side. */
const countsOf = (prefers: Preference): Side | Readonly<Record<Side, number>> => {
  if (typeof prefers === 'string') return prefers;
  const sides = Object.values(prefers);
  const psa = sides.filter((side) => side === 'psa').length;
  return { psa, accounting: sides.length - psa };
};

/** Returns the response to a submission, for example `3 invoices queued for a test sync.` (domain reference 11.3). */
export function submittedMessage(job: Job): string {
  const noun = kinds[job.kind].plural.toLowerCase();
  const what =
    job.psaIds === null
      ? `All eligible ${noun}`
      : `${job.psaIds.length.toLocaleString('en-US')} ${job.psaIds.length === 1 ? kinds[job.kind].label.toLowerCase() : noun}`;
  return `${what} queued for a ${job.mode} sync.`;
}
