import type { Logger } from '#core/ports/logger.ts';
import type { Service } from '#core/tenant.ts';
import { epochMs, type Instant } from '#core/values/dates.ts';

/** No answer of either service comes near this; a larger one is a fault of the other side. */
const maxAnswerBytes = 24 * 1024 * 1024;

/** One call to an outside service, ready to leave. Headers and body may hold secrets and are never logged. */
export interface Outgoing {
  readonly service: Service;
  /** What is asked, for people and logs, e.g. `create invoice`. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** What the call is about, e.g. `invoice 48213` or a request id. */
  readonly document?: string | undefined;
}

/** What came of a call: a whole answer of any status, or none. */
export type Exchange =
  | {
      readonly isAnswered: true;
      readonly status: number;
      readonly headers: Headers;
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
      /** When the answer began but did not end. */
      readonly status: number | undefined;
      readonly traceId: string | undefined;
    };

/** The facts of one call, for metrics. */
export interface CallRecord {
  readonly service: Service;
  readonly operation: string;
  readonly method: string;
  /** Null when no whole answer came. */
  readonly status: number | null;
  readonly durationMs: number;
}

/** Whom every call is told to. */
export interface CallObserver {
  readonly logger: Logger;
  readonly now: () => Instant;
  readonly onCall?: ((call: CallRecord) => void) | undefined;
}

/**
 * Makes one call, once: with a deadline, without following redirects, with a limit on the answer's size. Never throws
 * for what the other side does; a redirect comes back as the answer it is, and counts as a failure to whoever reads it.
 */
export async function exchange(outgoing: Outgoing, observer: CallObserver): Promise<Exchange> {
  const startedAt = performance.now();
  const came = await attempt(outgoing, observer.now);
  const durationMs = Math.round(performance.now() - startedAt);
  const status = came.status ?? null;
  const { service, operation, method } = outgoing;
  observer.onCall?.({ service, operation, method, status: came.isAnswered ? status : null, durationMs });
  const fields = {
    service,
    operation,
    method,
    path: logPath(outgoing.url),
    status,
    durationMs,
    ...(came.traceId !== undefined && { traceId: came.traceId }),
    ...(outgoing.document !== undefined && { document: outgoing.document }),
    ...(!came.isAnswered && { reason: came.reason }),
  };
  if (came.isAnswered && came.status < 300) observer.logger.info(fields, 'outside call');
  else observer.logger.warn(fields, 'outside call failed');
  return came;
}

async function attempt(outgoing: Outgoing, now: () => Instant): Promise<Exchange> {
  let response: Response;
  try {
    response = await fetch(outgoing.url, {
      method: outgoing.method,
      headers: outgoing.headers,
      // A redirect would carry credentials to a host that nobody checked.
      redirect: 'manual',
      signal: AbortSignal.timeout(outgoing.timeoutMs),
      ...(outgoing.body !== undefined && { body: outgoing.body }),
    });
  } catch (error) {
    return { isAnswered: false, status: undefined, traceId: undefined, ...describeFailure(error, outgoing.timeoutMs) };
  }
  const { status, headers } = response;
  const traceId = headers.get('intuit_tid') ?? headers.get('x-request-id') ?? undefined;
  try {
    const text = await readText(response);
    return { isAnswered: true, status, headers, text, traceId, waitMs: retryAfterMs(headers, now()) };
  } catch (error) {
    const { reason } = describeFailure(error, outgoing.timeoutMs);
    return { isAnswered: false, isUnsent: false, reason, status, traceId };
  }
}

class TooLarge extends Error {}

async function readText(response: Response): Promise<string> {
  if (response.body === null) return '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    // Leaving the loop cancels the stream, which closes the connection.
    if (size > maxAnswerBytes) throw new TooLarge(`the answer is larger than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Failures before a connection stood: nothing of the request can have arrived. */
const unsentCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_HAS_EXPIRED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/** Error codes only: texts of the runtime may name hosts and ports, never what was sent. */
function describeFailure(error: unknown, timeoutMs: number): { isUnsent: boolean; reason: string } {
  if (error instanceof TooLarge) return { isUnsent: false, reason: error.message };
  if (error instanceof Error && error.name === 'TimeoutError')
    return { isUnsent: false, reason: `no answer within ${timeoutMs / 1_000} s` };
  const codes = failureCodes(error);
  if (codes.length === 0) return { isUnsent: false, reason: 'the connection failed' };
  return { isUnsent: codes.every((code) => unsentCodes.has(code)), reason: codes.join(', ') };
}

/** The codes of an error and of everything that caused it; several addresses of one host fail side by side. */
function failureCodes(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const inner = error instanceof AggregateError ? error.errors.flatMap((one) => failureCodes(one)) : [];
  const codes = inner.length > 0 ? inner : own;
  return [...new Set(codes.length > 0 ? codes : failureCodes(error.cause))];
}

/** Longest wait that an answer can impose; beyond it the next cycle asks again anyway. */
const maxWaitMs = 3_600_000;

/**
 * Reads `Retry-After`: whole seconds, or an HTTP date, which counts from the answer's own `Date` when it has one,
 * because the two clocks may differ.
 *
 * @returns milliseconds from 0 to an hour; undefined when the header is absent or makes no sense.
 */
export function retryAfterMs(headers: Headers, now: Instant): number | undefined {
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
