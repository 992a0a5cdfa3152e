import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import cookie, { type FastifyCookieOptions } from '@fastify/cookie';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { Registry } from 'prom-client';
import { callerOf, networkOf, networkShare } from '#core/caller.ts';
import { useSentences } from '#contract/sentences.ts';
import { neverInMaintenance } from '#core/records/maintenance.ts';
import { Refusal } from '#core/refusal.ts';
import type { App } from '#flows/context.ts';
import { patienceMs } from '#flows/patience.ts';
import { bodyLimit, refuseHostileJson } from './bodies.ts';
import { cookieJar } from './cookies.ts';
import { compressReplies } from './compress.ts';
import { demoMailPages } from './demo-mails.ts';
import type { ApiDependencies, RequestLimits } from './dependencies.ts';
import { answerOf, logFailure, sendFailure } from './errors.ts';
import { refuseForeignHost, refuseForeignOrigin } from './origins.ts';
import { slowFloods } from './floods.ts';
import { createAnswerInTime } from './answer-in-time.ts';
import { jobWatcher } from './job-events.ts';
import { measureRequests, traceRequests } from './metrics.ts';
import { describeApi } from './openapi.ts';
import { failurePage, maintenancePage } from './pages.ts';
import { createRates } from './rates.ts';
import { accountRoutes } from './routes/account.ts';
import { apiKeyRoutes } from './routes/api-keys.ts';
import { noticeRoutes } from './routes/notices.ts';
import { webhookEndpointRoutes } from './routes/webhook-endpoints.ts';
import { chatRoutes } from './routes/chats.ts';
import { requestRoutes } from './routes/requests.ts';
import { attentionRoutes } from './routes/attention.ts';
import { authRoutes } from './routes/auth.ts';
import { clientRoutes } from './routes/clients.ts';
import { closeRoutes } from './routes/closes.ts';
import { connectionRoutes } from './routes/connections.ts';
import { deploymentRoutes } from './routes/deployment.ts';
import { draftRoutes } from './routes/drafts.ts';
import { healthRoutes } from './routes/health.ts';
import { jobRoutes } from './routes/jobs.ts';
import { documentRoutes } from './routes/documents.ts';
import { logRoutes } from './routes/logs.ts';
import { mappingRoutes } from './routes/mappings.ts';
import { passwordRoutes } from './routes/passwords.ts';
import { psaRoutes } from './routes/psa.ts';
import { quickbooksRoutes } from './routes/quickbooks.ts';
import { registerRoutes } from './routes/register.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { secondFactorRoutes } from './routes/second-factor.ts';
import { settingsRoutes } from './routes/settings.ts';
import { signInProviderRoutes } from './routes/sign-in-provider.ts';
import { signOnRoutes } from './routes/sign-on.ts';
import { subscriptionRoutes } from './routes/subscription.ts';
import { syncRoutes } from './routes/sync.ts';
import { userRoutes } from './routes/users.ts';
import { createFairQueue } from './fair-queue.ts';
import { notificationRoutes } from './routes/notifications.ts';
import { securityHeaders } from './security-headers.ts';
import { createSecurityEvents, noteSuccesses, type SecurityEvents } from './security-events.ts';
import { securityText } from './security-text.ts';
import { principalOf, type Serving } from './serve.ts';
import { sessionKeys } from './session-keys.ts';
import { createSessions } from './session.ts';
import { servePages } from './single-page.ts';

/** A request must arrive completely within this time; slow senders cannot hold connections forever. */
const requestTimeoutMs = 60_000;
/** How long a closing server waits for responses in progress; connections still open after that are closed. */
const closeWithinMs = 10_000;
/** How long a plugin may take to start, in milliseconds. */
const startTimeoutMs = 120_000;
const defaultRequestsPerMinute: RequestLimits = { address: 30_000, user: 15_000, client: 20_000 };

/** Output folder of the web build. */
const builtWebFolder = join(import.meta.dirname, '..', '..', 'dist', 'web');

/**
 * Values of Tallybridge cookies need no decoding, and decoding a header full of malformed escapes takes milliseconds.
 * The plugin also uses this option to parse, although its type lists only the options for setting cookies.
 */
const withoutDecoding = { decode: (value: string) => value } as NonNullable<FastifyCookieOptions['parseOptions']>;

