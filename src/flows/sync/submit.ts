import { kinds, type Mode, type SubmittableKind } from '#core/kinds.ts';
import type { Actor, Job } from '#core/ports/store.ts';
import { Refusal } from '#core/refusal.ts';
import type { LogLevel } from '#core/transcript.ts';
import type { TenantContext } from '../context.ts';
import { readiness } from '../settings/readiness.ts';

/** More ids than this in one request are refused: the screens page by far fewer. */
export const mostIds = 10_000;

export interface SubmitRequest {
  readonly kind: SubmittableKind;
  readonly mode: Mode;
  readonly force: boolean;
  /** PSA ids, or null for everything that is eligible now. */
  readonly psaIds: readonly number[] | null;
  readonly logLevel?: LogLevel;
  readonly actor: Actor;
}

/**
 * Saves a job and wakes a worker; the work itself happens in the background (domain reference 11.3). Two people who
 * press at once get one job.
 *
 * @throws Refusal `nothing_selected` for an empty list; `not_connected` or `settings_invalid` while nothing can run.
 */
export async function submit(context: TenantContext, request: SubmitRequest): Promise<Job> {
  const psaIds = request.psaIds === null ? null : [...new Set(request.psaIds)].sort((a, b) => a - b);
  if (psaIds?.length === 0) throw new Refusal('invalid', 'nothing_selected', 'Nothing is selected.');
  if (psaIds !== null && psaIds.length > mostIds)
    throw new Refusal('invalid', 'too_many', `At most ${mostIds} documents can be submitted at once.`);
  const ready = await readiness(context);
  if (!ready.isReady) throw new Refusal('conflict', ready.code, ready.message);

  const { kind, mode, force } = request;
  const job = await context.store.addJob({
    kind,
    mode,
    force,
    trigger: 'manual',
    logLevel: request.logLevel ?? kinds[kind].logLevel,
    psaIds,
    submittedBy: request.actor,
    createdAt: context.clock.now(),
    sameAs: [kind, mode, force, psaIds === null ? 'all' : psaIds.join(',')].join('|'),
  });
  await context.store.addAudit({
    at: context.clock.now(),
    actor: request.actor,
    action: 'job.submitted',
    subject: job.id,
    before: null,
    after: { kind, mode, force, documents: psaIds === null ? 'all eligible' : psaIds.length },
  });
  return job;
}

/** The sentence that answers a submission, e.g. `3 invoices queued for a test sync.` (domain reference 11.3). */
export function submittedMessage(job: Job): string {
  const noun = kinds[job.kind].plural.toLowerCase();
  const what =
    job.psaIds === null
      ? `All eligible ${noun}`
      : `${job.psaIds.length} ${job.psaIds.length === 1 ? kinds[job.kind].label.toLowerCase() : noun}`;
  return `${what} queued for a ${job.mode} sync.`;
}
