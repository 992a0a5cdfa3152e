import type { Role } from '../roles.ts';
import type { Instant } from '../values/dates.ts';

/** Sessions and sign-in attempts. */
export interface SessionStore {
  /**
   * Starts a session and records the sign-in of its user, except while a system administrator acts as a client. False
   * when the user changed since the check (another password or other roles, deactivated or removed), and when the client
   * was moved to another deployment.
   */
  addSession(session: NewSession): Promise<boolean>;
  /** Reads the session if it is neither revoked nor expired, and its user has not changed since it began. */
  readSession(jti: string, now: Instant): Promise<Session | null>;
  /** Reads the session of the browser that holds the cookie with this hash, under the same conditions. */
  readSessionByCookie(cookieHash: string, now: Instant): Promise<Session | null>;
  /** Lists the active sessions of a user, newest first. */
  listSessionsOf(userId: string, now: Instant): Promise<readonly Session[]>;
  /** Records the use of a session. */
  markSessionUsed(jti: string, now: Instant): Promise<void>;
  revokeSession(jti: string, now: Instant): Promise<void>;
  /** Ends the sessions of a user, or all but one; returns how many were active. */
  revokeSessionsOf(userId: string, now: Instant, options?: { readonly exceptJti: string }): Promise<number>;
  /** Counts failed sign-ins by account and address since this time, for throttling. */
  countFailures(keys: readonly string[], since: Instant): Promise<number>;
  addFailure(keys: readonly string[], at: Instant): Promise<void>;
  /**
   * Counts an attempt under each key, unless one of them has reached its limit since then: then it returns false and
   * counts none. Concurrent calls never exceed the limit.
   */
  admitTry(
    counters: readonly { readonly key: string; readonly limit: number }[],
    since: Instant,
    at: Instant,
  ): Promise<boolean>;
  /** Removes one attempt that was counted at this time under each key. */
  forgetTry(keys: readonly string[], at: Instant): Promise<void>;
}

export interface Session {
  /** Id of the session on screens. */
  readonly id: string;
  /** Id of the session in its token. */
  readonly jti: string;
  readonly userId: string;
  readonly tenantId: string | null;
  readonly roles: readonly Role[];
  /** User name of a sysadmin who acts as a client. */
  readonly masquerader: string | null;
  /** Hash of the cookie that belongs to the token; a browser's token is only valid with it. */
  readonly cookieHash: string | null;
  /** {@link User.accessVersion} at sign-in. */
  readonly accessVersion: number;
  /** The user's email address was verified. */
  readonly emailIsProved: boolean;
  /** Name that the browser or program sent; empty without one. */
  readonly userAgent: string;
  /** Network address of the sign-in. */
  readonly address: string;
  readonly createdAt: Instant;
  /** Last use, to the minute. */
  readonly lastUsedAt: Instant;
  readonly endsAt: Instant;
}

export type NewSession = Omit<Session, 'id' | 'lastUsedAt' | 'emailIsProved'>;
