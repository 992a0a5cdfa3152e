import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { RouteDefinition } from '#contract/define.ts';
import { routeNames, routes, type RouteName } from '#contract/routes.ts';
import { requestOf, unknownId } from '#test/isolation/request.ts';
import { newApi, password, people, type Answered } from '#test/support/api.ts';
import { testSecretKey } from '#test/support/database.ts';
import { routesOf } from '#test/support/server-routes.ts';
import { buildServer } from './server.ts';

const tokens = { admin: '', sysadmin: '' };
const folder = await mkdtemp(join(tmpdir(), 'tallybridge-web-'));
await mkdir(join(folder, 'assets'));
await writeFile(join(folder, 'index.html'), '<!doctype html><title>Tallybridge</title>');
await writeFile(join(folder, 'assets', 'index-abc123.js'), 'export {};');
const api = await newApi({ webFolder: folder });
tokens.admin = await api.signIn(people.admin);
tokens.sysadmin = await api.signIn(people.sysadmin);
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

const definitionOf = (name: RouteName): RouteDefinition => routes[name];

/** Headers that every response must have (reliability reference 2.3, row 22). */
const required: Readonly<Record<string, RegExp>> = {
  'x-request-id': /^[\w-]{36}$/,
  'x-content-type-options': /^nosniff$/,
  'x-frame-options': /^DENY$/,
  'referrer-policy': /^no-referrer$/,
  'cross-origin-opener-policy': /^same-origin$/,
  'cross-origin-resource-policy': /^same-origin$/,
  'content-security-policy':
    /^default-src 'self'; script-src 'self'; script-src-attr 'none'; style-src 'self' 'sha256-[\w+/]{43}='; img-src 'self' data:; font-src 'self'; connect-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'$/,
};

function missingOf({ headers }: Pick<Answered, 'headers'>): readonly string[] {
  const missing = Object.entries(required)
    .filter(([name, pattern]) => !pattern.test(headers.get(name) ?? ''))
    .map(([name]) => `${name}: ${headers.get(name)}`);
  const extra = ['x-powered-by', 'server', 'access-control-allow-origin'].filter((name) => headers.has(name));
  return [...missing, ...extra.map((name) => `${name} is unexpected`)];
}

/** Sends a request to a call of the contract, with IDs that do not exist. */
function ask(name: RouteName, change: { method?: string; token?: string; body?: unknown } = {}): Promise<Answered> {
  const made = requestOf(name, definitionOf(name));
  const body = 'body' in change ? change.body : made.body;
  return api.call(change.method ?? made.method, made.address, {
    ...(change.token === undefined ? {} : { token: change.token }),
    ...(body === undefined ? {} : { body }),
  });
}

