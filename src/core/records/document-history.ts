import type { Kind } from '../kinds.ts';
import type { Preview } from '../planning/preview.ts';
import type { Month } from '../reconciliation/month.ts';
import type { Instant } from '../values/dates.ts';
import type { DraftState } from './drafts.ts';
import type { JobResult } from './jobs.ts';
import type { LogHead } from './log.ts';

/** An entry of the log about a document, with the run that it belongs to. */
export interface DocumentEntry extends LogHead {
  /** Null after the run was removed, and for entries without one. */
  readonly run: {
    readonly id: string;
    /** User who started it; null: the schedule. */
    readonly by: string | null;
    readonly outcome: JobResult['outcome'];
    readonly isUpdate: boolean;
  } | null;
  /** Address to which QuickBooks emailed the document; empty if QuickBooks returned none; null: it was not emailed. */
  readonly mailedTo: string | null;
}

/** A plan of a document that needed approval, and the decisions about it. */
export interface DocumentDraft {
  readonly id: string;
  readonly kind: Kind;
  readonly state: DraftState;
  readonly firstApprovedBy: string | null;
  readonly decidedBy: string | null;
  readonly decidedAt: Instant | null;
  readonly reason: string | null;
}

/** What the newest month-end proof reports about a document. */
export interface DocumentProof {
  readonly month: Month;
  readonly at: Instant;
  readonly by: string;
  /** Number of its differences. */
  readonly differences: number;
  /** Decisions about its differences, newest first. */
  readonly decisions: readonly {
    readonly at: Instant;
    readonly by: string;
    readonly decision: 'accept' | 'carry';
    readonly reason: string;
  }[];
}

/** A plan of a document as it was shown, with its log entry. */
export interface ShownPlan {
  readonly key: string;
  readonly at: Instant;
  readonly isTest: boolean;
  readonly preview: Preview;
}
