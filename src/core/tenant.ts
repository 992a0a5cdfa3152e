import { secondsBetween, type Instant } from './values/dates.ts';

/** `pending` until both connections are active and the settings valid for the first time (contract, section 2). */
export const subscriptionStatuses = ['pending', 'active', 'suspended', 'cancelled'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** Time zone of the PSA's documents until the client says otherwise. */
export const defaultTimeZone = 'America/Chicago';

/** One client organisation. The wire and the screens say “client”. */
export interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly status: SubscriptionStatus;
  /** IANA name of the PSA's time zone, in which documents are dated. */
  readonly timeZone: string;
}

export type Service = 'psa' | 'accounting';

/** A tenant's link to one service, without its secrets. */
export interface Connection {
  readonly service: Service;
  readonly status: 'active' | 'inactive';
  /** Name of the company at the other side; empty before the first success. */
  readonly name: string;
  /** The connecting user: the API user at the PSA, the person at the books; null when nobody has connected. */
  readonly user: string | null;
  /** The database or realm at the other side; a different one later is noticed. */
  readonly externalId: string | null;
  readonly connectedAt: Instant | null;
  /** Why it became inactive, or what somebody has to do about an active one, for people; null when all is well. */
  readonly problem: string | null;
  /** When the access ends unless it is used or given anew; null when it does not end by itself. */
  readonly consentEndsAt: Instant | null;
}

/** A connection that is made; when its access ends follows from the credentials. */
export type NewConnection = Omit<Connection, 'consentEndsAt'>;

/** People are told so many days before an access ends (fault row A10). */
const consentNoticeDays = 30;

/** Whether an access ends so soon that somebody should give it anew. */
export const consentEndsSoon = (endsAt: Instant | null, now: Instant): boolean =>
  endsAt !== null && secondsBetween(now, endsAt) < consentNoticeDays * 86_400;

/**
 * Credentials with which a connector signs in; sealed at rest, never logged. A PSA may need more than a user and a
 * secret: its descriptor lists every field.
 */
export interface PsaCredentials extends Readonly<Record<string, string>> {
  /** User who signs in: shown on screens and in the audit trail. */
  readonly userName: string;
  readonly secret: string;
}

export interface AccountingCredentials {
  readonly realmId: string;
  readonly accessToken: string;
  readonly accessTokenEndsAt: Instant;
  readonly refreshToken: string;
  readonly refreshTokenEndsAt: Instant;
}

/** Sync state of a kind on the Overview: each fact is `null` until it happened (domain reference 11.2). */
export interface SyncState {
  /** End of the last scan, even when nothing was found. */
  readonly polledAt: Instant | null;
  /** Last live success. */
  readonly syncedAt: Instant | null;
  /** JSON text with the named fields of the last document. */
  readonly info: string | null;
}
