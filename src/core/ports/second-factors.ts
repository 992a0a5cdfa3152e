import type { Instant } from '../values/dates.ts';

/** Second factors of users. */
export interface SecondFactorStore {
  /**
   * Reads the second factor of a user, confirmed or not; null when there is none. Takes the same time for unknown ids.
   */
  readSecondFactor(userId: string): Promise<SecondFactor | null>;
  /** Returns the users among these who have to enter a second factor. */
  listSecured(userIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Stores an unconfirmed secret in place of an earlier one; false when a confirmed one exists. */
  beginSecondFactor(userId: string, secret: string, now: Instant): Promise<boolean>;
  /**
   * Confirms the pending secret with its first code, stores its recovery codes, and ends every session of the user. Of
   * two concurrent calls, one returns true.
   */
  confirmSecondFactor(
    userId: string,
    version: string,
    first: { readonly step: number; readonly recoveryHashes: readonly string[]; readonly now: Instant },
  ): Promise<boolean>;
  /**
   * Uses up the code of a 30-second step and all earlier ones; false when it was already used. Of two concurrent calls,
   * one succeeds.
   */
  spendCodeStep(userId: string, version: string, step: number): Promise<boolean>;
  /** Uses up a recovery code; false when it does not exist. Of two concurrent calls, one succeeds. */
  spendRecoveryCode(userId: string, hash: string, now: Instant): Promise<boolean>;
  replaceRecoveryCodes(userId: string, hashes: readonly string[]): Promise<void>;
  /** False when there was none. */
  removeSecondFactor(userId: string): Promise<boolean>;
  /** Whether users of this client must have a second factor. */
  requiresSecondFactor(tenantId: string): Promise<boolean>;
  /**
   * Sets whether users must have a second factor; ends the sessions of users without one. False when nothing changes.
   */
  requireSecondFactor(tenantId: string, isRequired: boolean, now: Instant): Promise<boolean>;
}

/** The secret that generates a user's one-time codes. */
export interface SecondFactor {
  /** Changes with the secret. */
  readonly version: string;
  /** Base32, as authenticator apps expect it. Never logged. */
  readonly secret: string;
  /** Null until the first correct code; before that, sign-in does not ask for a code. */
  readonly confirmedAt: Instant | null;
  /** Hashes of the unused recovery codes. */
  readonly recoveryHashes: readonly string[];
}
