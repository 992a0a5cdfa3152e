import type { Instant } from '../values/dates.ts';
import type { JsonObject } from '../values/json.ts';

/** One-time tokens: each is good for one purpose, once, for a short time. */
export interface OneTimeTokenStore {
  /** Keeps the hash of a one-time token. */
  addOneTimeToken(token: OneTimeToken): Promise<void>;
  /** Looks at a token without spending it. */
  findOneTimeToken(hash: string, purpose: OneTimeToken['purpose'], now: Instant): Promise<OneTimeToken | null>;
  /** Answers and spends a token; null when unknown, spent or over. Of two that race, one wins. */
  spendOneTimeToken(hash: string, purpose: OneTimeToken['purpose'], now: Instant): Promise<OneTimeToken | null>;
  /** Spends every token of a user for one purpose. */
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
