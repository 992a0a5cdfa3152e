import { hasEnded, nextCommand, type Attempt } from '#core/attempt.ts';
import { type Command, type Plan, sharedRecordOf } from '#core/planning/plan.ts';
import type { JobResult } from '#core/records/jobs.ts';
import { LeaseLost } from '#core/records/leases.ts';
import { createBatchCoordinator, type BatchCoordinator } from '../batching/coordinator.ts';
import type { BatchRules } from '../batching/gate.ts';
import type { DocumentContext, WorkItem } from '../document/context.ts';
import { decide } from '../document/decide.ts';
import { withClaims } from '../document/shared-records.ts';
import { runDocument, type DocumentResult } from '../document/run-document.ts';
import { resultOf } from '../document/save.ts';
import { releasePrepaid } from '../prepaid-entries.ts';
import type { Run } from '../run.ts';
import { isStop, RunStopped } from '../stop.ts';

/** Documents that are read, planned and sent together: four full calls, few enough to stay fresh until they are sent. */
export const chunkSize = 120;

export interface ChunkResult {
  /** Results of the documents that could continue. */
  readonly results: readonly JobResult[];
  /** PSA ids, ascending, of documents that could not continue: not started, or started but not sent. */
  readonly deferred: readonly number[];
  /** PSA ids of documents that wait for another document of the job, which may be posted by now. */
  readonly waiting: readonly number[];
}

/** A document of the chunk and its progress. */
interface Member {
  readonly doc: DocumentContext;
  attempt: Attempt;
  /** The document has failed; this run does nothing more for it. */
  failure: { readonly error: unknown } | null;
  isDeferred: boolean;
  /** It needs another document of the job first, and is not run in this chunk. */
  isWaiting: boolean;
}

/** Documents whose shared customers, vendors and items exist. */
export interface PreparedChunk {
  readonly run: Run;
  readonly rules: BatchRules;
  readonly coordinator: BatchCoordinator;
  readonly members: readonly Member[];
}

/**
 * First phase of a chunk: creates the customers, vendors and items that its documents share, each by one of the
 * documents that need it.
 *
 * @param waited PSA ids of documents that have waited for others of their job, each once; grows. Absent: none wait
 */
export async function prepareChunk(
  run: Run,
  items: readonly WorkItem[],
  rules: BatchRules,
  waited?: Set<number>,
): Promise<PreparedChunk> {
  const coordinator = createBatchCoordinator(run, rules, () =>
    members.map(({ attempt }) => attempt).filter((attempt) => !hasEnded(attempt)),
  );
  const stopRun: DocumentContext['stopRun'] = (problem) => coordinator.halt(new RunStopped(problem));
  const members = items.map(({ attempt, doc }): Member => ({
    doc: { ...doc, stopRun },
    attempt,
    failure: null,
    isDeferred: false,
    isWaiting: false,
  }));
  await createSharedRecords(coordinator, members, waited);
  return { run, rules, coordinator, members };
}

/**
 * Second phase of a chunk: runs its documents in parallel. The coordinator combines their commands into few calls. Apart
 * from that, documents do not wait for or affect each other.
 *
 * @throws ServiceError when a service cannot be used at all: the first such error, after the other documents have gone
 *   as far as possible.
 * @throws RunStopped when a problem affects all documents.
 * @throws LeaseLost when another worker has taken over.
 */
export async function finishChunk({ run, rules, coordinator, members }: PreparedChunk): Promise<ChunkResult> {
  const going = members.filter(({ isWaiting }) => !isWaiting);
  await runAll(coordinator, going, 'ended');
  return outcomeOf(run, rules, members);
}

/**
 * Runs the phase of shared records: for each record, the first document that needs it creates it, and the others are
 * decided again with it. If creation fails, the next document tries.
 */
async function createSharedRecords(
  coordinator: BatchCoordinator,
  members: readonly Member[],
  waited: Set<number> | undefined,
): Promise<void> {
  const tried = new Set<Member>();
  for (;;) {
    const keys = new Set<string>();
    const creators: Member[] = [];
    for (const member of members) {
      if (tried.has(member)) continue;
      const needed = await missingRecords(member, waited);
      if (needed.length === 0 || needed.some((key) => keys.has(key))) continue;
      for (const key of needed) keys.add(key);
      creators.push(member);
    }
    if (creators.length === 0) return;
    for (const creator of creators) tried.add(creator);
    await runAll(coordinator, creators, 'records_made');
  }
}

