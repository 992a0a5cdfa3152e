import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { RouteDefinition } from '#contract/define.ts';
import { routeNames, routes, type RouteName } from '#contract/routes.ts';
import type { Maintenance } from '#core/records/maintenance.ts';
import { instant } from '#core/values/dates.ts';
import { cookiesOf, newApi, password, people, tokenOf, type Answered } from '#test/support/api.ts';
import { requestOf } from '#test/isolation/request.ts';

/** Checks maintenance against the route table, so new calls are included. */

const webFolder = await mkdtemp(join(tmpdir(), 'tallybridge-web-'));
await writeFile(join(webFolder, 'index.html'), 'the screens');
let current: Maintenance | null = null;
let refreshed = 0;
const maintenance = {
  current: () => current,
  refresh: async () => {
    refreshed += 1;
    current = await api.world.app.store.readMaintenance();
  },
};
const api = await newApi({ webFolder, server: { maintenance } });
const admin = await api.signIn(people.admin);
const sysadmin = await api.signIn(people.sysadmin);
afterAll(async () => {
  await api.close();
  await rm(webFolder, { recursive: true });
});
beforeEach(() => {
  current = { since: instant('2025-03-03T15:04:00Z'), message: 'The database is updated until 10 AM.' };
});

const text =
  'Tallybridge has been in maintenance since Mar 3, 2025, 3:04 PM UTC. The database is updated until 10 AM. Nothing is lost: syncs continue afterward.';
const definitionOf = (name: RouteName): RouteDefinition => routes[name];

function ask(name: RouteName, token?: string): Promise<Answered> {
  const { method, address, body } = requestOf(name, definitionOf(name));
  return api.call(method, address, { ...(token !== undefined && { token }), ...(body === undefined ? {} : { body }) });
}

const stayOpen = routeNames.filter((name) => definitionOf(name).inMaintenance === true);

test('only logins, logout, health and messages of Intuit stay open', () => {
  expect(stayOpen.toSorted()).toEqual([
    'accountingNotification',
    'alive',
    'beginProviderSignIn',
    'login',
    'logout',
    'metrics',
    'providerCallback',
    'providerCode',
    'readEnvironment',
    'ready',
    'signOn',
  ]);
});

test.each(routeNames.filter((name) => !stayOpen.includes(name)))('%s is closed to users', async (name) => {
  for (const token of [admin, undefined]) {
    const answer = await ask(name, token);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
    if (definitionOf(name).speaks === 'browser') expect(answer.text).toContain(text);
    else expect(answer.body).toEqual({ success: false, error: 'maintenance', message: text });
  }
});

test('load balancers keep the server, and messages of Intuit are not refused', async () => {
  for (const path of ['/healthz', '/readyz']) expect((await api.call('GET', path)).status).toBe(200);
  const message = await api.call('POST', '/webhooks/qbo', { body: [], headers: { 'intuit-signature': 'a' } });
  expect(message.body?.['error']).toBe('not_signed');
});

test('browsers get a page, and system administrators the screens', async () => {
  const open = (path: string, headers: Record<string, string> = {}) => api.call('GET', path, { headers });
  for (const path of ['/', '/my', '/invitation/abc']) {
    const page = await open(path);
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '60']);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.text).toContain(text);
  }
  expect((await open('/login')).text).toBe('the screens');
  // The end of a sign-on at a provider.
  expect((await open('/my?kiss=abc')).text).toBe('the screens');
  const login = (username: string) => api.call('POST', '/auth/login', { body: { username, password } });
  const signedIn = await login(people.sysadmin);
  expect((await open('/status', { cookie: cookiesOf(signedIn) })).text).toBe('the screens');
  const refused = await login(people.admin);
  expect([refused.status, refused.body?.['error'], cookiesOf(refused)]).toEqual([503, 'maintenance', '']);
  expect((await api.call('GET', '/api/clients', { token: tokenOf(signedIn) })).status).toBe(200);
});

test('users log out', async () => {
  const rest = current;
  current = null;
  const token = await api.signIn(people.admin);
  current = rest;
  expect((await api.call('POST', '/auth/logout', { token })).status).toBe(200);
  expect((await api.call('POST', '/auth/logout', { token })).status).toBe(401);
});

test('the message cannot add elements to the page', async () => {
  current = { since: instant('2025-03-03T15:04:00Z'), message: '<script>alert(1)</script>' };
  expect((await api.call('GET', '/my')).text).not.toContain('<script>');
});

test('a system administrator acts as a client', async () => {
  const { data } = await api.call('POST', '/auth/masquerade', {
    token: await api.signIn(people.sysadmin),
    body: { client_id: api.world.tenant.tenantId },
  });
  expect((await api.call('GET', '/api/my', { token: String(data['token']) })).status).toBe(200);
});

test('turning it on and off is recorded, keeps its beginning, and is obeyed at once', async () => {
  current = null;
  const change = (message: string | null) =>
    api.call('PUT', '/api/maintenance', { token: sysadmin, body: { message } });
  const on = await change(' Soon. ');
  expect(on.body).toMatchObject({ message: 'Maintenance is on.', data: { maintenance: { message: 'Soon.' } } });
  expect((await api.call('GET', '/api/my', { token: admin })).status).toBe(503);
  api.world.clock.advance(60);
  const again = await change('Later.');
  expect(again.data['maintenance']).toMatchObject({ ...(on.data['maintenance'] as object), message: 'Later.' });
  const status = await api.call('GET', '/api/deployment', { token: sysadmin });
  expect(status.data).toMatchObject({
    maintenance: again.data['maintenance'] ?? null,
    newer_version: null,
    pending_migrations: [],
    backed_up_at: null,
  });
  expect((await change(null)).body).toMatchObject({ message: 'Maintenance is off.', data: { maintenance: null } });
  expect((await api.call('GET', '/api/my', { token: admin })).status).toBe(200);
  expect((await change(null)).data).toEqual({ maintenance: null });
  expect(refreshed).toBe(4);
  const events = (await api.world.app.store.listDeploymentEvents(9)).filter(({ action }) => action.startsWith('maint'));
  expect(events.map(({ actor, action, detail }) => [actor, action, detail['message']])).toEqual([
    [people.sysadmin, 'maintenance.off', undefined],
    [people.sysadmin, 'maintenance.on', 'Later.'],
    [people.sysadmin, 'maintenance.on', 'Soon.'],
  ]);
});

test('the status names the newest incident and the sync that waits longest', async () => {
  current = null;
  const { store, clock } = api.world;
  await store.noteSessionFailure('a defect', clock.now());
  const { data } = await api.call('GET', '/api/deployment', { token: sysadmin });
  expect(data).toMatchObject({ queue: { waiting: 0, running: 0, oldest_waiting_at: null } });
  const { name } = await store.readTenant();
  expect(data['incident']).toEqual({ at: clock.now(), kind: 'stalled', client: name });
});
