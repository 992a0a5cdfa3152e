import { setTimeout as delay } from 'node:timers/promises';
import type { ReadMeter } from '#core/ports/metered-reads.ts';
import type { RateLimits } from '#core/ports/rate-limits.ts';
import { epochMs } from '#core/values/dates.ts';
import type { Egress } from '../http-client.ts';
import { createRateLimiter } from '../rate-limiter.ts';
import { withRetry } from '../retry.ts';
import type { ApiCall } from './calls/call.ts';
import { withReadMeter } from './calls/metered-reads.ts';
import { longestWriteWaitMs, withRateLimit } from './calls/rate-limit.ts';
import { encode, sendSigned } from './calls/send.ts';
import { accessTo, withTokenRenewal, type Tokens } from './calls/tokens.ts';
import type { JsonRecord } from './errors.ts';

/** A call that changes nothing; a statement of the query language makes it a query. */
export interface ReadCall {
  readonly operation: string;
  /** Path below `/v3/company/{realm}/`. */
  readonly path: string;
  readonly statement?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON text of a call that only reads although it has a body: a batch of queries. */
  readonly body?: string;
  /** Number of queries of a batch. */
  readonly items?: number;
}

/** A call that changes something: one object, once. */
export interface WriteCall {
  readonly operation: string;
  readonly path: string;
  /** Operation on the record, when it is neither made nor changed. */
  readonly action?: 'void';
  /** JSON text; absent where the address says it all. */
  readonly body?: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Idempotency key (quickbooks reference 2.3). */
  readonly requestId: string;
  /** Number of objects that a batch writes. */
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
  readonly rateLimits: RateLimits;
  readonly egress: Egress;
  readonly readTimeoutMs: number;
  readonly writeTimeoutMs: number;
  /** Counts the calls that only read. */
  readonly meter?: ReadMeter | undefined;
  /** Reads are tried although they were blocked a moment ago: a person asked for it. */
  readonly endsPause?: boolean | undefined;
  readonly sleep?: ((ms: number) => Promise<unknown>) | undefined;
}

/** Longer statements go in the body instead of the address. */
const longestAddress = 1_500;

/** The API as two functions. A call passes these layers from the first to the last, each a file of its own. */
export function quickbooksApi(options: ApiOptions): QuickbooksApi {
  const { realmId, egress, sleep = delay } = options;
  const access = accessTo(realmId, options.tokens, egress.now);
  const limiter = createRateLimiter(options.rateLimits, sleep, () => epochMs(egress.now()));
  const limited = withRateLimit(realmId, limiter, sendSigned({ ...options, access, limiter }));
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
        encode(statement).length <= longestAddress
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
        // A call without a document is announced as bytes, as the service asks of its own send call.
        ...(body === undefined
          ? { contentType: 'application/octet-stream' }
          : { body, contentType: 'application/json' }),
        timeoutMs: options.writeTimeoutMs,
        document: requestId,
        leavesBefore: performance.now() + longestWriteWaitMs,
        ...(items !== undefined && { items }),
        isOnce: true,
      }),
  };
}
