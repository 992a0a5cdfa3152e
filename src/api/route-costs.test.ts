import { Session } from 'node:inspector';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RouteDefinition } from '#contract/define.ts';
import { routeNames, routes } from '#contract/routes.ts';
import { bodyLimitOf } from './bodies.ts';
import { newApi, people, type Answered, type TestApi } from '#test/support/api.ts';
import { largestValue } from '#test/support/largest-value.ts';
import { routesOf, type ServerRoute } from '#test/support/server-routes.ts';

/**
 * Limits of the work per route: function calls in this process, bytes written for one response, and database
 * statements. Counts are stable, times are not; 10,000 calls take about a millisecond.
 */
const limits = {
  anonymous: { calls: 10_000, bytes: 20_000, statements: 60 },
  signedIn: { calls: 100_000 },
  // The PDF library reads its fonts for each file. The fair queue slows down a client that downloads many.
  file: { calls: 300_000 },
} as const;

let api: TestApi;
let token: string;
let inputs: readonly Input[];
const profiler = new Session();
beforeAll(async () => {
  api = await newApi();
  // On a busy machine the server would close an idle connection just when the next call uses it.
  api.server.server.keepAliveTimeout = 0;
  token = await api.signIn(people.admin);
  // Before the profiler, which slows everything down.
  inputs = routesOf(api.server)
    .filter(({ method, path }) => method !== 'HEAD' && !path.endsWith('/events'))
    .map(expensive);
  profiler.connect();
  profiler.post('Profiler.enable');
  profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
});
afterAll(async () => {
  profiler.post('Profiler.stopPreciseCoverage');
  profiler.disconnect();
  await api.close();
});

/** Returns true for code of the server and its libraries; the sandboxes, the test and its client share the process. */
const isOurs = (url: string): boolean =>
  /\/src\/|\/node_modules\/(?!vite)/.test(url) && !/\.test\.|\/packages\//.test(url);

/** Returns the function calls since the last call. */
function countCalls(): number {
  let calls = 0;
  profiler.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    for (const { url, functions } of result)
      if (isOurs(url)) for (const { ranges } of functions) calls += ranges[0]?.count ?? 0;
  });
  return calls;
}

interface Work {
  readonly calls: number;
  readonly statements: number;
  readonly bytes: number;
}

/** Waits until no earlier call is in progress: a request that gave up waiting finishes later. */
async function quiet(): Promise<void> {
  countCalls();
  for (;;) {
    await delay(20);
    if (countCalls() < 500) return;
  }
}

/** Makes a call twice and measures the second one, because the first one may fill caches. */
async function workOf(call: () => Promise<Answered>): Promise<Work> {
  await call();
  const statements = vi.spyOn(Client.prototype, 'query');
  countCalls();
  const { text } = await call();
  const calls = countCalls();
  const made = statements.mock.calls.length;
  statements.mockRestore();
  return { calls, statements: made, bytes: text.length };
}

/** Measures a call. Above the limit it measures again, without the work that earlier calls left. */
async function measure(call: () => Promise<Answered>, limit: number): Promise<Work> {
  const work = await workOf(call);
  if (work.calls <= limit) return work;
  await quiet();
  return workOf(call);
}

const definitionOf = ({ method, path }: ServerRoute): RouteDefinition | undefined =>
  routeNames
    .map((name): RouteDefinition => routes[name])
    .find((one) => one.method === method && one.path.replace(/\/$/, '') === path.replace(/\/$/, ''));

/** Returns the most expensive body within the limit of the call. */
function largestBody(definition: RouteDefinition): unknown {
  let largest: unknown = {};
  for (let items = 1; items <= 1_024; items *= 2) {
    const body = largestValue(definition.body ?? z.null(), items);
    if (Buffer.byteLength(JSON.stringify(body)) > bodyLimitOf(definition)) break;
    largest = body;
  }
  return largest;
}

interface Input {
  readonly route: ServerRoute;
  readonly definition: RouteDefinition | undefined;
  readonly address: string;
  readonly options: { readonly body?: unknown; readonly headers: Readonly<Record<string, string>> };
}

