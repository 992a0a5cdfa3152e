import type { Attempt } from '#core/attempt.ts';
import type { Preview } from '#core/planning/preview.ts';
import type { Draft } from '#core/ports/drafts.ts';
import type { Problem } from '#core/problems.ts';
import type { Instant } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { Decision, KindFlow, KnownDocument, Shared } from '../kinds/kind.ts';
import type { Run } from '../run.ts';

/** Approval of a document, as it was known when the document was taken up. */
export interface Approval {
  /** The newest draft of the document; null when there is none, and in test mode. */
  readonly draft: Draft | null;
  /** The job posts what was approved, and nothing else. */
  readonly isRelease: boolean;
  /** User who asked for the job; null: the schedule. */
  readonly preparedBy: string | null;
  /** The review before the job was asked for; null: there was none, and nothing is held to it. */
  readonly reviewed: Reviewed | null;
}

/** One document in a review. */
export interface Reviewed {
  /** Null: it was not among what could be posted. */
  readonly seen: Preview | null;
}

/**
 * Tools and facts that all states of one document work with: made when the document is taken up, and handed from state
 * to state.
 */
export interface DocumentContext {
  readonly run: Run;
  readonly flow: KindFlow<unknown>;
  readonly shared: () => Promise<Shared>;
  /** Undefined when the PSA has no such document. `isFresh` asks the services again. */
  readonly facts: (isFresh?: boolean) => Promise<unknown>;
  /** Earlier postings of the document, looked at just now. */
  readonly known: KnownDocument;
  /** Moment at which its job was asked for; null: the schedule took it up. */
  readonly askedAt: Instant | null;
  /** Approval by its job and its draft. */
  readonly approval: Approval;
  /** Entries for the Overview of the documents that this run has synced, in order; grows with each. */
  readonly handled: JsonObject[];
  /**
   * Something was found out that stands against every document: nothing is sent any more.
   *
   * @returns false when another document has said so first, which is enough.
   */
  readonly stopRun: (problem: Problem) => boolean;
  /** The newest decision, and the lists that it was made with: it holds as long as these do. */
  decided?: { readonly books: Shared['books']; readonly decision: Decision };
}

/** A document that is to be brought forward: its attempt as it is saved, and what was read for it. */
export interface WorkItem {
  readonly attempt: Attempt;
  readonly doc: Omit<DocumentContext, 'stopRun'>;
}
