import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RouteDefinition } from '#contract/define.ts';
import { routes } from '#contract/routes.ts';
import { metricsToken, newApi, password, people, tokenOf, type TestApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { securityEventNames } from '#core/security-event.ts';

let api: TestApi;
let lines: { event?: string; address?: string; userId?: string; route?: string }[];
beforeAll(async () => {
  api = await newApi();
  vi.spyOn(api.world.app.logger, 'info').mockImplementation((fields) => void lines.push(fields));
  lines = [];
});
afterAll(() => api.close());

const logIn = (username: string, given: string) =>
  api.call('POST', '/auth/login', { body: { username, password: given } });
const counted = async (event: string): Promise<number> => {
  const { text } = await api.call('GET', '/metrics', { token: metricsToken });
  return Number(
    new RegExp(`^tallybridge_security_events_total\\{event="${event.replace('.', '\\.')}"\\} (\\d+)`, 'm').exec(
      text,
    )?.[1],
  );
};
/** Runs the work and returns the events in the log; each must also be in the metrics. */
async function eventsOf(work: () => Promise<unknown>): Promise<readonly (string | undefined)[]> {
  lines = [];
  await work();
  await eventually(() => expect(lines.some(({ event }) => event !== undefined)).toBe(true));
  return lines.flatMap(({ event }) => event ?? []);
}
const trail = async (token: string) =>
  (await api.call('GET', '/api/my/audit', { token })).data['events'] as {
    action: string;
    after: unknown;
    masquerader: string | null;
  }[];

describe('a security event', () => {
  test('is logged for each login with user and address, without the input', async () => {
    const before = await counted('sign_in.failed');
    expect(await eventsOf(() => logIn(people.admin, 'Guessed-Wrong-1'))).toEqual(['sign_in.failed']);
    expect(await eventsOf(() => logIn('My-Passw0rd-in-the-wrong-field', 'x'))).toEqual(['sign_in.failed']);
    expect(JSON.stringify(lines)).not.toMatch(/Guessed|My-Passw0rd/);
    expect(lines).toMatchObject([{ address: '127.0.0.1', route: '/auth/login' }]);
    expect(await counted('sign_in.failed')).toBe(before + 2);
    expect(await eventsOf(() => logIn(people.admin, password))).toEqual(['sign_in.succeeded']);
    const token = await api.signIn(people.admin);
    await eventually(async () =>
      expect((await trail(token)).map(({ action }) => action)).toEqual(
        expect.arrayContaining(['sign_in.failed', 'sign_in.succeeded']),
      ),
    );
    expect((await trail(token)).find(({ action }) => action === 'sign_in.failed')?.after).toEqual({
      address: '127.0.0.1',
    });
  });

  test('is logged for a lockout, which the client sees too', async () => {
    for (let tries = 0; tries < 10; tries += 1) await logIn(people.other, `wrong ${tries}`);
    expect(await eventsOf(() => logIn(people.other, password))).toEqual(['sign_in.locked_out']);
    await api.world.advance(16 * 60);
    const token = await api.signIn(people.other);
    await eventually(async () =>
      expect((await trail(token)).map(({ action }) => action)).toContain('sign_in.locked_out'),
    );
  });

  test('is logged for rejected requests', async () => {
    const token = await api.signIn(people.admin);
    const call = (method: string, path: string, options = {}) => api.call(method, path, options);
    expect(await eventsOf(() => call('GET', '/api/my'))).toEqual(['session.refused']);
    expect(await eventsOf(() => call('GET', '/api/clients', { token }))).toEqual(['access.refused']);
    expect(await eventsOf(() => call('POST', '/webhooks/qbo', { body: '{}' }))).toEqual(['webhook.refused']);
    expect(await eventsOf(() => call('POST', '/auth/login', { body: { unheard: 1 } }))).toEqual(['request.refused']);
    expect(await eventsOf(() => call('GET', '/connect/qbo?token=none'))).toEqual(['request.refused']);
    expect(
      await eventsOf(() =>
        call('POST', '/auth/change-password', { token, body: { password: 'no', new_password: 'x' } }),
      ),
    ).toEqual(['password.refused']);
  });

  test('is logged for changes of access and for exports', async () => {
    const token = await api.signIn(people.admin);
    expect(await eventsOf(() => api.call('POST', '/auth/forgot-password', { body: { email: people.admin } }))).toEqual([
      'password.reset_requested',
    ]);
    const body = { email: 'new-user@northwind-msp.example', name: 'New User' };
    expect(await eventsOf(() => api.call('POST', '/api/my/users/invitations', { token, body }))).toEqual([
      'users.changed',
    ]);
    expect(await eventsOf(() => api.call('GET', '/api/my/export', { token }))).toEqual(['data.exported']);
    expect(await eventsOf(() => api.call('POST', '/auth/logout', { token }))).toEqual(['sign_out']);
  });

  test('is logged for every read and change while acting as a client', async () => {
    const sysadmin = await api.signIn(people.sysadmin);
    const begin = () =>
      api.call('POST', '/auth/masquerade', { token: sysadmin, body: { client_id: api.world.tenant.tenantId } });
    let token = '';
    expect(await eventsOf(async () => (token = tokenOf(await begin())))).toEqual(['masquerade.begun']);
    expect(await eventsOf(() => api.call('GET', '/api/my/settings', { token }))).toEqual(['masquerade.read']);
    expect(await eventsOf(() => api.call('POST', '/api/my/item-settings/reset', { token }))).toEqual([
      'masquerade.changed',
    ]);
    expect(lines[0]).toMatchObject({ tenantId: api.world.tenant.tenantId, isMasquerading: true });
    await eventually(async () =>
      expect(await trail(token)).toContainEqual(
        expect.objectContaining({ action: 'masquerade.read', subject: 'readSettings', masquerader: people.sysadmin }),
      ),
    );
    expect(await eventsOf(() => api.call('POST', '/auth/masquerade/end', { token }))).toEqual(['masquerade.ended']);
  });
});

test('alert rules use existing events', () => {
  const rules = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'monitoring', 'alert-rules.yml'), 'utf8');
  const usedEvents = [...rules.matchAll(/event=~?"([^"]+)"/g)].flatMap(([, names = '']) => names.split('|'));
  expect(usedEvents.length).toBeGreaterThan(5);
  expect(usedEvents.filter((name) => !securityEventNames.some((one) => one === name))).toEqual([]);
});

test('every event of the contract is in the log and the metrics', async () => {
  const definitions: readonly RouteDefinition[] = Object.values(routes);
  const used = new Set(definitions.flatMap(({ event }) => event ?? []));
  expect(used.size).toBeGreaterThan(15);
  const { text } = await api.call('GET', '/metrics', { token: metricsToken });
  for (const event of used) expect(text).toContain(`tallybridge_security_events_total{event="${event}"}`);
});

test('a change of an API key, a webhook or a chat is logged', async () => {
  const token = await api.signIn(people.admin);
  const body = { name: 'Report', scope: 'read', days: 1 };
  expect(await eventsOf(() => api.call('POST', '/api/my/api-keys', { token, body }))).toEqual(['api_keys.changed']);
  const address = `${api.world.quickbooks.url}/webhooks/events/erp`;
  const endpoint = { address, events: ['month.signed'] };
  expect(await eventsOf(() => api.call('POST', '/api/my/webhook-endpoints', { token, body: endpoint }))).toEqual([
    'webhooks.changed',
  ]);
});
