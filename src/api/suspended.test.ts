import { afterAll, expect, test } from 'vitest';
import type { RouteDefinition } from '#contract/define.ts';
import { routeNames, routes, type RouteName } from '#contract/routes.ts';
import { newApi, people, type Answered } from '#test/support/api.ts';
import { requestOf } from '#test/isolation/request.ts';

/** Checks a suspended subscription against the route table, so new calls are included. */
const api = await newApi();
const admin = await api.signIn(people.admin);
const { data } = await api.call('POST', '/auth/masquerade', {
  token: await api.signIn(people.sysadmin),
  body: { client_id: api.world.tenant.tenantId },
});
const masquerading = String(data['token']);
await api.world.store.setStatus('suspended');
afterAll(() => api.close());

const definitionOf = (name: RouteName): RouteDefinition => routes[name];
const ofClients = routeNames.filter((name) => {
  const { client, roles, speaks } = definitionOf(name);
  // An event stream stays open; it only reads.
  return client === 'required' && speaks !== 'events' && Array.isArray(roles) && roles.includes('clientadmin');
});
const changes = ({ method, reads }: RouteDefinition) => method !== 'GET' && reads !== true;

function ask(name: RouteName, token: string): Promise<Answered> {
  const { method, address, body } = requestOf(name, definitionOf(name));
  return api.call(method, address, { token, ...(body === undefined ? {} : { body }) });
}

const isSuspended = ({ status, body }: Answered) => status === 409 && body?.['error'] === 'subscription_suspended';

test.each(ofClients.filter((name) => !changes(definitionOf(name))))('%s reads while suspended', async (name) => {
  const answer = await ask(name, admin);
  expect([isSuspended(answer), answer.status >= 500]).toEqual([false, false]);
});

test.each(ofClients.filter((name) => changes(definitionOf(name))))(
  '%s changes nothing while suspended',
  async (name) => {
    const answer = await ask(name, admin);
    expect([answer.status, answer.body?.['error']]).toEqual([409, 'subscription_suspended']);
    expect(answer.body?.['message']).toBe(
      'The subscription is suspended: you can read and export everything but change nothing. Contact support.',
    );
  },
);

test('returns lists, export, and status completely', async () => {
  for (const path of [
    '/api/my',
    '/api/my/settings',
    '/api/my/settings/config',
    '/api/my/xrefs',
    '/api/my/logs',
    '/api/my/audit',
    '/api/my/export',
    '/api/my/attention',
    '/api/my/month',
    '/api/my/money',
  ])
    expect([path, (await api.call('GET', path, { token: admin })).status]).toEqual([path, 200]);
});

test('lets support change settings while acting as the client', async () => {
  expect((await ask('saveTimeZone', masquerading)).body?.['error']).not.toBe('subscription_suspended');
});
