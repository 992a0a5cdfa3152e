import { decodeJwt, SignJWT, UnsecuredJWT } from 'jose';
import type { JsonObject } from '#core/values/json.ts';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { cookiesOf, newApi, password, people, tokenOf } from '#test/support/api.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { asOwner, testSecretKey } from '#test/support/database.ts';
import { sessionKeys } from './session-keys.ts';
import { newUser } from '#test/cases/sample-records.ts';

const api = await newApi();
afterAll(() => api.close());

let counter = 0;
const browser = { 'sec-fetch-site': 'same-origin' };
const [key] = sessionKeys(testSecretKey);

const statusWith = async (token: string, headers: Record<string, string> = {}) =>
  (await api.call('GET', '/api/my/audit', { token, headers })).status;

/** Re-signs a token with other claims or another key. */
async function forged(token: string, change: { claims?: object; key?: Uint8Array; header?: object }): Promise<string> {
  return new SignJWT({ ...decodeJwt(token), ...change.claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'session+jwt', kid: key.id, ...change.header })
    .sign(change.key ?? key.secret);
}

describe('a session token', () => {
  test('has the claims of the contract', async () => {
    const claims = decodeJwt(await api.signIn(people.admin));
    expect(claims).toMatchObject({
      iss: 'http://localhost:3000',
      user: { username: people.admin, roles: ['clientadmin'] },
      client: { id: api.world.tenant.tenantId, name: 'Northwind IT Services' },
      autotask_tenant_id: null,
      autotask_resource_id: null,
    });
    expect(Object.keys(claims)).not.toContain('act');
    expect(Object.keys(claims)).not.toContain('ctx');
    expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(12 * 3_600);
  });

  test('is rejected after any change', async () => {
    const token = await api.signIn(people.admin);
    expect(await statusWith(token)).toBe(200);
    const [header = '', payload = '', signature = ''] = token.split('.');
    const tampered = {
      unsigned: new UnsecuredJWT(decodeJwt(token)).encode(),
      'without its signature': `${header}.${payload}.`,
      'with another signature': `${header}.${payload}.${signature.slice(0, -2)}AA`,
      'signed with another key': await forged(token, { key: new Uint8Array(32).fill(7) }),
      'with an unknown key id': await forged(token, { header: { kid: 'other' } }),
      'for another audience': await forged(token, { claims: { aud: 'tallybridge:reset' } }),
      'of another issuer': await forged(token, { claims: { iss: 'http://elsewhere.example' } }),
      'of another type': await forged(token, { header: { typ: 'JWT' } }),
      'with a longer algorithm': await new SignJWT(decodeJwt(token))
        .setProtectedHeader({ alg: 'HS512', typ: 'session+jwt', kid: key.id })
        .sign(key.secret),
      'of a session that does not exist': await forged(token, { claims: { jti: 'AAAAAAAAAAAAAAAAAAAAAA' } }),
      'for another client': await forged(token, { claims: { client: { id: api.otherTenantId, name: 'x' } } }),
      'that is not a token': 'abc',
    };
    for (const [what, changed] of Object.entries(tampered))
      expect([what, await statusWith(changed)]).toEqual([what, 401]);
    expect(await statusWith(await forged(token, {})), 'the same claims with the right key').toBe(200);
  });

  test('ends at logout', async () => {
    const token = await api.signIn(people.admin);
    const left = await api.call('POST', '/auth/logout', { token });
    expect(left.body).toEqual({ success: true, data: null });
    expect(left.headers.get('clear-site-data')).toBe('"cache"');
    expect(await statusWith(token)).toBe(401);
  });

  test('ends when all sessions of its user are revoked', async () => {
    const token = await api.signIn(people.other);
    const user = await api.world.app.store.findUser(people.other);
    await api.world.app.store.revokeSessionsOf(user?.id ?? '', api.world.clock.now());
    expect(await statusWith(token)).toBe(401);
  });

  test('ends when its user is deactivated or loses a role or the client', async () => {
    const { store } = api.world.app;
    const { database } = api.world;
    const changes = {
      deactivated: 'is_active = false',
      'without the role': `roles = '{}'`,
      'of another client': `tenant_id = '${api.otherTenantId}'`,
    };
    for (const [what, change] of Object.entries(changes)) {
      const username = `changed.${what.replaceAll(' ', '.')}@northwind-msp.example`;
      const passwordHash = await hashPassword(password);
      const { tenantId } = api.world.tenant;
      const { id } = await store.addUser(newUser(username, { passwordHash, tenantId }));
      const token = await api.signIn(username);
      expect([what, await statusWith(token)]).toEqual([what, 200]);
      await asOwner(database.url, (client) => client.query(`update users set ${change} where id = $1`, [id]));
      expect([what, await statusWith(token)]).toEqual([what, 401]);
    }
  });

  test('is verified with an older secret while a newer one signs', () => {
    const [newest, older] = sessionKeys(`a newer secret key of tests,${testSecretKey}`);
    expect(older).toEqual(key);
    expect(newest.id).not.toBe(key.id);
  });
});

