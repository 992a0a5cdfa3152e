import type { Attempt } from '#core/attempt.ts';
import { inParallel } from '#core/in-parallel.ts';
import { followsInvoice, type Kind } from '#core/kinds.ts';
import type { Job } from '#core/ports/jobs.ts';
import { Refusal } from '#core/refusal.ts';
import type { Settings } from '#core/settings/definitions.ts';
import { isReadBlock, ServiceError, stopsOneKind } from '#core/service-error.ts';
import { addSeconds } from '#core/values/dates.ts';
import { newProgress, type BatchRules } from '../batching/gate.ts';
import { preflight, type Preflight } from '../batching/preflight.ts';
import { isDefect } from '../document/defect.ts';
import { flowOf } from '../kinds/registry.ts';
import type { KindFlow, Shared } from '../kinds/kind.ts';
import type { Run } from '../run.ts';
import { isStop, noteConnection, stopCode, stopSentence, type Stop } from '../stop.ts';
import { findAll } from './find-all.ts';
import { loadShared } from './load-shared.ts';
import { chunkSize, runChunk, type Chunk, type ChunkResult } from './run-chunk.ts';
import { turnAfter } from './turn.ts';
import { startReading, syncedBefore, openAttempts, reopenAttempts, type ChunkReading } from './open-attempts.ts';

/** Seconds for which prefetched documents stay usable: two full calls in order. */
const freshSeconds = 30;
/** Documents that a job reads first. Their lines usually fit on one page of the PSA. */
const firstReadingSize = 100;
/**
 * Documents that a job starts first, of those that it has read. The others are planned while the first calls are in
 * progress.
 */
const firstChunkSize = 16;
/** With at least this many documents, some will certainly be sent, so their freshness check starts early. */
const surelySent = 10;

/**
 * Seconds for which later documents wait for an earlier one whose outcome is unknown; slightly longer than QuickBooks
 * may need to create it.
 */
const maxHoldUpSeconds = 300;
/** Milliseconds between checks while waiting. */
const waitStepMs = 2_000;
/** Seconds for which sessions retry a job that a bug stops. */
const maxTrySeconds = 300;

/** Seconds for which unfinished work is deferred after a service could not be used. */
const deferSeconds = 60;

/**
 * Runs all waiting jobs, oldest first.
 *
 * @returns what stopped the last one; null if it finished.
 * @throws LeaseLost when another worker has taken over.
 */
export async function runQueued(run: Run): Promise<Stop | null> {
  const { store, clock } = run.context;
  let failure: Stop | null = null;
  const defects: unknown[] = [];
  for (
    let job = await store.takeJob(run.lease, clock.now());
    job !== null;
    job = await store.takeJob(run.lease, clock.now())
  ) {
    run.signal.throwIfAborted();
    try {
      failure = await runJob(run, job);
    } catch (error) {
      if (!isDefect(error) || run.signal.aborted) throw error;
      // The next session picks it up; the jobs after it continue now.
      defects.push(error);
    }
  }
  if (defects.length > 0) throw defects[0];
  return failure;
}

/**
 * Runs a job: finds eligible documents, processes each, continues after a failed one, and stops when a service cannot
 * be used.
 *
 * @returns what stopped it.
 */
async function runJob(run: Run, job: Job): Promise<Stop | null> {
  const { store, clock, logger } = run.context;
  const finish = (status: 'finished' | 'failed' | 'cancelled', message: string | null) =>
    store.finishJob(run.lease, job.id, { status, message }, clock.now());
  try {
    const flow = flowOf(job.kind);
    const stopped = run.stoppedKinds.get(job.kind);
    if (stopped !== undefined) throw stopped;
    if (needsLedger(job)) await run.afterAdoption();
    const settings = await store.readSettings();
    const look = preflight(run, flow, () => Promise.resolve(settings));
    const [shared, open] = await inParallel([
      loadShared(run, job, settings),
      openDocuments(run, flow, job, settings, look),
    ]);
    const isThrough = await runAll(run, shared, flow, job, open, look);
    if (!isThrough) {
      await finish('cancelled', null);
      return null;
    }
    // A job of chosen documents did not search; the schedule records its own searches.
    if (job.psaIds === null) await store.markPolled(job.kind, clock.now());
    await finish('finished', null);
    return null;
  } catch (error) {
    if (isStop(error)) {
      await noteConnection(run, error);
      // The schedule logs each cause once, identified by its stop code.
      const outcome = { status: 'failed', message: stopSentence(run, error), stopCode: stopCode(error) } as const;
      await store.finishJob(run.lease, job.id, outcome, clock.now());
      return error;
    }
    if (error instanceof Refusal) {
      await finish('failed', error.message);
      return null;
    }
    if (!isDefect(error) || run.signal.aborted) throw error;
    logger.error({ jobId: job.id, error }, 'a defect stopped a job');
    if (!isStale(run, job)) throw error;
    const isStarted = (await store.readJob(job.id))?.total !== null;
    await finish(
      'failed',
      `It could not be ${isStarted ? 'finished' : 'started'} because of a defect in Tallybridge. Try again; if it stops again, send support the job id ${job.id}.`,
    );
    return null;
  }
}

