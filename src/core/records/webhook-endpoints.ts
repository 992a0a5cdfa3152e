import type { Instant } from '../values/dates.ts';
import type { LoggedDocument, SignedMonth, testEvent, WebhookEndpointState, WebhookEvent } from '../webhook-event.ts';
import type { NewNotice } from './notices.ts';
import type { Owner } from '../owned.ts';

/** An address of a client's own system that gets signed events. Its secret is not part of it. */
export interface WebhookEndpoint {
  readonly id: string;
  /** Host and last characters of the address. */
  readonly shownAddress: string;
  readonly events: readonly WebhookEvent[];
  readonly state: WebhookEndpointState;
  /** User name. */
  readonly createdBy: string;
  readonly owner: Owner;
  readonly createdAt: Instant;
  /** Events up to this time have deliveries; see `listNewEvents`. */
  readonly readTo: Instant;
  /** Until then the previous secret signs too; null without one. */
  readonly oldSecretEndsAt: Instant | null;
  /** First failed attempt since the last success; null after a success. */
  readonly failingSince: Instant | null;
  /** Last successful attempt. */
  readonly deliveredAt: Instant | null;
  /** Last failed attempt. */
  readonly failedAt: Instant | null;
}

/** One event for one endpoint, with the result of the last attempt. */
export interface WebhookDelivery {
  readonly id: string;
  /** The record that the event comes from. */
  readonly source: string;
  readonly event: WebhookEvent | typeof testEvent;
  /** The document or month, for people. */
  readonly subject: string;
  readonly createdAt: Instant;
  readonly tries: number;
  /** Last attempt that ended; null before. */
  readonly triedAt: Instant | null;
  /** Next attempt; null after the last one. */
  readonly nextTryAt: Instant | null;
  readonly isDelivered: boolean;
  /** HTTP status of the last attempt; null without an answer. */
  readonly status: number | null;
  /** Beginning of the last answer, or why there was none; null before the first attempt. */
  readonly answer: string | null;
}

export type NewWebhookDelivery = Pick<WebhookDelivery, 'source' | 'event' | 'subject'> & {
  /** The exact JSON. */
  readonly body: string;
};

/** A place in the log, to continue after it. */
export interface EventPlace {
  readonly at: Instant;
  readonly seq: number;
}

/** A record that may be an event. */
export type NewEvent =
  | { readonly source: string; readonly place: EventPlace; readonly logged: LoggedDocument }
  | { readonly source: string; readonly signedAt: Instant; readonly signed: SignedMonth };

/** A delivery that a worker has taken to send. */
export interface TakenDelivery extends Pick<WebhookDelivery, 'id' | 'source' | 'event' | 'tries'> {
  readonly endpointId: string;
  readonly body: string;
  readonly createdAt: Instant;
  readonly address: string;
  readonly shownAddress: string;
  /** The secret; right after a rotation also the one before. */
  readonly secrets: readonly string[];
  /** Consecutive failed attempts of the endpoint, and the first of them. */
  readonly failures: number;
  readonly failingSince: Instant | null;
}

/** The result of one attempt. */
export interface DeliveryResult {
  readonly at: Instant;
  readonly isDelivered: boolean;
  readonly status: number | null;
  readonly answer: string;
  /** Next attempt; null: delivered or dropped. */
  readonly nextTryAt: Instant | null;
  /** After a failure: no other delivery of the endpoint is attempted before this time. */
  readonly waitUntil: Instant | null;
  /** Pauses the endpoint, with this notice; null: not. */
  readonly pause: NewNotice | null;
}
