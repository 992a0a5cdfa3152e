import type { Role } from '../roles.ts';
import type { Instant } from '../values/dates.ts';

/** Sessions, and tries to begin one. */
export interface SessionStore {
  /**
   * Begins a session, and notes the sign-in of its user unless somebody acts as a client with it. False when what the
   * session would rest on has changed since it was checked: the user has another password or other roles by now, was
   * deactivated or removed.
   */
  addSession(session: NewSession): Promise<boolean>;
  /** The session while it is neither revoked nor over, and its user still is what they were when it began. */
  readSession(jti: string, now: Instant): Promise<Session | null>;
  /** The session of the browser that holds the cookie with this hash; null likewise. */
  readSessionByCookie(cookieHash: string, now: Instant): Promise<Session | null>;
  /** Every session of a user that counts, newest first. */
  listSessionsOf(userId: string, now: Instant): Promise<readonly Session[]>;
  /** Notes that a session was used. */
  markSessionUsed(jti: string, now: Instant): Promise<void>;
  revokeSession(jti: string, now: Instant): Promise<void>;
  /** Ends the sessions of a user, or all but one; answers how many counted until then. */
  revokeSessionsOf(userId: string, now: Instant, options?: { readonly exceptJti: string }): Promise<number>;
  /** Counts failed sign-ins per account and address, for throttling; answers the number in the window. */
  countFailures(keys: readonly string[], since: Instant): Promise<number>;
  addFailure(keys: readonly string[], at: Instant): Promise<void>;
  /**
   * Counts a try under each key, unless under one of them so many stand since then; false when they do, and then it
   * counts under none. Of many at the same moment no more get through than of many in a row.
   */
  admitTry(
    counters: readonly { readonly key: string; readonly limit: number }[],
    since: Instant,
    at: Instant,
  ): Promise<boolean>;
  /** Takes back one try that was counted at this moment under each key. */
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
  /** User name of a masquerading sysadmin. */
  readonly masquerader: string | null;
  /** Hash of the cookie that came with the token; the token of a browser is bound to it. */
  readonly cookieHash: string | null;
  /** {@link User.accessVersion} when the user proved who they are. */
  readonly accessVersion: number;
  /** Somebody proved to read the mails of the user's address. */
  readonly emailIsProved: boolean;
  /** Name that the browser or program gave itself; empty when it gave none. */
  readonly userAgent: string;
  /** Network address that it was begun from. */
  readonly address: string;
  readonly createdAt: Instant;
  /** Last use, to the minute. */
  readonly lastUsedAt: Instant;
  readonly endsAt: Instant;
}

export type NewSession = Omit<Session, 'id' | 'lastUsedAt' | 'emailIsProved'>;