/** Returns true if the ledger must have every posted document, because the job works on one of them. */
const needsLedger = ({ kind, revises }: Pick<Job, 'kind' | 'revises'>): boolean =>
  followsInvoice(kind) || revises === true;

/** Documents of a job that are still to be processed. */
interface OpenDocuments {
  readonly psaIds: readonly number[];
  /** The first documents, already read; null for a kind whose documents are read right before their turn. */
  readonly first: ChunkReading | null;
}

async function openDocuments(
  run: Run,
  flow: KindFlow<unknown>,
  job: Job,
  settings: Settings,
  look: Preflight,
): Promise<OpenDocuments> {
  const found = job.psaIds ?? (await findAll(run, flow, settings, { force: job.force, startOn: null }));
  // The search may no longer find documents that another worker began and could not finish.
  const startedIds = job.total === null ? [] : await run.context.store.listStarted(job.id);
  const wanted = startedIds.length === 0 ? found : [...new Set([...found, ...startedIds])].sort((a, b) => a - b);
  // Skip documents that already have a result from another worker.
  const settled = new Set(job.results.map((result) => result.psaId));
  const psaIds = wanted.filter((id) => !settled.has(id));
  await run.context.store.saveJobTotal(run.lease, job.id, settled.size + psaIds.length);
  if (flow.needsFresh === true) return { psaIds, first: null };
  const ids = psaIds.slice(0, job.trigger === 'manual' ? firstReadingSize : chunkSize);
  const startsCheckEarly = job.mode === 'live' && ids.length >= surelySent;
  const first = startReading(run, flow, settings, ids, startsCheckEarly ? () => look.begin(ids) : undefined);
  // Detects a service that does not respond before any document is started.
  await first.facts.read();
  return { psaIds, first };
}

/** Returns true if sessions have retried the job for long enough. */
const isStale = ({ context }: Run, { startedAt }: Job): boolean =>
  startedAt !== null && context.clock.now() >= addSeconds(startedAt, maxTrySeconds);

/**
 * Processes the documents of a job in chunks. Sends the next documents during the write-backs of earlier ones.
 *
 * @returns false if the job was canceled before its last document.
 */
async function runAll(
  run: Run,
  shared: Shared,
  flow: KindFlow<unknown>,
  job: Job,
  { psaIds: wanted, first }: OpenDocuments,
  look: Preflight,
): Promise<boolean> {
  const { store } = run.context;
  let open = wanted;
  let reading: ChunkReading | null = first;
  const isOrdered = job.mode === 'live' && flow.isNumberedByBooks?.(shared.settings) === true;
  const size = flow.needsFresh === true ? 1 : chunkSize;
  /** In an ordered job: the chunk that the next one follows, as long as the next one may follow. */
  let leading: readonly Chunk[] = [];
  const rules: BatchRules = {
    kind: flow.kind,
    total: open.length,
    progress: newProgress(job.trigger === 'manual'),
    isOrdered: () => Promise.resolve(isOrdered),
    isCancelled: () => store.isCancelRequested(job.id),
    preflight: look,
  };
  const handled = await syncedBefore(run, flow, job);
  const chunks: Promise<ChunkResult>[] = [];
  try {
    while (open.length > 0) {
      run.signal.throwIfAborted();
      if (await store.isCancelRequested(job.id)) return false;
      if (isOrdered && leading.length === 0 && !(await isEveryOutcomeKnown(run, flow, job))) return false;
      const read = readingOf(run, reading, open) ?? startReading(run, flow, shared.settings, open.slice(0, size));
      const isFirst = chunks.length === 0 && job.trigger === 'manual' && !isOrdered;
      const [current, later] = isFirst ? divided(read, firstChunkSize) : [read, null];
      reading = later;
      const { psaIds } = current;
      const items = await run.context.withLogContext({ kind: flow.kind, psaIds }, () =>
        openAttempts(run, shared, flow, job, current, handled),
      );
      open = open.slice(psaIds.length);
      const chunk = runChunk(run, items, { ...rules, turn: turnAfter(leading, () => isFresh(run, current)) });
      const ended = chunk.ended.then((end) => recordPending(run, job, end));
      // Awaited below; this prevents an unhandled rejection until then.
      ended.catch(() => undefined);
      chunks.push(ended);
      await chunk.nearlySent;
      if (flow.needsFresh !== true && reading === null && open.length > 0 && !chunk.isStopped())
        reading = startReading(run, flow, shared.settings, open.slice(0, size));
      // A kind that is read right before its turn waits until the previous document is sent.
      if (flow.needsFresh === true || (isOrdered && open.length === 0)) await chunk.sent;
      // If nothing can be sent anymore, start nothing more.
      if (chunk.isStopped()) await chunks.at(-1);
      // At most one earlier chunk is unfinished, so that the data of the next one stays fresh.
      await chunks.at(-2);
      const isHeldUp = isOrdered && ![...leading, chunk].every((one) => one.isClear());
      if (isHeldUp || flow.needsFresh === true) {
        const deferred = (await inParallel(chunks.slice(-1 - leading.length))).flatMap((end) => end.deferred);
        open = [...deferred, ...open];
      }
      leading = isOrdered && !isHeldUp ? [chunk] : [];
    }
    const ends = await inParallel(chunks);
    run.signal.throwIfAborted();
    return isOrdered || ends.every(({ deferred }) => deferred.length === 0);
  } finally {
    await Promise.allSettled([...chunks, reading?.facts.read()]);
  }
}

