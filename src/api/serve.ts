import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import {
  type BodyOf,
  type DataOf,
  type ParamsOf,
  type QueryOf,
  type RouteDefinition,
  stillReadingHeader,
} from '#contract/define.ts';
import { failure, success } from '#contract/envelope.ts';
import { routes, type RouteName } from '#contract/routes.ts';
import type { ApiKeyScope } from '#core/api-key.ts';
import { type MaintenanceWatch, underMaintenance } from '#core/records/maintenance.ts';
import { Refusal } from '#core/refusal.ts';
import type { JsonObject } from '#core/values/json.ts';
import { truncate } from '#core/values/text.ts';
import type { App, Patience, TenantContext } from '#flows/context.ts';
import { noteMasqueradeRead } from '#flows/access/masquerade.ts';
import { refuseUnproved } from '#flows/access/prove-email.ts';
import { isStillReading, newPatience } from '#flows/patience.ts';
import { refuseSuspended, type Principal } from '#flows/access/principal.ts';
import { bodyLimitOf, bytesPerSlot, inspect, keysOf, refuseFirstFault } from './bodies.ts';
import type { CookieJar } from './cookies.ts';
import type { AnswerInTime } from './answer-in-time.ts';
import type { RequestLimits } from './dependencies.ts';
import type { Rates } from './rates.ts';
import type { SecurityEvents } from './security-events.ts';
import type { Sessions } from './session.ts';
import type { FairQueue } from './fair-queue.ts';
import { onConnectionClosed } from './connection-closed.ts';
import { z } from 'zod';

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly speaks?: RouteDefinition['speaks'];
    readonly needsSession?: boolean;
  }
}

/** What the routes need besides the request. */
export interface Serving {
  readonly server: FastifyInstance;
  readonly app: App;
  readonly sessions: Sessions;
  readonly jar: CookieJar;
  readonly limits: Pick<RequestLimits, 'user' | 'client'>;
  readonly rates: Rates;
  readonly queue: FairQueue;
  readonly maintenance: MaintenanceWatch;
  readonly answerInTime: AnswerInTime;
  /** How long a request waits for a connected service, in milliseconds. */
  readonly patienceMs: number;
  readonly events: SecurityEvents;
  readonly mailWithinMs?: number | undefined;
}

type Definition<Name extends RouteName> = (typeof routes)[Name];