describe('security headers', () => {
  test('are set for every API call: valid, anonymous, invalid, and with another method', async () => {
    for (const name of routeNames) {
      const definition = definitionOf(name);
      const { roles } = definition;
      const token = Array.isArray(roles) && !roles.includes('clientadmin') ? tokens.sysadmin : tokens.admin;
      const isReading = definition.method === 'GET';
      const answers = {
        ...(/logout|masquerade|disconnect/i.test(name) ? {} : { well: await ask(name, { token }) }),
        'without a session': await ask(name),
        ...(isReading ? {} : { 'not understood': await ask(name, { token, body: '{ not json' }) }),
        'another method': await ask(name, { method: 'PATCH', token, body: {} }),
      };
      for (const [what, answer] of Object.entries(answers)) {
        expect([name, what, missingOf(answer)]).toEqual([name, what, []]);
        expect([name, what, answer.headers.get('cache-control')]).toEqual([name, what, 'no-store']);
        const type = answer.headers.get('content-type') ?? '';
        const isRedirect = answer.status >= 300 && answer.status < 400;
        if (!isRedirect)
          expect([name, what, type]).toEqual([
            name,
            what,
            expect.stringMatching(/charset=utf-8|event-stream|^application\/zip$/),
          ]);
      }
      expect([name, answers['another method'].status]).toEqual([name, 405]);
    }
  });

  test('are set for pages, files, documents, missing paths, and server errors', async () => {
    const responses = [
      '/',
      '/settings',
      '/assets/index-abc123.js',
      '/assets/gone.js',
      '/api/docs',
      '/api/openapi.json',
      '/api/unheard',
      '/api/my/jobs/%zz',
      '/connect/qbo',
      '/connect/autotask',
      '/auth/autotask/authorize',
    ];
    for (const path of responses) {
      const answer = await api.call('GET', path);
      expect([path, missingOf(answer)]).toEqual([path, []]);
      const isFile = answer.status === 200 && /^\/($|settings|assets|api\/(docs|openapi))/.test(path);
      expect([path, answer.headers.get('cache-control') === 'no-store']).toEqual([path, !isFile]);
      if (path.startsWith('/api/docs') || path.endsWith('.json'))
        expect([path, answer.headers.get('cache-control')]).toEqual([path, 'no-cache']);
    }
    const broken = {
      ...api.world.app,
      store: { ...api.world.app.store, listTenants: () => Promise.reject(new Error('column "x" does not exist')) },
    };
    const server = await buildServer({ app: broken, secretKey: testSecretKey, webFolder: null });
    const { statusCode, headers, body } = await server.inject({
      url: '/api/clients',
      headers: { authorization: `Bearer ${tokens.sysadmin}` },
    });
    await server.close();
    expect(statusCode).toBe(500);
    expect(missingOf({ headers: new Headers(headers as Record<string, string>) })).toEqual([]);
    expect(JSON.parse(body)).toEqual({ success: false, message: 'Server error.', error: 'internal' });
  });

  test('require https for a year when the application uses https', async () => {
    expect((await api.call('GET', '/healthz')).headers.get('strict-transport-security')).toBeNull();
    const { app } = api.world;
    const secure = { ...app, config: { ...app.config, appUrl: 'https://tally.example' } };
    const server = await buildServer({ app: secure, secretKey: testSecretKey, webFolder: null });
    for (const url of ['/healthz', '/api/unheard', '/api/my', '/connect/qbo']) {
      const { headers } = await server.inject({ url });
      expect([url, headers['strict-transport-security']]).toEqual([url, 'max-age=31536000']);
    }
    await server.close();
  });

  test('cookies over https are secure and bound to this host', async () => {
    const { app } = api.world;
    const secure = { ...app, config: { ...app.config, appUrl: 'https://tally.example' } };
    const server = await buildServer({ app: secure, secretKey: testSecretKey, webFolder: null });
    const { headers } = await server.inject({
      method: 'POST',
      url: '/auth/login',
      headers: { 'sec-fetch-site': 'same-origin' },
      payload: { username: people.admin, password },
    });
    await server.close();
    const cookies = [headers['set-cookie'] ?? []].flat();
    expect(cookies.length).toBeGreaterThan(1);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^__Host-tallybridge-[a-z]+=/);
      expect(cookie).toMatch(/; Path=\/(;|$)/);
      expect(cookie).toMatch(/; Secure(;|$)/);
      expect(cookie).not.toMatch(/; Domain=/i);
    }
  });

  test('allow only the style of server-written pages', async () => {
    const { text, headers } = await api.call('GET', '/api/docs');
    const [, style = ''] = /<style>([^]*?)<\/style>/.exec(text) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(headers.get('content-security-policy')).toContain(`'sha256-${hash}'`);
    expect(text).not.toMatch(/\sstyle=|<script/);
  });
});

