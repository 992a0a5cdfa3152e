import type { CdcState } from '../cdc.ts';
import type { BooksChange, BooksRecord } from '../documents/books-change.ts';
import type { Instant } from '../values/dates.ts';

/** Inbox of the changes that the books' webhooks name, and the cursor of the feed of changes. */
export interface WebhookInbox {
  /**
   * Notes records of the books that changed, each once, and wakes a worker for those that the paid state of an invoice
   * may follow from.
   *
   * @param how.isWebhook the books said so by themselves, which is remembered.
   */
  addToInbox(changes: readonly BooksChange[], how: { readonly isWebhook: boolean }): Promise<void>;
  /** Noted changes of these records that may be looked at now, in the order in which they were told. */
  listInbox(records: readonly BooksRecord[], limit: number): Promise<readonly InboxEntry[]>;
  /** Forgets changes that were read, and marks invoices whose paid state is not settled; a newer change stays. */
  settleInbox(noted: readonly InboxEntry[], duePayments?: readonly number[]): Promise<void>;
  postponeInbox(noted: readonly InboxEntry[], dueAt: Instant): Promise<void>;
  /** Forgets what was noted of invoices and payments; the next reading of the feed begins early enough to see it. */
  deferToCdc(): Promise<void>;
  readCdcState(): Promise<CdcState>;
  /** Saves how far the feed was read, together with what follows from it. */
  saveCdcReading(reading: {
    readonly cursor: Instant;
    readonly polledAt: Instant;
    readonly areWebhooksComplete: boolean;
    readonly duePayments: readonly number[];
  }): Promise<void>;
}

/** A record of the books that was told to have changed. */
export interface InboxEntry extends BooksChange {
  /** Rises when it changes again. */
  readonly seq: number;
  readonly receivedAt: Instant;
}
