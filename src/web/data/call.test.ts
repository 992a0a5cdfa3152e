import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { endMasquerade, login } from '#contract/calls/auth.ts';
import { cancelJob, watchJob } from '#contract/calls/jobs.ts';
import { listLogs } from '#contract/calls/logs.ts';
import { readSubscription } from '#contract/calls/subscription.ts';

// The calls use real HTTP to a test server; only the required parts of a browser are stubbed.
let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void = () => undefined;
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => (body += String(chunk)));
  request.on('end', () => answer(request, response, body));
});
const localEntries = new Map<string, string>();
const tabEntries = new Map<string, string>();
const jobId = '7d444840-9dc0-11d1-b245-5ffdce74fad2';
const tokenOf = (username: string): string =>
  `h.${Buffer.from(JSON.stringify({ exp: 4_000_000_000, user: { username, roles: [] }, client: null })).toString('base64url')}.s`;
const token = tokenOf('x');
const otherToken = tokenOf('y');

const storageOn = (entries: Map<string, string>) => ({
  get length() {
    return entries.size;
  },
  getItem: (key: string) => entries.get(key) ?? null,
  setItem: (key: string, value: string) => void entries.set(key, value),
  removeItem: (key: string) => void entries.delete(key),
  key: (index: number) => [...entries.keys()][index] ?? null,
});

await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
vi.stubGlobal('localStorage', storageOn(localEntries));
vi.stubGlobal('sessionStorage', storageOn(tabEntries));
vi.stubGlobal('window', { addEventListener: () => undefined, location: { pathname: '/logs', search: '?page=2' } });
const network = globalThis.fetch;
vi.stubGlobal('fetch', (path: string, init: RequestInit) => network(`http://127.0.0.1:${port}${path}`, init));
const { call, follow } = await import('./call.ts');
const { currentSession, startSession } = await import('./current-session.ts');

afterEach(() => localEntries.clear());
afterAll(() => {
  vi.unstubAllGlobals();
  server.closeAllConnections();
  server.close();
});

const says = (status: number, body: unknown) => {
  answer = (_, response) => response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));
};
const refused = (status: number, more: object = {}) =>
  says(status, { success: false, message: 'In words.', error: 'code', ...more });
const credentials = { body: { username: 'x', password: 'y' } };

test('sends token, path, and body, and returns data and message', async () => {
  startSession(token);
  const seen = vi.fn();
  answer = (request, response, body) => {
    seen(request.method, request.url, request.headers.authorization, body);
    response.end(JSON.stringify({ success: true, data: { total: 0, logs: [] }, message: 'Done.' }));
  };
  expect(await call(listLogs, { query: { type: 'invoice', page: 2, success: false } })).toEqual({
    data: { total: 0, logs: [] },
    message: 'Done.',
    isStillReading: false,
  });
  await call(cancelJob, { params: { id: 'a/b' } });
  expect(seen.mock.calls).toEqual([
    ['GET', '/api/my/logs?type=invoice&page=2&success=false', `Bearer ${token}`, ''],
    ['POST', '/api/my/jobs/a%2Fb/cancel', `Bearer ${token}`, '{}'],
  ]);
});

test.each([401, 403])('%i ends the session and stores the requested path', async (status) => {
  startSession(token);
  refused(status);
  await expect(call(readSubscription, {})).rejects.toMatchObject({ status });
  expect(currentSession()).toBeNull();
  expect(tabEntries.get('requested-path')).toBe('/logs?page=2');
  expect(localEntries.has('token')).toBe(false);
});

test.each([401, 403])('%i does not end a session that began after the call', async (status) => {
  startSession(token);
  answer = (_request, response) => {
    startSession(otherToken);
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ success: false, message: 'In words.', error: 'code' }));
  };
  await expect(call(readSubscription, {})).rejects.toMatchObject({ status });
  expect(currentSession()?.token).toBe(otherToken);
});

