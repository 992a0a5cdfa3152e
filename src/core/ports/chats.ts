import type { NoticeGroup } from '../notice-preferences.ts';
import type { Instant } from '../values/dates.ts';
import type { ChatKind } from '../chat.ts';
import type { Owner } from '../owned.ts';

/** A chat that gets notices of a client. Its address is secret and not part of it. */
export interface Chat {
  readonly id: string;
  readonly kind: ChatKind;
  readonly name: string;
  /** Host and last characters of the address. */
  readonly addressEnd: string;
  readonly groups: readonly NoticeGroup[];
  /** User name. */
  readonly createdBy: string;
  readonly owner: Owner;
  readonly createdAt: Instant;
  /** Last successful delivery. */
  readonly deliveredAt: Instant | null;
  /** Last failed delivery. */
  readonly failedAt: Instant | null;
  /** Why the last delivery failed; null after a success. */
  readonly error: string | null;
}

/** The result of posting one message. */
export type Delivery =
  | { readonly isDelivered: true }
  | {
      readonly isDelivered: false;
      /** The message may have arrived, although no answer did. Undefined if it did not. */
      readonly mayBePosted?: true;
      /** Null without a complete answer. */
      readonly status: number | null;
      /** Without a complete answer: why, without the address. */
      readonly reason: string;
      /** The time that the answer asks to wait. */
      readonly waitMs: number | undefined;
    };

/** What a receiver answered. */
export interface Answer {
  /** Null without an answer. */
  readonly status: number | null;
  /** Without an answer: something was sent and may have arrived. Undefined if nothing was. */
  readonly wasSent?: true;
  /** Beginning of the answer as text; without one: why, without the address. */
  readonly text: string;
  /** The time that the answer asks to wait. */
  readonly waitMs: number | undefined;
}

/** Posts messages to addresses that users have entered. */
export interface WebhookSender {
  /** Returns the parsed address; null unless it is public, uses https and has no user and no port. */
  readonly parseAddress: (text: string) => URL | null;
  /**
   * Posts JSON once; never throws because of the receiver.
   *
   * @param withinMs how long to wait for the answer; default: 10 seconds
   */
  post(address: string, body: string, withinMs?: number): Promise<Delivery>;
  /** Posts JSON with these headers once, and returns the beginning of the answer. Never throws because of the receiver. */
  postWith(address: string, body: string, headers: Readonly<Record<string, string>>): Promise<Answer>;
}
