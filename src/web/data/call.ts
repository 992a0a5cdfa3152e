import {
  addressOf,
  type Call,
  type DataOf,
  type Fields,
  type RequestOf,
  type RouteDefinition,
  stillReadingHeader,
} from '#contract/define.ts';
import { readEvents, type StreamEvent } from './event-stream.ts';
import { currentSession } from './current-session.ts';
import { takeEarly } from './early-calls.ts';
import { expireSession } from './expire-session.ts';
import type { Session } from './session.ts';
import { asRecord, asText } from './json.ts';

/** A failed call, with the messages of screens reference 1.8. */
export class CallError extends Error {
  /** 0 if there was no response. */
  readonly status: number;
  /** Error code of the response; empty if there is none. */
  readonly code: string;
  /** Error messages by field. */
  readonly fields: Readonly<Record<string, string>>;
  /** A connected service did not respond in time; the same call, repeated, gets the response. */
  readonly isStillReading: boolean;

  constructor(
    message: string,
    about: { status: number; code?: string; fields?: Readonly<Record<string, string>>; isStillReading?: boolean },
  ) {
    super(message);
    this.name = 'CallError';
    this.status = about.status;
    this.code = about.code ?? '';
    this.fields = about.fields ?? {};
    this.isStillReading = about.isStillReading ?? false;
  }
}

export const disconnectedText = 'Disconnected. Please check your internet connection.';

/** A successful response: the data of the contract, and a message for the message bar or null. */
export interface CallResult<Data> {
  readonly data: Data;
  readonly message: string | null;
  /**
   * A connected service did not respond in time, so the data is from the cache; the same call, repeated, gets newer
   * data.
   */
  readonly isStillReading: boolean;
}

/**
 * Makes an API call with the session’s token. While the session is being replaced, the call waits; then it fails with a 401.
 *
 * @throws CallError for every failure. A 401 or 403 of any call except a login ends the session first.
 * @throws DOMException `AbortError` when the signal was aborted.
 */
export async function call<R extends RouteDefinition>(
  route: Call<R>,
  request: RequestOf<R>,
  signal?: AbortSignal,
): Promise<CallResult<DataOf<R>>> {
  const caller = currentSession();
  const pending = perform(route, request, { caller, signal });
  if (caller !== null && replacesSession(route)) trackReplacement(caller, pending);
  return pending;
}

async function perform<R extends RouteDefinition>(
  route: Call<R>,
  request: RequestOf<R>,
  { caller, signal }: { readonly caller: Session | null; readonly signal: AbortSignal | undefined },
): Promise<CallResult<DataOf<R>>> {
  const response = await send(route, request, signal);
  const text = await response.text().catch((error: unknown) => failDisconnected(error, signal));
  const envelope = readEnvelope(text);
  if (!response.ok || envelope?.['success'] !== true)
    throw await failureOf(route, response, { envelope, text, caller });
  const message = typeof envelope['message'] === 'string' && envelope['message'] !== '' ? envelope['message'] : null;
  // The server validates its replies with the same schemas.
  return { data: envelope['data'] as DataOf<R>, message, isStillReading: isStillReading(response) };
}

/**
 * Follows a call with server-sent events until the server or the signal ends it.
 *
 * @throws CallError as {@link call}.
 */
export async function* follow<R extends RouteDefinition>(
  route: Call<R>,
  request: RequestOf<R>,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const caller = currentSession();
  const response = await send(route, request, signal, 'text/event-stream');
  if (!response.ok || response.body === null) {
    const text = await response.text();
    throw await failureOf(route, response, { envelope: readEnvelope(text), text, caller });
  }
  yield* readEvents(response.body);
}

