import { RefreshUnderWay } from '#core/ports/connections.ts';
import { ServiceError } from '#core/service-error.ts';
import type { AccountingCredentials } from '#core/tenant.ts';
import { secondsBetween, type Instant } from '#core/values/dates.ts';
import { accessEnded, notSent } from '../errors.ts';
import type { ApiCall, Send } from './call.ts';

/** The tokens of a connection; `refresh` lets one worker ask at a time, and stores what comes back. */
export interface Tokens {
  /** Null once the connection was ended. */
  current(): Promise<AccountingCredentials | null>;
  /**
   * New tokens for the ones that were `used`; when somebody else has refreshed meanwhile, theirs. Null likewise.
   *
   * @throws RefreshUnderWay when somebody else does, and does not come to an end.
   */
  refresh(used: AccountingCredentials): Promise<AccountingCredentials | null>;
}

/** Tokens that are good for a call to one company, or the reason why there are none. */
export interface Access {
  /**
   * The tokens as they are now: others, or none, than when the call began to wait.
   *
   * @throws ServiceError `reconnect` when the company was disconnected or changed.
   */
  current(operation: string): Promise<AccountingCredentials>;
  /** New tokens, asked for once however many calls need them; a refused access is not asked for again. */
  renew(operation: string, used: AccountingCredentials): Promise<AccountingCredentials>;
}

/** Tokens are renewed so long before their end, so that none ends in the middle of a call. */
const renewedBeforeSeconds = 300;

/** @param realmId the company: nothing goes to another one, whatever the tenant is connected to by then. */
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

/** A call that tells with which tokens it left. */
export interface TracedCall extends ApiCall {
  readonly onUse: (used: AccountingCredentials) => void;
}

/**
 * Middleware: a refused sign-in is answered with new tokens, and the call is sent once more. Sign-in is checked before
 * anything else, so after a refusal nothing was applied.
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
