import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import type { RouteDefinition } from '#contract/define.ts';
import { routeNames, routes } from '#contract/routes.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { asOwner, setReadOnly } from '#test/support/database.ts';
import { metricsToken, newApi, people } from '#test/support/api.ts';
import { testSecretKey } from '#test/support/database.ts';
import { buildServer } from './server.ts';

const tokens = { admin: '', sysadmin: '', nobody: '' };

const folder = await mkdtemp(join(tmpdir(), 'tallybridge-web-'));
await mkdir(join(folder, 'assets'));
await writeFile(join(folder, 'index.html'), '<!doctype html><title>Tallybridge</title>');
await writeFile(join(folder, 'assets', 'index-abc123.js'), 'export {};');
await writeFile(join(folder, 'assets', 'index-abc123.js.br'), brotliCompressSync('/* brotli */'));
const api = await newApi({ webFolder: folder });
for (const role of ['admin', 'sysadmin', 'nobody'] as const) tokens[role] = await api.signIn(people[role]);
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

const unknownId = '00000000-0000-4000-8000-000000000000';
describe('access rules', () => {
  test('every protected route requires a session before anything else', async () => {
    for (const name of routeNames.filter((one) => routes[one].roles !== 'public')) {
      const { method, path } = routes[name];
      const answer = await api.call(method, path.replace(/:\w+/g, 'x'), method === 'GET' ? {} : { body: '{ not json' });
      expect([name, answer.status, answer.body?.['error']]).toEqual([name, 401, 'unauthorized']);
    }
  });

  test('every client route is for client administrators, and an ID in its path is declared', () => {
    for (const name of routeNames) {
      const definition: RouteDefinition = routes[name];
      // Calls for all logged-in users may concern only their own account.
      if (!definition.path.startsWith('/api/my') || definition.roles === 'any') continue;
      expect(definition.client, name).toBeDefined();
      if (definition.path.includes(':id')) expect(definition.tenantIds, name).toContain('params.id');
    }
  });
});