/** Validated input of a handler, with the client's context if the call concerns a client. */
export interface Incoming<R extends RouteDefinition> {
  readonly params: ParamsOf<R>;
  readonly query: QueryOf<R>;
  readonly body: BodyOf<R>;
  readonly principal: R['roles'] extends 'public' ? null : Principal;
  readonly context: R extends { readonly client: 'required' }
    ? TenantContext
    : R extends { readonly client: 'optional' }
      ? TenantContext | null
      : null;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Response of a JSON call. */
export interface Outgoing<Data> {
  readonly data: Frozen<Data>;
  readonly message?: string;
}

/** Data that the handler does not own: it is not changed while it is sent. */
export type Frozen<T> = T extends readonly (infer One)[]
  ? readonly Frozen<One>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T;

/** Binds a JSON call of the contract to its handler. */
export function serve<Name extends RouteName>(
  serving: Serving,
  name: Name,
  handle: (incoming: Incoming<Definition<Name>>) => Promise<Outgoing<DataOf<Definition<Name>>>>,
): void {
  const definition: RouteDefinition = routes[name];
  const isRead = definition.method === 'GET' || definition.reads === true;
  serveRaw(serving, name, async (incoming) => {
    const { principal, context } = incoming;
    const { data, message } = isRead
      ? await serving.answerInTime(incoming, { principal, patience: context?.patience }, () => handle(incoming))
      : await handle(incoming);
    return incoming.reply.send({ success: true, data, ...(message === undefined ? {} : { message }) });
  });
}

/** Binds a call that responds without the envelope: pages, events, plain text. */
export function serveRaw<Name extends RouteName>(
  serving: Serving,
  name: Name,
  handle: (incoming: Incoming<Definition<Name>>) => Promise<unknown>,
): void {
  const definition: RouteDefinition = routes[name];
  serving.server.route({
    ...describe(name, definition),
    handler: async (request, reply) => handle(incomingOf(serving, definition, request, reply)),
    onRequest: admission(serving, definition),
    preValidation: inspection(definition),
    preHandler: [proof(definition), readsOfMasqueraders(serving.app, name, definition)],
    ...(definition.client !== undefined && { onSend: tellStillReading }),
  });
}

/** Adds a header to the response if a connected service was too slow. */
async function tellStillReading(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const client = principals.get(request)?.client ?? null;
  if (client !== null && isStillReading(client.id)) void reply.header(stillReadingHeader, 'yes');
}

const nothing = z.strictObject({});

/** Adds the reads of a masquerading system administrator to the client's audit trail; changes are recorded anyway. */
function readsOfMasqueraders(
  app: App,
  name: RouteName,
  { method, reads }: RouteDefinition,
): (request: FastifyRequest) => Promise<void> {
  const isRead = method === 'GET' || reads === true;
  return async (request) => {
    const principal = principals.get(request);
    if (isRead && principal !== undefined && principal.masquerader !== null)
      await noteMasqueradeRead(app, principal, name, whatIsRead(request));
  };
}

/** Maximum characters of a request in the audit trail. */
const maxRead = 1_000;

/**
 * Returns the parts of a request that identify what is read: the entity, kind or month in the path, and the filter of a
 * query.
 */
function whatIsRead({ params, body }: FastifyRequest): JsonObject {
  const named = Object.entries(params as Readonly<Record<string, string>>).filter(([key]) => key !== 'id');
  const filter = body === undefined || body === null ? [] : [['filter', truncate(JSON.stringify(body), maxRead, '…')]];
  return Object.fromEntries([...named, ...filter]) as JsonObject;
}

/** Rejects calls that require a verified email address. */
function proof({ needsProof }: RouteDefinition): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    if (needsProof === undefined) return;
    const isLive = (request.body as { readonly mode?: unknown } | null | undefined)?.mode === 'live';
    const principal = principals.get(request);
    if (principal !== undefined && (needsProof === 'always' || isLive)) refuseUnproved(principal);
  };
}

/** Rejects input that no call accepts before the schemas check all of it. */
function inspection({ query, body }: RouteDefinition): (request: FastifyRequest) => Promise<void> {
  const known = { query: keysOf(query), body: keysOf(body) };
  return async (request) => {
    inspect(request.params, null);
    inspect(request.query, known.query);
    inspect(request.body, known.body);
    refuseFirstFault(body, request.body);
  };
}

export function describe(
  name: RouteName,
  definition: RouteDefinition,
): Pick<RouteOptions, 'method' | 'url' | 'bodyLimit' | 'schema' | 'config'> & {
  exposeHeadRoute: boolean;
} {
  const { method, path, speaks = 'json', roles, params, query, body, reply } = definition;
  const takesBody = method !== 'GET';
  return {
    method,
    url: path,
    bodyLimit: bodyLimitOf(definition),
    config: { speaks, needsSession: roles !== 'public' },
    exposeHeadRoute: speaks === 'json' || speaks === 'text',
    schema: {
      operationId: name,
      summary: definition.summary,
      tags: [tagOf(path)],
      ...(roles === 'public'
        ? {}
        : {
            security: [{ session: [] }, ...(definition.apiKey === undefined ? [] : [{ apiKey: [definition.apiKey] }])],
          }),
      ...(params === undefined ? {} : { params }),
      querystring: query ?? nothing,
      ...(takesBody ? { body: body ?? nothing.nullish() } : {}),
      ...(speaks === 'json' ? { response: { '2xx': success(reply), '4xx': failure, '5xx': failure } } : {}),
    },
  };
}

const tagOf = (path: string): string => {
  const [first = '', second = '', third = ''] = path.split('/').slice(1);
  return first === 'api' ? (second === 'my' ? third.replace(/^:.*/, 'sync') || 'my' : second) : first;
};

const principals = new WeakMap<FastifyRequest, Principal>();

/** Returns the caller of an admitted request. */
export const principalOf = (request: FastifyRequest): Principal | undefined => principals.get(request);

