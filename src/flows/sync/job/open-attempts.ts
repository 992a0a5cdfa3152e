import type { Attempt } from '#core/attempt.ts';
import { inParallel } from '#core/in-parallel.ts';
import { lastCommand } from '#core/planning/plan.ts';
import type { Preview } from '#core/planning/preview.ts';
import type { Preference } from '#core/planning/update-merge.ts';
import type { Draft } from '#core/records/drafts.ts';
import type { Job } from '#core/records/jobs.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { Posting } from '#core/records/postings.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { Approval, WorkItem } from '../document/context.ts';
import { currentPosting } from '../document/decide.ts';
import { infoOf } from '../document/posted.ts';
import type { KindFlow, KnownDocument, Shared } from '../kinds/kind.ts';
import type { Run } from '../run.ts';
import { isOfOneDocument } from '../stop.ts';

/** A document that was not posted before. */
const unknown: KnownDocument = { posting: null, gone: null };

/** Returns whose value a job, or the draft that it releases, chose for fields that both sides changed; null: neither. */
function preferredBy(job: Job | null, draft: Draft | undefined): Preference | null {
  const update = draft === undefined ? null : lastCommand(draft.plan);
  return job?.prefers ?? (update?.do === 'update' ? (update.merge?.prefers ?? null) : null);
}

const noDrafts: ReadonlyMap<number, Draft> = new Map();

const approvalOf = (draft: Draft | undefined, job: Job | null, seen: Preview | undefined): Approval => ({
  reviewed: job?.reviews === undefined ? null : { seen: seen ?? null },
  draft: draft ?? null,
  isRelease: job?.approves === true,
  preparedBy: job?.submittedBy?.masquerader ?? job?.submittedBy?.username ?? null,
});

/** Returns the previews of these documents in the review that the job names. */
const seenBefore = async (
  run: Run,
  job: Job | null,
  psaIds: readonly number[],
): Promise<ReadonlyMap<number, Preview>> =>
  job?.reviews === undefined ? new Map() : run.context.store.listPreviews(job.reviews, psaIds);

/** A job that is being processed, and what all its documents share. */
export interface JobWork {
  readonly run: Run;
  readonly flow: KindFlow<unknown>;
  readonly job: Job;
  readonly shared: Shared;
  /** Entries for the Overview about the documents the job has synced; grows with each. */
  readonly handled: JsonObject[];
}

/** Reads the facts of documents of a job, and opens an attempt for each. */
export async function openAttempts(
  { run, flow, job, shared, handled }: JobWork,
  psaIds: readonly number[],
): Promise<readonly WorkItem[]> {
  const { store, clock } = run.context;
  const factsOf = readFacts(run, flow, () => Promise.resolve(shared.settings), psaIds);
  const reading = run.context.withLogContext({ kind: flow.kind, psaIds }, () => factsOf.read());
  // Awaited below; this prevents an unhandled rejection until then.
  reading.catch(() => undefined);
  const known = await newestPostings(run, flow, psaIds);
  const knownOf = await currentPostings(run, flow, known, psaIds, job);
  const { mode, force, revises, trigger, logLevel } = job;
  const common = {
    jobId: job.id,
    kind: flow.kind,
    mode,
    force,
    ...(revises && { revises }),
    trigger,
    logLevel,
    startedAt: clock.now(),
  };
  // Detects a service that does not respond before any document is started.
  await reading;
  const drafts = mode === 'test' ? noDrafts : await store.listNewestDrafts(flow.kind, psaIds);
  const seen = await seenBefore(run, job, psaIds);
  const opened = await store.openAttempts(
    run.lease,
    psaIds.map((psaId) => ({ ...common, psaId })),
  );
  return opened.map(({ attempt }) => ({
    attempt,
    doc: {
      run,
      flow,
      shared: () => Promise.resolve(shared),
      facts: (isFresh) => factsOf.of(attempt.psaId, isFresh),
      known: knownOf.get(attempt.psaId) ?? unknown,
      requestedAt: job?.createdAt ?? null,
      prefers: preferredBy(job, drafts.get(attempt.psaId)),
      approval: approvalOf(drafts.get(attempt.psaId), job, seen.get(attempt.psaId)),
      handled,
    },
  }));
}

/** Returns the newest posting of each document, checked in QuickBooks; read together. */
async function currentPostings(
  run: Run,
  flow: KindFlow<unknown>,
  newest: ReadonlyMap<number, Posting>,
  psaIds: readonly number[],
  request: Job,
): Promise<ReadonlyMap<number, KnownDocument>> {
  const found = await inParallel(psaIds.map((psaId) => currentPosting(run, flow, newest.get(psaId) ?? null, request)));
  return new Map(psaIds.map((psaId, index) => [psaId, found[index] ?? unknown]));
}