describe('invalid requests', () => {
  test("rejects an unknown key, wrong enum value, or wrong type in a body with the field's name", async () => {
    const { admin: token } = tokens;
    const submit = (body: unknown) => api.call('POST', '/api/my/invoices/sync/submit', { token, body });
    const refused = {
      'unknown key': [await submit({ invoice_ids: [1], extra: 1 }), 'extra'],
      'unknown mode': [await submit({ invoice_ids: [1], mode: 'real' }), 'mode'],
      'text for a number': [await submit({ invoice_ids: ['1'] }), 'invoice_ids.0'],
      'too large a number': [await submit('{"invoice_ids":[1e309]}'), 'invoice_ids.0'],
      'text for a list': [await submit({ invoice_ids: '1' }), 'invoice_ids'],
      'nothing selected': [await submit({ invoice_ids: [] }), 'invoice_ids'],
      'no body': [await submit(undefined), ''],
    } as const;
    for (const [what, [answer, key]] of Object.entries(refused)) {
      expect([what, answer.status, answer.body?.['error']]).toEqual([what, 400, 'validation_failed']);
      expect(answer.body?.['errors'], what).toMatchObject([{ key }]);
    }
    expect(refused['nothing selected'][0].body?.['message']).toBe('Nothing is selected.');
  });

  test('rejects an unknown or repeated query parameter', async () => {
    const { admin: token } = tokens;
    for (const query of [
      'unheard=1',
      'page=1&page=2',
      'page=0',
      'page=1.5',
      'page_size=201',
      'manual=yes',
      'sort=Key',
      'type=bill',
      'after=2025-02-30',
    ]) {
      const answer = await api.call('GET', `/api/my/logs?${query}`, { token });
      expect([query, answer.status, answer.body?.['error']]).toEqual([query, 400, 'validation_failed']);
    }
  });

  test('rejects a character that the database cannot store', async () => {
    const answer = await api.call('POST', '/auth/login', { body: { username: 'a\0b', password: 'x' } });
    expect(answer.status).toBe(400);
  });

  test('rejects invalid JSON, prototype pollution, and other media types', async () => {
    const send = (body: string, type: string) =>
      api.call('POST', '/auth/login', { body, headers: { 'content-type': type } });
    expect((await send('{"username":', 'application/json')).body).toMatchObject({ error: 'validation_failed' });
    expect((await send('{"__proto__":{"a":1},"username":"a","password":"b"}', 'application/json')).status).toBe(400);
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
    ]) {
      const answer = await send('username=a&password=b', type);
      expect([type, answer.status, answer.body?.['error']]).toEqual([type, 415, 'unsupported_media_type']);
    }
  });

  test('returns 413 for a body over the limit of its call', async () => {
    const just = (bytes: number) => JSON.stringify({ unheard: 'x'.repeat(bytes) });
    const send = async (path: string, bytes: number, token?: string) => {
      const { status, body } = await api.call('POST', path, {
        body: just(bytes),
        ...(token === undefined ? {} : { token }),
      });
      return [status, body?.['error']];
    };
    expect(await send('/api/my/xrefs/Customer/multiple', 1_048_577, tokens.admin)).toEqual([413, 'payload_too_large']);
    expect(await send('/api/my/xrefs/Customer/multiple', 1_000_000, tokens.admin)).toEqual([400, 'validation_failed']);
    expect(await send('/api/my/settings/', 70_000, tokens.admin)).toEqual([413, 'payload_too_large']);
    expect(await send('/api/my/settings/', 2_000, tokens.admin)).toEqual([400, 'validation_failed']);
    expect(await send('/auth/login', 16_384)).toEqual([413, 'payload_too_large']);
    expect(await send('/auth/login', 1_900)).toEqual([400, 'validation_failed']);
  });

  test('returns 404 for an unknown path and 405 for another method', async () => {
    for (const path of [
      '/api/unheard',
      '/auth/unheard',
      '/connect/unheard',
      '/register/unheard',
      '/webhooks/unheard',
    ]) {
      const answer = await api.call('GET', path);
      expect([path, answer.status, answer.body?.['error']]).toEqual([path, 404, 'not_found']);
    }
    const answer = await api.call('DELETE', '/auth/login');
    expect([answer.status, answer.body?.['error'], answer.headers.get('allow')]).toEqual([
      405,
      'method_not_allowed',
      'POST',
    ]);
    expect((await api.call('POST', '/healthz', { body: {} })).headers.get('allow')).toBe('GET, HEAD');
  });

  test('rejects a path that cannot be decoded', async () => {
    expect((await api.call('GET', '/api/my/jobs/%zz', { token: tokens.admin })).status).toBe(400);
  });

  test('rejects TRACE without repeating the request', async () => {
    const answer = await new Promise<{ status: number; text: string }>((done, failed) => {
      const traced = request(`${api.url}/api/my`, { method: 'TRACE', headers: { 'x-canary': 'canary-4711' } });
      traced.on('error', failed);
      traced.on('response', async (response) => {
        let text = '';
        for await (const chunk of response) text += String(chunk);
        done({ status: response.statusCode ?? 0, text });
      });
      traced.end();
    });
    expect([404, 405, 501]).toContain(answer.status);
    expect(answer.text).not.toContain('canary-4711');
  });

  test('ignores a trailing slash', async () => {
    const { admin: token } = tokens;
    for (const path of ['/api/my', '/api/my/', '/api/my/settings', '/api/my/settings/'])
      expect([path, (await api.call('GET', path, { token })).status]).toEqual([path, 200]);
  });
});

test('keeps a valid request ID of a proxy', async () => {
  const idFor = async (given: string) =>
    (await api.call('GET', '/healthz', { headers: { 'x-request-id': given } })).headers.get('x-request-id');
  expect(await idFor('0123456789abcdef')).toBe('0123456789abcdef');
  expect(await idFor('x'.repeat(65))).not.toContain('xxx');
  expect(await idFor('evil<script>')).not.toContain('evil');
});

