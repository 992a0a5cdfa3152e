import { Agent as HttpAgent, request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AddressRefused, isPublicAddress, publicLookup } from './addresses.ts';

/** No answer of either service comes near this; a larger one is a fault of the other side. */
const maxAnswerBytes = 24 * 1024 * 1024;

/** One request as it leaves. */
export interface TransportRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly timeoutMs: number;
  /** A call that must not be sent twice gets a connection of its own, so that no server can have closed it unnoticed. */
  readonly ownConnection: boolean;
  /** The host was named by the configuration and may stand in a private network. */
  readonly mayBePrivate: boolean;
  /**
   * Asked once the connection stands, in the turn of the event loop in which the first byte leaves: however long the
   * process stood still before, nothing leaves once this is false. Default: it may.
   */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** The headers of an answer. */
export interface AnswerHeaders {
  /** The value of a header, named in small letters; several are one, divided by commas. Null when there is none. */
  get(name: string): string | null;
}

/** A whole answer. */
export interface TransportResponse {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
}

/** No whole answer came. */
export class TransportError extends Error {
  /** True when it is certain that not one byte of the request reached the service: none was written. */
  readonly isUnsent: boolean;
  /** Cause of the failure, in words or codes of the runtime that never hold what was sent. */
  readonly reason: string;
  /** Status and headers of an answer that began and did not end. */
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

/** Connections that nobody uses are closed after so long, before the usual servers close them. */
const idleMs = 4_000;

/** Connections of this process, kept for the next call, or for one call only. */
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
 * Sends a request once and reads its answer: with one deadline for all of it, without following redirects, with a limit
 * on the answer's size. Names that lead to addresses that are not public are refused unless `mayBePrivate`.
 *
 * @throws TransportError when no whole answer came; it says whether anything can have arrived.
 */
export async function send(sending: TransportRequest): Promise<TransportResponse> {
  const { url, timeoutMs, mayBePrivate, mayLeave = () => true } = sending;
  // An address in place of a name is never looked up.
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
    // Nothing is written before the connection stands and the other side has proved its name.
    if (request.reusedSocket) leave();
    else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', leave);
  });
  const deadline = setTimeout(() => {
    progress.isLate = true;
    request.destroy(new Error('late'));
  }, timeoutMs);
  try {
    const response = await answerTo(request);
    progress.begun = { status: response.statusCode ?? 0, headers: headersOf(response) };
    return { ...progress.begun, text: await readText(response) };
  } catch (error) {
    const reason = progress.isLate ? `no answer within ${timeoutMs / 1_000} s` : reasonOf(error);
    throw new TransportError(!progress.hasLeft, reason, progress.begun);
  } finally {
    clearTimeout(deadline);
    // An answer that was not read to its end is given up.
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

/** By events, which cost a small answer a tenth of a millisecond less than an iterator. */
function readText(response: IncomingMessage): Promise<string> {
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
  if (decoder === undefined) throw new UnknownEncoding('the answer is packed in a way that nobody asked for');
  // Failures of either end reach whoever reads.
  return pipeline(response, decoder, () => undefined);
}

/** Errors whose words are our own. */
const spoken = [TooLarge, UnknownEncoding, AddressRefused, MayNotLeave] as const;

/** Codes only: texts of the runtime may name hosts and ports, never what was sent. */
function reasonOf(error: unknown): string {
  if (spoken.some((one) => error instanceof one)) return error instanceof Error ? error.message : '';
  const codes = codesOf(error);
  return codes.length === 0 ? 'the connection failed' : codes.join(', ');
}

/** The codes of an error and of everything that caused it; several addresses of one host fail side by side. */
function codesOf(error: unknown): string[] {
  if (!(error instanceof Error)) return [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const inner = error instanceof AggregateError ? error.errors.flatMap((one) => codesOf(one)) : [];
  const codes = inner.length > 0 ? inner : own;
  return [...new Set(codes.length > 0 ? codes : codesOf(error.cause))];
}
