import { secondsBetween, type Instant } from './values/dates.ts';

/** `pending` until both connections are active and the settings are valid for the first time (contract, section 2). */
export const subscriptionStatuses = ['pending', 'active', 'suspended', 'cancelled'] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** Returns a status as a word for people. The specification spells `cancelled` in the British way. */
export const statusText = (status: SubscriptionStatus): string => (status === 'cancelled' ? 'canceled' : status);

/** Default time zone of the PSA's documents. */
export const defaultTimeZone = 'America/Chicago';

/** One client organization. The API and the screens call it a client. */
export interface Tenant {
  readonly id: string;
  readonly name: string;
  readonly status: SubscriptionStatus;
  /** IANA name of the PSA's time zone; documents are dated in it. */
  readonly timeZone: string;
}

/** The setup: new to a client, opened again, or closed. */
export const guideStates = ['new', 'open', 'closed'] as const;
export type GuideState = (typeof guideStates)[number];

export type Service = 'psa' | 'accounting';

/** A tenant's connection to one service, without its secrets. */
export interface Connection {
  readonly service: Service;
  readonly status: 'active' | 'inactive';
  /** Name of the connected company; empty before the first success. */
  readonly name: string;
  /** The connecting user: the API user in the PSA, the person in QuickBooks; null before the first connection. */
  readonly user: string | null;
  /** Id of the connected database or realm; detects a later connection to a different company. */
  readonly externalId: string | null;
  readonly connectedAt: Instant | null;
  /**
   * Why the connection became inactive, or what a user has to do for an active one, as text for people; null without a
   * problem.
   */
  readonly problem: string | null;
  /** When the access expires unless it is used or renewed; null when it does not expire. */
  readonly consentEndsAt: Instant | null;
}

/** A new connection; its expiry follows from the credentials. */
export type NewConnection = Omit<Connection, 'consentEndsAt'>;

/** Days before an access expires at which users are notified (fault row A10). */
export const consentNoticeDays = 30;

/** Whether an access expires so soon that a user should renew it. */
export const consentEndsSoon = (endsAt: Instant | null, now: Instant): boolean =>
  endsAt !== null && secondsBetween(now, endsAt) < consentNoticeDays * 86_400;

/**
 * Credentials of a connector; encrypted at rest, never logged. A PSA may need more than a user and a secret: its
 * descriptor lists every field.
 */
export interface PsaCredentials extends Readonly<Record<string, string>> {
  /** API user; shown on screens and in the audit trail. */
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

/** Sync state of a kind on the Overview; each fact is `null` before it first happens (domain reference 11.2). */
export interface SyncState {
  /** End of the last search, even without results. */
  readonly polledAt: Instant | null;
  /** Last live success. */
  readonly syncedAt: Instant | null;
  /** JSON text with the named fields of the last document. */
  readonly info: string | null;
}