/** Returns the most expensive input that a route accepts. */
function expensive(route: ServerRoute): Input {
  const definition = definitionOf(route);
  const params = (definition?.params === undefined ? {} : largestValue(definition.params)) as Record<string, string>;
  const query = (definition?.query === undefined ? {} : largestValue(definition.query)) as Record<string, string>;
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? 'x'));
  const search = new URLSearchParams(
    Object.entries(query).filter(([, value]) => value !== null && typeof value !== 'object'),
  ).toString();
  const isForm = definition?.speaks === 'browser';
  const body = definition?.body === undefined || route.method === 'GET' ? undefined : largestBody(definition);
  const written = isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body);
  return {
    route,
    definition,
    address: search === '' ? path : `${path}?${search}`,
    options: {
      ...(body !== undefined && { body: written }),
      headers: {
        ...(isForm && { 'content-type': 'application/x-www-form-urlencoded' }),
        // Browsers accept the prepared Brotli responses.
        'accept-encoding': 'br',
      },
    },
  };
}

const callOf =
  ({ route, address, options }: Input, headers: Readonly<Record<string, string>> = {}) =>
  () =>
    api.call(route.method, address, { ...options, headers: { ...options.headers, ...headers } });
const nameOf = ({ route }: Input) => `${route.method} ${route.path}`;

describe('every route of the server', () => {
  test('does little work for an anonymous caller with any input', async () => {
    expect(inputs.length).toBeGreaterThan(100);
    const large = ['GET /api/docs', 'GET /api/openapi.json', 'GET /metrics'];
    for (const input of inputs) {
      const name = nameOf(input);
      const work = await measure(callOf(input), limits.anonymous.calls);
      expect(work.calls, `${name} ${JSON.stringify(work)}`).toBeLessThanOrEqual(limits.anonymous.calls);
      expect(work.statements, `${name} ${JSON.stringify(work)}`).toBeLessThanOrEqual(limits.anonymous.statements);
      if (!large.includes(name)) expect(work.bytes, name).toBeLessThanOrEqual(limits.anonymous.bytes);
    }
  });

  test('does limited work for a logged-in caller with any input', async () => {
    const ends = ['/auth/logout', '/api/my/sessions/end-others', '/auth/change-password', '/disconnect'];
    for (const input of inputs.filter(({ route }) => !ends.some((end) => route.path.endsWith(end)))) {
      const limit = (input.definition?.speaks === 'file' ? limits.file : limits.signedIn).calls;
      const work = await measure(callOf(input, { authorization: `Bearer ${token}` }), limit);
      expect(work.calls, `${nameOf(input)} ${JSON.stringify(work)}`).toBeLessThanOrEqual(limit);
    }
  });
});

describe('the API documents', () => {
  test.each(['/api/docs', '/api/openapi.json'])('%s is written and compressed once and has an ETag', async (path) => {
    const first = await fetch(`${api.url}${path}`, { headers: { 'accept-encoding': 'br' } });
    const etag = first.headers.get('etag') ?? '';
    expect([first.status, first.headers.get('content-encoding'), etag.length]).toEqual([200, 'br', 24]);
    const text = await first.text();
    expect(Buffer.byteLength(text)).toBeGreaterThan(100_000);
    const stringify = vi.spyOn(JSON, 'stringify');
    const again = await fetch(`${api.url}${path}`, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const gzip = await fetch(`${api.url}${path}`, { headers: { 'accept-encoding': 'gzip' } });
    expect([gzip.headers.get('content-encoding'), await gzip.text()]).toEqual(['gzip', text]);
    const plain = await fetch(`${api.url}${path}`, { headers: { 'accept-encoding': 'identity' } });
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, text]);
    expect(stringify.mock.calls.filter(([value]) => JSON.stringify(value) === text)).toEqual([]);
    stringify.mockRestore();
  });
});

test('checks database readiness once a second for any number of requests', async () => {
  const statements = vi.spyOn(Client.prototype, 'query');
  const answers = await Promise.all(Array.from({ length: 50 }, () => api.call('GET', '/readyz')));
  const made = statements.mock.calls.length;
  statements.mockRestore();
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect(made).toBeLessThanOrEqual(6);
});