describe('a login', () => {
  const changedDuringLogin = async (meanwhile: (userId: string) => Promise<unknown>) => {
    const { store, clock } = api.world.app;
    const user = await store.addUser(
      newUser(`racer${(counter += 1)}@northwind-msp.example`, {
        passwordHash: (await store.findUser(people.admin))?.passwordHash ?? '',
        tenantId: api.world.tenant.tenantId,
      }),
    );
    // The user changes after the password check and before the session starts.
    const begin = vi.spyOn(store, 'addSession').mockImplementationOnce(async (session) => {
      await meanwhile(user.id);
      return store.addSession(session);
    });
    const answer = await api.call('POST', '/auth/login', {
      body: { username: user.username, password },
      headers: browser,
    });
    begin.mockRestore();
    return { answer, left: await store.listSessionsOf(user.id, clock.now()) };
  };

  test('with the old password gets no session after a password change', async () => {
    const { store, clock } = api.world.app;
    const { answer, left } = await changedDuringLogin((id) => store.setPassword(id, 'another hash', clock.now()));
    expect([answer.status, answer.body?.['error'], left]).toEqual([401, 'unauthorized', []]);
    expect(answer.headers.getSetCookie(), 'no cookie').toEqual([]);
  });

  test('is stored with browser, address, and time of last use', async () => {
    const { answer, left } = await changedDuringLogin(async () => undefined);
    const { clock } = api.world;
    const [session] = left;
    expect(answer.status).toBe(200);
    expect(session).toMatchObject({ address: '127.0.0.1', lastUsedAt: clock.now(), userAgent: expect.any(String) });
    const { store } = api.world.app;
    const use = async () => {
      await statusWith(tokenOf(answer), { cookie: cookiesOf(answer) });
      return (await store.readSession(session?.jti ?? '', clock.now()))?.lastUsedAt;
    };
    await api.world.advance(59);
    expect(await use(), 'within the minute').toBe(session?.createdAt);
    await api.world.advance(1);
    expect(await use()).toBe(clock.now());
  });
});

describe('a browser session', () => {
  const signIn = () =>
    api.call('POST', '/auth/login', { body: { username: people.admin, password }, headers: browser });

  test('requires both token and cookie', async () => {
    const answer = await signIn();
    const token = tokenOf(answer);
    const cookie = cookiesOf(answer);
    expect(await statusWith(token, { cookie })).toBe(200);
    expect(await statusWith(token)).toBe(401);
    expect(await statusWith(token, { cookie: cookiesOf(await signIn()) }), 'the cookie of another session').toBe(401);
    expect((await api.call('GET', '/api/my/settings', { headers: { cookie } })).status, 'only the cookie').toBe(401);
  });

  test('hides its cookie from scripts and other sites', async () => {
    const lines = (await signIn()).headers.getSetCookie();
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line).toMatch(/HttpOnly/);
      expect(line).toMatch(/SameSite=Strict/);
      expect(line).toMatch(/Path=\//);
    }
  });
});

