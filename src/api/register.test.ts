import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildServer } from './server.ts';
import { testSecretKey } from '#test/support/database.ts';
import { newApi, tokenOf, type Answered } from '#test/support/api.ts';

const api = await newApi();
const answer = await fetch(`${api.world.autotask.url}/__sandbox/credentials`);
const { users } = (await answer.json()) as { users: { userName: string; secret: string }[] };
const access = { api_user: users[0]?.userName ?? '', api_secret: users[0]?.secret ?? '' };
afterAll(() => api.close());
beforeEach(async () => {
  await api.world.advance(16 * 60);
  // Clears the wrong secrets in the PSA, as an administrator would.
  await fetch(`${api.world.autotask.url}/__sandbox/credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userName: access.api_user, locked: false }),
  });
});
afterEach(() => api.world.autotask.clearFaults());

const betty = { first_name: 'Betty', last_name: 'Decker', email: 'betty.decker@northwind-msp.example' };
const company = { id: 0, companyName: 'Northwind IT Services' };
const password = 'Betty-Horse-12';

const validateAccess = (body: object = access) => api.call('POST', '/register/validate-autotask-access', { body });
const validateResource = (change: object = {}) =>
  api.call('POST', '/register/validate-autotask-resource', { body: { ...access, ...betty, ...change } });
const complete = (change: object = {}) =>
  api.call('POST', '/register/complete-registration', {
    body: { ...access, ...betty, company, password, ...change },
  });

const keysOf = (answer: Answered): unknown[] =>
  ((answer.body?.['errors'] ?? []) as { key: string }[]).map(({ key }) => key);
const clients = async () => (await api.world.app.store.listTenants()).map(({ name }) => name);

/** Disconnects the client that has the company. */
async function leave(): Promise<void> {
  await api.world.store.removeCredentials('psa');
  await api.world.store.setStatus('cancelled');
}

/** Disconnects every client. */
async function leaveAll(): Promise<void> {
  for (const tenant of await api.world.app.store.listTenants()) {
    await api.world.app.store.forTenant(tenant.id).removeCredentials('psa');
    await api.world.app.store.forTenant(tenant.id).setStatus('cancelled');
  }
}

const john = { first_name: 'John', last_name: "O'Brien", email: 'john.obrien@northwind-msp.example' };
/** Returns a user of the company who has no account yet. */
const newcomer = async () => ((await api.world.app.store.findUser(betty.email)) === null ? betty : john);
/** Returns the time zone of the newest client that registered and is still connected. */
const zoneOfNewest = async () =>
  (await api.world.app.store.listTenants()).find(
    ({ name, status }) => name === company.companyName && status !== 'cancelled',
  )?.timeZone;

describe('step 1', () => {
  test('returns the company of the API user and whether it is registered', async () => {
    const answer = await validateAccess();
    expect([answer.status, answer.data]).toEqual([200, { company, is_registered: true }]);
  });

  test.each([
    ['a wrong secret', { api_secret: 'wrong' }, ['api_user', 'api_secret']],
    ['an unknown user', { api_user: 'unknown@northwind-msp.example' }, ['api_user', 'api_secret']],
    ['no user', { api_user: '  ' }, ['api_user']],
    ['nothing', { api_user: '', api_secret: '' }, ['api_user', 'api_secret']],
  ])('reports errors of %s by field without repeating the secret', async (_what, change, keys) => {
    const answer = await validateAccess({ ...access, ...change });
    expect([answer.status, answer.body?.['error']]).toEqual([422, 'registration_refused']);
    expect(keysOf(answer)).toEqual(keys);
    expect(answer.text).not.toContain(access.api_secret);
  });

  test('answers the same for a wrong secret and an unknown user', async () => {
    const [one, other] = [
      await validateAccess({ ...access, api_secret: 'wrong' }),
      await validateAccess({ ...access, api_user: 'unknown@northwind-msp.example' }),
    ];
    expect(one.text).toBe(other.text);
  });

  test('stops guesses before the PSA locks the API user', async () => {
    for (let tries = 0; tries < 4; tries += 1)
      expect((await validateAccess({ ...access, api_secret: `guess ${tries}` })).status).toBe(422);
    expect((await validateAccess({ ...access, api_secret: 'one more' })).status).toBe(429);
    expect((await validateAccess()).status, 'the right secret must wait too').toBe(429);
    await api.world.advance(16 * 60);
    expect((await validateAccess()).status).toBe(200);
  });

  test('wrong secrets from outside do not lock out the owner of the API user', async () => {
    const behindProxy = await newApi({ server: { trustProxy: 1 } });
    const enter = async (from: string, secret: string) =>
      (
        await behindProxy.call('POST', '/register/validate-autotask-access', {
          body: { ...access, api_secret: secret },
          headers: { 'x-forwarded-for': from },
        })
      ).status;
    for (let tries = 0; tries < 6; tries += 1) await enter('2001:db8:1:2::1', `guess ${tries}`);
    expect(await enter('2001:db8:1:2::9', 'the same network')).toBe(429);
    expect(await enter('198.51.100.7', access.api_secret)).toBe(200);
    await behindProxy.close();
  });

  test('reports an unavailable PSA', async () => {
    await api.world.autotask.fault({ match: { path: 'Companies/0' }, action: { status: 503, body: '' } });
    expect((await validateAccess()).body).toMatchObject({ success: false, error: 'service_unavailable' });
  });
});

describe('step 2', () => {
  test('finds a user by name and email', async () => {
    const answer = await validateResource();
    expect([answer.status, answer.data]).toEqual([
      200,
      { resource: { id: 21, firstName: 'Betty', lastName: 'Decker', email: betty.email } },
    ]);
  });

  test('finds names with special characters of query languages', async () => {
    const answer = await validateResource({
      first_name: 'John',
      last_name: "O'Brien",
      email: 'john.obrien@northwind-msp.example',
    });
    expect(answer.data).toMatchObject({ resource: { id: 22 } });
  });

  test.each([
    ['another first name', { first_name: 'Bette' }, ['email']],
    [
      'an inactive user',
      { first_name: 'Dana', last_name: 'Former', email: 'dana.former@northwind-msp.example' },
      ['email'],
    ],
    ['no name', { last_name: '' }, ['last_name']],
    ['no name and no address', { last_name: ' ', email: '' }, ['last_name', 'email']],
    ['a wrong secret', { api_secret: 'wrong' }, ['api_user', 'api_secret']],
  ])('reports errors of %s by field', async (_what, change, keys) => {
    const answer = await validateResource(change);
    expect([answer.status, keysOf(answer)]).toEqual([422, keys]);
  });
});

describe('step 3', () => {
  test('rejects a registered company, even while it is disconnected', async () => {
    const before = await clients();
    for (const isConnected of [true, false]) {
      if (!isConnected) await api.world.store.removeCredentials('psa');
      const answer = await complete();
      expect([answer.status, answer.body?.['error']]).toEqual([409, 'company_registered']);
    }
    expect(await clients()).toEqual(before);
    expect(await api.world.app.store.findUser(betty.email)).toBeNull();
  });

  test('rejects a weak password, an unknown user, and a wrong secret, and saves nothing', async () => {
    await leave();
    const before = await clients();
    for (const [change, error] of [
      [{ password: 'BettyHorse12' }, 'Use at least one special character.'],
      [{ password: 'Password1!' }, 'Do not use a common password.'],
      [{ password: betty.email }, 'Do not use your email address.'],
      [{ password: '' }, 'Use 8 to 100 characters.'],
      [{ first_name: 'Bette' }, 'has no active resource'],
      [{ api_secret: 'wrong' }, 'did not accept'],
    ] as const) {
      const answer = await complete(change);
      expect([change, answer.status]).toEqual([change, 422]);
      expect(answer.text).toContain(error);
    }
    expect(await clients()).toEqual(before);
  });

  test('creates client, user, and PSA connection once for parallel requests', async () => {
    await leave();
    const answers = await Promise.all([
      complete(),
      complete(),
      complete({ first_name: 'John', last_name: "O'Brien", email: 'john.obrien@northwind-msp.example' }),
    ]);
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 200)?.body).toEqual({ success: true, data: null });
    expect(await zoneOfNewest(), 'default time zone').toBe('America/Chicago');
    const winner = answers[2]?.status === 200 ? 'john.obrien@northwind-msp.example' : betty.email;

    const login = await api.call('POST', '/auth/login', { body: { username: winner.toUpperCase(), password } });
    const token = tokenOf(login);
    const mine = await api.call('GET', '/api/my', { token });
    expect(mine.data).toMatchObject({
      status: 'pending',
      client: { name: 'Northwind IT Services' },
      connections: [
        { service: 'autotask', status: 'active', name: 'Northwind IT Services', user: access.api_user },
        { service: 'qbo', status: 'inactive' },
      ],
    });
    const test = await api.call('PUT', '/api/my/connections/autotask/test', { token });
    expect(test.data).toMatchObject({ is_connected: true });
    const { data } = await api.call('GET', '/api/my/audit', { token });
    expect((data['events'] as unknown as { action: string }[]).map(({ action }) => action)).toEqual([
      'sign_in.succeeded',
      'connection.made',
      'client.registered',
    ]);
    expect(JSON.stringify(data)).not.toContain(access.api_secret);
    expect((await complete()).status).toBe(409);
  });

  test('uses the given time zone and rejects an invalid one', async () => {
    await leaveAll();
    for (const timeZone of ['Mars/Olympus', '+02:00', '', "UTC' or 1=1", 'x'.repeat(65)]) {
      const refused = await complete({ ...(await newcomer()), time_zone: timeZone });
      expect([timeZone, refused.status, keysOf(refused)[0]]).toEqual([timeZone, 400, 'time_zone']);
    }
    expect((await complete({ ...(await newcomer()), time_zone: 'Australia/Sydney' })).status).toBe(200);
    expect(await zoneOfNewest()).toBe('Australia/Sydney');
  });

  test('rejects an email that already has an account', async () => {
    await leaveAll();
    const existing =
      (await api.world.app.store.findUser(betty.email)) === null
        ? { first_name: 'John', last_name: "O'Brien", email: 'john.obrien@northwind-msp.example' }
        : betty;
    const answer = await complete(existing);
    expect([answer.status, answer.body?.['error'], keysOf(answer)]).toEqual([409, 'username_taken', ['email']]);
  });
});

test('a closed registration rejects each step, and the login page offers none', async () => {
  const { app } = api.world;
  const closed = { ...app, config: { ...app.config, isRegistrationOpen: false } };
  const server = await buildServer({ app: closed, secretKey: testSecretKey, webFolder: null });
  try {
    const before = await clients();
    for (const [path, body] of [
      ['validate-autotask-access', access],
      ['validate-autotask-resource', { ...access, ...betty }],
      ['complete-registration', { ...access, ...betty, company, password }],
    ] as const) {
      const answer = await server.inject({ method: 'POST', url: `/register/${path}`, payload: body });
      expect([answer.statusCode, answer.json()]).toMatchObject([403, { error: 'registration_closed' }]);
    }
    expect(await clients()).toEqual(before);
    const { data } = (await server.inject('/api/environment')).json<{ data: unknown }>();
    expect(data).toMatchObject({ registration_open: false });
  } finally {
    await server.close();
  }
});