describe('the web application', () => {
  test('is served for screen URLs, with immutable files', async () => {
    for (const path of ['/', '/settings', '/register', '/password/abc', '/autotask-error?message=x', '/nowhere']) {
      const answer = await api.call('GET', path);
      expect([path, answer.status, answer.text]).toEqual([path, 200, '<!doctype html><title>Tallybridge</title>']);
      expect(answer.headers.get('cache-control')).toBe('no-cache');
    }
    const file = await api.call('GET', '/assets/index-abc123.js');
    expect(file.headers.get('cache-control')).toContain('immutable');
    expect(file.headers.get('content-type')).toContain('javascript');
  });

  test('sends compressed files to clients that accept them', async () => {
    const ask = async (encoding: string) => {
      const answer = await fetch(`${api.url}/assets/index-abc123.js`, { headers: { 'accept-encoding': encoding } });
      return {
        text: await answer.text(),
        encoding: answer.headers.get('content-encoding'),
        vary: answer.headers.get('vary'),
      };
    };
    expect(await ask('br, gzip')).toEqual({ text: '/* brotli */', encoding: 'br', vary: 'accept-encoding' });
    expect(await ask('identity')).toMatchObject({ text: 'export {};', encoding: null });
  });

  test('returns 404 for a missing file', async () => {
    for (const path of ['/assets/gone-def.js', '/favicon.png', '/..%2f..%2fpackage.json'])
      expect([path, (await api.call('GET', path)).body?.['error']]).toEqual([path, 'not_found']);
  });
});

describe('the OpenAPI document', () => {
  test('uses version 3.1 and contains every API call with its parameters and bodies', async () => {
    const document = (await api.call('GET', '/api/openapi.json')).body as unknown as {
      openapi: string;
      paths: Record<
        string,
        Record<string, { operationId: string; parameters?: unknown[]; requestBody?: unknown; security?: unknown }>
      >;
    };
    expect(document.openapi).toMatch(/^3\.1\./);
    for (const name of routeNames) {
      const definition: RouteDefinition = routes[name];
      const path = definition.path.replace(/:(\w+)/g, '{$1}');
      const operation = document.paths[path]?.[definition.method.toLowerCase()];
      expect(operation?.operationId, `${definition.method} ${path}`).toBe(name);
      if (definition.params !== undefined || definition.query !== undefined)
        expect(operation?.parameters, name).not.toHaveLength(0);
      if (definition.body !== undefined) expect(operation?.requestBody, name).toBeDefined();
      expect(operation?.security !== undefined, name).toBe(definition.roles !== 'public');
    }
    const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
    expect(operations).toHaveLength(routeNames.length);
    expect(JSON.stringify(document)).not.toContain('"$ref":"#/components/schemas/undefined"');
  });

  test('is readable as a page without scripts', async () => {
    const page = await api.call('GET', '/api/docs');
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(page.text).not.toMatch(/<script/i);
    expect(page.text).not.toMatch(/(src|href)="https?:/);
    for (const name of routeNames) expect(page.text).toContain(`id="${name}"`);
  });
});

test('compresses a long JSON reply for a caller that accepts gzip', async () => {
  const raw = async (path: string, encoding: string) =>
    new Promise<{ encoding: string | undefined; bytes: Buffer }>((resolve, reject) => {
      const headers = { authorization: `Bearer ${tokens.admin}`, 'accept-encoding': encoding };
      const sent = request(`${api.url}${path}`, { headers }, (reply) => {
        const parts: Buffer[] = [];
        reply.on('data', (part: Buffer) => parts.push(part));
        reply.on('end', () => resolve({ encoding: reply.headers['content-encoding'], bytes: Buffer.concat(parts) }));
      });
      sent.on('error', reject).end();
    });
  const path = '/api/my/settings';
  const [plain, zipped] = [await raw(path, 'identity'), await raw(path, 'gzip, br')];
  expect(plain.encoding).toBeUndefined();
  expect(zipped.encoding).toBe('gzip');
  expect(zipped.bytes.length).toBeLessThan(plain.bytes.length / 2);
  expect(gunzipSync(zipped.bytes)).toEqual(plain.bytes);
  expect((await raw(path, 'gzip;q=0, identity')).encoding).toBeUndefined();
  expect((await raw(path, 'gzip;q=0.5')).encoding).toBe('gzip');
  expect((await raw('/healthz', 'gzip')).encoding).toBeUndefined();
});

test('returns 429 to an address with too many requests', async () => {
  const { app } = api.world;
  const requestsPerMinute = { address: 2 };
  const server = await buildServer({ app, secretKey: testSecretKey, webFolder: null, requestsPerMinute });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  try {
    const ask = () => fetch(`${url}/api/environment`);
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
    const third = await ask();
    expect(third.status).toBe(429);
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await third.json()).toMatchObject({ success: false, error: 'rate_limited' });
  } finally {
    await server.close();
  }
});

