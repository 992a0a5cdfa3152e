import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Owned } from '#core/owned.ts';
import { createApiKey } from '#flows/access/api-keys.ts';
import type { Principal } from '#flows/access/principal.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { mailLane } from '#core/records/outbox.ts';
import { sendOutbox } from '#flows/outbox/send.ts';
import { newApi, password, people, tokenOf, type Answered, type TestApi } from '#test/support/api.ts';

/** What a user leaves behind: API keys, webhook endpoints, chats and invitations. */

let api: TestApi;
let admin: string;
let passwordHash: string;
beforeAll(async () => {
  api = await newApi();
  passwordHash = await hashPassword(password);
  admin = await api.signIn(people.admin);
});
afterAll(() => api.close());

const call = (method: string, path: string, body?: unknown, token = admin): Promise<Answered> =>
  api.call(method, `/api/my/${path}`, { token, ...(body === undefined ? {} : { body }) });
const keyBody = (name: string) => ({ name, scope: 'read', days: 30 });

let counter = 0;
interface Leaver {
  readonly id: string;
  readonly username: string;
  readonly token: string;
}
async function addAdministrator(): Promise<Leaver> {
  const username = `leaver${(counter += 1)}@northwind-msp.example`;
  const { id } = await api.world.app.store.addUser({
    username,
    passwordHash,
    roles: ['clientadmin'],
    tenantId: api.world.tenant.tenantId,
    isActive: true,
  });
  return { id, username, token: await api.signIn(username) };
}

/** Returns the secret of the user's key. */
async function setUpOneOfEach({ token }: Leaver, name: string): Promise<string> {
  const address = `${api.world.quickbooks.url}/webhooks/slack/T0/B00SECRET-${name}`;
  const { data, status } = await call('POST', 'api-keys', keyBody(name), token);
  expect(status).toBe(200);
  for (const [path, body] of [
    ['webhook-endpoints', { address, events: ['month.signed'] }],
    ['webhooks', { kind: 'slack', name, address, groups: ['month_signed'] }],
    ['users/invitations', { name, email: `${name}@example.com`, role: 'clientadmin' }],
  ] as const)
    expect([path, (await call('POST', path, body, token)).status]).toEqual([path, 200]);
  return String(data['secret']);
}
const ownedBy = async (id: string) => (await call('GET', `users/${id}/owned`)).data['owned'] as unknown as Owned[];
const kindsOf = async (id: string) => (await ownedBy(id)).map(({ kind, name }) => `${kind} ${name}`);
const works = async (key: string) => (await api.call('GET', '/api/my', { token: key })).status === 200;
const audit = async (...actions: readonly string[]) =>
  (await api.world.store.listAudit({ page: 1, pageSize: 20, actions })).events;
const me = async () => (await api.world.app.store.findUser(people.admin))?.id ?? '';