/** Responds to the end of a masquerade when the test allows it, and rejects all other calls. */
function answersLater(status: number) {
  const requested: string[] = [];
  let end: (() => void) | undefined;
  answer = (request, response) => {
    requested.push(`${request.method} ${request.url}`);
    response.setHeader('content-type', 'application/json');
    if (request.method === 'GET') response.writeHead(status).end(JSON.stringify({ success: false }));
    else end = () => response.end(JSON.stringify({ success: true, data: { token: otherToken } }));
  };
  return { requested, hasCome: () => vi.waitUntil(() => end !== undefined), end: () => end?.() };
}

test.each([401, 403])('%i of a call made before a session change does not end the new session', async (status) => {
  const own = tokenOf(`under way, ${status}`);
  startSession(own);
  const later = answersLater(status);
  const response = call(readSubscription, {});
  const ended = call(endMasquerade, {});
  await later.hasCome();
  later.end();
  await expect(response).rejects.toMatchObject({ status });
  expect(currentSession()?.token).toBe(own);
  startSession((await ended).data.token);
  expect(currentSession()?.token).toBe(otherToken);
});

test('sends nothing with a session that is being replaced', async () => {
  startSession(tokenOf('replaced'));
  const later = answersLater(401);
  const ended = call(endMasquerade, {});
  const response = call(readSubscription, {});
  const followed = follow(watchJob, { params: { id: jobId } }, new AbortController().signal).next();
  await later.hasCome();
  later.end();
  await expect(response).rejects.toMatchObject({ status: 401 });
  await expect(followed).rejects.toMatchObject({ status: 401 });
  await ended;
  await expect(call(readSubscription, {})).rejects.toMatchObject({ status: 401 });
  expect(later.requested).toEqual(['POST /auth/masquerade/end']);
});

test('a failed session change keeps the errors of other calls', async () => {
  startSession(token);
  refused(401);
  const [ended, response] = await Promise.allSettled([call(endMasquerade, {}), call(readSubscription, {})]);
  expect([ended.status, response.status, currentSession()]).toEqual(['rejected', 'rejected', null]);
});

test.each([401, 403])('%i from the login does not end the session', async (status) => {
  startSession(token);
  refused(status);
  await expect(call(login, credentials)).rejects.toMatchObject({ message: 'Unauthorized.' });
  expect(currentSession()).not.toBeNull();
});

test("an error has the server's message and field errors", async () => {
  refused(422, { errors: [{ key: 'username', error: 'Too long.' }, { key: 7 }] });
  await expect(call(login, credentials)).rejects.toMatchObject({
    message: 'In words.',
    code: 'code',
    fields: { username: 'Too long.' },
  });
});

test.each([
  [500, 'Server error.'],
  [501, 'In words.'],
  [503, 'In words.'],
])('%i shows “%s”', async (status, message) => {
  refused(status);
  await expect(call(login, credentials)).rejects.toMatchObject({ status, message });
});

test('never shows a page from another server, even with status 200', async () => {
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  says(200, '<html>Maintenance</html>');
  await expect(call(login, credentials)).rejects.toMatchObject({ message: 'Server error.' });
  expect(warn).toHaveBeenCalledOnce();
  warn.mockRestore();
});

test('reports a connection error without a response', async () => {
  const message = 'Disconnected. Please check your internet connection.';
  answer = (request) => request.socket.destroy();
  await expect(call(login, credentials)).rejects.toMatchObject({ status: 0, message });
  answer = (request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{"succ');
    request.socket.end();
  };
  await expect(call(login, credentials)).rejects.toMatchObject({ status: 0, message });
});

test('an aborted call is not a connection error', async () => {
  const giveUp = new AbortController();
  answer = () => giveUp.abort();
  await expect(call(readSubscription, {}, giveUp.signal)).rejects.toMatchObject({ name: 'AbortError' });
});

test('reads events one by one, and a rejected stream throws', async () => {
  answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end('event: progress\ndata: 1\n\nevent: finished\ndata: 2\n\n');
  };
  const events = [];
  for await (const { event, data } of follow(watchJob, { params: { id: jobId } }, new AbortController().signal))
    events.push([event, data]);
  expect(events).toEqual([
    ['progress', '1'],
    ['finished', '2'],
  ]);
  refused(404);
  const missing = follow(watchJob, { params: { id: jobId } }, new AbortController().signal).next();
  await expect(missing).rejects.toMatchObject({ status: 404, message: 'In words.' });
});
