import type { Kind, Mode, Trigger } from '../kinds.ts';
import type { Preference } from '../planning/update-merge.ts';
import type { LogLevel } from '../transcript.ts';
import type { Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { Actor } from './audit.ts';
import type { LogHead } from './log.ts';
import type { Page } from './page.ts';

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
  /** While a job with the same key is queued or running, `addJob` returns that one instead. */
  readonly sameAs: string;
  /** Posts only approved drafts. Undefined means no. */
  readonly approves?: boolean;
  /** Only updates existing QuickBooks documents to match the PSA and creates none. Undefined means no. */
  readonly revises?: boolean;
  /** Whose value fields get in an update that both sides changed. If undefined, such a document is not updated. */
  readonly prefers?: Preference;
  /** The test whose plans a user reviewed: exactly these are posted. Undefined if there is none. */
  readonly reviews?: string;
}

export type JobStatus = 'queued' | 'running' | 'finished' | 'failed' | 'cancelled';

export interface JobResult {
  readonly psaId: number;
  readonly outcome: 'succeeded' | 'failed' | 'skipped' | 'held' | 'pending';
  readonly message: string;
  readonly logKey: string | null;
  /** The document waits for approval, from its log entry. Undefined if it does not. */
  readonly awaitsApproval?: true;
  /** Head of the document, from its log entry; absent before the entry exists, and when a result is saved. */
  readonly head?: Pick<LogHead, 'what' | 'number' | 'party' | 'on' | 'amount' | 'currency'>;
}

/** The newest result of one document. */
export interface NewestOutcome extends Pick<JobResult, 'psaId' | 'outcome'> {
  readonly mode: Mode;
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
