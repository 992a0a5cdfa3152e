import type { Kind, Mode, Trigger } from '../kinds.ts';
import type { LogLevel } from '../transcript.ts';
import type { Instant } from '../values/dates.ts';
import type { Actor } from './audit.ts';
import type { LogHead } from './log.ts';
import type { Lease } from './leases.ts';
import type { Page } from './page.ts';
import type { Decimal } from '../values/decimal.ts';

/** Jobs that users or the schedule started. */
export interface JobStore {
  /** Saves a job and wakes a worker, in one transaction. */
  addJob(job: NewJob): Promise<Job>;
  readJob(id: string): Promise<Job | null>;
  listJobs(limit: number): Promise<readonly Job[]>;
  /** Returns a page of the jobs, newest first, without results, with the money of their synced documents. */
  listRuns(filter: RunFilter): Promise<RunPage>;
  /** Lists the newest job of each kind, without results. Kinds without a recent job are left out. */
  listNewestJobs(): Promise<readonly Job[]>;
  /** Saves a run that stopped before its first document, as a failed job. */
  addStoppedJob(lease: Lease, job: NewJob, stop: { readonly code: string; readonly message: string }): Promise<void>;
  /**
   * Takes the queued or interrupted job that has waited longest and marks it as running; users' jobs come before the
   * schedule's. Null when there is none.
   */
  takeJob(lease: Lease, now: Instant): Promise<Job | null>;
  /**
   * Returns true if another job waits that this running job should give way to. The schedule's jobs never go before a
   * user's.
   *
   * @param isOrdered the job's documents are created in order: only a job of another kind may run in between.
   */
  isAnotherWaiting(lease: Lease, job: Pick<Job, 'id' | 'kind' | 'trigger'>, isOrdered: boolean): Promise<boolean>;
  /** Lets the other waiting jobs go before a running job. It is taken again after them, and keeps its results. */
  giveWay(lease: Lease, id: string, isOrdered: boolean, now: Instant): Promise<void>;
  saveJobTotal(lease: Lease, id: string, total: number): Promise<void>;
  finishJob(
    lease: Lease,
    id: string,
    outcome: {
      readonly status: 'finished' | 'failed' | 'cancelled';
      readonly message: string | null;
      /** Code of the problem that stopped the whole job; absent: none. */
      readonly stopCode?: string;
    },
    now: Instant,
  ): Promise<void>;
  /**
   * Records how a document of the job ended when no attempt of the job records it; replaces an earlier result of the
   * document.
   */
  saveJobResult(lease: Lease, id: string, result: JobResult): Promise<void>;
  /** Whether a job exists that posts the plans of this test. */
  isReviewPosted(id: string): Promise<boolean>;
  /** Requests that a job stops before the next document; returns the job, or null when it does not exist. */
  cancelJob(id: string, now: Instant): Promise<Job | null>;
  isCancelRequested(id: string): Promise<boolean>;
}

/** Which jobs a page of the runs shows. */
export interface RunFilter extends Page {
  readonly kind?: Kind;
  readonly mode?: Mode;
  /** `failed`: the job or one of its documents failed; `held`: documents are on hold. */
  readonly outcome?: 'failed' | 'held';
}

export interface Run extends Job {
  /** Total of the synced documents for each currency; null is the home currency. In a test, nothing was sent. */
  readonly sums: readonly { readonly currency: string | null; readonly amount: Decimal }[];
}

export interface RunPage {
  readonly runs: readonly Run[];
  /** Number of jobs of this kind and mode by outcome; each at most 10,000. */
  readonly counts: { readonly all: number; readonly failed: number; readonly held: number };
}

export interface NewJob {
  readonly kind: Kind;
  readonly mode: Mode;
  readonly force: boolean;
  readonly trigger: Trigger;
  readonly logLevel: LogLevel;
  /** PSA ids to sync, or null for all eligible documents. */
  readonly psaIds: readonly number[] | null;
  readonly submittedBy: Actor | null;
  readonly createdAt: Instant;
  /** While a job with the same key is queued or running, {@link TenantStore.addJob} returns that one instead. */
  readonly sameAs: string;
  /** Posts only approved drafts; absent: no. */
  readonly approves?: boolean;
  /** Only updates existing QuickBooks documents to match the PSA and creates none. Absent: no. */
  readonly revises?: boolean;
  /** The test whose plans a user reviewed: exactly these are posted. Absent: none. */
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
  /** Head of the document, from its log entry; absent before the entry exists, and when a result is saved. */
  readonly head?: Pick<LogHead, 'what' | 'number' | 'party' | 'on' | 'amount' | 'currency'>;
}

export interface Job extends NewJob {
  readonly id: string;
  readonly status: JobStatus;
  /** Null until the eligible documents are known. */
  readonly total: number | null;
  readonly done: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly held: number;
  readonly message: string | null;
  /**
   * Code of the problem that stopped an automatic run before its first document, unchanged while the problem lasts;
   * null otherwise.
   */
  readonly stopCode: string | null;
  readonly cancelRequestedAt: Instant | null;
  readonly startedAt: Instant | null;
  readonly finishedAt: Instant | null;
  readonly results: readonly JobResult[];
}