describe('deactivating a user', () => {
  test('revokes keys and invitations, and hands over endpoints and chats to the caller', async () => {
    const leaver = await addAdministrator();
    const key = await setUpOneOfEach(leaver, 'default');
    const host = new URL(api.world.quickbooks.url).host;
    expect(await kindsOf(leaver.id)).toEqual([
      'api_key default',
      'chat default',
      'invitation default@example.com',
      `webhook_endpoint ${host}/…ault`,
    ]);
    expect(await works(key)).toBe(true);

    expect((await call('POST', `users/${leaver.id}/deactivate`)).status).toBe(200);
    expect(await works(key)).toBe(false);
    expect(await ownedBy(leaver.id)).toEqual([]);
    expect(await kindsOf(await me())).toEqual(['chat default', `webhook_endpoint ${host}/…ault`]);
    expect((await call('GET', 'webhooks')).data['webhooks']).toMatchObject([
      { created_by: leaver.username, owner: { username: people.admin, is_active: true } },
    ]);
    expect((await call('GET', 'users?q=default@example.com')).data['total']).toBe(0);
    const actor = { username: people.admin };
    const before = { owner: leaver.username };
    expect(
      await audit(
        'api_key.revoked',
        'webhook.handed_over',
        'webhook_endpoint.handed_over',
        'user.invitation_withdrawn',
      ),
    ).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ action: 'api_key.revoked', subject: 'default', actor, before, after: null }),
        expect.objectContaining({ action: 'webhook.handed_over', before, after: { owner: people.admin } }),
        expect.objectContaining({ action: 'webhook_endpoint.handed_over', before, after: { owner: people.admin } }),
        expect.objectContaining({ action: 'user.invitation_withdrawn', subject: 'default@example.com', before }),
      ]),
    );
  });

  test('hands over the chosen kinds to another administrator, and removes the others', async () => {
    const [leaver, heir] = [await addAdministrator(), await addAdministrator()];
    const key = await setUpOneOfEach(leaver, 'chosen');
    const choice = { hand_over: ['api_key', 'invitation'], to: heir.username.toUpperCase() };
    expect((await call('POST', `users/${leaver.id}/deactivate`, choice)).status).toBe(200);
    expect(await kindsOf(heir.id)).toEqual(['api_key chosen', 'invitation chosen@example.com']);
    expect(await works(key)).toBe(true);
    // The new owner leaves too.
    expect((await call('POST', `users/${heir.id}/deactivate`)).status).toBe(200);
    expect(await works(key)).toBe(false);
  });

  test.each([
    ['an unknown user', () => 'unknown@northwind-msp.example'],
    ['the user who leaves', (leaver: Leaver) => leaver.username],
    ['an administrator of another client', () => people.other],
    ['a user who is no administrator', () => people.nobody],
  ])('rejects %s as the new owner, and changes nothing', async (_what, toOf) => {
    const leaver = await addAdministrator();
    await call('POST', 'api-keys', keyBody('kept'), leaver.token);
    const answer = await call('POST', `users/${leaver.id}/deactivate`, { hand_over: ['api_key'], to: toOf(leaver) });
    expect([answer.status, answer.body?.['errors']]).toEqual([
      422,
      [{ key: 'to', error: 'Choose an active administrator.' }],
    ]);
    expect(await kindsOf(leaver.id)).toEqual(['api_key kept']);
    expect((await call('GET', 'users', undefined, leaver.token)).status).toBe(200);
  });

  test('hands over to the first administrator when a system administrator decides', async () => {
    const leaver = await addAdministrator();
    await setUpOneOfEach(leaver, 'masked');
    const sysadmin = await api.signIn(people.sysadmin);
    const body = { client_id: api.world.tenant.tenantId };
    const acting = tokenOf(await api.call('POST', '/auth/masquerade', { token: sysadmin, body }));
    expect((await call('POST', `users/${leaver.id}/deactivate`, undefined, acting)).status).toBe(200);
    expect(await kindsOf(await me())).toContain('chat masked');
  });

  test('leaves nothing behind when the user adds something at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const leaver = await addAdministrator();
      const [made, left] = await Promise.all([
        call('POST', 'api-keys', keyBody('racing'), leaver.token),
        call('POST', `users/${leaver.id}/deactivate`),
      ]);
      expect(left.status).toBe(200);
      expect([200, 401]).toContain(made.status);
      expect(await ownedBy(leaver.id)).toEqual([]);
    }
  });

  test('ends a request that began before', async () => {
    const leaver = await addAdministrator();
    const principal: Principal = {
      jti: 'x',
      userId: leaver.id,
      username: leaver.username,
      roles: ['clientadmin'],
      client: { id: api.world.tenant.tenantId, name: '' },
      masquerader: null,
      emailIsProved: true,
      accessVersion: 1,
      endsAt: api.world.clock.now(),
      proof: 'password',
    };
    await call('POST', `users/${leaver.id}/deactivate`);
    const late = createApiKey(api.world.app, api.world.tenant, principal, { name: 'late', scope: 'read', days: 1 });
    await expect(late).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await ownedBy(leaver.id)).toEqual([]);
  });
});

test('a user whom an operator disabled has no working key; removing the user passes on the rest', async () => {
  const leaver = await addAdministrator();
  const key = await setUpOneOfEach(leaver, 'disabled');
  await api.world.app.store.setUserActive(leaver.username, false, api.world.clock.now());
  expect(await works(key)).toBe(false);
  expect((await call('GET', 'api-keys')).data['keys']).toContainEqual(
    expect.objectContaining({ name: 'disabled', owner: { username: leaver.username, is_active: false } }),
  );
  expect((await call('DELETE', `users/${leaver.id}`, { hand_over: ['chat'] })).status).toBe(200);
  expect(await kindsOf(await me())).toContain('chat disabled');
  for (const [path, name] of [
    ['api-keys', 'keys'],
    ['webhook-endpoints', 'endpoints'],
  ] as const)
    expect(JSON.stringify((await call('GET', path)).data[name])).not.toContain(leaver.username);
});

describe('a new API key', () => {
  test('is reported by email to the other administrators with a confirmed address', async () => {
    const other = await addAdministrator();
    expect((await call('POST', 'api-keys', keyBody('Mailed report'))).status).toBe(200);
    await sendOutbox(api.world.app, mailLane);
    const about = (api.world.app.mailer.sent?.() ?? []).filter(({ text }) => text.includes('Mailed report'));
    expect(about.map(({ to }) => to)).toContain(other.username);
    expect(about.map(({ to }) => to)).not.toContain(people.admin);
    expect(about[0]?.subject).toBe('New API key for “Northwind IT Services”');
    expect(about[0]?.text.replaceAll('\n', ' ')).toContain(`${people.admin} created the API key “Mailed report”`);
  });

  test('is reported even if its name ends within a character', async () => {
    const other = await addAdministrator();
    expect((await call('POST', 'api-keys', keyBody('Cut \ud83d'))).status).toBe(200);
    await sendOutbox(api.world.app, mailLane);
    const about = (api.world.app.mailer.sent?.() ?? []).filter(({ text }) => text.includes('“Cut \uFFFD”'));
    expect(about.map(({ to }) => to)).toContain(other.username);
  });

  test('cannot be created while acting as a client', async () => {
    const sysadmin = await api.signIn(people.sysadmin);
    const body = { client_id: api.world.tenant.tenantId };
    const acting = tokenOf(await api.call('POST', '/auth/masquerade', { token: sysadmin, body }));
    expect((await call('POST', 'api-keys', keyBody('Backdoor'), acting)).body).toMatchObject({ error: 'masquerading' });
  });
});