describe('many right logins of one user', () => {
  const right = (username: string, headers: Record<string, string> = {}) =>
    api.call('POST', '/auth/login', { body: { username, password }, headers });

  test('delay no login from a new browser', async () => {
    const cookie = cookiesOf(await right(people.admin, browser));
    const run = new AbortController();
    const statuses = new Set<number>();
    const loop = async () => {
      while (!run.signal.aborted) statuses.add((await right(people.admin, { ...browser, cookie })).status);
    };
    const loops = Array.from({ length: 8 }, loop);
    for (let count = 0; count < 3; count += 1) expect((await right(people.other)).status).toBe(200);
    run.abort();
    await Promise.all(loops);
    expect([...statuses].filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
    await api.world.advance(901);
  });

  test('are limited: right ones count too', async () => {
    const { app } = api.world;
    for (let count = 0; count < 300; count += 1)
      await app.store.addFailure([`all as ${people.other} by 127.0.0.1`], app.clock.now());
    expect((await right(people.other)).body).toMatchObject({ error: 'too_many_tries' });
    expect((await right(people.admin)).status).toBe(200);
    await api.world.advance(901);
    expect((await right(people.other)).status).toBe(200);
  });
});

describe('logging in', () => {
  const tryWith = (body: unknown, headers: Record<string, string> = {}) =>
    api.call('POST', '/auth/login', { body, headers });

  test('answers the same for an unknown user, a wrong password, and an inactive user', async () => {
    await api.world.app.store.addUser(
      newUser('gone@northwind-msp.example', {
        passwordHash: (await api.world.app.store.findUser(people.admin))?.passwordHash ?? '',
        tenantId: api.world.tenant.tenantId,
        isActive: false,
      }),
    );
    const answers = await Promise.all([
      tryWith({ username: 'stranger@example.com', password }),
      tryWith({ username: people.admin, password: 'wrong' }),
      tryWith({ username: 'gone@northwind-msp.example', password }),
    ]);
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(401);
    expect(answers[0]?.body).toMatchObject({ success: false, error: 'credentials_wrong' });
  });

  test('names missing fields', async () => {
    for (const body of [{}, { username: '', password: '' }, { username: '   ', password: 'x' }]) {
      const answer = await tryWith(body);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ error: 'validation_failed', message: 'Credentials not provided.' });
      expect(answer.body?.['errors']).toContainEqual({ key: 'username', error: 'Credentials not provided.' });
    }
  });

  test('ignores case in user names', async () => {
    expect((await tryWith({ username: people.admin.toUpperCase(), password })).status).toBe(200);
  });

  test("stops guesses after some failures, while the owner's browser still gets in", async () => {
    const username = people.other;
    const known = cookiesOf(await tryWith({ username, password }, browser));
    for (let tries = 0; tries < 10; tries += 1)
      expect((await tryWith({ username, password: `${tries}` })).status).toBe(401);
    expect((await tryWith({ username, password })).body).toMatchObject({ error: 'too_many_tries' });
    expect((await tryWith({ username, password }, { ...browser, cookie: known })).status).toBe(200);
    const device = known.split('; ').find((pair) => pair.startsWith('tallybridge-device='));
    const madeUp = { ...browser, cookie: String(device).replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) };
    expect((await tryWith({ username, password }, madeUp)).status).toBe(429);
    expect((await tryWith({ username: people.admin, password })).status, 'another user').toBe(200);
    await api.world.advance(901);
    expect((await tryWith({ username, password })).status).toBe(200);
  });

  test.each([
    ['200 from one address', 'at 127.0.0.1', 200],
    ['60 for one account', `as ${people.sysadmin}`, 60],
    ['10 for one account from one address', `at 127.0.0.1 as ${people.sysadmin}`, 10],
  ])('allows at most %s in 15 minutes', async (_what, counter, limit) => {
    await api.world.advance(901);
    const { store } = api.world.app;
    const now = api.world.clock.now();
    for (let tries = 1; tries < limit; tries += 1) await store.addFailure([counter], now);
    const guess = () => tryWith({ username: people.sysadmin, password: 'Wrong-Password-1' });
    expect((await guess()).status).toBe(401);
    expect((await guess()).body).toMatchObject({ error: 'too_many_tries' });
    await api.world.advance(901);
    expect((await guess()).status).toBe(401);
    await api.world.advance(901);
  });
});

test('limits parallel guesses like sequential ones', async () => {
  const username = 'guessed@northwind-msp.example';
  const passwordHash = (await api.world.app.store.findUser(people.admin))?.passwordHash ?? '';
  const { tenantId } = api.world.tenant;
  await api.world.app.store.addUser(newUser(username, { passwordHash, roles: [], tenantId }));
  const guess = (given: string) => api.call('POST', '/auth/login', { body: { username, password: given } });
  const statuses = (await Promise.all(Array.from({ length: 24 }, (_, index) => guess(`wrong ${index}`)))).map(
    ({ status }) => status,
  );
  expect(statuses.filter((status) => status === 401)).toHaveLength(10);
  expect(statuses.filter((status) => status === 429)).toHaveLength(14);
  await api.world.advance(901);
  const rights = await Promise.all(Array.from({ length: 8 }, () => guess(password)));
  expect(new Set(rights.map(({ status }) => status)), 'right passwords are not limited').toEqual(new Set([200]));
  for (let tries = 0; tries < 6; tries += 1) expect((await guess(password)).status).toBe(200);
});

