import { RefreshUnderWay } from '#core/records/connections.ts';
import { ServiceError } from '#core/service-error.ts';
import type { AccountingCredentials } from '#core/tenant.ts';
import { secondsBetween, type Instant } from '#core/values/dates.ts';
import { accessEnded, notSent } from '../errors.ts';
import type { ApiCall, Send } from './call.ts';

/** The tokens of a connection; `refresh` lets one worker at a time request new ones, and stores them. */
export interface Tokens {
  /** Returns null after the connection was ended. */
  current(): Promise<AccountingCredentials | null>;
  /**
   * Returns new tokens to replace the `used` ones, or the tokens that another process refreshed in the meantime; null
   * after the connection was ended.
   *
   * @throws RefreshUnderWay if another process is refreshing and does not finish.
   */
  refresh(used: AccountingCredentials): Promise<AccountingCredentials | null>;
}

/** Provides valid tokens for calls to one company, or the reason why there are none. */
export interface Access {
  /**
   * Returns the current tokens, which may have changed or been removed while the call waited.
   *
   * @throws ServiceError `reconnect` if the company was disconnected or changed.
   */
  current(operation: string): Promise<AccountingCredentials>;
  /** Returns new tokens, with one request for all calls that need them; refused access is not requested again. */
  renew(operation: string, used: AccountingCredentials): Promise<AccountingCredentials>;
}

/** Tokens are refreshed this long before they expire, so that none expires during a call. */
const renewedBeforeSeconds = 300;

/** @param realmId the company: nothing is sent to another one, even if the tenant was reconnected. */
export function accessTo(realmId: string, tokens: Tokens, now: () => Instant): Access {
  let renewing: Promise<AccountingCredentials | null> | undefined;
  let refusal: { readonly accessToken: string; readonly error: ServiceError } | undefined;

  function ofThisCompany(operation: string, found: AccountingCredentials): AccountingCredentials {
    if (found.realmId !== realmId) throw accessEnded(operation, 'QuickBooks was connected to another company.');
    return found;
  }

  async function renew(operation: string, used: AccountingCredentials): Promise<AccountingCredentials> {
    if (refusal?.accessToken === used.accessToken) throw refusal.error;
    renewing ??= tokens
      .refresh(used)
      .catch((error: unknown) => {
        if (error instanceof ServiceError && error.about.next === 'reconnect')
          refusal = { accessToken: used.accessToken, error };
        if (error instanceof RefreshUnderWay) throw notSent(operation, error.message);
        throw error;
      })
      .finally(() => {
        renewing = undefined;
      });
    const renewed = await renewing;
    if (renewed === null) throw accessEnded(operation, 'QuickBooks was disconnected.');
    return ofThisCompany(operation, renewed);
  }

  return {
    renew,
    async current(operation) {
      const stored = await tokens.current();
      if (stored === null) throw accessEnded(operation, 'QuickBooks was disconnected.');
      ofThisCompany(operation, stored);
      const isEnding = secondsBetween(now(), stored.accessTokenEndsAt) < renewedBeforeSeconds;
      return isEnding ? renew(operation, stored) : stored;
    },
  };
}

/** A call that reports the tokens it was sent with. */
export interface TracedCall extends ApiCall {
  readonly onUse: (used: AccountingCredentials) => void;
}

/**
 * Middleware: after a refused sign-in, refreshes the tokens and sends the call again. QuickBooks checks the sign-in
 * before anything else, so nothing was applied after a refusal.
 */
export const withTokenRenewal =
  (access: Access, next: Send<TracedCall>): Send =>
  async (call) => {
    let used: AccountingCredentials | undefined;
    const traced = { ...call, onUse: (now: AccountingCredentials) => void (used = now) };
    try {
      return await next(traced);
    } catch (error) {
      const isSignIn = error instanceof ServiceError && error.about.status === 401 && error.about.next === 'reconnect';
      if (!isSignIn || used === undefined) throw error;
      await access.renew(call.operation, used);
      return next(traced);
    }
  };
