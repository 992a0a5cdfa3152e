import { setTimeout as delay } from 'node:timers/promises';
import type { ReadMeter } from '#core/ports/metered-reads.ts';
import { epochMs } from '#core/values/dates.ts';
import { type Egress, withRetry } from '../http-client.ts';
import { createRateLimiter, type RateLimits } from '../rate-limiter.ts';
import { type ApiCall, maxWriteWaitMs, withRateLimit } from './rate-limit.ts';
import { accessTo, encode, sendSigned, type Tokens, withReadMeter, withTokenRenewal } from './calls.ts';
import type { JsonRecord } from './errors.ts';

/** A read; a statement of the query language makes it a query. */
export interface ReadCall {
  readonly operation: string;
  /** Path below `/v3/company/{realm}/`. */
  readonly path: string;
  readonly statement?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON text of a read that has a body: a batch of queries. */
  readonly body?: string;
  /** Number of queries in a batch. */
  readonly items?: number;
}

/** A write of one object, sent once. */
export interface WriteCall {
  readonly operation: string;
  readonly path: string;
  /** Operation on the record, if it is neither created nor updated. */
  readonly action?: 'void';
  /** JSON text; absent if the URL is sufficient. */
  readonly body?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Idempotency key (quickbooks reference 2.3). */
  readonly requestId: string;
  /** Number of objects that a batch writes. */
  readonly items?: number;
}

export interface QuickbooksApi {
  /** Makes a read, and retries it after temporary failures. */
  read(call: ReadCall): Promise<JsonRecord>;
  /** Sends once. Only after a refused sign-in, when nothing was applied, it is sent again with new tokens. */
  write(call: WriteCall): Promise<JsonRecord>;
}

export interface ApiOptions {
  /** E.g. `https://quickbooks.api.intuit.com`. */
  readonly apiUrl: URL;
  /** The company that the API is bound to: nothing is sent to another one, even if the tenant was reconnected. */
  readonly realmId: string;
  readonly tokens: Tokens;
  readonly rateLimits: RateLimits;
  readonly egress: Egress;
  readonly readTimeoutMs: number;
  readonly writeTimeoutMs: number;
  /** Counts the read calls. */
  readonly meter?: ReadMeter | undefined;
  /** Reads are tried even if they were blocked recently, because a user requested it. */
  readonly endsPause?: boolean | undefined;
  readonly sleep?: ((ms: number) => Promise<unknown>) | undefined;
}

/** Maximum length of a statement in the URL; longer statements are sent in the body. */
const maxStatementLength = 1_500;

/** Creates the API as two functions. A call passes these layers from first to last; each is a separate file. */
export function quickbooksApi(options: ApiOptions): QuickbooksApi {
  const { realmId, rateLimits, egress, sleep = delay } = options;
  const access = accessTo(realmId, options.tokens, egress.now);
  const nowMs = () => epochMs(egress.now());
  const limiter = createRateLimiter(rateLimits, { nowMs, sleep, endsPause: options.endsPause });
  const limited = withRateLimit(
    { realmId, rateLimits, limiter, stopping: egress.stopping },
    sendSigned({ ...options, access, limiter }),
  );
  const metered = withReadMeter({ ...options, now: egress.now, endsPause: options.endsPause === true }, limited);
  const once = withTokenRenewal(access, metered);
  const repeated = withRetry(sleep, once);

  return {
    read({ operation, path, statement, query = {}, body, items }) {
      const common = {
        operation,
        path,
        timeoutMs: options.readTimeoutMs,
        ...(items !== undefined && { items }),
      };
      if (body !== undefined)
        return repeated({ ...common, method: 'POST', query, body, contentType: 'application/json' });
      if (statement === undefined) return repeated({ ...common, method: 'GET', query });
      const call: ApiCall =
        encode(statement).length <= maxStatementLength
          ? { ...common, method: 'GET', query: { query: statement } }
          : { ...common, method: 'POST', query: {}, body: statement, contentType: 'application/text' };
      return repeated(call);
    },
    write: ({ operation, path, action, body, query, requestId, items }) =>
      once({
        operation,
        method: 'POST',
        path,
        query: { ...query, ...(action !== undefined && { operation: action }), requestid: requestId },
        // A call without a body is declared as bytes, as QuickBooks requires for its send call.
        ...(body === undefined
          ? { contentType: 'application/octet-stream' }
          : { body, contentType: 'application/json' }),
        timeoutMs: options.writeTimeoutMs,
        document: requestId,
        leavesBefore: performance.now() + maxWriteWaitMs,
        ...(items !== undefined && { items }),
        isOnce: true,
      }),
  };
}
