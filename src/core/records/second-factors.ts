import type { Instant } from '../values/dates.ts';

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
