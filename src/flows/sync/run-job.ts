import type { Attempt } from '#core/attempt.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Kind, Trigger } from '#core/kinds.ts';
import type { Job } from '#core/ports/jobs.ts';
import type { Posting, PostingStatus } from '#core/ports/postings.ts';
import { Refusal } from '#core/refusal.ts';
import { problemOfService } from '#core/problems.ts';
import { needsAction, ServiceError } from '#core/service-error.ts';
import { never } from '#core/values/assert.ts';
import { addSeconds } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { loadBooksLists } from '../connections/books-lists.ts';
import { loadPsaReference } from '../connections/reference-data.ts';
import { flowOf } from './kinds/registry.ts';
import { findAll } from './find-all.ts';
import { lastLook } from './last-look.ts';
import type { KindFlow } from './kinds/kind.ts';
import type { MeetingRules } from './meeting.ts';
import { runPortion, type PortionEnd, type Traveller } from './run-portion.ts';
import type { Run, Shared } from './run.ts';

/** Documents that go side by side: few enough to be fresh when their turn comes, enough to fill several batches. */
const portionSize = 300;
/**
 * How long documents wait for one before them of which it is not known whether it was made; a little longer than the
 * books may take to make it.
 */
const longestHoldUpSeconds = 300;
/** How often whoever waits looks whether it is still to wait. */
const waitStepMs = 2_000;
/** The PSA's lists tell of no changes: older ones are read again; a person's run reads what was mended just now. */
const psaMaxAgeSeconds = { automatic: 3_600, manual: 0 } as const;

/** How long unfinished work rests after a service could not be used. */
const restSeconds = 60;