/** Admits callers with permission for the call, once their client has a free slot, before the body is read. */
function admission(
  { app, sessions, limits, rates, queue, maintenance }: Serving,
  { method, roles, client, reads, speaks, apiKey, inMaintenance }: RouteDefinition,
): (request: FastifyRequest, reply: FastifyReply) => Promise<void> {
  return async (request, reply) => {
    const now = maintenance.current();
    if (roles === 'public') {
      if (now !== null && inMaintenance !== true) throw underMaintenance(now);
      return;
    }
    const principal = await sessions.verify(request).catch((error: unknown) => {
      throw now === null || inMaintenance === true ? error : underMaintenance(now);
    });
    if (now !== null && inMaintenance !== true && !isOperator(principal)) throw underMaintenance(now);
    rates.admit([
      { key: `user ${principal.userId}`, perMinute: limits.user },
      ...(principal.client === null ? [] : [{ key: `client ${principal.client.id}`, perMinute: limits.client }]),
    ]);
    principals.set(request, principal);
    if (principal.apiKeyScope !== undefined) refuseKey(principal.apiKeyScope, apiKey);
    const hasRole = roles === 'any' || roles.some((role) => principal.roles.includes(role));
    if (!hasRole || (client === 'required' && principal.client === null))
      throw new Refusal('forbidden', 'forbidden', 'You are not allowed to do this.');
    const changes = method !== 'GET' && reads !== true;
    if (client === 'required' && changes && principal.masquerader === null && principal.client !== null)
      await refuseSuspended(app, principal.client.id);
    // Event streams stay open for long, do little work, and have separate limits.
    if (speaks !== 'events') await waitInQueue(queue, principal, request, reply);
  };
}

/** Returns true for system administrators, who work during maintenance, also while they act as a client. */
const isOperator = ({ client, masquerader }: Principal): boolean => client === null || masquerader !== null;

/** Rejects calls that do not accept API keys of this scope. */
function refuseKey(scope: ApiKeyScope, accepted: RouteDefinition['apiKey']): void {
  if (accepted === undefined)
    throw new Refusal('forbidden', 'forbidden', 'This call does not accept API keys. Log in as a user.');
  if (accepted === 'sync' && scope !== 'sync')
    throw new Refusal('forbidden', 'forbidden', 'This call needs an API key with the scope “sync”.');
}

/** A call that waits for a connected service works for about this long at most, in milliseconds. */
const maxWorkWithServiceMs = 50;

const patiences = new WeakMap<FastifyRequest, Patience>();

/**
 * Waits for the slots of a call, depending on the size of its body. They are held until the response is sent or the
 * caller disconnects.
 */
async function waitInQueue(
  queue: FairQueue,
  principal: Principal,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { headers, routeOptions } = request;
  const gone = new AbortController();
  let release: (maxWorkMs?: number) => void = () => undefined;
  const over = (): void => {
    gone.abort();
    release(patiences.get(request)?.hasCalled === true ? maxWorkWithServiceMs : undefined);
  };
  reply.raw.once('finish', over);
  onConnectionClosed(reply, over);
  const isChunked = headers['transfer-encoding'] !== undefined;
  const bytes = isChunked ? (routeOptions.bodyLimit ?? 0) : Number(headers['content-length'] ?? 0);
  release = await queue.enter(laneOf(principal), gone.signal, Math.ceil(bytes / bytesPerSlot));
  if (gone.signal.aborted) release();
}

/** Programs of a client have separate slots, so the client's users never wait for them. */
const laneOf = ({ client, userId, apiKeyScope }: Principal): string =>
  client === null ? userId : apiKeyScope === undefined ? client.id : `programs of ${client.id}`;

function incomingOf<R extends RouteDefinition>(
  serving: Pick<Serving, 'app' | 'patienceMs'>,
  definition: R,
  request: FastifyRequest,
  reply: FastifyReply,
): Incoming<R> {
  const principal = principals.get(request) ?? null;
  const client = definition.client === undefined ? null : (principal?.client ?? null);
  const patience = newPatience(serving.patienceMs);
  patiences.set(request, patience);
  // The schemas of the contract have validated all parts, and admission has checked for a required client.
  return {
    params: request.params,
    query: request.query,
    body: request.body,
    principal,
    context: client === null ? null : serving.app.forTenant(client.id, patience),
    request,
    reply,
  } as Incoming<R>;
}
