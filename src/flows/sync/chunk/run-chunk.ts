import type { Mode } from '#core/kinds.ts';
import { isNumberedByAccounting } from '#core/planning/document-fields.ts';
import type { JobResult } from '#core/records/jobs.ts';
import { LeaseLost } from '#core/records/leases.ts';
import { createSemaphore, inParallel } from '#core/in-parallel.ts';
import type { Settings } from '#core/settings/definitions.ts';
import type { WorkItem } from '../document/context.ts';
import { resultOf } from '../document/save.ts';
import type { KindFlow } from '../kinds/kind.ts';
import type { Run } from '../run.ts';
import { isStop } from '../stop.ts';
import { callsAtOnce, post } from './calls.ts';
import { createPreflight } from './gate.ts';
import { plan } from './plan.ts';
import { createRecords } from './records.ts';
import type { BatchRules, Chunk, Row } from './rows.ts';

/** Creates the rules of one job. */
export const batchRules = (
  run: Run,
  flow: KindFlow<unknown>,
  settings: Settings,
  job: Pick<BatchRules, 'total' | 'jobId'> & { readonly mode: Mode },
): BatchRules => ({
  kind: flow.kind,
  total: job.total,
  jobId: job.jobId,
  isOrdered: job.mode === 'live' && isNumberedByAccounting(flow.kind, settings),
  preflight: createPreflight(run, flow, settings),
  permits: { records: createSemaphore(callsAtOnce.records), documents: createSemaphore(callsAtOnce.documents) },
  progress: { callsSent: 0, isHalted: false, stoppedBy: null },
});

export interface ChunkResult {
  /** Results of the documents that could continue. */
  readonly results: readonly JobResult[];
  /** PSA ids, ascending, of documents that could not continue: not started, or started but not sent. */
  readonly deferred: readonly number[];
  /** PSA ids of documents that wait for another document of the job, which may be posted by now. */
  readonly waiting: readonly number[];
}

/** A chunk that is being sent. */
export interface StartedChunk {
  /**
   * The result, once each document is as far as possible.
   *
   * @throws ServiceError when a service cannot be used at all: the first such error, after the other documents have gone
   *   as far as possible.
   * @throws RunStopped when a problem affects all documents.
   * @throws LeaseLost when another worker has taken over.
   */
  readonly end: Promise<ChunkResult>;
}

/**
 * Starts a chunk: plans its documents, creates the records that several of them need, and sends each document as soon as
 * its records exist. From saved attempts, each document enters at the stage where it was left.
 *
 * @param waited PSA ids of documents that have waited for others of their job, each once; grows. Undefined if none wait
 * @returns once the records exist, so that the next chunk can be planned with them.
 */
export async function startChunk(
  run: Run,
  items: readonly WorkItem[],
  rules: BatchRules,
  waited?: Set<number>,
): Promise<StartedChunk> {
  const rows = items.map((item): Row => ({
    ...item,
    ready: null,
    isDecidedNow: false,
    isWaiting: false,
    isDeferred: false,
    stop: null,
    failure: null,
  }));
  const chunk: Chunk = { run, rules, rows, isInDoubt: false, beside: [] };
  const planned = await plan(rows, waited);
  const needing = planned.filter(({ keys }) => keys.length > 0);
  const isTogether = needing.length === 0 || rules.isOrdered || rows.some(isMarkedInPsa) || (await takesPrepaid(rows));
  const first = isTogether ? [] : rows.filter((row) => needing.every((one) => one.row !== row));
  const posting: Promise<void>[] = [];
  const send = (ready: readonly Row[]): void => {
    const sent = post(chunk, ready);
    // Awaited later; this prevents an unhandled rejection until then.
    sent.catch(() => undefined);
    posting.push(sent);
  };
  if (first.length > 0) send(first);
  const records = isTogether
    ? createRecords(chunk, planned, waited).then(() => send(rows))
    : createRecords(chunk, needing, waited, send);
  const end = endOf(chunk, records, posting);
  // Its errors are reported when the caller awaits it.
  end.catch(() => undefined);
  await records.catch(() => undefined);
  return { end };
}

/**
 * Documents that the PSA shows as in process are sent together: if the first answer stops the job, no other one stays in
 * process because its records were still created.
 */
const isMarkedInPsa = ({ doc: { decided } }: Row): boolean =>
  decided?.decision.outcome === 'plan' && decided.decision.running !== undefined;

/** Documents that take prepaid money are decided again with new records, before the money of another one is taken. */
async function takesPrepaid([first]: readonly Row[]): Promise<boolean> {
  return first !== undefined && (await first.doc.shared()).prepaid.claims.size > 0;
}

/** Returns the result of a chunk, after its records, its calls and its write-backs. */
async function endOf(chunk: Chunk, records: Promise<void>, posting: readonly Promise<void>[]): Promise<ChunkResult> {
  try {
    await records;
  } finally {
    try {
      await inParallel(posting);
    } finally {
      await inParallel(chunk.beside);
    }
  }
  return outcomeOf(chunk);
}

/**
 * Returns the result of a chunk. Deferred documents leave no trace.
 *
 * @throws LeaseLost, ServiceError, RunStopped or a bug's error: the most serious one that stopped it.
 */
async function outcomeOf({ run, rules, rows }: Chunk): Promise<ChunkResult> {
  const failures = rows.flatMap(({ failure, stop }) => (failure === null ? (stop ?? []) : [failure.error]));
  const lost = failures.find((error) => error instanceof LeaseLost);
  if (lost !== undefined) throw lost;
  const defect = failures.find((error) => !isStop(error));
  if (defect !== undefined) throw defect;
  const arrived = rows.filter(({ failure }) => failure === null);
  const isPutOff = ({ isDeferred, isWaiting }: Row) => isDeferred || isWaiting;
  const unstarted = arrived.filter((row) => isPutOff(row) && row.attempt.state === 'planning');
  await run.context.store.withdrawAttempts(
    run.lease,
    unstarted.map(({ attempt }) => attempt.id),
  );
  const failure = failures[0] ?? rules.progress.stoppedBy;
  if (failure !== null) throw failure;
  return {
    results: arrived.filter((row) => !isPutOff(row)).map(({ attempt }) => resultOf(run, attempt)),
    deferred: arrived.filter(({ isDeferred }) => isDeferred).map(({ attempt }) => attempt.psaId),
    waiting: arrived.filter(({ isWaiting }) => isWaiting).map(({ attempt }) => attempt.psaId),
  };
}
