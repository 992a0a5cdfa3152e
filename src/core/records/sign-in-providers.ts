import type { ProviderKind } from '../sign-in-provider.ts';
import type { Instant } from '../values/dates.ts';

/** How a user logged in. `provider_two_step`: the provider also checked the second step. */
export type SignInProof = 'password' | 'provider' | 'provider_two_step';

/** A client's sign-in provider, without its secret. */
export interface SignInProvider {
  readonly kind: ProviderKind;
  readonly issuer: string;
  readonly clientId: string;
  /** Email domains of the users, lower case, sorted. */
  readonly domains: readonly string[];
  /** The provider checks the second step, so Tallybridge does not ask for a code. */
  readonly coversSecondStep: boolean;
  /** When an administrator logged in with these values; null: not since the last change. */
  readonly testedAt: Instant | null;
  /** Passwords are rejected, except the break-glass administrator's. */
  readonly isRequired: boolean;
  /** The administrator who may log in with a password although the provider is required. */
  readonly breakGlassUserId: string | null;
}

/** The account at a provider that a user logs in with. */
export interface SignInLink {
  readonly userId: string;
  readonly issuer: string;
  readonly subject: string;
  /** Null when the provider issued none, or its key was lost. */
  readonly refreshToken: string | null;
}
