import type { CdcState } from '../cdc.ts';
import type { AccountingChange, AccountingRecord } from '../documents/accounting-change.ts';
import type { Instant } from '../values/dates.ts';

/** Inbox of changes from QuickBooks' webhooks, and the position in the change feed. */
export interface WebhookInbox {
  /**
   * Records changed QuickBooks records, each once, and wakes a worker for those that may affect the paid state of an
   * invoice.
   *
   * @param how.isWebhook whether the changes came from a webhook; the time of the last webhook is stored.
   */
  addToInbox(changes: readonly AccountingChange[], how: { readonly isWebhook: boolean }): Promise<void>;
  /** Lists recorded changes of these types that are due, in the order of arrival. */
  listInbox(records: readonly AccountingRecord[], limit: number): Promise<readonly InboxEntry[]>;
  /** Deletes processed changes and marks invoices whose paid state must be processed; newer changes remain. */
  settleInbox(noted: readonly InboxEntry[], duePayments?: readonly number[]): Promise<void>;
  postponeInbox(noted: readonly InboxEntry[], dueAt: Instant): Promise<void>;
  /**
   * Deletes recorded changes of invoices and payments; the next read of the change feed starts early enough to include
   * them.
   */
  deferToCdc(): Promise<void>;
  readCdcState(): Promise<CdcState>;
  /** Saves the position in the feed together with its results. */
  saveCdcReading(reading: {
    readonly cursor: Instant;
    readonly polledAt: Instant;
    readonly areWebhooksComplete: boolean;
    readonly duePayments: readonly number[];
  }): Promise<void>;
}

/** A QuickBooks record that was reported as changed. */
export interface InboxEntry extends AccountingChange {
  /** Increases with each new change. */
  readonly seq: number;
  readonly receivedAt: Instant;
}
