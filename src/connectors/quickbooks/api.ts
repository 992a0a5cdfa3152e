import { setTimeout as delay } from 'node:timers/promises';
import type { Budget } from '#core/ports/budget.ts';
import { ServiceError } from '#core/service-error.ts';
import type { AccountingCredentials } from '#core/tenant.ts';
import { secondsBetween } from '#core/values/dates.ts';
import { exchange, type WayOut } from '../http.ts';
import { createPace, repeating, type Lane } from '../pace.ts';
import { limitReached, readAnswer, type JsonRecord } from './errors.ts';

/** The tokens of one company; `refresh` is whoever can hold the row lock and store what comes back. */
export interface Tokens {
  current(): Promise<AccountingCredentials>;
  /** New tokens for the ones that were `used`; when somebody else has refreshed meanwhile, theirs. */
  refresh(used: AccountingCredentials): Promise<AccountingCredentials>;
}

/** A call that changes nothing; a statement of the query language makes it a query. */
export interface ReadCall {
  readonly operation: string;
  /** Below `/v3/company/{realm}/`. */
  readonly path: string;
  readonly statement?: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** A call that changes something: one object, once. */
export interface WriteCall {
  readonly operation: string;
  readonly path: string;
  /** What is done to the record, when it is neither made nor changed. */
  readonly action?: 'void';
  /** JSON text. */
  readonly body: string;
  /** Idempotency key (quickbooks reference 2.3). */
  readonly requestId: string;
}

export interface QuickbooksApi {
  /** Repeats what may be repeated. */
  read(call: ReadCall): Promise<JsonRecord>;
  /** Sends once; only a refused sign-in, after which nothing was applied, is tried a second time with new tokens. */
  write(call: WriteCall): Promise<JsonRecord>;
}

export interface ApiOptions {
  /** E.g. `https://quickbooks.api.intuit.com`. */
  readonly apiUrl: URL;
  readonly tokens: Tokens;
  readonly budget: Budget;
  readonly wayOut: WayOut;
  readonly readTimeoutMs: number;
  readonly writeTimeoutMs: number;
  readonly sleep?: ((ms: number) => Promise<unknown>) | undefined;
}

const minorVersion = '75';
/** Published: 500 a minute, 10 a second, 10 at once per company (quickbooks reference section 3). */
const callsAMinute = 450;
/**
 * Three in half a second: even when the calls of one half second arrive half a second late, together with the next
 * ones, no second of theirs sees more than nine.
 */
const burst = { calls: 3, perSeconds: 0.5 };
const callsAtOnce = 8;
/** Tokens are renewed so long before their end, so that none ends in the middle of a call. */
const renewedBeforeSeconds = 300;
/** Longer statements go in the body instead of the address. */
const longestAddress = 1_500;

/** Signs calls in, renews tokens, keeps the limits. */
export function quickbooksApi(options: ApiOptions): QuickbooksApi {
  const { tokens, budget, wayOut, sleep = delay } = options;
  const pace = createPace(budget, sleep);

  interface Sent {
    readonly operation: string;
    readonly method: 'GET' | 'POST';
    readonly path: string;
    readonly query: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly contentType?: string;
    readonly timeoutMs: number;
    readonly document?: string;
    readonly isOnce?: true;
  }

  async function send(call: Sent, credentials: AccountingCredentials): Promise<JsonRecord> {
    const { realmId, accessToken } = credentials;
    const lane: Lane = {
      windows: [
        { key: `qbo:minute:${realmId}`, calls: callsAMinute, perSeconds: 60 },
        { key: `qbo:burst:${realmId}`, ...burst },
      ],
      slot: `qbo:${realmId}`,
      places: callsAtOnce,
    };
    const path = `/v3/company/${encodeURIComponent(realmId)}/${call.path.replace('{realm}', encodeURIComponent(realmId))}`;
    const query = Object.entries({ ...call.query, minorversion: minorVersion });
    const request = async () =>
      readAnswer(
        call.operation,
        await exchange(
          {
            service: 'accounting',
            operation: call.operation,
            method: call.method,
            url: new URL(
              `${path}?${query.map(([name, value]) => `${name}=${encode(value)}`).join('&')}`,
              options.apiUrl,
            ),
            headers: {
              Accept: 'application/json',
              Authorization: `Bearer ${accessToken}`,
              ...(call.contentType !== undefined && { 'Content-Type': call.contentType }),
            },
            ...(call.body !== undefined && { body: call.body }),
            timeoutMs: call.timeoutMs,
            document: call.document,
            isOnce: call.isOnce === true,
          },
          wayOut,
        ),
        [accessToken, credentials.refreshToken],
      );
    try {
      return await pace.run(lane, request, (waitMs) => limitReached(call.operation, waitMs));
    } catch (error) {
      if (error instanceof ServiceError && error.about.waitMs !== undefined) await pace.pause(lane, error.about.waitMs);
      throw error;
    }
  }

  let renewing: Promise<AccountingCredentials> | undefined;
  let refusal: { readonly accessToken: string; readonly error: ServiceError } | undefined;

  /** New tokens, asked for once however many calls need them; a refused access is not asked for again. */
  function renew(used: AccountingCredentials): Promise<AccountingCredentials> {
    if (refusal?.accessToken === used.accessToken) return Promise.reject(refusal.error);
    renewing ??= tokens
      .refresh(used)
      .catch((error: unknown) => {
        if (error instanceof ServiceError && error.about.next === 'reconnect')
          refusal = { accessToken: used.accessToken, error };
        throw error;
      })
      .finally(() => {
        renewing = undefined;
      });
    return renewing;
  }

  async function signedIn(call: Sent): Promise<JsonRecord> {
    const stored = await tokens.current();
    const isEnding = secondsBetween(wayOut.now(), stored.accessTokenEndsAt) < renewedBeforeSeconds;
    const used = isEnding ? await renew(stored) : stored;
    try {
      return await send(call, used);
    } catch (error) {
      // Sign-in is checked before anything else: after a refusal nothing was applied.
      const isSignIn = error instanceof ServiceError && error.about.status === 401 && error.about.next === 'reconnect';
      if (!isSignIn) throw error;
      return send(call, await renew(used));
    }
  }

  return {
    read: ({ operation, path, statement, query = {} }) => {
      const common = { operation, path, timeoutMs: options.readTimeoutMs };
      if (statement === undefined) return repeating(() => signedIn({ ...common, method: 'GET', query }), sleep);
      const call: Sent =
        encode(statement).length <= longestAddress
          ? { ...common, method: 'GET', query: { query: statement } }
          : { ...common, method: 'POST', query: {}, body: statement, contentType: 'application/text' };
      return repeating(() => signedIn(call), sleep);
    },
    write: ({ operation, path, action, body, requestId }) =>
      signedIn({
        operation,
        method: 'POST',
        path,
        query: { ...(action !== undefined && { operation: action }), requestid: requestId },
        body,
        contentType: 'application/json',
        timeoutMs: options.writeTimeoutMs,
        document: requestId,
        isOnce: true,
      }),
  };
}

/** Blanks become `%20`, never `+`; apostrophes are encoded as well. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27');
