import type { Admission, SandboxAnswer, SandboxRequest } from '../kit/definition.ts';
import { errors, htmlPage } from './answers.ts';
import { endpointOf, segmentsOf } from './api.ts';
import type { AutotaskState } from './state.ts';
import type { ApiUser } from './users.ts';

/** Returns a header; empty if it is missing. */
export const headerOf = (request: SandboxRequest, name: string): string => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
};

function unauthorized({ behaviour }: AutotaskState): SandboxAnswer {
  switch (behaviour.get('unauthorized_body')) {
    case 'errors':
      return errors(['Unauthorized.'], 401);
    case 'html':
      return htmlPage(401, '401 - Unauthorized: Access is denied due to invalid credentials.');
    default:
      return { status: 401 };
  }
}

function overQuota({ behaviour, hour, limits }: AutotaskState, tenant: string): SandboxAnswer {
  const form = behaviour.get('quota_answer');
  const seconds = Math.ceil(hour.secondsUntilBelow(limits.of('requests_per_hour'), tenant));
  const text = `The request threshold of ${limits.of('requests_per_hour')} external requests per 60 minutes has been exceeded.`;
  return errors(
    [text],
    form === 'status_500' ? 500 : 429,
    form === 'status_429_retry_after' ? { 'Retry-After': String(seconds) } : {},
  );
}

const tooManyThreads = ({ behaviour, limits }: AutotaskState): SandboxAnswer =>
  errors(
    [
      `Itgenatr005: The thread threshold of ${limits.of('threads_per_endpoint')} threads for this object endpoint was exceeded.`,
    ],
    behaviour.get('threads_answer') === 'status_500' ? 500 : 429,
  );

/** Returns the delay per call: half a second from half of the quota on, one second from three quarters on. */
function slowDownMs({ behaviour, hour, limits }: AutotaskState, tenant: string): number {
  if (!behaviour.get('quota_latency')) return 0;
  const share = hour.count(tenant) / limits.of('requests_per_hour');
  return share >= 0.75 ? 1000 : share >= 0.5 ? 500 : 0;
}

function userOf({ behaviour, users }: AutotaskState, request: SandboxRequest): ApiUser | undefined {
  const [name, secret, code] = ['username', 'secret', 'apiintegrationcode'].map((header) => headerOf(request, header));
  if (!name || !secret || !code) return undefined;
  return users.authenticate(name, secret, code, behaviour.get('lock_after_failures'));
}

const isWronglyTracked = ({ users }: AutotaskState, request: SandboxRequest): boolean =>
  users.hasWrongTrackingIdentifier(
    headerOf(request, 'username'),
    headerOf(request, 'secret'),
    headerOf(request, 'apiintegrationcode'),
  );
const wronglyTracked = ({ behaviour }: AutotaskState): SandboxAnswer =>
  behaviour.get('tracking_identifier_answer') === 'status_500'
    ? errors(['IntegrationCode is invalid.'])
    : { status: 401 };

/** Identifies the caller, and applies the limits. */
export function admitRequest(state: AutotaskState, request: SandboxRequest): Admission {
  const { behaviour, limits, hour, minute, threads, callers } = state;
  if (behaviour.get('maintenance')) return { owner: null, refuse: htmlPage(200, 'Scheduled maintenance') };
  const segments = segmentsOf(request.path);
  const word = segments?.[0]?.toLowerCase();
  if (segments === undefined || word === undefined || word === 'zoneinformation') return { owner: null };
  if (isWronglyTracked(state, request)) return { owner: null, refuse: wronglyTracked(state) };
  const user = userOf(state, request);
  if (user === undefined) return { owner: null, refuse: unauthorized(state) };
  const owner = user.userName;
  const tenant = String(user.database);
  if (hour.count(tenant) >= limits.of('requests_per_hour')) return { owner, refuse: overQuota(state, tenant) };
  if (minute.count(tenant) >= limits.of('requests_per_minute'))
    return { owner, refuse: errors(['Too many requests.'], 429) };
  hour.add(tenant);
  minute.add(tenant);
  const key = `${tenant}/${user.apiIntegrationCode}/${endpointOf(segments)}`;
  if (threads.count(key) >= limits.of('threads_per_endpoint')) return { owner, refuse: tooManyThreads(state) };
  if (threads.count(tenant) >= limits.of('concurrent'))
    return { owner, refuse: errors(['Too many requests at once.'], 429) };
  const leaves = [threads.enter(key), threads.enter(tenant)];
  callers.set(request, user);
  return {
    owner,
    delayMs: behaviour.get('latency_ms') + slowDownMs(state, tenant),
    release: () => leaves.forEach((leave) => leave()),
  };
}
