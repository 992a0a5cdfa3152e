import { setTimeout as delay } from 'node:timers/promises';
import type { Budget } from '#core/ports/budget.ts';
import { ServiceError } from '#core/service-error.ts';
import type { AccountingCredentials } from '#core/tenant.ts';
import { secondsBetween } from '#core/values/dates.ts';
import { exchange, type WayOut } from '../http.ts';
import { createPace, repeating, type Lane } from '../pace.ts';
import { accessEnded, limitReached, notSent, readAnswer, type JsonRecord } from './errors.ts';

/** The tokens of a connection; `refresh` is whoever can hold the row lock and store what comes back. */
export interface Tokens {
  /** Null once the connection was ended. */
  current(): Promise<AccountingCredentials | null>;
  /** New tokens for the ones that were `used`; when somebody else has refreshed meanwhile, theirs. Null likewise. */
  refresh(used: AccountingCredentials): Promise<AccountingCredentials | null>;
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
  /** Of a batch: how many objects it writes. */
  readonly items?: number;
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
  /** The company that this is bound to: nothing goes to another one, whatever the tenant is connected to by then. */
  readonly realmId: string;
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
/** Published: 40 batches a minute per company and application. */
const batchesAMinute = 38;
/**
 * A write waits no longer than this between the note that it was sent and its first byte: what becomes of it is counted
 * from the note. Whoever has to wait longer is told, and asks again with a new note.
 */
const longestWriteWaitMs = 5_000;
/** Tokens are renewed so long before their end, so that none ends in the middle of a call. */
const renewedBeforeSeconds = 300;
/** Longer statements go in the body instead of the address. */
const longestAddress = 1_500;

/** Under this name all calls of a company share their places. */
export const slotOf = (realmId: string): string => `qbo:${realmId}`;

/** Signs calls in, renews tokens, keeps the limits. */
export function quickbooksApi(options: ApiOptions): QuickbooksApi {
  const { realmId, tokens, budget, wayOut, sleep = delay } = options;
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
    readonly items?: number;
    /** When it has to have left, by `performance.now()`. */
    readonly leavesBefore?: number;
  }

  /** The tokens as they are now: others, or none, than when the call began to wait. */
  async function ready(operation: string): Promise<AccountingCredentials> {
    const stored = await tokens.current();
    if (stored === null) throw accessEnded(operation, 'QuickBooks was disconnected.');
    if (stored.realmId !== realmId) throw accessEnded(operation, 'QuickBooks was connected to another company.');
    const isEnding = secondsBetween(wayOut.now(), stored.accessTokenEndsAt) < renewedBeforeSeconds;
    return isEnding ? renew(operation, stored) : stored;
  }

  /** Waits for its turn, and only then looks for tokens: those that were ended meanwhile never leave. */
  async function send(call: Sent, onUse: (used: AccountingCredentials) => void): Promise<JsonRecord> {
    const lane: Lane = {
      windows: [
        // Whether each object of a batch counts is not known [Q70]; we count it.
        { key: `qbo:minute:${realmId}`, calls: callsAMinute, perSeconds: 60, weight: call.items ?? 1 },
        { key: `qbo:burst:${realmId}`, ...burst },
        ...(call.items === undefined ? [] : [{ key: `qbo:batches:${realmId}`, calls: batchesAMinute, perSeconds: 60 }]),
      ],
      slot: slotOf(realmId),
      places: callsAtOnce,
    };
    const path = `/v3/company/${encodeURIComponent(realmId)}/${call.path.replace('{realm}', encodeURIComponent(realmId))}`;
    const query = Object.entries({ ...call.query, minorversion: minorVersion });
    const request = async () => {
      const used = await ready(call.operation);
      onUse(used);
      if (call.leavesBefore !== undefined && performance.now() > call.leavesBefore)
        throw notSent(call.operation, 'Its turn came too late to be sure of it.');
      const { accessToken, refreshToken } = used;
      return readAnswer(
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
        [accessToken, refreshToken],
      );
    };
    try {
      return await pace.run(
        lane,
        request,
        (waitMs) => limitReached(call.operation, waitMs),
        call.leavesBefore === undefined ? undefined : longestWriteWaitMs,
      );
    } catch (error) {
      // Our own limit stops nobody but the call that met it.
      if (error instanceof ServiceError && error.about.status !== undefined && error.about.waitMs !== undefined)
        await pace.pause(lane, error.about.waitMs);
      throw error;
    }
  }

  let renewing: Promise<AccountingCredentials | null> | undefined;
  let refusal: { readonly accessToken: string; readonly error: ServiceError } | undefined;

  /** New tokens, asked for once however many calls need them; a refused access is not asked for again. */
  async function renew(operation: string, used: AccountingCredentials): Promise<AccountingCredentials> {
    if (refusal?.accessToken === used.accessToken) throw refusal.error;
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
    const renewed = await renewing;
    if (renewed === null) throw accessEnded(operation, 'QuickBooks was disconnected.');
    return renewed;
  }

  async function signedIn(call: Sent): Promise<JsonRecord> {
    let used: AccountingCredentials | undefined;
    const onUse = (now: AccountingCredentials) => {
      used = now;
    };
    try {
      return await send(call, onUse);
    } catch (error) {
      // Sign-in is checked before anything else: after a refusal nothing was applied.
      const isSignIn = error instanceof ServiceError && error.about.status === 401 && error.about.next === 'reconnect';
      if (!isSignIn || used === undefined) throw error;
      await renew(call.operation, used);
      return send(call, onUse);
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
    write: ({ operation, path, action, body, requestId, items }) =>
      signedIn({
        operation,
        method: 'POST',
        path,
        query: { ...(action !== undefined && { operation: action }), requestid: requestId },
        body,
        contentType: 'application/json',
        timeoutMs: options.writeTimeoutMs,
        document: requestId,
        leavesBefore: performance.now() + longestWriteWaitMs,
        ...(items !== undefined && { items }),
        isOnce: true,
      }),
  };
}

/** Blanks become `%20`, never `+`; apostrophes are encoded as well. */
const encode = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll("'", '%27');
