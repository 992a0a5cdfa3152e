import {
  addressOf,
  type DataOf,
  type Fields,
  type RequestOf,
  type RouteDefinition,
  stillReadingHeader,
} from '#contract/define.ts';
import { forgetPrefetched, takePrefetched } from './prefetched.ts';
import { readEvents, type StreamEvent } from './event-stream.ts';
import { currentSession } from './current-session.ts';
import { loseSession } from './lost-session.ts';
import type { Session } from './session.ts';

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
    about: {
      status: number;
      code?: string;
      fields?: Readonly<Record<string, string>>;
      isStillReading?: boolean;
    },
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
export interface Answer<Data> {
  readonly data: Data;
  readonly message: string | null;
  /**
   * A connected service did not respond in time, so the data is from the cache; the same call, repeated, gets newer
   * data.
   */
  readonly isStillReading: boolean;
}

/**
 * Makes a call of the contract with the session's token. If that session is being replaced, the call waits and fails
 * once the session has been replaced.
 *
 * @throws CallError for every failure. A 401 or 403 of any call except a login ends the session first.
 * @throws DOMException `AbortError` when the signal was aborted.
 */
export async function call<R extends RouteDefinition>(
  route: R,
  request: RequestOf<R>,
  signal?: AbortSignal,
): Promise<Answer<DataOf<R>>> {
  const asker = currentSession();
  const made = make(route, request, { asker, signal });
  if (asker !== null && replacesSession(route)) noteReplacement(asker, made);
  return made;
}

async function make<R extends RouteDefinition>(
  route: R,
  request: RequestOf<R>,
  { asker, signal }: { readonly asker: Session | null; readonly signal: AbortSignal | undefined },
): Promise<Answer<DataOf<R>>> {
  const answer = await send(route, request, signal);
  const text = await answer.text().catch((error: unknown) => failDisconnected(error, signal));
  const envelope = readEnvelope(text);
  if (!answer.ok || envelope?.['success'] !== true) throw await failureOf(route, answer, { envelope, text, asker });
  const message = typeof envelope['message'] === 'string' && envelope['message'] !== '' ? envelope['message'] : null;
  // The server validates its replies with the same schemas.
  return { data: envelope['data'] as DataOf<R>, message, isStillReading: isStillReading(answer) };
}

/**
 * Follows a call with server-sent events until the server or the signal ends it.
 *
 * @throws CallError as {@link call}.
 */
export async function* follow<R extends RouteDefinition>(
  route: R,
  request: RequestOf<R>,
  signal: AbortSignal,
): AsyncGenerator<StreamEvent> {
  const asker = currentSession();
  const answer = await send(route, request, signal, 'text/event-stream');
  if (!answer.ok || answer.body === null) {
    const text = await answer.text();
    throw await failureOf(route, answer, { envelope: readEnvelope(text), text, asker });
  }
  yield* readEvents(answer.body);
}

async function send<R extends RouteDefinition>(
  route: R,
  parts: RequestOf<R>,
  signal: AbortSignal | undefined,
  accept = 'application/json',
): Promise<Response> {
  // The parts of a request depend on the route; all are optional here.
  const request: { readonly params?: Fields; readonly query?: Fields; readonly body?: unknown } = {
    ...(parts as object),
  };
  const session = currentSession();
  // The server rejects calls with the old session once it has replaced that session, so they are not sent.
  if (session !== null && !replacesSession(route) && (await wasReplaced(session)))
    throw new CallError('Unauthorized.', { status: 401 });
  const hasBody = route.method === 'POST' || route.method === 'PUT';
  if (route.method !== 'GET') forgetPrefetched();
  const address = addressOf(route, request);
  try {
    const asked = takePrefetched(address, session?.token ?? null);
    if (asked !== null) return await asked;
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
  route: RouteDefinition,
  answer: Response,
  {
    envelope,
    text,
    asker,
  }: {
    readonly envelope: Readonly<Record<string, unknown>> | null;
    readonly text: string;
    /** The session of the call; null without one. */
    readonly asker: Session | null;
  },
): Promise<CallError> {
  const { status } = answer;
  const code = asText(envelope?.['error']) ?? '';
  if (envelope === null && text !== '') noteForeignBody(`${route.method} ${route.path} answered ${status}`, text);
  if (status === 401 || status === 403) {
    // A failed login does not affect the existing session.
    if (signInPaths.includes(route.path)) return new CallError('Unauthorized.', { status, code });
    // A rejection of an earlier session does not affect the session that replaced it.
    const isReplaced = asker !== null && !replacesSession(route) && (await wasReplaced(asker));
    const session = currentSession();
    if (!isReplaced && session !== null && session.token === asker?.token) loseSession();
    return new CallError(asText(envelope?.['message']) ?? 'Unauthorized.', { status, code });
  }
  const isOurs = status < 500 || status === 501 || status === 503;
  const message = (isOurs ? asText(envelope?.['message']) : null) ?? 'Server error.';
  return new CallError(message, {
    status,
    code,
    fields: fieldsOf(envelope?.['errors']),
    isStillReading: isStillReading(answer),
  });
}

const isStillReading = ({ headers }: Response): boolean => headers.get(stillReadingHeader) !== null;

const signInPaths: readonly string[] = ['/auth/login', '/auth/sso'];

/** Calls that end their session and return a new one. */
const replacingPaths: readonly string[] = ['/auth/masquerade', '/auth/masquerade/end'];

/** Returns true for a call that ends its session and returns a new one. */
export const replacesSession = ({ path }: RouteDefinition): boolean => replacingPaths.includes(path);

/** The newest such call: its token, and a promise that resolves to true when it has succeeded. */
let replacement: { readonly token: string; readonly hasSucceeded: Promise<boolean> } | null = null;

function noteReplacement({ token }: Session, made: Promise<unknown>): void {
  const hasSucceeded = made.then(
    () => true,
    () => false,
  );
  replacement = { token, hasSucceeded };
}

/** The server may reject a call of the old session before the browser receives the new one. */
const wasReplaced = async ({ token }: Session): Promise<boolean> =>
  replacement?.token === token && (await replacement.hasSucceeded);

/** Logs a body that does not come from Tallybridge, e.g. a proxy's page, to the console only. */
function noteForeignBody(what: string, text: string): void {
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

function readEnvelope(text: string): Record<string, unknown> | null {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return null;
  }
}

const asRecord = (value: unknown): Record<string, unknown> | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;

const asText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
