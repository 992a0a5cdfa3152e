import type { Kind } from '../kinds.ts';
import type { LedgerEffect } from '../planning/ledger-effect.ts';
import type { Plan } from '../planning/plan.ts';
import type { DocumentView } from '../planning/plan-view.ts';
import type { Problem, ProblemDocument } from '../problems.ts';
import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { Actor } from './audit.ts';
import type { Job, NewJob } from './jobs.ts';

/**
 * State of a draft: `waiting` for approval, `approved` and on its way, `posted`, `rejected`; `changed` after it was
 * approved and `replaced` before, each by a newer one; `closed` because nothing is to be posted any more.
 */
export type DraftState = 'waiting' | 'approved' | 'posted' | 'rejected' | 'changed' | 'replaced' | 'closed';

/** A plan that is not posted before somebody has approved it. */
export interface NewDraft {
  readonly kind: Kind;
  readonly psaId: number;
  readonly force: boolean;
  /** The plan changes a document that stands in the books; absent: it makes one. */
  readonly revises?: boolean;
  readonly plan: Plan;
  /** The same for plans that post the same. */
  readonly planHash: string;
  /** The same while the PSA says the same of the document. */
  readonly psaHash: string;
  readonly about: ProblemDocument;
  /** ISO 4217; of a document that names no currency. */
  readonly homeCurrency: string;
  readonly view: DocumentView;
  readonly effect: LedgerEffect;
  readonly warnings: readonly Problem[];
  /** User who asked for the run; null: the schedule. */
  readonly preparedBy: string | null;
  readonly preparedAt: Instant;
}

export interface Draft extends NewDraft {
  readonly id: string;
  readonly state: DraftState;
  readonly firstApprovedBy: string | null;
  readonly decidedBy: string | null;
  readonly decidedAt: Instant | null;
  /** Why it was rejected, or how the last try to post it ended. */
  readonly reason: string | null;
  readonly jobId: string | null;
  /** The draft of the same document before this one. */
  readonly replaces: Pick<Draft, 'id' | 'state' | 'view' | 'psaHash' | 'decidedBy' | 'decidedAt'> | null;
}

/** Changes that come with an approval, all of them or none. */
export interface Approval {
  readonly actor: Actor;
  readonly at: Instant;
  /** Ids of drafts that are posted now. */
  readonly final: readonly string[];
  /** Ids of drafts that wait for a second person from now on. */
  readonly first: readonly string[];
  /** The jobs that post them; each takes up the documents that it names. */
  readonly jobs: readonly NewJob[];
}

/** Drafts, and what was decided about them. */
export interface DraftStore {
  /** The newest draft of each of these documents. */
  listNewestDrafts(kind: Kind, psaIds: readonly number[]): Promise<ReadonlyMap<number, Draft>>;
  /** Drafts that wait, then those that are on their way, each oldest first. */
  listOpenDrafts(limit: number, offset?: number): Promise<readonly Draft[]>;
  countOpenDrafts(): Promise<{ readonly waiting: number; readonly approved: number }>;
  /** PSA ids of the drafts of a kind that wait. */
  listDraftedIds(kind: Kind): Promise<readonly number[]>;
  readDraft(id: string): Promise<Draft | null>;
  /**
   * Approves drafts and saves the jobs that post them, in one transaction.
   *
   * @returns null, and nothing was changed, when one of the drafts does not wait any more.
   */
  approveDrafts(approval: Approval): Promise<readonly Job[] | null>;
  /** @returns false, and nothing was changed, when one of the drafts does not wait any more. */
  rejectDrafts(of: {
    readonly ids: readonly string[];
    readonly actor: Actor;
    readonly at: Instant;
    readonly reason: string;
  }): Promise<boolean>;
  /**
   * Closes every open draft, because it was prepared for other books than those that are connected from now on.
   *
   * @returns what was closed, one for each draft; amounts in the currency they stand in.
   */
  closeDrafts(reason: string): Promise<readonly ClosedDraft[]>;
  /** Sums of what was posted for these parties in a span of days, by kind. */
  sumPosted(of: { readonly from: CalendarDate; readonly through: CalendarDate }): Promise<readonly PostedSum[]>;
}

/** A draft that was closed, as far as it is counted. */
export interface ClosedDraft {
  readonly kind: Kind;
  /** ISO 4217. */
  readonly currency: string;
  /** Null while no amount is known. */
  readonly amount: Decimal | null;
}

/** Sum of what was posted for a party. */
export interface PostedSum {
  readonly kind: Kind;
  readonly party: string;
  /** ISO 4217; null: the home currency. */
  readonly currency: string | null;
  readonly count: number;
  readonly amount: Decimal;
}
