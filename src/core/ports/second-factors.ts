import type { Instant } from '../values/dates.ts';

/** Second factors of users. */
export interface SecondFactorStore {
  /** The second factor of a user, begun or confirmed; null when there is none. Costs the same for ids of nobody. */
  readSecondFactor(userId: string): Promise<SecondFactor | null>;
  /** Users among these who are asked for a second factor. */
  listSecured(userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Keeps a secret that is not confirmed yet, in place of an earlier one; false when a confirmed one stands. */
  beginSecondFactor(userId: string, secret: string, now: Instant): Promise<boolean>;
  /**
   * Confirms what was begun, with its first code and its recovery codes, and ends every session of the user. Of two that
   * race, one is answered true.
   */
  confirmSecondFactor(
    userId: string,
    version: string,
    first: { readonly step: number; readonly recoveryHashes: readonly string[]; readonly now: Instant },
  ): Promise<boolean>;
  /** Uses up the code of a half minute and all before it; false when it was used. Of two that race, one wins. */
  spendCodeStep(userId: string, version: string, step: number): Promise<boolean>;
  /** Uses up a recovery code; false when there is none such. Of two that race, one wins. */
  spendRecoveryCode(userId: string, hash: string, now: Instant): Promise<boolean>;
  replaceRecoveryCodes(userId: string, hashes: readonly string[]): Promise<void>;
  /** False when there was none. */
  removeSecondFactor(userId: string): Promise<boolean>;
  /** True when the users of this client must have a second factor. */
  requiresSecondFactor(tenantId: string): Promise<boolean>;
  /** Says whether they must; those without one lose their sessions. False when it was so already. */
  requireSecondFactor(tenantId: string, isRequired: boolean, now: Instant): Promise<boolean>;
}

/** The secret that makes the one-time codes of a user. */
export interface SecondFactor {
  /** Changes with the secret. */
  readonly version: string;
  /** Base32, as apps take it. Never logged. */
  readonly secret: string;
  /** Null until the first right code; nothing is asked at the login before. */
  readonly confirmedAt: Instant | null;
  /** Hashes of the recovery codes that are left. */
  readonly recoveryHashes: readonly string[];
}
