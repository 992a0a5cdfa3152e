import type { Admission, SandboxAnswer, SandboxRequest } from '../kit/definition.ts';
import { isObject } from '../kit/input.ts';
import { gatewayAnswer, wantsJson } from './api.ts';
import { GatewayFault } from './faults.ts';
import { type QuickBooksState, companyOf } from './state.ts';

const throttled = () =>
  new GatewayFault({
    status: 429,
    code: '3001',
    message: 'message=ThrottleExceeded; errorCode=003001; statusCode=429',
    detail: 'The request limit was reached.  Try again later',
    type: 'SERVICE',
  });

const readsUsedUp = () =>
  new GatewayFault({
    status: 429,
    code: '3001',
    message: 'message=ThrottleExceeded; errorCode=003001; statusCode=429',
    detail: 'The monthly limit of CorePlus API calls for this workspace was reached',
    type: 'SERVICE',
  });

/** Returns whether a request is refused at the monthly limit: reads, and batches, by the switch also of writes. */
function isMetered(request: SandboxRequest, batches: 'all' | 'queries'): boolean {
  if (request.method === 'GET' || request.path.endsWith('/query')) return true;
  return request.path.endsWith('/batch') && (batches === 'all' || !/"operation"\s*:/.test(request.text()));
}

const unauthenticated = (detail: string) =>
  new GatewayFault({
    status: 401,
    code: '3200',
    message: 'message=AuthenticationFailed; errorCode=003200; statusCode=401',
    detail,
    type: 'AUTHENTICATION',
    headers: { 'WWW-Authenticate': 'Bearer realm="Intuit", error="invalid_token"' },
  });

const unauthorised = (what: 'AuthorizationFailed' | 'ApplicationAuthorizationFailed', detail: string | null = null) =>
  new GatewayFault({
    status: 403,
    code: '3100',
    message: `message=${what}; errorCode=003100; statusCode=403`,
    detail,
    type: 'SERVICE',
  });

/** Checks the bearer token against the company of the path; returns the caller, or the gateway's fault. */
function caller(
  state: QuickBooksState,
  request: SandboxRequest,
  realmId: string,
): { readonly owner: string } | GatewayFault {
  const { connections, behaviour } = state;
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer === undefined || bearer.length < 40)
    return unauthenticated('Malformed bearer token: too short or too long');
  const known = connections.stateOf(bearer);
  if (known.state !== 'valid') {
    if (known.state === 'unknown') return unauthenticated('Token invalid');
    if (known.state === 'expired') return unauthenticated(`Token expired: ${bearer.slice(0, 12)}…`);
    return behaviour.get('revoked_connection_answer') === '403'
      ? unauthorised('ApplicationAuthorizationFailed')
      : unauthenticated('Token revoked');
  }
  const { connection } = known;
  if (!connection.scopes.includes('com.intuit.quickbooks.accounting'))
    return unauthorised('AuthorizationFailed', 'The access token does not have sufficient scope');
  if (connection.userLeft) return unauthorised('AuthorizationFailed');
  if (connection.realmId !== realmId || companyOf(state, realmId) === undefined)
    return unauthorised('ApplicationAuthorizationFailed');
  return { owner: realmId };
}

function throttle({ clock, behaviour }: QuickBooksState, request: SandboxRequest): SandboxAnswer {
  const rule = behaviour.get('throttle_retry_after');
  const seconds = 60;
  const isJson = behaviour.get('throttle_body') === 'as-asked' && wantsJson(request);
  const answer = gatewayAnswer(request, throttled(), clock.now(), isJson);
  if (rule === 'none') return answer;
  const value = rule === 'seconds' ? String(seconds) : new Date(clock.now() + seconds * 1000).toUTCString();
  return { ...answer, headers: { ...answer.headers, 'Retry-After': value } };
}

/** Identifies the caller, and applies the limits. */
export function admitRequest(state: QuickBooksState, request: SandboxRequest): Admission {
  const { clock, behaviour, limits, underWay, events } = state;
  const { minute, second, batches, reports } = state.windows;
  const realmId = /^\/v3\/company\/([^/]*)/.exec(request.path)?.[1];
  if (realmId === undefined) return { owner: null, delayMs: events.delayMs(request.path) };
  const who = caller(state, request, realmId);
  if (who instanceof GatewayFault) return { owner: null, refuse: gatewayAnswer(request, who, clock.now()) };
  const { owner } = who;
  const reads = behaviour.get('metered_reads');
  if (reads !== 'open' && isMetered(request, behaviour.get('metered_batches'))) {
    const isNamed = reads === 'blocked';
    const refuse = isNamed ? gatewayAnswer(request, readsUsedUp(), clock.now()) : throttle(state, request);
    return { owner, refuse };
  }
  const isBatch = request.path.endsWith('/batch');
  const isReport = request.path.includes('/reports/');
  const items = isBatch ? Math.max(1, batchSize(request)) : 1;
  const weight = behaviour.get('batch_counts_items') ? items : 1;
  const isOver =
    minute.count(owner) + weight > limits.of('requests_per_minute') ||
    second.count(owner) >= limits.of('requests_per_second') ||
    underWay.count(owner) >= limits.of('concurrent') ||
    (isBatch && batches.count(owner) >= limits.of('batches_per_minute')) ||
    (isReport && reports.count(owner) >= limits.of('reports_per_minute'));
  if (isOver) return { owner, refuse: throttle(state, request) };
  minute.add(owner, weight);
  second.add(owner);
  if (isBatch) batches.add(owner);
  if (isReport) reports.add(owner);
  return { owner, delayMs: durationOf(behaviour, isBatch ? items : null), release: underWay.enter(owner) };
}

/** @param batchItems number of objects in a batch; null for any other call. */
function durationOf(behaviour: QuickBooksState['behaviour'], batchItems: number | null): number {
  const itemMs = behaviour.get('batch_item_ms');
  return batchItems === null || itemMs === 0 ? behaviour.get('latency_ms') : batchItems * itemMs;
}

function batchSize(request: SandboxRequest): number {
  try {
    const body: unknown = JSON.parse(request.text());
    const items = isObject(body) ? body['BatchItemRequest'] : undefined;
    return Array.isArray(items) ? items.length : 1;
  } catch {
    return 1;
  }
}
