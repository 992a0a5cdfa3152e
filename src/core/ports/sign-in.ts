import type { ProviderClaims, ProviderKind } from '../sign-in-provider.ts';

/** What a provider needs to know the product. */
export interface ProviderAccess {
  readonly kind: ProviderKind;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Logs users in at an OpenID Connect provider: authorization code flow with PKCE, state and nonce. */
export interface SignInService {
  /** Returns the issuer, or why the text is none that may be used. */
  parseIssuer(kind: ProviderKind, text: string): { readonly issuer: string } | { readonly fault: string };

  /**
   * Returns the address where the user logs in.
   *
   * @throws Refusal `provider_unavailable`, `provider_unusable`.
   */
  authorizeUrl(
    access: ProviderAccess,
    request: {
      readonly state: string;
      readonly nonce: string;
      readonly codeChallenge: string;
      readonly redirectUri: string;
      /** Address that the user typed. */
      readonly loginHint: string;
    },
  ): Promise<string>;

  /**
   * Exchanges the code of the callback for the claims of a validated ID token.
   *
   * @param parameters query of the callback.
   * @throws Refusal `provider_unavailable`, `provider_unusable`, `provider_refused`.
   */
  exchange(
    access: ProviderAccess,
    request: {
      readonly parameters: Readonly<Record<string, string>>;
      readonly state: string;
      readonly nonce: string;
      readonly codeVerifier: string;
      readonly redirectUri: string;
    },
  ): Promise<{ readonly claims: ProviderClaims; readonly refreshToken: string | null }>;

  /**
   * Asks whether the account still exists and may log in.
   *
   * @param subject id of the account, as {@link subjectOf} returns it.
   * @returns the next refresh token; null when the provider has ended the access.
   * @throws Refusal `provider_unavailable`, `provider_unusable`.
   */
  refresh(
    access: ProviderAccess,
    account: { readonly refreshToken: string; readonly subject: string },
  ): Promise<{ readonly refreshToken: string } | null>;
}
