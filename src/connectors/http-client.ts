import { AsyncLocalStorage } from 'node:async_hooks';
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Logger } from '#core/ports/logger.ts';
import { ServiceError } from '#core/service-error.ts';
import type { Service } from '#core/tenant.ts';
import { epochMs, type Instant } from '#core/values/dates.ts';
import { AddressRefused, isPublicAddress, publicLookup } from './addresses.ts';
import { defaultMaxWaitMs } from './rate-limiter.ts';

/** Tenant and documents of outgoing calls, for log lines. */
interface LogContext {
  readonly tenantId?: string;
  readonly kind?: string;
  readonly psaIds?: readonly number[];
}

const subjects = new AsyncLocalStorage<LogContext>();
/** Maximum documents in a log line, so that it does not list a whole chunk. */
const maxIds = 20;

/** Runs `work`, adding `subject` to the log lines of its outgoing calls; nested calls may refine it. */
export const withLogContext = <T>(subject: LogContext, work: () => Promise<T>): Promise<T> =>
  subjects.run({ ...subjects.getStore(), ...subject }, work);

/** Returns the log fields for the current context; none if it is not set. */
function logContextFields(): object {
  const { psaIds, ...rest } = subjects.getStore() ?? {};
  if (psaIds === undefined) return rest;
  return psaIds.length === 1 ? { ...rest, psaId: psaIds[0] } : { ...rest, psaIds: psaIds.slice(0, maxIds) };
}

/** Tries of a call that may be repeated. */
const tries = 3;
const firstBackoffMs = 300;

/**
 * Middleware: repeats a call that is safe to send again (a read, or a write of a fixed value) after temporary failures,
 * with growing, jittered pauses. It is the only layer that repeats such a call inside a job; the rate limiter applies
 * longer waits requested by the service.
 *
 * @param sleep waits for a pause.
 * @throws ServiceError of the last try; at once if the service asks to wait longer than about a minute.
 */
export const withRetry =
  <Call, Answer>(
    sleep: (ms: number) => Promise<unknown>,
    next: (call: Call) => Promise<Answer>,
  ): ((call: Call) => Promise<Answer>) =>
  async (call) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await next(call);
      } catch (error) {
        if (!(error instanceof ServiceError) || error.about.next !== 'try_again' || attempt === tries) throw error;
        if ((error.about.waitMs ?? 0) > defaultMaxWaitMs) throw error;
        await sleep(firstBackoffMs * 2 ** (attempt - 1) * (0.75 + Math.random() / 2));
      }
    }
  };

/** Far above any regular answer of either service; a larger one is a fault of the service. */
const defaultMaxAnswerBytes = 24 * 1024 * 1024;

/** One request to send. */
interface TransportRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly timeoutMs: number;
  /** Maximum size of the answer; default: far above any regular answer. */
  readonly maxAnswerBytes?: number;
  /** A call that must not be sent twice gets a separate connection, which no server can have closed unnoticed. */
  readonly ownConnection: boolean;
  /** The host was named by the configuration and may be in a private network. */
  readonly mayBePrivate: boolean;
  /**
   * Called after the connection is established, in the same turn of the event loop that sends the first byte. However
   * long the process was paused before, nothing is sent once this returns false. Default: true.
   */
  readonly mayLeave?: (() => boolean) | undefined;
  /** Ends the request when it is aborted. */
  readonly signal?: AbortSignal | undefined;
}

/** The headers of an answer. */
interface AnswerHeaders {
  /** Returns the value of a header by its lower-case name; repeated headers are joined by commas. Null if absent. */
  get(name: string): string | null;
}

/** A complete answer. */
interface TransportResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
}

/** The request got no complete answer. */
export class TransportError extends Error {
  /** True if it is certain that not one byte of the request reached the service, because none was written. */
  readonly isUnsent: boolean;
  /** Cause of the failure: our own text or runtime error codes, never data that was sent. */
  readonly reason: string;
  /** Status and headers of an answer that began but did not end. */
  readonly begun: { readonly status: number; readonly headers: AnswerHeaders } | undefined;

  constructor(isUnsent: boolean, reason: string, begun?: TransportError['begun']) {
    super(reason);
    this.name = 'TransportError';
    this.isUnsent = isUnsent;
    this.reason = reason;
    this.begun = begun;
  }
}

class MayNotLeave extends Error {}

/** Idle connections are closed after this time, before most servers close them. */
const idleMs = 4_000;

/** Connections of this process, either kept for the next call or used for one call only. */
const agentsOf = (options: { readonly lookup?: ReturnType<typeof publicLookup> }) => ({
  kept: {
    http: new HttpAgent({ keepAlive: true, timeout: idleMs, ...options }),
    https: new HttpsAgent({ keepAlive: true, timeout: idleMs, ...options }),
  },
  own: {
    http: new HttpAgent({ keepAlive: false, ...options }),
    https: new HttpsAgent({ keepAlive: false, ...options }),
  },
});
const agents = { anywhere: agentsOf({}), publicOnly: agentsOf({ lookup: publicLookup() }) };

