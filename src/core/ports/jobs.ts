import type { Kind, Mode, Trigger } from '../kinds.ts';
import type { LogLevel } from '../transcript.ts';
import type { Instant } from '../values/dates.ts';
import type { Actor } from './audit.ts';
import type { LogHead } from './log.ts';
import type { Lease } from './leases.ts';

/** Presses of Sync and ticks of the clock. */
export interface JobStore {
  /** Saves a job and wakes a worker, in one transaction. */
  addJob(job: NewJob): Promise<Job>;
  readJob(id: string): Promise<Job | null>;
  listJobs(limit: number): Promise<readonly Job[]>;
  /** The newest job of each kind, without results; kinds of which there was none for long are left out. */
  listNewestJobs(): Promise<readonly Job[]>;
  /** Saves that a run was stopped before there was anything to do, as a job that has failed. */
  addStoppedJob(lease: Lease, job: NewJob, stop: { readonly code: string; readonly message: string }): Promise<void>;
  /** The oldest queued or interrupted job, a person's before the schedule's, now running; null when there is none. */
  takeJob(lease: Lease, now: Instant): Promise<Job | null>;
  saveJobTotal(lease: Lease, id: string, total: number): Promise<void>;
  finishJob(
    lease: Lease,
    id: string,
    outcome: {
      readonly status: 'finished' | 'failed' | 'cancelled';
      readonly message: string | null;
      /** Code of what stopped the job as a whole; none unless told. */
      readonly stopCode?: string;
    },
    now: Instant,
  ): Promise<void>;
  /** Notes how a document of the job ended when no attempt of that job says so; replaces an earlier result of it. */
  saveJobResult(lease: Lease, id: string, result: JobResult): Promise<void>;
  /** Whether a job was asked for that posts what this test has planned. */
  isReviewPosted(id: string): Promise<boolean>;
  /** Asks a job to stop before the next document; answers the job, or null when it does not exist. */
  cancelJob(id: string, now: Instant): Promise<Job | null>;
  isCancelRequested(id: string): Promise<boolean>;
}

export interface NewJob {
  readonly kind: Kind;
  readonly mode: Mode;
  readonly force: boolean;
  readonly trigger: Trigger;
  readonly logLevel: LogLevel;
  /** PSA ids to sync, or null for everything that is eligible. */
  readonly psaIds: readonly number[] | null;
  readonly submittedBy: Actor | null;
  readonly createdAt: Instant;
  /** While a job with the same key is queued or running, {@link TenantStore.addJob} answers that one instead. */
  readonly sameAs: string;
  /** Posts drafts that were approved, and nothing else; absent: no. */
  readonly approves?: boolean;
  /** Documents that stand in the books are changed to what the PSA says; none is made. Absent: no. */
  readonly revises?: boolean;
  /** The test whose plans were looked at: exactly these are posted. Absent: none was. */
  readonly reviews?: string;
}

export type JobStatus = 'queued' | 'running' | 'finished' | 'failed' | 'cancelled';

export interface JobResult {
  readonly psaId: number;
  readonly outcome: 'succeeded' | 'failed' | 'skipped' | 'held' | 'pending';
  readonly message: string;
  readonly logKey: string | null;
  /** The document waits for approval, from its log entry; absent: it does not. */
  readonly awaitsApproval?: true;
  /** Head of the document, from its log entry; absent while there is none, and when a result is saved. */
  readonly head?: Pick<LogHead, 'what' | 'number' | 'party' | 'on' | 'amount' | 'currency'>;
}

export interface Job extends NewJob {
  readonly id: string;
  readonly status: JobStatus;
  /** Null until the candidates are known. */
  readonly total: number | null;
  readonly done: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly held: number;
  readonly message: string | null;
  /**
   * Reason that stopped an automatic run before there was anything to do: the same code as long as the reason lasts;
   * null otherwise.
   */
  readonly stopCode: string | null;
  readonly cancelRequestedAt: Instant | null;
  readonly startedAt: Instant | null;
  readonly finishedAt: Instant | null;
  readonly results: readonly JobResult[];
}
