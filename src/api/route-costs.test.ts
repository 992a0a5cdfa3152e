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

/** A call of a route, and what its last response cost. */
interface Measured {
  readonly name: string;
  readonly call: () => Promise<Answered>;
  statements: number;
  bytes: number;
}

/** Waits until no earlier call is in progress: a request that gave up waiting finishes later. */
async function quiet(): Promise<void> {
  countCalls();
  for (;;) {
    await delay(20);
    if (countCalls() < 500) return;
  }
}

/** Makes calls twice and returns the function calls of the second time, because the first one may fill caches. */
async function workOf(all: readonly Measured[]): Promise<number> {
  for (const { call } of all) await call();
  await quiet();
  const statements = vi.spyOn(Client.prototype, 'query');
  for (const one of all) {
    statements.mockClear();
    one.bytes = (await one.call()).text.length;
    one.statements = statements.mock.calls.length;
  }
  statements.mockRestore();
  return countCalls();
}

/** Routes measured at once, because counting takes longer than most calls. */
const groupSize = 12;

/** Returns the routes that make more function calls than allowed. */
async function over(limit: number, all: readonly Measured[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (let from = 0; from < all.length; from += groupSize) {
    const group = all.slice(from, from + groupSize);
    if ((await workOf(group)) <= limit) continue;
    for (const one of group) {
      const calls = await workOf([one]);
      if (calls > limit) found.push(`${one.name}: ${calls}`);
    }
  }
  return found;
}

const definitionOf = ({ method, path }: ServerRoute): RouteDefinition | undefined =>
  routeNames
    .map((name): RouteDefinition => routes[name])
    .find((one) => one.method === method && one.path.replace(/\/$/, '') === path.replace(/\/$/, ''));

/** Returns the most expensive body within the limit of the call. */
function largestBody(definition: RouteDefinition): unknown {
  for (let items = 1_000; items > 0; items = Math.floor(items / 2)) {
    const body = largestValue(definition.body ?? z.null(), items);
    if (Buffer.byteLength(JSON.stringify(body)) <= bodyLimitOf(definition)) return body;
  }
  return {};
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

const measured = (
  isMeasured: (input: Input) => boolean,
  headers: Readonly<Record<string, string>> = {},
): readonly Measured[] =>
  inputs.filter(isMeasured).map(({ route: { method, path }, address, options }) => ({
    name: `${method} ${path}`,
    call: () => api.call(method, address, { ...options, headers: { ...options.headers, ...headers } }),
    statements: 0,
    bytes: 0,
  }));

describe('every route of the server', () => {
  test('does little work for an anonymous caller with any input', async () => {
    const all = measured(() => true);
    expect(all.length).toBeGreaterThan(100);
    expect(await over(limits.anonymous.calls, all)).toEqual([]);
    const large = ['GET /api/docs', 'GET /api/openapi.json', 'GET /metrics'];
    for (const { name, statements, bytes } of all) {
      expect(statements, name).toBeLessThanOrEqual(limits.anonymous.statements);
      if (!large.includes(name)) expect(bytes, name).toBeLessThanOrEqual(limits.anonymous.bytes);
    }
  });

  test('does limited work for a logged-in caller with any input', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const ends = ['/auth/logout', '/api/my/sessions/end-others', '/auth/change-password', '/disconnect'];
    const isFile = ({ definition }: Input) => definition?.speaks === 'file';
    const stays = ({ route }: Input) => !ends.some((end) => route.path.endsWith(end));
    expect(
      await over(
        limits.signedIn.calls,
        measured((input) => stays(input) && !isFile(input), headers),
      ),
    ).toEqual([]);
    expect(await over(limits.file.calls, measured(isFile, headers))).toEqual([]);
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