/** Splits a reading into the first documents and the others, if there are any. */
function divided(reading: ChunkReading, first: number): readonly [ChunkReading, ChunkReading | null] {
  const { psaIds } = reading;
  if (psaIds.length <= first) return [reading, null];
  return [
    { ...reading, psaIds: psaIds.slice(0, first) },
    { ...reading, psaIds: psaIds.slice(first) },
  ];
}

/** In an ordered job, documents that were read too long before their turn are read again. */
const isFresh = ({ context }: Pick<Run, 'context'>, { startedAt }: ChunkReading): boolean =>
  context.clock.now() < addSeconds(startedAt, freshSeconds);

/** Returns the prefetched chunk if it is the next one and fresh enough; otherwise null. */
function readingOf(run: Run, reading: ChunkReading | null, open: readonly number[]): ChunkReading | null {
  if (reading === null || !isFresh(run, reading)) return null;
  return reading.psaIds.every((id, index) => open[index] === id) ? reading : null;
}

/** Records pending results in this job, too: an attempt left by an earlier job reports only to that one. */
async function recordPending(run: Run, job: Job, end: ChunkResult): Promise<ChunkResult> {
  for (const result of end.results)
    if (result.outcome === 'pending') await run.context.store.saveJobResult(run.lease, job.id, result);
  return end;
}

/**
 * Waits until the outcome of every sent document of a kind is known, so that none gets a number before an earlier one.
 *
 * @returns false if the job was canceled meanwhile.
 * @throws ServiceError when an outcome stays unknown for too long.
 */
async function isEveryOutcomeKnown(run: Run, flow: KindFlow<unknown>, job: Job): Promise<boolean> {
  const { store, clock, sleep } = run.context;
  const until = addSeconds(clock.now(), maxHoldUpSeconds);
  for (;;) {
    const unfinished = await store.listUnfinished(until);
    const unsure = unfinished.filter((one) => one.kind === flow.kind && isSent(one));
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
  // Facts that may change meanwhile are read right before the document's turn.
  const size = flow.needsFresh === true ? 1 : chunkSize;
  for (let start = 0; start < left.length; start += size) {
    run.signal.throwIfAborted();
    const items = await reopenAttempts(run, shared, flow, left.slice(start, start + size));
    await runChunk(run, items, {
      kind: flow.kind,
      total: left.length,
      progress: newProgress(false),
      isOrdered: async () => flow.isNumberedByBooks?.((await shared()).settings) === true,
      isCancelled: () => Promise.resolve(false),
      preflight: preflight(run, flow, async () => (await shared()).settings),
    }).ended;
  }
}

/** Defers all unfinished attempts, because the services cannot be used now. */
export async function deferUnfinished({ context, lease }: Pick<Run, 'context' | 'lease'>): Promise<void> {
  const { store, clock } = context;
  const notBefore = addSeconds(clock.now(), deferSeconds);
  for (const attempt of await store.listUnfinished(clock.now()))
    await store.advance(lease, attempt, { ...attempt, notBefore });
}
