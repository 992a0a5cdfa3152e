import type { Attempt } from '#core/attempt.ts';
import type { Preview } from '#core/planning/preview.ts';
import type { Draft } from '#core/records/drafts.ts';
import type { Preference } from '#core/planning/update-merge.ts';
import type { Instant } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { Decision, KindFlow, KnownDocument, Shared } from '../kinds/kind.ts';
import type { Run } from '../run.ts';

/** Approval of a document, as it was when the document was picked up. */
export interface Approval {
  /** The newest draft of the document; null if there is none, and in test mode. */
  readonly draft: Draft | null;
  /** The job posts only what was approved. */
  readonly isRelease: boolean;
  /** User who requested the job; null for the schedule. */
  readonly preparedBy: string | null;
  /** The review before the job was requested; null if there was none. */
  readonly reviewed: Reviewed | null;
}

/** One document in a review. */
export interface Reviewed {
  /** Null if the document was not among those that could be posted. */
  readonly seen: Preview | null;
}

/**
 * Tools and facts that all states of one document use. Created when the document is picked up, and passed from state to
 * state.
 */
export interface DocumentContext {
  readonly run: Run;
  readonly flow: KindFlow<unknown>;
  readonly shared: () => Promise<Shared>;
  /** Returns undefined if the PSA does not have the document. `isFresh` reads the services again. */
  readonly facts: (isFresh?: boolean) => Promise<unknown>;
  /** Earlier postings of the document, just checked in QuickBooks. */
  known: KnownDocument;
  /** Whose value fields get in an update that both sides changed; null: the update asks. */
  readonly prefers: Preference | null;
  /** When its job was requested; null if the schedule picked it up. */
  readonly requestedAt: Instant | null;
  /** Approval by its job and its draft. */
  readonly approval: Approval;
  /** Entries for the Overview about the documents this run has synced, in order; grows with each. */
  readonly handled: JsonObject[];
  /** The newest decision and the lists it is based on; valid until these lists change. */
  decided?: { readonly accounting: Shared['accounting']; readonly decision: Decision };
}

/** A document to process: its attempt as saved, and the data read for it. */
export interface WorkItem {
  readonly attempt: Attempt;
  readonly doc: DocumentContext;
}
