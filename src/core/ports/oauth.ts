import type { AccountingCredentials } from '../tenant.ts';

/** Signing in at the books on a tenant's behalf (OAuth 2.0, authorization code flow). */
export interface AccountingOAuth {
  /**
   * Address at which the browser asks for consent.
   *
   * @param request `state` is one-time and bound to the browser; `codeChallenge` is the S256 challenge of a verifier.
   */
  authorizeUrl(request: {
    readonly state: string;
    readonly codeChallenge: string;
    readonly redirectUri: string;
  }): Promise<string>;

  /**
   * Turns the code of the callback into tokens.
   *
   * @throws ServiceError when the code is not accepted.
   */
  exchange(request: {
    readonly code: string;
    readonly codeVerifier: string;
    readonly redirectUri: string;
    readonly realmId: string;
  }): Promise<AccountingCredentials>;

  /** New tokens for old ones; the refresh token may rotate. */
  refresh(current: AccountingCredentials): Promise<AccountingCredentials>;

  /**
   * Ends our access at the service; one that is gone already is no failure.
   *
   * @throws ServiceError when the service did not hear of it.
   */
  revoke(credentials: AccountingCredentials): Promise<void>;
}
