import type { Instant } from '../values/dates.ts';
import type { LoggedDocument, SignedMonth, WebhookEndpointState, WebhookEvent, testEvent } from '../webhook-event.ts';
import type { NewAuditEvent } from './audit.ts';
import type { NewNotice } from './notices.ts';
import type { Page } from './page.ts';

/** An address of a client's own system that gets signed events. Its secret is not part of it. */
export interface WebhookEndpoint {
  readonly id: string;
  /** The address without its query. */
  readonly shownAddress: string;
  readonly events: readonly WebhookEvent[];
  readonly state: WebhookEndpointState;
  /** User name. */
  readonly createdBy: string;
  readonly createdAt: Instant;
  /** Events up to this time have deliveries; see {@link WebhookEndpointStore.listNewEvents}. */
  readonly readTo: Instant;
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

type EventOf = (endpoint: WebhookEndpoint) => NewAuditEvent;

/** The webhook endpoints of a client, and what they were sent. */
export interface WebhookEndpointStore {
  /** Lists all endpoints, oldest first. */
  listWebhookEndpoints(): Promise<readonly WebhookEndpoint[]>;
  /** Adds an endpoint, address and secret encrypted, and the audit event; null if the client has `limit` already. */
  addWebhookEndpoint(
    endpoint: Pick<WebhookEndpoint, 'shownAddress' | 'events' | 'createdBy' | 'createdAt'> & {
      readonly address: string;
      readonly secret: string;
    },
    limit: number,
    event: NewAuditEvent,
  ): Promise<WebhookEndpoint | null>;
  /**
   * Changes the events or the state, and adds the audit event; null when it does not exist. An endpoint that becomes
   * active continues after the last event that it got, but not before `readFrom`.
   */
  changeWebhookEndpoint(
    id: string,
    change: { readonly events: readonly WebhookEvent[] } | { readonly isPaused: boolean; readonly readFrom: Instant },
    eventOf: EventOf,
  ): Promise<WebhookEndpoint | null>;
  /** Replaces the secret. The old one signs too until `oldEndsAt`. Null when the endpoint does not exist. */
  rotateWebhookSecret(
    id: string,
    secret: string,
    oldEndsAt: Instant,
    eventOf: EventOf,
  ): Promise<WebhookEndpoint | null>;
  /** Deletes an endpoint with its deliveries, and adds the audit event; null when it does not exist. */
  removeWebhookEndpoint(id: string, eventOf: EventOf): Promise<WebhookEndpoint | null>;
  /**
   * Adds a test event; `too_soon` if the endpoint got one after `quietSince`, `paused` if the endpoint is not active,
   * null when it does not exist.
   */
  addTestDelivery(
    id: string,
    delivery: NewWebhookDelivery,
    now: Instant,
    quietSince: Instant,
  ): Promise<WebhookDelivery | 'too_soon' | 'paused' | null>;
  /** Returns a page of the deliveries, newest first; null when the endpoint does not exist. */
  listWebhookDeliveries(
    id: string,
    filter: Page & { readonly isFailed: boolean },
  ): Promise<{ readonly deliveries: readonly WebhookDelivery[]; readonly total: number } | null>;
  /**
   * Schedules a delivery for now, with the same id for the receiver; `paused` if its endpoint is not active, null when
   * it does not exist.
   */
  resendWebhook(id: string, now: Instant): Promise<WebhookDelivery | 'paused' | null>;

  /**
   * Lists records after a place that may be events and that the endpoint has no delivery for, oldest first. Tests are
   * never listed.
   *
   * @param after null: begins a little before {@link WebhookEndpoint.readTo}, because transactions may commit late.
   */
  listNewEvents(endpoint: WebhookEndpoint, after: EventPlace | null, limit: number): Promise<readonly NewEvent[]>;
  /** Adds deliveries, each once for its source, and records up to when events were read. */
  addWebhookDeliveries(
    endpointId: string,
    deliveries: readonly NewWebhookDelivery[],
    readTo: Instant,
    now: Instant,
  ): Promise<void>;
  /** Counts the deliveries of an endpoint that have not ended. */
  countWaitingDeliveries(endpointId: string): Promise<number>;
  /**
   * Takes the delivery that has waited longest, for this caller alone; null when none is due. A delivery whose sender
   * died is taken again.
   */
  takeWebhookDelivery(now: Instant): Promise<TakenDelivery | null>;
  /** Records the result of an attempt, unless another worker has taken the delivery since. */
  endWebhookAttempt(taken: Pick<TakenDelivery, 'id' | 'endpointId' | 'tries'>, result: DeliveryResult): Promise<void>;
}

/** Finds work across clients. */
export interface WebhookWorkSearch {
  /** Returns clients, except suspended and canceled ones, with deliveries that are due or events that were not read since `readBefore`. */
  tenantsWithWebhookWork(now: Instant, readBefore: Instant, limit: number): Promise<readonly string[]>;
}
