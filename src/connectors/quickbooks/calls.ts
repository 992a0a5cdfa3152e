import type { ReadMeter } from '#core/ports/metered-reads.ts';
import { RefreshUnderWay } from '#core/records/connections.ts';
import { isReadBlock, ServiceError } from '#core/service-error.ts';
import type { AccountingCredentials } from '#core/tenant.ts';
import { addSeconds, type Instant, secondsBetween } from '#core/values/dates.ts';
import { callService, type Egress } from '../http-client.ts';
import type { RateLimiter, RateLimits } from '../rate-limiter.ts';
import { accessEnded, notSent, readAnswer, readsBlocked } from './errors.ts';
import { type ApiCall, departuresOf, type LeavingCall, type Send } from './rate-limit.ts';
import { oncePer } from '#core/values/once-per.ts';

/** After a blocked read, further reads are refused without a call for this time, then one is tried. */
const retryAfterSeconds = 900;

/**
 * Time of the next read attempt, by the limits that all clients of this process share: Intuit blocks the reads of the
 * whole application.
 */
const blocked = oncePer<RateLimits, { until: Instant | null }>(() => ({ until: null }));

/** Whether Intuit recently refused a metered call, so that no batch is sent; single writes are free [Q80]. */
export const areReadsBlocked = (rateLimits: RateLimits, now: Instant): boolean => {
  const { until } = blocked(rateLimits);
  return until !== null && now < until;
};

/**
 * Middleware for metered calls, which are reads, and batches also of writes [Q80]: counts them, and makes none while
 * Intuit blocks them (App Partner Program). Only calls with a 2xx status count. Each item of a batch counts, because
 * Intuit does not tell whether it does. Intuit does not document its refusal. Status 429 counts as the monthly block if
 * its text names it, or if the application has used up its limit by our own count.
 */
export const withReadMeter =
  <Call extends ApiCall>(
    of: {
      readonly rateLimits: RateLimits;
      readonly meter?: ReadMeter | undefined;
      readonly now: () => Instant;
      readonly endsPause: boolean;
    },
    next: Send<Call>,
  ): Send<Call> =>
  async (call) => {
    if (call.isOnce === true && call.path !== 'batch') return next(call);
    if (areReadsBlocked(of.rateLimits, of.now()) && !of.endsPause) throw readsBlocked(call.operation, of.now());
    try {
      const answer = await next(call);
      blocked(of.rateLimits).until = null;
      of.meter?.count(call.items ?? 1);
      return answer;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.about.status === undefined) throw error;
      const isUsedUp = error.about.status === 429 && of.meter?.isUsedUp() === true;
      if (!isUsedUp && !isReadBlock(error)) {
        if (error.about.status >= 200 && error.about.status < 300) of.meter?.count(call.items ?? 1);
        throw error;
      }
      blocked(of.rateLimits).until = addSeconds(of.now(), retryAfterSeconds);
      throw readsBlocked(call.operation, of.now());
    }
  };

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

/** Seconds after which a session reads its tokens again, because an announcement of their change may get lost. */
const readAgainSeconds = 10;

/**
 * Returns the tokens of a session, which makes many calls: they are read once, after a refusal, and when a user ended or
 * replaced them.
 *
 * @param first the stored tokens, just read.
 * @param of.changes how often users changed them, as announced.
 */
export function sessionTokens(
  stored: Tokens,
  first: AccountingCredentials,
  of: { readonly now: () => Instant; readonly changes: () => number },
): Tokens {
  const kept = (tokens: AccountingCredentials | null, changes: number) => ({ tokens, changes, readAt: of.now() });
  let newest = kept(first, of.changes());
  const keep = async (read: Promise<AccountingCredentials | null>) => {
    const changes = of.changes();
    newest = kept(await read, changes);
    return newest.tokens;
  };
  return {
    current: async () =>
      newest.changes === of.changes() && Math.abs(secondsBetween(newest.readAt, of.now())) < readAgainSeconds
        ? newest.tokens
        : keep(stored.current()),
    refresh: (used) => keep(stored.refresh(used)),
  };
}

/** Provides valid tokens for calls to one company, or the reason why there are none. */
interface Access {
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
interface TracedCall extends ApiCall {
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

const minorVersion = '75';

/**
 * Sends one call with the tokens that are current at that moment, and reads its answer: the innermost layer. Tokens
 * that were revoked while the call waited are never sent. A write is never sent after its deadline or its sender's
 * lease.
 */
export const sendSigned = (of: {
  readonly apiUrl: URL;
  readonly realmId: string;
  readonly access: Access;
  readonly egress: Egress;
  readonly rateLimits: RateLimits;
  readonly limiter: Pick<RateLimiter, 'depart'>;
}): Send<TracedCall & LeavingCall> => {
  // An answer may repeat tokens that were refreshed while it was on its way.
  const secrets = new Set<string>();
  return async (call) => {
    const read = () => of.access.current(call.operation);
    let tokens = await read();
    // The tokens may have been revoked while the call waited.
    const departure = await of.limiter.depart(departuresOf(of.rateLimits, of.realmId));
    if (departure.hasWaited) tokens = await read();
    const { accessToken, refreshToken, ...rest } = tokens;
    secrets.add(accessToken).add(refreshToken);
    call.onUse({ accessToken, refreshToken, ...rest });
    const realm = encodeURIComponent(of.realmId);
    const path = `/v3/company/${realm}/${call.path.replace('{realm}', realm)}`;
    const query = Object.entries({ ...call.query, minorversion: minorVersion });
    const result = await callService(
      {
        service: 'accounting',
        operation: call.operation,
        method: call.method,
        url: new URL(`${path}?${query.map(([name, value]) => `${name}=${encode(value)}`).join('&')}`, of.apiUrl),
        headers: {
          Accept: 'application/json',
          Authorization: `Bearer ${accessToken}`,
          ...(call.contentType !== undefined && { 'Content-Type': call.contentType }),
        },
        ...(call.body !== undefined && { body: call.body }),
        timeoutMs: call.timeoutMs,
        document: call.document,
        isOnce: call.isOnce === true,
        mayLeave: () => {
          if (call.isOnce === true && !(isInTime(call) && of.egress.mayWrite?.() !== false)) return false;
          call.onLeave();
          return true;
        },
      },
      of.egress,
    );
    if (result.isAnswered) departure.answered();
    return readAnswer(call.operation, result, [...secrets]);
  };
};

const isInTime = ({ leavesBefore }: TracedCall): boolean =>
  leavesBefore === undefined || performance.now() <= leavesBefore;

/** Encodes spaces as `%20`, never `+`, and apostrophes as well. */
export const encode = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27');
