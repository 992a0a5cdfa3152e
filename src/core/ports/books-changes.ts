import type { BooksFeedState } from '../books-feed.ts';
import type { BooksChange, BooksRecord } from '../documents/books-change.ts';
import type { Instant } from '../values/dates.ts';

/** What the books say has changed, and how far it is known. */
export interface BooksChangeStore {
  /**
   * Notes records of the books that changed, each once, and wakes a worker for those that the paid state of an invoice
   * may follow from.
   *
   * @param how.isTold the books said so by themselves, which is remembered.
   */
  noteChanges(changes: readonly BooksChange[], how: { readonly isTold: boolean }): Promise<void>;
  /** Noted changes of these records that may be looked at now, in the order in which they were told. */
  listChanges(records: readonly BooksRecord[], limit: number): Promise<readonly NotedChange[]>;
  /** Forgets changes that were read, and marks invoices whose paid state is not settled; a newer change stays. */
  settleChanges(noted: readonly NotedChange[], duePayments?: readonly number[]): Promise<void>;
  postponeChanges(noted: readonly NotedChange[], dueAt: Instant): Promise<void>;
  /** Forgets what was noted of invoices and payments; the next reading of the feed begins early enough to see it. */
  leaveToFeed(): Promise<void>;
  readFeedState(): Promise<BooksFeedState>;
  /** Saves how far the feed was read, together with what follows from it. */
  saveFeedReading(reading: {
    readonly readAt: Instant;
    readonly askedAt: Instant;
    readonly isStillTold: boolean;
    readonly duePayments: readonly number[];
  }): Promise<void>;
}

/** A record of the books that was told to have changed. */
export interface NotedChange extends BooksChange {
  /** Rises when it changes again. */
  readonly seq: number;
  readonly notedAt: Instant;
}