test('returns 429 to a client or user with too many requests, and answers all others', async () => {
  const { app } = api.world;
  const requestsPerMinute = { user: 3, client: 4 };
  const server = await buildServer({ app, secretKey: testSecretKey, webFolder: null, requestsPerMinute });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  try {
    const ask = (token: string) => fetch(`${url}/api/my/sessions`, { headers: { authorization: `Bearer ${token}` } });
    const statusesOf = async (token: string, times: number) => {
      const statuses: number[] = [];
      for (let count = 0; count < times; count += 1) statuses.push((await ask(token)).status);
      return statuses;
    };
    const other = await api.signIn(people.other);
    expect(await statusesOf(tokens.admin, 4), 'the user').toEqual([200, 200, 200, 429]);
    expect(await statusesOf(tokens.nobody, 2), 'the client, with its other user').toEqual([200, 429]);
    const refused = await ask(tokens.nobody);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(await refused.json()).toMatchObject({ success: false, error: 'rate_limited' });
    expect(await statusesOf(other, 3), 'another client').toEqual([200, 200, 200]);
    expect(await statusesOf(tokens.sysadmin, 3), 'a user without a client').toEqual([200, 200, 200]);
  } finally {
    await server.close();
  }
});

test('closing the server ends event streams', async () => {
  const { world } = api;
  const server = await buildServer({ app: world.app, secretKey: testSecretKey, webFolder: null });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const { id } = await submit(world.tenant, {
    kind: 'invoice',
    mode: 'test',
    force: false,
    psaIds: [1],
    actor: { username: 'x' },
  });
  const stream = await fetch(`${url}/api/my/jobs/${id}/events`, {
    headers: { authorization: `Bearer ${tokens.admin}` },
  });
  const text = stream.text();
  await server.close();
  expect(await text).not.toContain('event: finished');
});

test('closing the server does not wait for an incomplete request', async () => {
  const { app } = api.world;
  const server = await buildServer({ app, secretKey: testSecretKey, webFolder: null, closeWithinMs: 50 });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const half = connect(Number(new URL(url).port), '127.0.0.1');
  half.on('error', () => undefined);
  const cut = new Promise((ended) => half.once('close', ended));
  await new Promise((written) => half.write('POST /api/auth/login HTTP/1.1\r\nHost: x\r\n', written));
  // When the response to another request arrives, the server has received the first part.
  await (await fetch(`${url}/healthz`)).text();
  await server.close();
  await cut;
});

test('a closing server answers late requests with our error and a time to retry', async () => {
  const { app } = api.world;
  const server = await buildServer({ app, secretKey: testSecretKey, webFolder: null, closeWithinMs: 5_000 });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const late = connect(Number(new URL(url).port), '127.0.0.1');
  let answer = '';
  late.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  const ended = new Promise((done) => late.once('close', done));
  await new Promise((written) => late.write('GET /api/environment HTTP/1.1\r\nHost: localhost\r\n', written));
  // When the response to another request arrives, the server has received the first part.
  await (await fetch(`${url}/healthz`)).text();
  const closed = server.close();
  late.write('\r\n');
  await ended;
  await closed;
  expect(answer).toMatch(/^HTTP\/1\.1 503 /);
  expect(answer).toMatch(/retry-after: \d+/i);
  expect(JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))).toMatchObject({
    success: false,
    error: 'service_unavailable',
  });
});

