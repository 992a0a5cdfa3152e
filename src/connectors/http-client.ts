import type { Logger } from '#core/ports/logger.ts';
import type { Service } from '#core/tenant.ts';
import { epochMs, type Instant } from '#core/values/dates.ts';
import { send, TransportError, type AnswerHeaders } from './http-transport.ts';
import { logContextFields } from './log-context.ts';

/** One call to an external service, ready to send. Headers and body may contain secrets and are never logged. */
export interface HttpCall {
  readonly service: Service;
  /** The call's purpose, for users and logs, e.g. `create invoice`. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** Must not be sent twice: never uses a connection that the server may have closed in the meantime. */
  readonly isOnce?: boolean;
  /** Called right before the first byte is sent; if it returns false, nothing is sent, and the result is unsent. */
  readonly mayLeave?: (() => boolean) | undefined;
  /** Document of the call, e.g. `invoice 48213` or a request id. */
  readonly document?: string | undefined;
}

/** Result of a call: a complete answer with any status, or none. */
export type HttpResult =
  | {
      readonly isAnswered: true;
      readonly status: number;
      readonly headers: AnswerHeaders;
      readonly text: string;
      readonly traceId: string | undefined;
      /** How long the answer asks us to wait (`Retry-After`), in milliseconds. */
      readonly waitMs: number | undefined;
    }
  | {
      readonly isAnswered: false;
      /** True if it is certain that not one byte of the request reached the service. */
      readonly isUnsent: boolean;
      readonly reason: string;
      /** Status of an answer that began but did not end. */
      readonly status: number | undefined;
      readonly traceId: string | undefined;
    };

/** Details of one call, for metrics. */
export interface CallRecord {
  readonly service: Service;
  readonly operation: string;
  readonly method: string;
  /** Null if there was no complete answer. */
  readonly status: number | null;
  readonly durationMs: number;
}

/** Rules for every outgoing call of this process: allowed hosts, the lease, and a listener for each call. */
export interface Egress {
  /** `host:port` of services that may be in a private network: sandboxes, by explicit configuration only. */
  readonly allowedHosts: readonly string[];
  readonly logger: Logger;
  readonly now: () => Instant;
  /**
   * Returns whether writes are still allowed, e.g. while a worker holds its lease. Called right before the first byte
   * of a write is sent. Default: true.
   */
  readonly mayWrite?: (() => boolean) | undefined;
  readonly onCall?: ((call: CallRecord) => void) | undefined;
  /** Aborted with a {@link ProcessStopping} when the process stops: no call is sent, and reads end. */
  readonly stopping?: AbortSignal | undefined;
}

/**
 * Makes one call, without retries: with a deadline, without following redirects, with a maximum answer size, and only
 * to public addresses or configured hosts. Never throws because of the server's behavior. A redirect is returned as it
 * is, and the caller treats it as a failure.
 *
 * @throws ProcessStopping if the process stops before the call, or during a read.
 */
export async function callService(call: HttpCall, egress: Egress): Promise<HttpResult> {
  egress.stopping?.throwIfAborted();
  const startedAt = performance.now();
  const result = await attempt(call, egress);
  const durationMs = Math.round(performance.now() - startedAt);
  const status = result.status ?? null;
  const { service, operation, method } = call;
  egress.onCall?.({ service, operation, method, status: result.isAnswered ? status : null, durationMs });
  const fields = {
    service,
    operation,
    method,
    path: logPath(call.url),
    status,
    durationMs,
    ...logContextFields(),
    ...(result.traceId !== undefined && { traceId: result.traceId }),
    ...(call.document !== undefined && { document: call.document }),
    ...(!result.isAnswered && { reason: result.reason }),
  };
  if (result.isAnswered && result.status < 300) egress.logger.debug(fields, 'outside call');
  else egress.logger.warn(fields, 'outside call failed');
  return result;
}

async function attempt(call: HttpCall, { allowedHosts, now, stopping }: Egress): Promise<HttpResult> {
  const { url, method, headers, body, timeoutMs, isOnce = false, mayLeave } = call;
  const mayBePrivate = allowedHosts.includes(url.host);
  const signal = isOnce || method === 'PATCH' ? undefined : stopping;
  try {
    const whole = await send({
      url,
      method,
      headers,
      body,
      timeoutMs,
      ownConnection: isOnce,
      mayBePrivate,
      mayLeave,
      signal,
    });
    return {
      isAnswered: true,
      ...whole,
      traceId: traceIdOf(whole.headers),
      waitMs: retryAfterMs(whole.headers, now()),
    };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    signal?.throwIfAborted();
    const { isUnsent, reason, begun } = error;
    return { isAnswered: false, isUnsent, reason, status: begun?.status, traceId: begun && traceIdOf(begun.headers) };
  }
}

const traceIdOf = (headers: AnswerHeaders): string | undefined =>
  headers.get('intuit_tid') ?? headers.get('x-request-id') ?? undefined;

/** Maximum wait that an answer can request; after that, the next cycle tries again anyway. */
const maxWaitMs = 3_600_000;

/**
 * Parses `Retry-After`: integer seconds, or an HTTP date. A date is relative to the answer's `Date` header if present,
 * because the two clocks may differ.
 *
 * @returns milliseconds from 0 to an hour; undefined if the header is absent or invalid.
 */
export function retryAfterMs(headers: AnswerHeaders, now: Instant): number | undefined {
  const text = headers.get('retry-after')?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, maxWaitMs);
  const until = Date.parse(text);
  if (Number.isNaN(until)) return undefined;
  const answeredAt = Date.parse(headers.get('date') ?? '');
  return Math.min(Math.max(until - (Number.isNaN(answeredAt) ? epochMs(now) : answeredAt), 0), maxWaitMs);
}

/** Returns the path without its query, which may contain names and tokens, and without the company's id. */
const logPath = (url: URL): string => url.pathname.replace(/\/(company|companyinfo)\/[^/]+/g, '/$1/…');

/** Replaces secrets that a service may have repeated in its answer. */
export const scrub = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((clean, secret) => (secret === '' ? clean : clean.replaceAll(secret, '…')), text);