describe('acting as a client', () => {
  test('names client and actor and can be ended', async () => {
    const own = await api.signIn(people.sysadmin);
    expect((await api.call('GET', '/api/my', { token: own })).body).toEqual({ success: true, data: null });
    expect(await statusWith(own), 'no client yet').toBe(403);

    const begun = await api.call('POST', '/auth/masquerade', {
      token: own,
      body: { client_id: api.world.tenant.tenantId },
    });
    const token = tokenOf(begun);
    expect(decodeJwt(token)).toMatchObject({
      user: { username: people.sysadmin, roles: ['sysadmin', 'clientadmin'] },
      client: { id: api.world.tenant.tenantId },
      act: { username: people.sysadmin },
    });
    expect(await statusWith(token)).toBe(200);
    expect(await statusWith(own), 'the earlier token').toBe(401);
    expect(decodeJwt(token).exp, 'expires with the original session').toBe(decodeJwt(own).exp);

    const ended = await api.call('POST', '/auth/masquerade/end', { token });
    const back = tokenOf(ended);
    expect(decodeJwt(back)).toMatchObject({ user: { roles: ['sysadmin'] }, client: null });
    expect(await statusWith(token)).toBe(401);

    const audit = await api.call('GET', '/api/my/audit', { token: await api.signIn(people.admin) });
    const events = audit.data['events'] as unknown as readonly JsonObject[];
    expect(events.filter(({ action }) => String(action).startsWith('masquerade.')).slice(0, 3)).toMatchObject([
      { action: 'masquerade.ended', username: people.sysadmin, masquerader: people.sysadmin },
      { action: 'masquerade.read', username: people.sysadmin },
      { action: 'masquerade.begun', username: people.sysadmin },
    ]);
  });

  test('changes to another client, and both audit trails show it', async () => {
    const { tenantId } = api.world.tenant;
    const act = (token: string, clientId: string) =>
      api.call('POST', '/auth/masquerade', { token, body: { client_id: clientId } });
    const first = tokenOf(await act(await api.signIn(people.sysadmin), tenantId));
    expect((await act(first, 'nonsense')).status, 'an unknown client').toBe(404);
    expect(await statusWith(first), 'a refusal ends nothing').toBe(200);
    const second = tokenOf(await act(first, api.otherTenantId));
    expect(await statusWith(first), 'the earlier token').toBe(401);
    expect(decodeJwt(second)).toMatchObject({
      user: { username: people.sysadmin, roles: ['sysadmin', 'clientadmin'] },
      client: { id: api.otherTenantId },
      act: { username: people.sysadmin },
      exp: decodeJwt(first).exp,
    });
    const newest = async (id: string) => {
      const { events } = await api.world.app.store.forTenant(id).listAudit({ page: 1, pageSize: 1 });
      return events.map(({ action, actor }) => [action, actor.masquerader]);
    };
    expect(await newest(tenantId)).toEqual([['masquerade.ended', people.sysadmin]]);
    expect(await newest(api.otherTenantId)).toEqual([['masquerade.begun', people.sysadmin]]);

    const back = tokenOf(await api.call('POST', '/auth/masquerade/end', { token: second }));
    expect(decodeJwt(back)).toMatchObject({ user: { roles: ['sysadmin'] }, client: null });
  });

  test('requires a system administrator and an existing client', async () => {
    const admin = await api.signIn(people.admin);
    const body = { client_id: api.otherTenantId };
    expect((await api.call('POST', '/auth/masquerade', { token: admin, body })).status).toBe(403);
    const token = await api.signIn(people.sysadmin);
    for (const unknown of ['00000000-0000-4000-8000-000000000000', 'nonsense'])
      expect((await api.call('POST', '/auth/masquerade', { token, body: { client_id: unknown } })).status).toBe(404);
    expect((await api.call('POST', '/auth/masquerade', { token, body: {} })).body).toMatchObject({
      message: 'Client not selected.',
    });
    expect((await api.call('POST', '/auth/masquerade/end', { token })).body).toMatchObject({
      error: 'not_masquerading',
    });
  });
});

// Must be last: it moves the clock past every session above.
test('a session ends after two hours without use', async () => {
  const token = await api.signIn(people.admin);
  const isIn = async () => (await api.call('GET', '/api/my/sessions', { token })).status;
  await api.world.advance(2 * 3_600 - 1);
  expect(await isIn()).toBe(200);
  await api.world.advance(2 * 3_600 - 1);
  expect(await isIn()).toBe(200);
  await api.world.advance(2 * 3_600);
  expect(await isIn()).toBe(401);
});

test('a session ends twelve hours after its start despite use', async () => {
  const token = await api.signIn(people.admin);
  for (let hour = 0; hour < 12; hour += 1) {
    await api.world.advance(hour === 0 ? 3_599 : 3_600);
    expect([hour, await statusWith(token)]).toEqual([hour, 200]);
  }
  await api.world.advance(1);
  expect(await statusWith(token)).toBe(401);
});
