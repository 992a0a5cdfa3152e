import type { Trigger } from '#core/kinds.ts';
import type { Job, Posting, PostingStatus } from '#core/ports/store.ts';
import { Refusal } from '#core/refusal.ts';
import { problemOfService } from '#core/problems.ts';
import { needsAction, ServiceError } from '#core/service-error.ts';
import { never } from '#core/values/assert.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { loadBooksReference, loadPsaReference } from '../connections/reference-data.ts';
import { flowOf } from './kinds/registry.ts';
import { findAll } from './find-all.ts';
import type { KindFlow } from './kinds/kind.ts';
import { resumeDocument, runDocument } from './run-document.ts';
import type { Run, Shared } from './run.ts';

/** Documents that are read together: few enough to be fresh when their turn comes, many enough to save calls. */
const chunkSize = 100;
/** Reference lists older than this are read again before a scheduled run; a person's run reads what was mended just now. */
const referenceMaxAgeSeconds = { automatic: 3_600, manual: 0 } as const;

/** How long unfinished work rests after a service could not be used. */
const restSeconds = 60;

/** Facts that all documents of a job share; preferences are always fresh (domain reference 11.1). */
export async function loadShared({ context }: Run, trigger: Trigger): Promise<Shared> {
  const freshness = { maxAgeSeconds: referenceMaxAgeSeconds[trigger] };
  const [settings, itemSettings, mappings, psa, books] = await Promise.all([
    context.store.readSettings(),
    context.store.readItemSettings(),
    context.store.listMappings(),
    loadPsaReference(context, freshness),
    loadBooksReference(context, freshness),
  ]);
  return { settings, itemSettings, mappings, psa, books };
}

/**
 * Runs every job that waits, oldest first.
 *
 * @returns what stopped the last one; null when it came to its end.
 * @throws LeaseLost when another worker has taken over.
 */
export async function runQueued(run: Run): Promise<ServiceError | null> {
  const { store, clock } = run.context;
  let failure: ServiceError | null = null;
  for (
    let job = await store.takeJob(run.lease, clock.now());
    job !== null;
    job = await store.takeJob(run.lease, clock.now())
  ) {
    run.signal.throwIfAborted();
    failure = await runJob(run, job);
  }
  return failure;
}

/**
 * Runs a job to its end: finds what is eligible, takes up each document, carries on when one fails, and stops politely
 * when a service cannot be used.
 *
 * @returns the failure of a service that stopped it.
 */
async function runJob(run: Run, job: Job): Promise<ServiceError | null> {
  const { store, clock, logger } = run.context;
  const finish = (status: 'finished' | 'failed' | 'cancelled', message: string | null) =>
    store.finishJob(run.lease, job.id, { status, message }, clock.now());
  try {
    const shared = await loadShared(run, job.trigger);
    const flow = flowOf(job.kind);
    const wanted = job.psaIds ?? (await findAll(run, flow, shared.settings, { force: job.force, startOn: null }));
    await store.saveJobTotal(run.lease, job.id, wanted.length);
    // A job that another worker began goes on behind what has its result already.
    const settled = new Set(job.results.map((result) => result.psaId));
    const open = wanted.filter((id) => !settled.has(id));
    const portion = flow.needsFresh === true ? 1 : chunkSize;
    const handled: JsonObject[] = [];
    for (let start = 0; start < open.length; start += portion) {
      const portionIds = open.slice(start, start + portion);
      const outcome = await run.context.about({ kind: job.kind, psaIds: portionIds }, () =>
        runChunk(run, shared, flow, job, portionIds, handled),
      );
      if (outcome !== 'go_on') {
        await finish(outcome, null);
        return null;
      }
    }
    // A job of chosen documents has looked for nothing; the schedule notes its own searches.
    if (job.psaIds === null) await store.markPolled(job.kind, clock.now());
    await finish('finished', null);
    return null;
  } catch (error) {
    if (error instanceof ServiceError) {
      logger.warn({ jobId: job.id, ...error.about }, 'a service stopped the job');
      await noteConnection(run, error);
      await finish('failed', sentenceOf(run, error));
      return error;
    }
    if (!(error instanceof Refusal)) throw error;
    await finish('failed', error.message);
    return null;
  }
}

async function runChunk(
  run: Run,
  shared: Shared,
  flow: KindFlow<unknown>,
  job: Job,
  psaIds: readonly number[],
  handled: JsonObject[],
): Promise<'go_on' | 'cancelled' | 'failed'> {
  const { store } = run.context;
  const facts = await flow.gather(run, shared, psaIds);
  const postings = new Map((await store.listPostings(flow.kind, psaIds)).map((posting) => [posting.psaId, posting]));
  for (const psaId of psaIds) {
    run.signal.throwIfAborted();
    if (await store.isCancelRequested(job.id)) return 'cancelled';
    const road = {
      flow,
      shared: () => Promise.resolve(shared),
      facts: async (isFresh = false) => (isFresh ? await flow.gather(run, shared, [psaId]) : facts).get(psaId),
      posting: await postingFor(run, flow, postings.get(psaId) ?? null, job),
      handled,
    };
    const result = await runDocument(run, road, job, psaId);
    // An attempt that an earlier job left waiting reports to that job; this one is told as well.
    if (result.outcome === 'pending') await store.saveJobResult(run.lease, job.id, result);
  }
  return 'go_on';
}