async function send<R extends RouteDefinition>(
  route: Call<R>,
  parts: RequestOf<R>,
  signal: AbortSignal | undefined,
  accept = 'application/json',
): Promise<Response> {
  // The parts of a request depend on the route; all are optional here.
  const request: { readonly params?: Fields; readonly query?: Fields; readonly body?: unknown } = {
    ...(parts as object),
  };
  const session = currentSession();
  // The server would reject a call with the replaced session.
  if (session !== null && !replacesSession(route) && (await wasReplaced(session)))
    throw new CallError('Unauthorized.', { status: 401 });
  const hasBody = route.method === 'POST' || route.method === 'PUT';
  const address = addressOf(route, request);
  try {
    const early = route.method === 'GET' ? takeEarly(address, session?.token) : undefined;
    if (early !== undefined) return await early;
    return await fetch(address, {
      method: route.method,
      headers: {
        accept,
        ...(hasBody && { 'content-type': 'application/json' }),
        ...(session !== null && { authorization: `Bearer ${session.token}` }),
      },
      ...(hasBody && { body: JSON.stringify(request.body ?? {}) }),
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    return failDisconnected(error, signal);
  }
}

function failDisconnected(error: unknown, signal: AbortSignal | undefined): never {
  if (signal?.aborted === true) throw error;
  throw new CallError(disconnectedText, { status: 0 });
}

async function failureOf(
  route: Pick<RouteDefinition, 'method' | 'path'>,
  response: Response,
  {
    envelope,
    text,
    caller,
  }: {
    readonly envelope: Readonly<Record<string, unknown>> | null;
    readonly text: string;
    /** The session of the call; null without one. */
    readonly caller: Session | null;
  },
): Promise<CallError> {
  const { status } = response;
  const code = asText(envelope?.['error']) ?? '';
  if (envelope === null && text !== '') logForeignBody(`${route.method} ${route.path} answered ${status}`, text);
  if (status === 401 || status === 403) {
    // A failed login does not affect the existing session.
    if (loginPaths.includes(route.path)) return new CallError('Unauthorized.', { status, code });
    // A rejection of an earlier session does not affect the session that replaced it.
    const isReplaced = caller !== null && !replacesSession(route) && (await wasReplaced(caller));
    const session = currentSession();
    if (!isReplaced && session !== null && session.token === caller?.token) expireSession();
    return new CallError(asText(envelope?.['message']) ?? 'Unauthorized.', { status, code });
  }
  const isOwnMessage = status < 500 || status === 501 || status === 503;
  const message = (isOwnMessage ? asText(envelope?.['message']) : null) ?? 'Server error.';
  return new CallError(message, {
    status,
    code,
    fields: fieldsOf(envelope?.['errors']),
    isStillReading: isStillReading(response),
  });
}

const isStillReading = ({ headers }: Response): boolean => headers.get(stillReadingHeader) !== null;

const loginPaths: readonly string[] = ['/auth/login', '/auth/sso'];

/** Calls that end their session and return a new one. */
const replacingPaths: readonly string[] = ['/auth/masquerade', '/auth/masquerade/end'];

/** Returns true for a call that ends its session and returns a new one. */
export const replacesSession = ({ path }: Pick<RouteDefinition, 'path'>): boolean => replacingPaths.includes(path);

/** The newest such call: its token, and a promise that resolves to true when it has succeeded. */
let replacement: { readonly token: string; readonly hasSucceeded: Promise<boolean> } | null = null;

function trackReplacement({ token }: Session, pending: Promise<unknown>): void {
  const hasSucceeded = pending.then(
    () => true,
    () => false,
  );
  replacement = { token, hasSucceeded };
}

/** The server may reject a call of the old session before the browser receives the new one. */
const wasReplaced = async ({ token }: Session): Promise<boolean> =>
  replacement?.token === token && (await replacement.hasSucceeded);

/** Logs a body that is not from Tallybridge, e.g. a proxy’s error page, to the console. */
function logForeignBody(what: string, text: string): void {
  // oxlint-disable-next-line no-console
  console.warn(`${what}:`, text.slice(0, 500));
}

function fieldsOf(errors: unknown): Readonly<Record<string, string>> {
  if (!Array.isArray(errors)) return {};
  const list: readonly unknown[] = errors;
  return Object.fromEntries(
    list.flatMap((one): [string, string][] => {
      const { key, error } = asRecord(one) ?? {};
      return typeof key === 'string' && typeof error === 'string' ? [[key, error]] : [];
    }),
  );
}

function readEnvelope(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return null;
  }
}