describe('another site', () => {
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' };

  test('gets no CORS permission from any call', async () => {
    for (const name of routeNames) {
      const { method, path } = definitionOf(name);
      const address = path.replace(/:\w+/g, 'x');
      const preflight = await fetch(`${api.url}${address}`, {
        method: 'OPTIONS',
        headers: {
          ...foreign,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization,content-type',
        },
      });
      await preflight.text();
      expect([name, preflight.status]).toEqual([name, 405]);
      for (const [header] of preflight.headers)
        expect([name, header]).not.toEqual([name, expect.stringMatching(/^access-control/)]);
    }
  });

  test("cannot submit a form; only JSON or a page's own form is accepted", async () => {
    const formPages: readonly RouteName[] = ['connectPsaForm', 'authorizeSignOnForm', 'confirmEmail', 'providerCode'];
    for (const name of routeNames.filter((one) => definitionOf(one).method === 'POST')) {
      const { path } = definitionOf(name);
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x']) {
        const answer = await api.call('POST', path.replace(/:\w+/g, 'x'), {
          token: tokens.admin,
          body: 'form=a&api_user=b&api_secret=c&tenant_id=1&resource_id=1&username=a&password=b',
          headers: { ...foreign, 'content-type': type },
        });
        // The page of a form reports on its screen that the form must be sent from there.
        const isSentAway =
          answer.status === 303 && answer.headers.get('location')?.includes('error=wrong_browser') === true;
        const isForm = formPages.includes(name) && type.endsWith('urlencoded');
        const isRefused = [401, 403, 404, 415, 501].includes(answer.status) || (isForm && answer.status === 400);
        expect([name, type, isRefused || (isForm && isSentAway), answer.status]).toEqual([
          name,
          type,
          true,
          answer.status,
        ]);
      }
    }
  });

  test('cannot act with the cookie alone', async () => {
    const answer = await api.call('POST', '/auth/login', {
      body: { username: people.admin, password: 'Correct-Horse-9' },
      headers: { 'sec-fetch-site': 'same-origin' },
    });
    const cookie = answer.headers
      .getSetCookie()
      .map((line) => line.split(';', 1)[0])
      .join('; ');
    expect(cookie).toContain('tallybridge-session');
    for (const name of routeNames.filter((one) => definitionOf(one).roles !== 'public')) {
      const { method, path } = definitionOf(name);
      const { status } = await api.call(method, path.replace(/:\w+/g, unknownId), {
        headers: { ...foreign, cookie },
        ...(method === 'GET' ? {} : { body: {} }),
      });
      expect([name, status]).toEqual([name, 401]);
    }
  });
});

describe('the routes of the server', () => {
  /** Documents of the API itself; all other calls are in the contract. */
  const documents = ['/api/docs', '/api/openapi.json'];
  const demo = ['/demo/mails', '/demo/mails/:x'];

  /** Normalizes a path, so that parameter names do not matter. */
  const bare = (path: string): string => path.replace(/(.)\/$/, '$1').replace(/:[^/]+/g, ':x');

  test('are the calls of the contract and a short list of others', async () => {
    const { app } = api.world;
    for (const isDemo of [true, false]) {
      const server = await buildServer({
        app: { ...app, config: { ...app.config, isDemo } },
        secretKey: testSecretKey,
        webFolder: null,
      });
      await server.ready();
      const found = new Set(routesOf(server).map(({ path }) => bare(path)));
      await server.close();
      const known = new Set([...routeNames.map((name) => definitionOf(name).path), ...documents].map(bare));
      const unknown = [...found].filter((path) => !known.has(path));
      expect(unknown.sort()).toEqual(isDemo && app.mailer.sent !== undefined ? demo : []);
      expect([...known].filter((path) => !found.has(path))).toEqual([]);
    }
  });

  test('include security.txt with the configured contact only', async () => {
    const { app } = api.world;
    const path = '/.well-known/security.txt';
    const read = async (securityContact: string | undefined) => {
      const server = await buildServer({ app, secretKey: testSecretKey, webFolder: null, securityContact });
      const { statusCode, body } = await server.inject({ url: path });
      await server.close();
      return [statusCode, body];
    };
    expect((await read(undefined))[0]).toBe(404);
    const [status, text] = await read('mailto:security@msp.example');
    expect(status).toBe(200);
    expect(text).toMatch(
      /^Contact: mailto:security@msp\.example\nExpires: \d{4}-\d\d-\d\dT[\d:.]+Z\nPreferred-Languages: en\nCanonical: http:\/\/localhost:3000\/\.well-known\/security\.txt\n$/,
    );
    expect(Date.parse(/Expires: (.+)/.exec(String(text))?.[1] ?? '')).toBeGreaterThan(Date.parse(app.clock.now()));
  });

  test('exclude the sandbox services in a deployment', async () => {
    const { app } = api.world;
    const server = await buildServer({
      app: { ...app, config: { ...app.config, isDemo: false } },
      secretKey: testSecretKey,
      webFolder: null,
    });
    for (const url of [
      '/__sandbox',
      '/__sandbox/credentials',
      '/__sandbox/journal',
      '/demo/mails',
      '/demo/mails/1',
      '/v3/company/1/query',
      '/atservicesrest/v1.0/zoneInformation',
    ])
      expect([url, (await server.inject({ url })).statusCode]).toEqual([url, 404]);
    await server.close();
  });
});
