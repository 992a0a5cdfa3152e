import type { Attempt } from '#core/attempt.ts';
import type { JobResult } from '#core/ports/jobs.ts';
import { LeaseLost } from '#core/ports/leases.ts';
import { resultOf } from '../document/save.ts';
import { createBatchCoordinator, type BatchRules } from '../batching/coordinator.ts';
import type { DocumentContext } from '../document/context.ts';
import { runDocument } from '../document/run-document.ts';
import type { Run } from '../run.ts';
import { isStop } from '../stop.ts';

/** Documents that go side by side: few enough to be fresh when their turn comes, enough to fill several batches. */
export const chunkSize = 300;

/** A document of a chunk: its attempt as it is saved, and what was read for it. */
export interface WorkItem {
  readonly attempt: Attempt;
  readonly doc: Omit<DocumentContext, 'slot'>;
}

/** Documents that go side by side. */
export interface Chunk {
  /** Resolves once nothing more of them will be sent to the books; never rejects. */
  readonly sent: Promise<void>;
  /** Something stands against all of them, and against whatever would come after: {@link ended} says what. */
  readonly isStopped: () => boolean;
  /**
   * Resolves once each has gone as far as it will go.
   *
   * @throws ServiceError when a service cannot be used at all: the first one that says so, after the others have come
   *   as far as they could.
   * @throws RunStopped when something stands against all of them.
   * @throws LeaseLost when another worker has taken over.
   */
  readonly ended: Promise<ChunkResult>;
}

export interface ChunkResult {
  /** Of each document that was not kept from going on. */
  readonly results: readonly JobResult[];
  /** PSA ids of documents that were not begun after all. */
  readonly deferred: readonly number[];
  /** Some stay behind a document of which it is not known whether it was made. */
  readonly isHeldUp: boolean;
}

/**
 * Runs the documents of a chunk side by side. A coordinator gathers their commands, so that few calls carry many; apart
 * from that, none waits for another, and what becomes of one touches no other.
 */
export function runChunk(run: Run, items: readonly WorkItem[], rules: BatchRules): Chunk {
  const coordinator = createBatchCoordinator(run, rules);
  const open = items.map((one) => ({ ...one, slot: coordinator.join(one.attempt) }));
  const walks = open.map(({ attempt, doc, slot }) =>
    runDocument(run, { ...doc, slot }, attempt).catch((error: unknown) => {
      coordinator.halt();
      throw error;
    }),
  );
  return {
    sent: items.length === 0 ? Promise.resolve() : coordinator.over,
    isStopped: () => coordinator.stoppedBy() !== null,
    ended: ending(),
  };

  async function ending(): Promise<ChunkResult> {
    const outcomes = await Promise.allSettled(walks);
    const failures = outcomes.flatMap((one): unknown[] => (one.status === 'rejected' ? [one.reason] : []));
    const lost = failures.find((error) => error instanceof LeaseLost);
    if (lost !== undefined) throw lost;
    const defect = failures.find((error) => !isStop(error));
    if (defect !== undefined) throw defect;
    const results = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const unbegun = results.filter(({ attempt, isDeferred }) => isDeferred && attempt.state === 'planning');
    const ids = unbegun.map(({ attempt }) => attempt.id);
    await run.context.store.withdrawAttempts(run.lease, ids);
    const failure = failures[0] ?? coordinator.stoppedBy();
    if (failure !== null) throw failure;
    return {
      results: results.filter(({ isDeferred }) => !isDeferred).map(({ attempt }) => resultOf(attempt)),
      deferred: unbegun.map(({ attempt }) => attempt.psaId),
      isHeldUp: coordinator.isHeldUp(),
    };
  }
}
