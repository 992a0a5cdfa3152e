import type { Instant } from '../values/dates.ts';
import type { JsonObject } from '../values/json.ts';

/** One-time tokens: each is valid once, for one purpose and a short time. */
export interface OneTimeTokenStore {
  /** Stores the hash of a one-time token. */
  addOneTimeToken(token: OneTimeToken): Promise<void>;
  /** Reads a token without using it up. */
  findOneTimeToken(hash: string, purpose: OneTimeToken['purpose'], now: Instant): Promise<OneTimeToken | null>;
  /**
   * Uses up a token and returns it; null when it is unknown, used or expired. Of two concurrent calls, one succeeds.
   */
  spendOneTimeToken(hash: string, purpose: OneTimeToken['purpose'], now: Instant): Promise<OneTimeToken | null>;
  /** Invalidates every token of a user for one purpose. */
  spendOneTimeTokensOf(userId: string, purpose: OneTimeToken['purpose'], now: Instant): Promise<void>;
}

export interface OneTimeToken {
  readonly hash: string;
  readonly purpose: 'connect_psa' | 'connect_accounting' | 'oauth_state' | 'sign_on' | 'reset_password' | 'prove_email';
  readonly userId: string | null;
  readonly tenantId: string | null;
  readonly data: JsonObject;
  readonly endsAt: Instant;
}