/** Builds the HTTP server, ready to listen. Closing it ends event streams first. */
export async function buildServer(dependencies: ApiDependencies): Promise<FastifyInstance> {
  const { app } = dependencies;
  const isSecure = app.config.appUrl.startsWith('https:');
  const walls = securityHeaders(isSecure);
  const registry = dependencies.metrics ?? new Registry();
  const events = createSecurityEvents(app, registry);
  const server = fastify({
    bodyLimit,
    requestTimeout: requestTimeoutMs,
    // The hook below answers with our error body.
    return503OnClosing: false,
    // The default of ten seconds ends the start of a server on a busy machine.
    pluginTimeout: startTimeoutMs,
    trustProxy: trustOf(dependencies.trustProxy ?? false),
    genReqId: (request) => knownRequestId(request.headers['x-request-id']) ?? randomUUID(),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    // No hook runs for an unreadable path, so the headers are added here.
    frameworkErrors: (error, request, reply) =>
      void answerFailure(app, events, error, request, reply.headers({ ...walls, 'cache-control': 'no-store' })),
  });
  useSentences();
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  server.setErrorHandler((error: Error, request, reply) => answerFailure(app, events, error, request, reply));
  acceptJsonOnly(server);

  const closing = new AbortController();
  server.addHook('onRequest', async (request, reply) => void reply.headers({ ...walls, 'x-request-id': request.id }));
  server.addHook('onRequest', async () => {
    if (closing.signal.aborted) throw restarting();
  });
  server.addHook('onRequest', async (request) => refuseForeignHost(request, app.config));
  server.addHook('onRequest', async (request) => refuseForeignOrigin(request, app.config.appUrl));
  server.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
  });
  if (dependencies.floodRules !== undefined) slowFloods(server, dependencies.floodRules);
  const limits = { ...defaultRequestsPerMinute, ...dependencies.requestsPerMinute };
  const rates = createRates();
  server.addHook('onRequest', async ({ ip }) => {
    const caller = callerOf(ip);
    const network = networkOf(caller);
    rates.admit([
      { key: `address ${caller}`, perMinute: limits.address },
      ...(network === null ? [] : [{ key: `network ${network}`, perMinute: limits.address * networkShare }]),
    ]);
  });
  await server.register(cookie, { parseOptions: withoutDecoding });
  noteSuccesses(server, events, principalOf);
  measureRequests(server, registry);
  traceRequests(server);
  logRequests(server, app);
  await describeApi(server, app.config.version);

  server.addHook('preClose', async () => {
    closing.abort();
    // On a closing server, an incomplete request has no time limit and would keep the process alive forever.
    const cut = setTimeout(() => server.server.closeAllConnections(), dependencies.closeWithinMs ?? closeWithinMs);
    server.server.once('close', () => clearTimeout(cut));
  });
  const jar = cookieJar(isSecure);
  const { mailWithinMs, patienceMs: waitMs = patienceMs, maintenance = neverInMaintenance } = dependencies;
  const serving: Serving = {
    server,
    app,
    sessions: createSessions(app, jar, sessionKeys(dependencies.secretKey)),
    jar,
    mailWithinMs,
    limits,
    events,
    rates,
    queue: createFairQueue(),
    maintenance,
    answerInTime: createAnswerInTime(app, waitMs),
    patienceMs: waitMs,
  };
  addRoutes(serving, dependencies, registry, closing.signal);
  await servePages(server, dependencies.webFolder === undefined ? builtWebFolder : dependencies.webFolder, serving);
  return server;
}

function addRoutes(serving: Serving, dependencies: ApiDependencies, registry: Registry, closing: AbortSignal): void {
  const { server, app } = serving;
  compressReplies(server);
  authRoutes(serving);
  accountRoutes(serving);
  passwordRoutes(serving);
  secondFactorRoutes(serving);
  apiKeyRoutes(serving);
  noticeRoutes(serving);
  webhookEndpointRoutes(serving);
  chatRoutes(serving);
  requestRoutes(serving);
  attentionRoutes(serving);
  clientRoutes(serving);
  deploymentRoutes(serving);
  registerRoutes(serving);
  signOnRoutes(serving);
  signInProviderRoutes(serving);
  userRoutes(serving);
  sessionRoutes(serving);
  subscriptionRoutes(serving);
  settingsRoutes(serving);
  connectionRoutes(serving);
  quickbooksRoutes(serving);
  psaRoutes(serving);
  mappingRoutes(serving);
  syncRoutes(serving);
  jobRoutes(serving, jobWatcher(app, dependencies.announcements), closing);
  logRoutes(serving);
  documentRoutes(serving);
  closeRoutes(serving);
  draftRoutes(serving);
  notificationRoutes(serving, dependencies.notificationWithinMs);
  healthRoutes(serving, registry, dependencies.metricsToken, dependencies.stopping);
  securityText(server, app, dependencies.securityContact);
  demoMailPages(server, app);
}

const restarting = (): Refusal =>
  new Refusal('overloaded', 'service_unavailable', 'The server restarts. Please try again in a moment.');

/** Returns the trusted proxies for `X-Forwarded-For`; hop 1 is the one connected to the server. */
const trustOf = (proxies: false | number | readonly string[]) =>
  typeof proxies === 'number'
    ? (_address: string, hop: number) => hop < proxies
    : proxies === false
      ? false
      : [...proxies];

function answerFailure(
  app: App,
  events: SecurityEvents,
  error: Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  events.noteFailure(error, request, principalOf(request));
  const answer = answerOf(error, app);
  logFailure(app, request, error, answer);
  void reply.header('x-request-id', request.id);
  if (request.routeOptions.config.speaks !== 'browser') return sendFailure(reply, answer);
  if (answer.retryAfterSeconds !== undefined) void reply.header('retry-after', answer.retryAfterSeconds);
  return reply
    .code(answer.status)
    .type('text/html; charset=utf-8')
    .serializer(String)
    .send(answer.code === 'maintenance' ? maintenancePage(answer.message) : failurePage(answer.message));
}

/** Returns the request id from a proxy if it is safe. */
function knownRequestId(header: string | readonly string[] | undefined): string | null {
  return typeof header === 'string' && /^[\w.-]{8,64}$/.test(header) ? header : null;
}

/** Accepts only JSON bodies; an empty body of any type counts as no body. */
function acceptJsonOnly(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    const text = body.toString();
    try {
      refuseHostileJson(text);
    } catch (error) {
      return done(error as Error);
    }
    return void parse(request, text, done);
  });
}

/** Logs one line per request with the route pattern but without the query, which can contain tickets and codes. */
function logRequests(server: FastifyInstance, { logger }: App): void {
  server.addHook('onResponse', async (request, reply) => {
    const fields = {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    logger.debug(fields, 'request');
  });
}
