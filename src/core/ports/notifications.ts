import type { AccountingChange } from '../documents/accounting-change.ts';

/** Content of one notification message about one company. */
export interface NotificationMessage {
  /** The company's id, as in {@link Connection.externalId} of QuickBooks. */
  readonly companyId: string;
  /** Each record once; empty when the message only contains changes that we do not use. */
  readonly changes: readonly AccountingChange[];
}

/** Reads the accounting service's notification messages, which contain only ids of changed records. */
export interface NotificationReader {
  /**
   * Starts to receive a message and computes its signature as the bytes arrive.
   *
   * @param signature as the service sent it.
   */
  receive(signature: string | undefined): IncomingNotification;
}

/** A message that is being received. */
export interface IncomingNotification {
  /** Adds the next bytes. */
  add(bytes: Uint8Array): void;
  /** @returns the message; null when the signature is missing or invalid. */
  finish(): SignedNotification | null;
}

/** A complete message with a valid signature. */
export interface SignedNotification {
  readonly bytes: number;
  /** The company that the text names first, found without reading the message; null if there is none. */
  readonly firstCompanyId: string | null;
  /** Reads the message, which takes several milliseconds for a large one. Returns one entry per company. */
  read(): readonly NotificationMessage[];
}