/** Facts that all documents of a job share; preferences are always fresh (domain reference 11.1). */
export async function loadShared({ context }: Run, trigger: Trigger): Promise<Shared> {
  const freshness = { maxAgeSeconds: psaMaxAgeSeconds[trigger] };
  const [settings, itemSettings, mappings, psa, books] = await inParallel([
    context.store.readSettings(),
    context.store.readItemSettings(),
    context.store.listMappings(),
    loadPsaReference(context, freshness),
    loadBooksLists(context, trigger === 'manual' ? 'as_they_are' : 'as_told'),
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
    const isThrough = await runAll(run, shared, flow, job, wanted);
    if (!isThrough) {
      await finish('cancelled', null);
      return null;
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

/**
 * Brings the documents of a job forward, portion after portion. While the PSA is told of one, the next is sent.
 *
 * @returns false when the job was cancelled before its last document.
 */
async function runAll(
  run: Run,
  shared: Shared,
  flow: KindFlow<unknown>,
  job: Job,
  wanted: readonly number[],
): Promise<boolean> {
  const { store } = run.context;
  // A job that another worker began goes on behind what has its result already.
  const settled = new Set(job.results.map((result) => result.psaId));
  let open = wanted.filter((id) => !settled.has(id));
  const isOrdered = job.mode === 'live' && flow.isNumberedByBooks?.(shared.settings) === true;
  const size = flow.needsFresh === true ? 1 : portionSize;
  const rules: MeetingRules = {
    kind: flow.kind,
    total: open.length,
    isOrdered: () => Promise.resolve(isOrdered),
    isCancelled: () => store.isCancelRequested(job.id),
    lastLook: lastLook(run, flow, () => Promise.resolve(shared.settings)),
  };
  const handled = await handledBefore(run, flow, job);
  const portions: Promise<PortionEnd>[] = [];
  try {
    while (open.length > 0) {
      run.signal.throwIfAborted();
      if (await store.isCancelRequested(job.id)) return false;
      if (isOrdered && !(await isNothingUnsure(run, flow, job))) return false;
      const psaIds = open.slice(0, size);
      const travellers = await run.context.about({ kind: flow.kind, psaIds }, () =>
        gatherTravellers(run, shared, flow, job, psaIds, handled),
      );
      open = open.slice(size);
      const portion = runPortion(run, travellers, rules);
      portions.push(portion.ended.then((end) => tellOfPending(run, job, end)));
      await portion.sent;
      // One portion at most is behind: what is read for a document is to be fresh.
      await portions.at(-2);
      if (isOrdered || size === 1) open = [...((await portions.at(-1))?.withheld ?? []), ...open];
    }
    const ends = await inParallel(portions);
    run.signal.throwIfAborted();
    return isOrdered || ends.every(({ withheld }) => withheld.length === 0);
  } finally {
    await Promise.allSettled(portions);
  }
}

/** An attempt that an earlier job left waiting reports to that job; this one is told as well. */
async function tellOfPending(run: Run, job: Job, end: PortionEnd): Promise<PortionEnd> {
  for (const result of end.results)
    if (result.outcome === 'pending') await run.context.store.saveJobResult(run.lease, job.id, result);
  return end;
}

/** Reads what a portion is decided on, and takes its documents up. */
async function gatherTravellers(
  run: Run,
  shared: Shared,
  flow: KindFlow<unknown>,
  job: Job,
  psaIds: readonly number[],
  handled: JsonObject[],
): Promise<readonly Traveller[]> {
  const { store, clock } = run.context;
  const facts = await flow.gather(run, shared, psaIds);
  const known = new Map((await store.listPostings(flow.kind, psaIds)).map((posting) => [posting.psaId, posting]));
  const postings = new Map<number, Posting | null>();
  for (const psaId of psaIds) postings.set(psaId, await postingFor(run, flow, known.get(psaId) ?? null, job));
  const { mode, force, trigger, logLevel } = job;
  const common = { jobId: job.id, kind: flow.kind, mode, force, trigger, logLevel, startedAt: clock.now() };
  const opened = await store.openAttempts(
    run.lease,
    psaIds.map((psaId) => ({ ...common, psaId })),
  );
  return opened.map(({ attempt }) => ({
    attempt,
    road: {
      flow,
      shared: () => Promise.resolve(shared),
      facts: async (isFresh = false) =>
        (isFresh ? await flow.gather(run, shared, [attempt.psaId]) : facts).get(attempt.psaId),
      posting: postings.get(attempt.psaId) ?? null,
      handled,
    },
  }));
}

/** What the Overview tells of documents that a job had made before another worker took it up. */
async function handledBefore(run: Run, flow: KindFlow<unknown>, job: Job): Promise<JsonObject[]> {
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

/**
 * Waits until it is known of every document of a kind whether it was made, so that none gets a number before one that
 * comes first.
 *
 * @returns false when the job was cancelled meanwhile.
 * @throws ServiceError when the books do not say so for too long.
 */
async function isNothingUnsure(run: Run, flow: KindFlow<unknown>, job: Job): Promise<boolean> {
  const { store, clock, sleep } = run.context;
  const until = addSeconds(clock.now(), longestHoldUpSeconds);
  for (;;) {
    const unfinished = await store.listUnfinished(until);
    const unsure = unfinished.filter(
      (one) => one.kind === flow.kind && (one.state === 'unsure' || (one.state === 'posting' && one.sentAt !== null)),
    );
    const [first] = unsure;
    if (first === undefined) return true;
    const now = clock.now();
    if (now >= until)
      throw new ServiceError({
        service: 'accounting',
        operation: 'settle what was sent',
        outcome: 'not_applied',
        next: 'try_again',
        code: 'QBO_UNAVAILABLE',
        detail: `it is not known yet whether ${flow.name(first.psaId)} was made, and those after it wait`,
      });
    if (unsure.every(({ notBefore }) => notBefore !== null && notBefore > now)) {
      run.signal.throwIfAborted();
      if (await store.isCancelRequested(job.id)) return false;
      await sleep(waitStepMs);
    } else await resumeUnfinished(run, flow.kind);
  }
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

/**
 * Takes up what a dead worker, a cut connection or a deaf PSA left behind.
 *
 * @param only documents of this kind alone.
 */
export async function resumeUnfinished(run: Run, only?: Kind): Promise<void> {
  const { store, clock, logger } = run.context;
  const unfinished = await store.listUnfinished(clock.now());
  let shared: Promise<Shared> | undefined;
  const once = () => (shared ??= loadShared(run, 'automatic'));
  for (const [kind, left] of Map.groupBy(unfinished, (one) => one.kind)) {
    if (only !== undefined && kind !== only) continue;
    run.signal.throwIfAborted();
    logger.info({ kind, attempts: left.length }, 'taking up unfinished attempts');
    const flow = flowOf(kind);
    // What may have changed meanwhile is read right before its turn.
    const size = flow.needsFresh === true ? 1 : portionSize;
    for (let start = 0; start < left.length; start += size) {
      const travellers = await leftTravellers(run, once, flow, left.slice(start, start + size));
      await runPortion(run, travellers, {
        kind,
        total: left.length,
        isOrdered: async () => flow.isNumberedByBooks?.((await once()).settings) === true,
        isCancelled: () => Promise.resolve(false),
        lastLook: lastLook(run, flow, async () => (await once()).settings),
      }).ended;
    }
  }
}

async function leftTravellers(
  run: Run,
  shared: () => Promise<Shared>,
  flow: KindFlow<unknown>,
  left: readonly Attempt[],
): Promise<readonly Traveller[]> {
  const { store } = run.context;
  let facts: Promise<ReadonlyMap<number, unknown>> | undefined;
  const ids = left.map(({ psaId }) => psaId);
  const factsOnce = async () => (facts ??= flow.gather(run, await shared(), ids));
  const newest = new Map((await store.listPostings(flow.kind, ids)).map((posting) => [posting.psaId, posting]));
  const jobs = new Map<string | null, JsonObject[]>();
  const travellers: Traveller[] = [];
  for (const one of left) {
    const isUnsent = one.state === 'planning';
    const known = newest.get(one.psaId) ?? null;
    const posting = isUnsent ? await postingFor(run, flow, known, one) : known;
    // Of an attempt that has sent nothing, the generation follows what the ledger says by now.
    const attempt = isUnsent ? (await store.openAttempt(run.lease, one)).attempt : one;
    let handled = jobs.get(one.jobId);
    if (handled === undefined) {
      const job = one.jobId === null ? null : await store.readJob(one.jobId);
      jobs.set(one.jobId, (handled = job?.status === 'running' ? await handledBefore(run, flow, job) : []));
    }
    const road = {
      flow,
      shared,
      facts: async (isFresh = false) =>
        (isFresh ? await flow.gather(run, await shared(), [one.psaId]) : await factsOnce()).get(one.psaId),
      posting,
      handled,
    };
    travellers.push({ attempt, road });
  }
  return travellers;
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