/**
 * Returns the keys of shared records that a document would create next; none if it waits, has ended, or cannot be
 * decided. Called for one document after another, so that each sees the customers and vendors chosen before.
 */
async function missingRecords(member: Member, waited: Set<number> | undefined): Promise<readonly string[]> {
  const { doc, attempt } = member;
  if (doc.flow.changesOnly === true) return [];
  if (attempt.state === 'posting' || attempt.state === 'unsure') {
    await claimParties(doc, attempt.plan);
    const next = nextCommand(attempt);
    return sharedRecordOf(next) === null ? [] : keysOf(attempt.plan.commands.slice(attempt.posted.length));
  }
  if (attempt.state !== 'planning') return [];
  try {
    const decision = await decide(doc, attempt);
    if (decision.outcome === 'refuse' && attempt.mode === 'live' && waited?.has(attempt.psaId) === false) {
      // The sale may be another document of this job, so this one is decided again after the others.
      member.isWaiting = decision.problems.some(({ code }) => code === 'PREPAID_SALE_NOT_SYNCED');
      if (member.isWaiting) waited.add(attempt.psaId);
    }
    if (decision.outcome !== 'plan') return [];
    await claimParties(doc, decision.plan);
    return attempt.mode === 'test' ? [] : keysOf(decision.plan.commands);
  } catch {
    // The document's own turn will report the same error.
    return [];
  }
}

async function claimParties({ shared }: DocumentContext, plan: Plan): Promise<void> {
  const facts = await shared();
  facts.mappings = withClaims(facts.mappings, plan);
}

const keysOf = (commands: readonly Command[]): readonly string[] =>
  commands.flatMap((command) => {
    const record = sharedRecordOf(command);
    return record === null ? [] : [`${record.list} ${record.name.toLowerCase()}`];
  });

/** Processes documents together, up to their own commands or to their end. */
async function runAll(
  coordinator: BatchCoordinator,
  members: readonly Member[],
  until: 'records_made' | 'ended',
): Promise<void> {
  const going = members
    .filter(({ failure }) => failure === null)
    .map((member) => ({ member, slot: coordinator.open() }));
  await Promise.all(
    going.map(async ({ member, slot }) => {
      try {
        const { attempt, isDeferred }: DocumentResult = await runDocument(member.doc, member.attempt, { slot, until });
        member.attempt = attempt;
        member.isDeferred = isDeferred;
        // A test sync posts nothing, so the ledger never has what it plans.
        if (attempt.mode === 'live' && isSettled(attempt)) releasePrepaid((await member.doc.shared()).prepaid, attempt);
      } catch (error) {
        coordinator.halt(null);
        member.failure = { error };
      }
    }),
  );
}

/** Whether nothing more will be sent for the attempt. */
const isSettled = ({ state }: Attempt): boolean => state !== 'planning' && state !== 'posting' && state !== 'unsure';

/**
 * Returns the result of a chunk. Deferred documents leave no trace.
 *
 * @throws LeaseLost, ServiceError, RunStopped or a bug's error: the most serious one that stopped it.
 */
async function outcomeOf(run: Run, { progress }: BatchRules, members: readonly Member[]): Promise<ChunkResult> {
  const failures = members.flatMap(({ failure }) => (failure === null ? [] : [failure.error]));
  const lost = failures.find((error) => error instanceof LeaseLost);
  if (lost !== undefined) throw lost;
  const defect = failures.find((error) => !isStop(error));
  if (defect !== undefined) throw defect;
  const arrived = members.filter(({ failure }) => failure === null);
  const isPutOff = ({ isDeferred, isWaiting }: Member) => isDeferred || isWaiting;
  const unstarted = arrived.filter((member) => isPutOff(member) && member.attempt.state === 'planning');
  await run.context.store.withdrawAttempts(
    run.lease,
    unstarted.map(({ attempt }) => attempt.id),
  );
  const failure = failures[0] ?? progress.stoppedBy;
  if (failure !== null) throw failure;
  return {
    results: arrived.filter((member) => !isPutOff(member)).map(({ attempt }) => resultOf(run, attempt)),
    deferred: arrived.filter(({ isDeferred }) => isDeferred).map(({ attempt }) => attempt.psaId),
    waiting: arrived.filter(({ isWaiting }) => isWaiting).map(({ attempt }) => attempt.psaId),
  };
}