/** Reads the data for unfinished attempts. Those that have sent nothing are opened again. */
export async function reopenAttempts(
  run: Run,
  shared: () => Promise<Shared>,
  flow: KindFlow<unknown>,
  left: readonly Attempt[],
): Promise<readonly WorkItem[]> {
  const { store } = run.context;
  const ids = left.map(({ psaId }) => psaId);
  const factsOf = readFacts(run, flow, async () => (await shared()).settings, ids);
  const newest = await newestPostings(run, flow, ids);
  const drafts = await store.listNewestDrafts(flow.kind, ids);
  const jobs = new Map<string | null, { readonly job: Job | null; readonly handled: JsonObject[] }>();
  const items: WorkItem[] = [];
  for (const one of left) {
    const isUnsent = one.state === 'planning';
    const posting = newest.get(one.psaId) ?? null;
    const known = isUnsent ? await currentPosting(run, flow, posting, one) : { posting, gone: null };
    // If the attempt has sent nothing, its generation follows the present ledger.
    const attempt = isUnsent ? (await store.openAttempt(run.lease, one)).attempt : one;
    let of = jobs.get(one.jobId);
    if (of === undefined) {
      const job = one.jobId === null ? null : await store.readJob(one.jobId);
      of = { job, handled: job?.status === 'running' ? await syncedBefore(run, flow, job) : [] };
      jobs.set(one.jobId, of);
    }
    const { job, handled } = of;
    const facts = (isFresh?: boolean) => factsOf.of(one.psaId, isFresh);
    const seen = await seenBefore(run, job, [one.psaId]);
    const approval = approvalOf(drafts.get(one.psaId), job, seen.get(one.psaId));
    const requestedAt = job?.createdAt ?? null;
    const prefers = preferredBy(job, drafts.get(one.psaId));
    items.push({ attempt, doc: { run, flow, shared, facts, known, requestedAt, prefers, approval, handled } });
  }
  return items;
}

interface ChunkFacts {
  /** Reads the facts of all documents; null if they could not be read together. */
  readonly read: () => Promise<ReadonlyMap<number, unknown> | null>;
  readonly of: (psaId: number, isFresh?: boolean) => Promise<unknown>;
}

/**
 * Returns the facts of a chunk's documents, read in as few calls as possible when first needed. If a bug or
 * an unreadable record makes the joint reading fail, each document is read separately, so that only the affected one fails.
 */
export function readFacts(
  run: Run,
  flow: KindFlow<unknown>,
  settings: () => Promise<Settings>,
  psaIds: readonly number[],
): ChunkFacts {
  let all: Promise<ReadonlyMap<number, unknown> | null> | undefined;
  const alone = async (psaId: number) => (await flow.gather(run, await settings(), [psaId])).get(psaId);
  const together = async (): Promise<ReadonlyMap<number, unknown> | null> => {
    try {
      return await flow.gather(run, await settings(), psaIds);
    } catch (error) {
      if (!isOfOneDocument(error)) throw error;
      run.context.logger.error({ kind: flow.kind, error }, 'documents could not be read together: each is read alone');
      return null;
    }
  };
  const read = () => (all ??= together());
  return {
    read,
    async of(psaId, isFresh = false) {
      const facts = isFresh ? null : await read();
      return facts === null ? alone(psaId) : facts.get(psaId);
    },
  };
}

/** Returns the newest posting of each document; later ones override earlier ones. */
const newestPostings = async (
  run: Run,
  { kind }: KindFlow<unknown>,
  psaIds: readonly number[],
): Promise<ReadonlyMap<number, Posting>> =>
  new Map((await run.context.store.listPostings(kind, psaIds)).map((posting) => [posting.psaId, posting]));

/** Returns the Overview's entries of documents that a job synced before another worker picked it up. */
export async function syncedBefore(run: Run, flow: KindFlow<unknown>, job: Job): Promise<JsonObject[]> {
  const ids = job.results.flatMap(({ psaId, outcome }) => (outcome === 'succeeded' ? [psaId] : []));
  if (ids.length === 0 || job.mode === 'test') return [];
  const postings = await newestPostings(run, flow, ids);
  return ids.flatMap((psaId) => {
    const posting = postings.get(psaId);
    if (posting?.status !== 'synced' || posting.targetId === null) return [];
    // A document that was only linked again was created by an earlier job.
    if (job.startedAt !== null && posting.createdAt < job.startedAt) return [];
    return [infoOf(flow.kind, psaId, { id: posting.targetId, number: posting.number })];
  });
}
