import { hasEnded, nextCommand, type Attempt } from '#core/attempt.ts';
import { similarityKey } from '#core/mapping/similar-names.ts';
import { sharedRecordOf, type Command, type Plan } from '#core/planning/plan.ts';
import type { JobResult } from '#core/ports/jobs.ts';
import { LeaseLost } from '#core/ports/leases.ts';
import { createBatchCoordinator, type BatchCoordinator } from '../batching/coordinator.ts';
import type { BatchRules } from '../batching/gate.ts';
import type { DocumentContext, WorkItem } from '../document/context.ts';
import { decide } from '../document/planning.ts';
import { withClaims } from '../document/shared-records.ts';
import { runDocument, type DocumentResult } from '../document/run-document.ts';
import { resultOf } from '../document/save.ts';
import { releasePrepaid } from '../prepaid-entries.ts';
import type { Run } from '../run.ts';
import { isStop, RunStopped } from '../stop.ts';

/** Documents processed in parallel: few enough to stay fresh until they are sent, enough to fill several batches. */
export const chunkSize = 300;

/** Documents processed in parallel. */
export interface Chunk {
  /** Resolves once few or no documents are left to send, so that the next ones can be read; never rejects. */
  readonly nearlySent: Promise<void>;
  /** Resolves once nothing more will be sent to QuickBooks; never rejects. */
  readonly sent: Promise<void>;
  /** Returns true if everything could be sent and every result is known; otherwise {@link ended} has the reason. */
  readonly isClear: () => boolean;
  /** Returns true if a problem affects all documents, including later chunks; {@link ended} has the reason. */
  readonly isStopped: () => boolean;
  /**
   * Resolves once each document has gone as far as possible.
   *
   * @throws ServiceError when a service cannot be used at all: the first such error, after the other documents have
   *   gone as far as possible.
   * @throws RunStopped when a problem affects all documents.
   * @throws LeaseLost when another worker has taken over.
   */
  readonly ended: Promise<ChunkResult>;
}

export interface ChunkResult {
  /** Results of the documents that could continue. */
  readonly results: readonly JobResult[];
  /** PSA ids, ascending, of documents that could not continue: not started, or started but not sent. */
  readonly deferred: readonly number[];
}

/** A document of the chunk and its progress. */
interface Member {
  readonly doc: DocumentContext;
  attempt: Attempt;
  /** The document has failed; this run does nothing more for it. */
  failure: { readonly error: unknown } | null;
  isDeferred: boolean;
}

/**
 * Runs the documents of a chunk in parallel, in two phases. First, shared customers, vendors and items are created,
 * each by one of the documents that need it; then the documents themselves. A coordinator combines their commands into
 * few calls. Apart from that, documents do not wait for or affect each other.
 */
export function runChunk(run: Run, items: readonly WorkItem[], rules: BatchRules): Chunk {
  const nearlySent = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<void>();
  const coordinator = createBatchCoordinator(
    run,
    rules,
    () => members.map(({ attempt }) => attempt).filter((attempt) => !hasEnded(attempt)),
    nearlySent.resolve,
  );
  const stopRun: DocumentContext['stopRun'] = (problem) => coordinator.halt(new RunStopped(problem));
  const members = items.map(({ attempt, doc }): Member => ({
    doc: { ...doc, stopRun },
    attempt,
    failure: null,
    isDeferred: false,
  }));
  const ended = (async (): Promise<ChunkResult> => {
    try {
      await createSharedRecords(coordinator, members);
      await runAll(coordinator, members, 'ended', sent.resolve);
    } finally {
      nearlySent.resolve();
      sent.resolve();
    }
    return outcomeOf(run, coordinator, members);
  })();
  return {
    nearlySent: nearlySent.promise,
    sent: sent.promise,
    isClear: coordinator.isClear,
    isStopped: () => coordinator.stoppedBy() !== null,
    ended,
  };
}

/**
 * Runs the phase of shared records: for each record, the first document that needs it creates it, and the others are
 * decided again with it. If creation fails, the next document tries.
 */
async function createSharedRecords(coordinator: BatchCoordinator, members: readonly Member[]): Promise<void> {
  const tried = new Set<Member>();
  for (;;) {
    const keys = new Set<string>();
    const creators: Member[] = [];
    for (const member of members) {
      if (tried.has(member)) continue;
      const needed = await missingRecords(member);
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
async function missingRecords({ doc, attempt }: Member): Promise<readonly string[]> {
  if (doc.flow.changesOnly === true) return [];
  if (attempt.state === 'posting' || attempt.state === 'unsure') {
    await claimParties(doc, attempt.plan);
    const next = nextCommand(attempt);
    return sharedRecordOf(next) === null ? [] : keysOf(attempt.plan.commands.slice(attempt.posted.length));
  }
  if (attempt.state !== 'planning') return [];
  try {
    const decision = await decide(doc, attempt);
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

/** Customers and vendors with similar names share a key, so that the second is decided when the first one exists. */
const keysOf = (commands: readonly Command[]): readonly string[] =>
  commands.flatMap((command) => {
    const record = sharedRecordOf(command);
    if (record === null) return [];
    const similar = record.list === 'item' ? '' : similarityKey(record.name);
    return [`${record.list} ${similar === '' ? record.name.toLowerCase() : similar}`];
  });

/**
 * Processes documents together.
 *
 * @param onSent called once none of them will send anything more.
 */
async function runAll(
  coordinator: BatchCoordinator,
  members: readonly Member[],
  until: 'records_made' | 'ended',
  onSent?: () => void,
): Promise<void> {
  const going = members.filter(({ failure }) => failure === null);
  let open = going.length;
  const slots = going.map(() => {
    const slot = coordinator.open();
    let isOpen = true;
    return {
      ...slot,
      close(isUnsure: boolean) {
        slot.close(isUnsure);
        if (!isOpen) return;
        isOpen = false;
        open -= 1;
        if (open === 0) onSent?.();
      },
    };
  });
  await Promise.all(
    going.map(async (member, index) => {
      const slot = slots[index];
      if (slot === undefined) return;
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
async function outcomeOf(run: Run, coordinator: BatchCoordinator, members: readonly Member[]): Promise<ChunkResult> {
  const failures = members.flatMap(({ failure }) => (failure === null ? [] : [failure.error]));
  const lost = failures.find((error) => error instanceof LeaseLost);
  if (lost !== undefined) throw lost;
  const defect = failures.find((error) => !isStop(error));
  if (defect !== undefined) throw defect;
  const arrived = members.filter(({ failure }) => failure === null);
  const unstarted = arrived.filter(({ attempt, isDeferred }) => isDeferred && attempt.state === 'planning');
  await run.context.store.withdrawAttempts(
    run.lease,
    unstarted.map(({ attempt }) => attempt.id),
  );
  const failure = failures[0] ?? coordinator.stoppedBy();
  if (failure !== null) throw failure;
  return {
    results: arrived.filter(({ isDeferred }) => !isDeferred).map(({ attempt }) => resultOf(attempt)),
    deferred: arrived.filter(({ isDeferred }) => isDeferred).map(({ attempt }) => attempt.psaId),
  };
}
