import type { AccountingCredentials } from '../tenant.ts';

/** Signs in to QuickBooks for a tenant (OAuth 2.0, authorization code flow). */
export interface AccountingOAuth {
  /**
   * Returns the address where the browser asks for consent.
   *
   * @param request `state` is one-time and bound to the browser; `codeChallenge` is the S256 challenge of a verifier.
   */
  authorizeUrl(request: {
    readonly state: string;
    readonly codeChallenge: string;
    readonly redirectUri: string;
  }): Promise<string>;

  /**
   * Exchanges the code of the callback for tokens.
   *
   * @throws ServiceError when the code is not accepted.
   */
  exchange(request: {
    readonly code: string;
    readonly codeVerifier: string;
    readonly redirectUri: string;
    readonly realmId: string;
  }): Promise<AccountingCredentials>;

  /** Refreshes the tokens; the refresh token may rotate. */
  refresh(current: AccountingCredentials): Promise<AccountingCredentials>;

  /**
   * Revokes our access at the service; an access that is already revoked is not an error.
   *
   * @throws ServiceError when the service did not receive the request.
   */
  revoke(credentials: AccountingCredentials): Promise<void>;
}
