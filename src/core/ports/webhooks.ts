import type { BooksChange } from '../documents/books-change.ts';

/** Content of one message of the accounting service about one company. */
export interface WebhookMessage {
  /** The company's id, as {@link Connection.externalId} of the books. */
  readonly companyId: string;
  /** Each record once; empty when only things changed that nobody here asks about. */
  readonly changes: readonly BooksChange[];
}

/** Messages by which the accounting service says that something has changed. They carry ids and nothing else. */
export interface WebhookReader {
  /**
   * Begins to receive a message whose signature is computed while its bytes arrive.
   *
   * @param signature as the service sent it.
   */
  receive(signature: string | undefined): IncomingWebhook;
}

/** A message that is arriving. */
export interface IncomingWebhook {
  /** Takes the next bytes. */
  add(bytes: Uint8Array): void;
  /** @returns one entry per company; null when the signature is missing or not the service's. */
  finish(): readonly WebhookMessage[] | null;
}
