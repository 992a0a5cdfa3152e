import type { Logger } from '#core/ports/logger.ts';
import type { Service } from '#core/tenant.ts';
import { epochMs, type Instant } from '#core/values/dates.ts';
import { send, TransportError, type AnswerHeaders } from './http-transport.ts';
import { logContextFields } from './log-context.ts';

/** One call to an outside service, ready to leave. Headers and body may hold secrets and are never logged. */
export interface HttpCall {
  readonly service: Service;
  /** The call's purpose, for people and logs, e.g. `create invoice`. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** Must not be sent twice: it never travels on a connection that the other side may have closed meanwhile. */
  readonly isOnce?: boolean;
  /** Asked right before the first byte leaves; false: nothing leaves, and the result is unsent. */
  readonly mayLeave?: (() => boolean) | undefined;
  /** Document of the call, e.g. `invoice 48213` or a request id. */
  readonly document?: string | undefined;
}

/** Result of a call: a whole answer of any status, or none. */
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
      /** True when it is certain that not one byte of the request reached the service. */
      readonly isUnsent: boolean;
      readonly reason: string;
      /** Status of an answer that began but did not end. */
      readonly status: number | undefined;
      readonly traceId: string | undefined;
    };

/** The facts of one call, for metrics. */
export interface CallRecord {
  readonly service: Service;
  readonly operation: string;
  readonly method: string;
  /** Null when no whole answer result. */
  readonly status: number | null;
  readonly durationMs: number;
}

/** Limits of every call out of this process: hosts, the lease, and a listener that hears of each call. */
export interface Egress {
  /** `host:port` of services that may stand in a private network: sandboxes, by explicit configuration only. */
  readonly allowedHosts: readonly string[];
  readonly logger: Logger;
  readonly now: () => Instant;
  /**
   * Whether whoever this is for may still change something: a worker, as long as its lease lasts. Asked right before the
   * first byte of a call that changes something leaves. Default: it may.
   */
  readonly mayWrite?: (() => boolean) | undefined;
  readonly onCall?: ((call: CallRecord) => void) | undefined;
}

/**
 * Makes one call, once: with a deadline, without following redirects, with a limit on the answer's size, and only to
 * public addresses or configured hosts. Never throws for what the other side does; a redirect comes back as the answer
 * it is, and counts as a failure to whoever reads it.
 */
export async function callService(call: HttpCall, egress: Egress): Promise<HttpResult> {
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
  if (result.isAnswered && result.status < 300) egress.logger.info(fields, 'outside call');
  else egress.logger.warn(fields, 'outside call failed');
  return result;
}

async function attempt(call: HttpCall, { allowedHosts, now }: Egress): Promise<HttpResult> {
  const { url, method, headers, body, timeoutMs, isOnce = false, mayLeave } = call;
  const mayBePrivate = allowedHosts.includes(url.host);
  try {
    const whole = await send({ url, method, headers, body, timeoutMs, ownConnection: isOnce, mayBePrivate, mayLeave });
    return {
      isAnswered: true,
      ...whole,
      traceId: traceIdOf(whole.headers),
      waitMs: retryAfterMs(whole.headers, now()),
    };
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    const { isUnsent, reason, begun } = error;
    return { isAnswered: false, isUnsent, reason, status: begun?.status, traceId: begun && traceIdOf(begun.headers) };
  }
}

const traceIdOf = (headers: AnswerHeaders): string | undefined =>
  headers.get('intuit_tid') ?? headers.get('x-request-id') ?? undefined;

/** Longest wait that an answer can impose; beyond it the next cycle asks again anyway. */
const maxWaitMs = 3_600_000;

/**
 * Reads `Retry-After`: whole seconds, or an HTTP date, which counts from the answer's own `Date` when it has one,
 * because the two clocks may differ.
 *
 * @returns milliseconds from 0 to an hour; undefined when the header is absent or makes no sense.
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

/** The path without its query, in which names and tokens travel, and without the company's id. */
const logPath = (url: URL): string => url.pathname.replace(/\/(company|companyinfo)\/[^/]+/g, '/$1/…');

/** Replaces secrets that a service may have repeated in its answer. */
export const scrub = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((clean, secret) => (secret === '' ? clean : clean.replaceAll(secret, '…')), text);
