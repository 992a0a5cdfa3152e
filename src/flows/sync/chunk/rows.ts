import type { Attempt } from '#core/attempt.ts';
import type { Semaphore } from '#core/in-parallel.ts';
import type { Kind } from '#core/kinds.ts';
import type { ServiceError } from '#core/service-error.ts';
import type { DocumentContext } from '../document/context.ts';
import type { StaleDecision } from '../kinds/kind.ts';
import type { Ready, Run, Stop } from '../run.ts';

/** Documents that are read, planned and sent together: four full calls, few enough to stay fresh until they are sent. */
export const chunkSize = 120;

/** One document of a chunk. */
export interface Row {
  readonly doc: DocumentContext;
  /** As last saved. */
  attempt: Attempt;
  /** The command to send next; null: its next step decides. */
  ready: Ready | null;
  /** Its plan was made in this run. */
  isDecidedNow: boolean;
  /** It needs another document of the job first, and takes no step in this chunk. */
  isWaiting: boolean;
  /** It takes no further step in this run; another run continues from what was saved. */
  isDeferred: boolean;
  /** A service that cannot be used at all: the run ends once the document has gone as far as possible. */
  stop: ServiceError | null;
  /** An error after which this run does nothing more for it. */
  failure: { readonly error: unknown } | null;
}

/** A row and its command, which is ready to be sent. */
export interface Sending {
  readonly row: Row;
  readonly ready: Ready;
}

/** Documents that go through the stages together. */
export interface Chunk {
  readonly run: Run;
  readonly rules: BatchRules;
  readonly rows: readonly Row[];
  /** The outcome of a document is unknown: an ordered job sends nothing after it. */
  isInDoubt: boolean;
  /** Write-backs and ends, which run beside the next calls. Their errors are in the rows. */
  readonly beside: Promise<void>[];
}

/** Rules for sending the documents of a job, shared by its chunks. */
export interface BatchRules {
  readonly kind: Kind;
  /** Number of documents in the whole job, which determines the batch size. */
  readonly total: number;
  /** The job, which a user may cancel: documents not begun are then not sent. Null for attempts of earlier jobs. */
  readonly jobId: string | null;
  /** Documents are created one call after another in the order of their PSA ids, because QuickBooks numbers them. */
  readonly isOrdered: boolean;
  /** Checks the documents of each call before it is sent. */
  readonly preflight: Preflight;
  /** Permits for calls that write to QuickBooks. Documents wait for records, so records do not wait for documents. */
  readonly permits: { readonly records: Semaphore; readonly documents: Semaphore };
  readonly progress: JobProgress;
}

/** What the chunks of a job know of each other. */
export interface JobProgress {
  /** Document calls so far, because the first ones are small. */
  callsSent: number;
  /** A chunk found a problem that affects all documents, or failed: none of them sends anymore. */
  isHalted: boolean;
  /** Why, if the reason affects all documents: the first one found. */
  stoppedBy: Stop | null;
}

/** Stops the sending of a job. The first reason that affects all documents stays. */
export function halt(progress: JobProgress, why: Stop | null): void {
  progress.isHalted = true;
  progress.stoppedBy ??= why;
}

/**
 * Checks documents in the PSA right before they are sent, and finds those that were voided or must not be sent for
 * another reason since they were read (domain reference 5.4 point 2, invariant 8 of 16).
 *
 * @param leaving documents that are about to be sent.
 * @param waiting documents to be sent later; included, so that one check covers several calls.
 * @returns decisions by PSA id, only for documents of `leaving` that must not be sent.
 * @throws ServiceError when the PSA does not respond.
 */
export type Preflight = (
  leaving: readonly Attempt[],
  waiting: readonly Attempt[],
) => Promise<ReadonlyMap<number, StaleDecision>>;