/**
 * Sends a request once and reads its answer, with one deadline, without following redirects, and with a maximum answer
 * size. Refuses names that resolve to addresses that are not public, unless `mayBePrivate`.
 *
 * @throws TransportError if no complete answer was received; it reports whether anything can have arrived.
 */
export async function send(sending: TransportRequest): Promise<TransportResponse> {
  const { url, timeoutMs, mayBePrivate, signal, mayLeave = () => true } = sending;
  const { maxAnswerBytes = defaultMaxAnswerBytes } = sending;
  // An IP address in place of a name is never resolved, so it is checked here.
  if (!mayBePrivate && isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0 && !isPublicAddress(url.hostname))
    throw new TransportError(true, new AddressRefused(url.host).message);
  const progress = { hasLeft: false, isLate: false, begun: undefined as TransportError['begun'] };
  const request = open(sending);
  const leave = () => {
    if (request.destroyed) return;
    if (!mayLeave()) {
      request.destroy(new MayNotLeave('its turn came too late to be sure of it'));
      return;
    }
    progress.hasLeft = true;
    request.end(sending.body);
  };
  request.on('socket', (socket) => {
    // Nothing is written before the connection is established and the server's certificate is verified.
    if (request.reusedSocket) leave();
    else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', leave);
  });
  const deadline = setTimeout(() => {
    progress.isLate = true;
    request.destroy(new Error('late'));
  }, timeoutMs);
  const end = () => void request.destroy(new Error('aborted'));
  signal?.addEventListener('abort', end);
  try {
    const response = await answerTo(request);
    progress.begun = { status: response.statusCode ?? 0, headers: headersOf(response) };
    return { ...progress.begun, text: await readText(response, maxAnswerBytes) };
  } catch (error) {
    const reason = progress.isLate ? `no answer within ${timeoutMs / 1_000} s` : reasonOf(error);
    throw new TransportError(!progress.hasLeft, reason, progress.begun);
  } finally {
    clearTimeout(deadline);
    signal?.removeEventListener('abort', end);
    // Discards an answer that was not read to its end.
    request.destroy();
  }
}

function open({ url, method, headers, ownConnection, mayBePrivate }: TransportRequest): ClientRequest {
  const { http, https } = agents[mayBePrivate ? 'anywhere' : 'publicOnly'][ownConnection ? 'own' : 'kept'];
  const options = { method, headers: { 'Accept-Encoding': 'gzip, deflate, br', ...headers } };
  return url.protocol === 'https:'
    ? requestHttps(url, { ...options, agent: https })
    : requestHttp(url, { ...options, agent: http });
}

function answerTo(request: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', reject);
    request.once('close', () => reject(new Error('the connection was closed')));
  });
}

const headersOf = ({ headersDistinct }: IncomingMessage): AnswerHeaders => ({
  get: (name) => headersDistinct[name]?.join(', ') ?? null,
});

class TooLarge extends Error {}
class UnknownEncoding extends Error {}

/** Uses events, which take 0.1 ms less for a small answer than an iterator. */
function readText(response: IncomingMessage, maxAnswerBytes: number): Promise<string> {
  const source = decoded(response);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    source.on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > maxAnswerBytes) source.destroy(new TooLarge(`the answer is larger than ${maxAnswerBytes} bytes`));
      else chunks.push(chunk);
    });
    source.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    source.on('error', reject);
    source.once('close', () => reject(new Error('the connection was closed')));
  });
}

function decoded(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return response;
  const decoder =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'deflate'
        ? createInflate()
        : encoding === 'br'
          ? createBrotliDecompress()
          : undefined;
  if (decoder === undefined) throw new UnknownEncoding('the response has an encoding that was not requested');
  // Failures of either stream reach the reader.
  return pipeline(response, decoder, () => undefined);
}

/** Errors with messages written by us. */
const spoken = [TooLarge, UnknownEncoding, AddressRefused, MayNotLeave] as const;

/** Returns codes only: messages of the runtime may contain hosts and ports. */
function reasonOf(error: unknown): string {
  if (spoken.some((one) => error instanceof one)) return error instanceof Error ? error.message : '';
  const codes = codesOf(error);
  return codes.length === 0 ? 'the connection failed' : codes.join(', ');
}

/**
 * Returns the codes of an error and of its causes; connecting to several addresses of one host can cause several
 * errors.
 */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const inner = error instanceof AggregateError ? error.errors.flatMap((one) => codesOf(one)) : [];
  const codes = inner.length > 0 ? inner : own;
  return [...new Set(codes.length > 0 ? codes : codesOf(error.cause))];
}

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
