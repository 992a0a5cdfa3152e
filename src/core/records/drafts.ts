import type { Kind } from '../kinds.ts';
import type { LedgerEffect } from '../planning/ledger-effect.ts';
import type { DocumentView } from '../planning/plan-view.ts';
import type { Plan } from '../planning/plan.ts';
import type { Problem, ProblemDocument } from '../problems.ts';
import type { Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { Actor } from './audit.ts';
import type { NewJob } from './jobs.ts';

/**
 * State of a draft: `waiting` for approval, `approved` and not posted yet, `posted`, `rejected`; `changed` (after
 * approval) and `replaced` (before approval) by a newer draft; `closed` because nothing is to be posted any more.
 */
export type DraftState = 'waiting' | 'approved' | 'posted' | 'rejected' | 'changed' | 'replaced' | 'closed';

/** A plan that needs approval before it is posted. */
export interface NewDraft {
  readonly kind: Kind;
  readonly psaId: number;
  readonly force: boolean;
  /** The plan updates an existing QuickBooks document. Undefined if it creates one. */
  readonly revises?: boolean;
  readonly plan: Plan;
  /** Equal for plans that post the same. */
  readonly planHash: string;
  /** Equal while the document in the PSA is unchanged. */
  readonly psaHash: string;
  readonly about: ProblemDocument;
  /** ISO 4217; used for a document without a currency. */
  readonly homeCurrency: string;
  readonly view: DocumentView;
  readonly effect: LedgerEffect;
  readonly warnings: readonly Problem[];
  /** User who started the run; null: the schedule. */
  readonly preparedBy: string | null;
  readonly preparedAt: Instant;
}

export interface Draft extends NewDraft {
  readonly id: string;
  readonly state: DraftState;
  readonly firstApprovedBy: string | null;
  readonly decidedBy: string | null;
  readonly decidedAt: Instant | null;
  /** Why it was rejected, or how the last attempt to post it ended. */
  readonly reason: string | null;
  readonly jobId: string | null;
  /** The previous draft of the same document. */
  readonly replaces: Pick<Draft, 'id' | 'state' | 'view' | 'psaHash' | 'decidedBy' | 'decidedAt'> | null;
}

/** Changes of an approval, saved in one transaction. */
export interface Approval {
  readonly actor: Actor;
  readonly at: Instant;
  /** Ids of drafts that are now posted. */
  readonly final: readonly string[];
  /** Ids of drafts that now wait for a second approver. */
  readonly first: readonly string[];
  /** The jobs that post the drafts; each syncs the documents that it lists. */
  readonly jobs: readonly NewJob[];
}

/** A closed draft, for the totals. */
export interface ClosedDraft {
  readonly kind: Kind;
  /** ISO 4217. */
  readonly currency: string;
  /** Null when no amount is known. */
  readonly amount: Decimal | null;
}

/** Total of what was posted for a party. */
export interface PostedSum {
  readonly kind: Kind;
  readonly party: string;
  /** ISO 4217; null: the home currency. */
  readonly currency: string | null;
  readonly count: number;
  readonly amount: Decimal;
}