describe('health', () => {
  test('reports a full database and is not ready until it has room', async () => {
    const full = await newApi();
    const token = await full.signIn(people.admin);
    await asOwner(full.world.database.url, async (client) => {
      await client.query(`create function no_room() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`);
      await client.query('create trigger no_room before insert or update on settings execute function no_room()');
    });
    try {
      const body = { inv_max_age_days: 20 };
      expect(await full.call('POST', '/api/my/settings/', { token, body })).toMatchObject({
        status: 503,
        body: { error: 'service_unavailable', message: expect.stringContaining('disk is full') },
      });
      expect(await full.call('GET', '/readyz')).toMatchObject({ status: 503 });
      expect((await full.call('GET', '/healthz')).status).toBe(200);
    } finally {
      await full.close();
    }
  });

  test('reports a read-only database and is not ready until it is writable', async () => {
    const failedOver = await newApi();
    const token = await failedOver.signIn(people.admin);
    const { url } = failedOver.world.database;
    const save = () => failedOver.call('POST', '/api/my/settings/', { token, body: { inv_max_age_days: 20 } });
    try {
      await setReadOnly(url, true);
      // The first call after an outage finds a lost connection.
      await expect.poll(save).toMatchObject({
        status: 503,
        body: { error: 'service_unavailable', message: expect.stringContaining('read-only') },
      });
      const login = { username: people.admin, password: 'Wrong-Password-1' };
      expect(await failedOver.call('POST', '/auth/login', { body: login })).toMatchObject({
        status: 503,
        body: { message: expect.stringContaining('read-only') },
      });
      expect(await failedOver.call('GET', '/readyz')).toMatchObject({ status: 503 });
      await setReadOnly(url, false);
      await expect.poll(save).toMatchObject({ status: 200 });
      await expect.poll(async () => (await failedOver.call('GET', '/readyz')).status, { timeout: 60_000 }).toBe(200);
    } finally {
      await failedOver.close();
    }
  });

  test.each([
    ['a table', 'alter table settings rename to settings_of_another_version'],
    ['a column', 'alter table settings rename column value to value_of_another_version'],
    [
      'a function',
      `alter function enter_tenant(uuid, text) rename to enter_tenant_of_another_version;
       select pg_terminate_backend(pid, 5000) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
    ],
  ])('a process whose database lacks %s is not ready and reports why', async (_what, statement) => {
    const outdated = await newApi();
    const token = await outdated.signIn(people.admin);
    try {
      await asOwner(outdated.world.database.url, (client) => client.query(statement));
      await expect
        .poll(() => outdated.call('GET', '/api/my/settings/', { token }))
        .toMatchObject({
          status: 503,
          body: { error: 'service_unavailable', message: expect.stringContaining('different version') },
        });
      await expect.poll(async () => (await outdated.call('GET', '/readyz')).status, { timeout: 60_000 }).toBe(503);
      expect((await outdated.call('GET', '/healthz')).status).toBe(200);
    } finally {
      await outdated.close();
    }
  });

  test('reports liveness, readiness, and metrics', async () => {
    expect((await api.call('GET', '/healthz')).data).toMatchObject({ alive: true });
    expect((await api.call('GET', '/readyz')).data).toEqual({ ready: true });
    await api.call('GET', `/api/my/jobs/${unknownId}`, { token: tokens.admin });
    expect((await api.call('GET', '/metrics')).status).toBe(401);
    for (const token of ['', 'another-token', tokens.admin])
      expect((await api.call('GET', '/metrics', { token })).status).toBe(401);
    const { status, text } = await api.call('GET', '/metrics', { token: metricsToken });
    expect(status).toBe(200);
    expect(text).toContain('route="/api/my/jobs/:id"');
    expect(text).not.toContain(unknownId);
  });
});