/** The posting that a document is decided with; a kind that changes documents of another has none of its own to check. */
export const postingFor = (
  run: Run,
  flow: KindFlow<unknown>,
  posting: Posting | null,
  wish: Pick<Job, 'force' | 'mode'>,
): Promise<Posting | null> =>
  flow.changesOnly === true ? Promise.resolve(posting) : settledPosting(run, posting, wish);

/**
 * The newest posting of a document, checked against the books: one that is gone or voided there makes room for a new
 * document (domain reference 5.4 point 3).
 */
async function settledPosting(
  run: Run,
  posting: Posting | null,
  wish: Pick<Job, 'force' | 'mode'>,
): Promise<Posting | null> {
  if (
    posting === null ||
    wish.force ||
    !isInBooks(posting.status) ||
    posting.targetType === null ||
    posting.targetId === null
  )
    return posting !== null && isInBooks(posting.status) ? posting : null;
  const found = await run.accounting.read(posting.targetType, posting.targetId);
  if (found !== null && !found.isVoided) return posting;
  if (wish.mode === 'live')
    await run.context.store.markPosting(posting.id, found === null ? 'deleted_in_books' : 'voided');
  return null;
}

const isInBooks = (status: PostingStatus): boolean => status === 'synced' || status === 'unconfirmed';

/** Takes up what a dead worker, a cut connection or a deaf PSA left behind. */
export async function resumeUnfinished(run: Run): Promise<void> {
  const { store, clock, logger } = run.context;
  const unfinished = await store.listUnfinished(clock.now());
  if (unfinished.length === 0) return;
  let shared: Promise<Shared> | undefined;
  const once = () => (shared ??= loadShared(run, 'automatic'));
  for (const left of unfinished) {
    run.signal.throwIfAborted();
    const flow = flowOf(left.kind);
    const newest = await store.readPosting(left.kind, left.psaId);
    const isUnsent = left.state === 'planning';
    const posting = isUnsent ? await postingFor(run, flow, newest, left) : newest;
    // Of an attempt that has sent nothing, the generation follows what the ledger says by now.
    const attempt = isUnsent ? (await store.openAttempt(run.lease, left)).attempt : left;
    const road = {
      flow,
      shared: once,
      facts: async () => (await flow.gather(run, await once(), [attempt.psaId])).get(attempt.psaId),
      posting,
      handled: [],
    };
    logger.info(
      { attemptId: attempt.id, psaId: attempt.psaId, state: attempt.state },
      'taking up an unfinished attempt',
    );
    await resumeDocument(run, road, attempt);
  }
}

/** Lets every unfinished attempt rest for a while: the services cannot be used now. */
export async function restUnfinished({ context, lease }: Pick<Run, 'context' | 'lease'>): Promise<void> {
  const { store, clock } = context;
  const notBefore = addSeconds(clock.now(), restSeconds);
  for (const attempt of await store.listUnfinished(clock.now()))
    await store.advance(lease, attempt, { ...attempt, notBefore });
}

/**
 * A connection that was refused for good is shown as lost until somebody reconnects it; one that waits for somebody to
 * do something in the service says so until it works again.
 */
export async function noteConnection(run: Run, error: ServiceError): Promise<void> {
  const { service, next } = error.about;
  const { store } = run.context;
  if (next === 'reconnect')
    await store.markConnection(service, { status: 'inactive', problem: sentenceOf(run, error) });
  if (!needsAction(error.about)) return;
  const { message, remedy } = problemOfService(error.about, run.psa.describe.label);
  await store.markConnection(service, {
    status: 'active',
    problem: remedy === null ? message : `${message} ${remedy}`,
  });
}

/** Asks the books, once, whether what had to be done there has been done; documents do not have to fail to find out. */
export async function hasRecovered(run: Run): Promise<boolean> {
  const { store, logger } = run.context;
  try {
    await run.accounting.identify();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    logger.warn({ ...error.about }, 'the books still wait for somebody');
    await noteConnection(run, error);
    return false;
  }
  await store.markConnection('accounting', { status: 'active' });
  return true;
}

function sentenceOf(run: Run, error: ServiceError): string {
  const label = error.about.service === 'psa' ? run.psa.describe.label : run.accounting.describe.label;
  switch (error.about.next) {
    case 'reconnect':
      return `${label} needs to be reconnected. Open Connections, connect it again, then sync once more.`;
    case 'try_again':
      return `${label} did not answer: ${error.about.detail}. What was not done yet is tried again by the next sync.`;
    case 'refuse':
    case 'stop_run':
      return `${label} refused: ${error.about.detail}.`;
    default:
      return never(error.about.next);
  }
}
