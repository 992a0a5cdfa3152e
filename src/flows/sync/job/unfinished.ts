import type { Attempt } from '#core/attempt.ts';
import { documentName, followsInvoice, type Kind } from '#core/kinds.ts';
import type { Job } from '#core/records/jobs.ts';
import { isReadBlock, ServiceError, stopsOneKind } from '#core/service-error.ts';
import { addSeconds } from '#core/values/dates.ts';
import { flowOf } from '../kinds/registry.ts';
import { type KindFlow, needsFresh, type Shared } from '../kinds/kind.ts';
import type { Run } from '../run.ts';
import { loadShared } from './load-shared.ts';
import { chunkSize } from '../chunk/rows.ts';
import { batchRules, startChunk } from '../chunk/run-chunk.ts';
import { reopenAttempts } from './open-attempts.ts';

/**
 * Seconds for which later documents wait for an earlier one whose outcome is unknown; slightly longer than QuickBooks
 * may need to create it.
 */
const maxHoldUpSeconds = 300;
/** Milliseconds between checks while waiting. */
const waitStepMs = 2_000;
/** Seconds for which unfinished work is deferred after a service could not be used. */
const deferSeconds = 60;

/**
 * Waits until the outcome of every document of a kind that this session began is known, so that none gets a number
 * before an earlier one. Documents that a dead worker left are searched for when they are due, and nothing waits for
 * them.
 *
 * @returns false if the job was canceled meanwhile.
 * @throws ServiceError when an outcome stays unknown for too long.
 */
export async function isEveryOutcomeKnown(run: Run, flow: KindFlow<unknown>, job: Job): Promise<boolean> {
  const { store, clock, sleep } = run.context;
  const until = addSeconds(clock.now(), maxHoldUpSeconds);
  for (;;) {
    const unfinished = await store.listUnfinished(until);
    const unsure = unfinished.filter((one) => one.kind === flow.kind && isSent(one));
    const own = unsure.filter(({ startedAt }) => startedAt >= run.openedAt);
    const now = clock.now();
    const isDue = unsure.some(({ notBefore }) => notBefore === null || notBefore <= now);
    const [first] = own;
    if (first === undefined && !isDue) return true;
    if (first !== undefined && now >= until)
      throw new ServiceError({
        service: 'accounting',
        operation: 'settle what was sent',
        outcome: 'not_applied',
        next: 'try_again',
        code: 'QBO_UNAVAILABLE',
        detail: `It is not known yet whether ${documentName(flow.kind, first.psaId)} was made, and those after it wait`,
      });
    if (!isDue) {
      run.signal.throwIfAborted();
      if (await store.isCancelRequested(job.id)) return false;
      await sleep(waitStepMs);
    } else await resumeUnfinished(run, { kind: flow.kind, isSent: true });
  }
}

/** Returns true if a command was sent and its outcome is unknown. */
const isSent = (one: Attempt): boolean => one.state === 'unsure' || (one.state === 'posting' && one.sentAt !== null);

/**
 * Resumes attempts that are unfinished because a worker died, a connection broke, or the PSA did not respond.
 *
 * @param only resumes only attempts of this kind with a sent command; the others follow in their turn.
 */
export async function resumeUnfinished(run: Run, only?: { readonly kind: Kind; readonly isSent: true }): Promise<void> {
  const { store, clock, logger } = run.context;
  const all = await store.listUnfinished(clock.now());
  const unfinished = only === undefined ? all : all.filter((one) => one.kind === only.kind && isSent(one));
  let shared: Promise<Shared> | undefined;
  const once = () => (shared ??= loadShared(run, null));
  for (const [kind, left] of Map.groupBy(unfinished, (one) => one.kind)) {
    run.signal.throwIfAborted();
    logger.info({ kind, attempts: left.length }, 'resuming unfinished attempts');
    const flow = flowOf(kind);
    if (left.some(needsLedger)) await run.afterAdoption();
    try {
      await resumeKind(run, once, flow, left);
    } catch (error) {
      if (!(error instanceof ServiceError) || !stopsOneKind(error.about)) throw error;
      logger.warn({ kind, ...error.about }, 'unfinished attempts of one kind wait');
      // Other documents of the kind can be posted without reads.
      if (!isReadBlock(error)) run.stoppedKinds.set(kind, error);
    }
  }
}

async function resumeKind(
  run: Run,
  shared: () => Promise<Shared>,
  flow: KindFlow<unknown>,
  left: readonly Attempt[],
): Promise<void> {
  const settings = await run.context.store.readSettings();
  const rules = batchRules(run, flow, settings, { total: left.length, jobId: null, mode: 'live' });
  // Facts that may change meanwhile are read right before the document's turn.
  const size = needsFresh(flow) ? 1 : chunkSize;
  for (let start = 0; start < left.length; start += size) {
    run.signal.throwIfAborted();
    const items = await reopenAttempts(run, shared, flow, left.slice(start, start + size));
    await (
      await startChunk(run, items, rules)
    ).end;
  }
}

/** Defers all unfinished attempts, because the services cannot be used now. */
export async function deferUnfinished({ context, lease }: Pick<Run, 'context' | 'lease'>): Promise<void> {
  const { store, clock } = context;
  const notBefore = addSeconds(clock.now(), deferSeconds);
  for (const attempt of await store.listUnfinished(clock.now()))
    await store.advance(lease, attempt, { ...attempt, notBefore });
}

/** Returns true if the ledger must have every posted document, because the job or attempt works on one of them. */
export const needsLedger = ({ kind, revises }: { readonly kind: Kind; readonly revises?: boolean }): boolean =>
  followsInvoice(kind) || revises === true;
