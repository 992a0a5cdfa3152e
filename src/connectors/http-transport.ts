import { Agent as HttpAgent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AddressRefused, isPublicAddress, publicLookup } from './addresses.ts';

/** Far above any regular answer of either service; a larger one is a fault of the service. */
const defaultMaxAnswerBytes = 24 * 1024 * 1024;

/** One request to send. */
export interface TransportRequest {
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
export interface AnswerHeaders {
  /** Returns the value of a header by its lower-case name; repeated headers are joined by commas. Null if absent. */
  get(name: string): string | null;
}

/** A complete answer. */
export interface TransportResponse {
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
