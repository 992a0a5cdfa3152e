import { Secret, TOTP } from 'otpauth';
import { afterAll, describe, expect, test } from 'vitest';
import type { Maintenance } from '#core/records/maintenance.ts';
import { Refusal } from '#core/refusal.ts';
import { epochMs } from '#core/values/dates.ts';
import { login as loginFlow } from '#flows/access/login.ts';
import { cookiesOf, newApi, password, people, tokenOf, type Answered } from '#test/support/api.ts';
import { asOwner } from '#test/support/database.ts';
import { eventually } from '#test/support/eventually.ts';
import { newUser } from '#test/cases/sample-records.ts';

// Not a demo: a demo does not require a second factor of system administrators.
let maintenance: Maintenance | null = null;
const api = await newApi({
  isDemo: false,
  server: { maintenance: { current: () => maintenance, refresh: () => Promise.resolve() } },
});
afterAll(() => api.close());

/** Creates a separate user for each test. */
let counter = 0;
async function newPerson(): Promise<string> {
  const { app, tenant } = api.world;
  const known = await app.store.findUser(people.admin);
  counter += 1;
  const username = `factor${counter}@northwind-msp.example`;
  const passwordHash = known?.passwordHash ?? '';
  await app.store.addUser(newUser(username, { passwordHash, tenantId: tenant.tenantId }));
  return username;
}

const login = (username: string, code?: string, given = password): Promise<Answered> =>
  api.call('POST', '/auth/login', { body: { username, password: given, ...(code === undefined ? {} : { code }) } });
const post = (path: string, token: string, body: object) =>
  api.call('POST', `/api/my/second-factor/${path}`, { token, body });
const read = async (token: string) => (await api.call('GET', '/api/my/second-factor', { token })).data;

/** Returns the code that the app shows this many half minutes from now. */
const codeOf = (secret: string, ahead = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({
    timestamp: epochMs(api.world.clock.now()) + ahead * 30_000,
  });
const nextHalfMinute = () => api.world.clock.advance(30);

interface Owner {
  readonly username: string;
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
  readonly token: string;
}

/** Creates a user with a second factor; the code of the current half minute is used up. */
async function newOwner(username?: string): Promise<Owner> {
  const name = username ?? (await newPerson());
  const before = tokenOf(await login(name));
  const { secret } = (await post('begin', before, { password })).data;
  const confirmed = await post('confirm', before, { code: codeOf(String(secret)) });
  const { recovery_codes: recoveryCodes } = confirmed.data;
  nextHalfMinute();
  return {
    username: name,
    secret: String(secret),
    recoveryCodes: recoveryCodes as readonly string[],
    token: tokenOf(confirmed),
  };
}

describe('setting up a second factor', () => {
  test('requires password and code, ends every other session, and emails the user', async () => {
    const username = await newPerson();
    const elsewhere = tokenOf(await login(username));
    const token = tokenOf(await login(username));
    expect(await read(token)).toMatchObject({ is_on: false, since: null, required_by: null, client_requires: false });
    expect((await post('begin', token, { password: 'wrong' })).body).toMatchObject({
      error: 'password_wrong',
      errors: [{ key: 'password' }],
    });
    const begun = await post('begin', token, { password });
    const secret = String(begun.data['secret']);
    expect(begun.data['uri']).toBe(
      `otpauth://totp/Tallybridge:${encodeURIComponent(username)}?issuer=Tallybridge&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
    expect((await login(username)).status, 'no code needed before the confirmation').toBe(200);
    const wrong = await post('confirm', token, { code: codeOf(secret, 5) });
    expect([wrong.status, wrong.body?.['error']]).toEqual([422, 'code_wrong']);

    const confirmed = await post('confirm', token, { code: codeOf(secret) });
    const codes = confirmed.data['recovery_codes'] as readonly string[];
    expect(new Set(codes).size).toBe(10);
    expect(codes.every((code) => /^([a-z2-9]{4}-){3}[a-z2-9]{4}$/.test(code))).toBe(true);
    expect((await api.call('GET', '/api/my', { token: elsewhere })).status).toBe(401);
    expect((await api.call('GET', '/api/my', { token })).status).toBe(401);
    expect(await read(tokenOf(confirmed))).toMatchObject({ is_on: true, recovery_codes_left: 10 });
    await eventually(() =>
      expect(api.world.app.mailer.sent?.().find(({ to }) => to === username)?.subject).toBe('Two-step login is on'),
    );
    const again = await post('begin', tokenOf(confirmed), { password });
    expect([again.status, again.body?.['error']]).toEqual([409, 'second_factor_on']);
  });

  test('confirms a code once for parallel requests', async () => {
    const token = tokenOf(await login(await newPerson()));
    const secret = String((await post('begin', token, { password })).data['secret']);
    const answers = await Promise.all([1, 2, 3].map(() => post('confirm', token, { code: codeOf(secret) })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  test('stores neither the secret nor recovery codes in plain text', async () => {
    const { secret, recoveryCodes } = await newOwner();
    const rows = await asOwner(api.world.database.url, async (client) => {
      const { rows: found } = await client.query<{ text: string }>(
        `select f::text || coalesce(string_agg(c::text, ' '), '') as text
         from second_factors f left join recovery_codes c on c.user_id = f.user_id group by f.*`,
      );
      return found.map(({ text }) => text).join('\n');
    });
    expect(rows).not.toBe('');
    for (const canary of [secret, ...recoveryCodes.flatMap((code) => [code, code.replaceAll('-', '')])])
      expect(rows.toLowerCase()).not.toContain(canary.toLowerCase());
  });
});

describe('logging in', () => {
  test('answers the same for a missing code, a wrong password, and an unknown user', async () => {
    const { username, secret } = await newOwner();
    const without = await Promise.all([
      login(username),
      login(username, undefined, 'Wrong-Horse-1'),
      login('stranger@example.com'),
      login(people.admin, undefined, 'Wrong-Horse-1'),
    ]);
    expect(new Set(without.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(without[0]?.body?.['error']).toBe('credentials_wrong');
    const withCode = await Promise.all([
      login(username, codeOf(secret), 'Wrong-Horse-1'),
      login(username, '000000'),
      login(username, ''),
      login('stranger@example.com', '000000'),
    ]);
    expect(new Set(withCode.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(withCode[0]?.body?.['error']).toBe('credentials_wrong');
    expect((await login(username, ` ${codeOf(secret).replace(/(...)/, '$1 ')} `)).status).toBe(200);
  });

  test('asks a known browser for the code whether the password was right or wrong', async () => {
    const { username, secret } = await newOwner();
    const browser = { 'sec-fetch-site': 'same-origin' };
    const entered = await api.call('POST', '/auth/login', {
      body: { username, password, code: codeOf(secret) },
      headers: browser,
    });
    const headers = { ...browser, cookie: cookiesOf(entered) };
    const ask = (given: string) => api.call('POST', '/auth/login', { body: { username, password: given }, headers });
    const [right, wrong] = [await ask(password), await ask('Wrong-Horse-1')];
    expect([right.status, right.body?.['error']]).toEqual([401, 'code_required']);
    expect(wrong.text).toBe(right.text);
  });

  test('accepts a code once, also in parallel, and no earlier codes afterward', async () => {
    const { username, secret } = await newOwner();
    const code = codeOf(secret);
    const parallel = await Promise.all([1, 2, 3, 4].map(() => login(username, code)));
    expect(parallel.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 401, 401, 401]);
    expect((await login(username, codeOf(secret, -1))).status, 'an earlier code').toBe(401);
    nextHalfMinute();
    expect((await login(username, codeOf(secret))).status).toBe(200);
  });

  test('accepts a recovery code once, also in parallel, and notifies the user', async () => {
    const { username, recoveryCodes } = await newOwner();
    const [code = ''] = recoveryCodes;
    const parallel = await Promise.all([1, 2, 3].map(() => login(username, code.toUpperCase())));
    expect(parallel.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 401, 401]);
    const entered = parallel.find(({ status }) => status === 200);
    expect(entered === undefined ? null : await read(tokenOf(entered))).toMatchObject({ recovery_codes_left: 9 });
    await eventually(() => {
      const mail = api.world.app.mailer.sent?.().find(({ to }) => to === username);
      expect(mail?.text).toContain('9 recovery codes are left.');
    });
  });

  test('rejects all codes for a while after ten wrong ones from any address, with the same answer', async () => {
    const { username, secret } = await newOwner();
    // Each guess comes from a separate address, as from a botnet.
    let host = 0;
    const guess = (code: string) =>
      loginFlow(api.world.app, {
        username,
        password,
        code,
        address: `10.0.0.${(host += 1)}`,
        knownDevice: null,
      }).catch((error: unknown) => (error instanceof Refusal ? error.message : error));
    const wrong = await guess('000000');
    for (let tries = 1; tries < 10; tries += 1) expect(await guess('000000')).toBe(wrong);
    expect(await guess(codeOf(secret))).toBe(wrong);
    api.world.clock.advance(901);
    expect(await guess(codeOf(secret))).toMatchObject({ username });
  });
});

describe('a recovery code', () => {
  test('is stored as a slow hash with a shared salt per set', async () => {
    await newOwner();
    const hashes = await asOwner(api.world.database.url, async (client) => {
      const { rows } = await client.query<{ hash: string }>('select hash from recovery_codes');
      return rows.map(({ hash }) => hash);
    });
    expect(hashes.length).toBeGreaterThanOrEqual(10);
    for (const hash of hashes) expect(hash).toMatch(/^\$argon2id\$[\w=,$+/]+\$[\w+/]{22}\$[\w+/]{43}$/);
    expect(new Set(hashes.map((hash) => hash.split('$')[4])).size).toBe(hashes.length / 10);
  });

  test('is not spent by a login that maintenance refuses, which reveals no wrong one', async () => {
    const { username, recoveryCodes } = await newOwner();
    const [code = ''] = recoveryCodes;
    maintenance = { since: api.world.clock.now(), message: '' };
    try {
      expect((await login(username, code)).status).toBe(503);
      expect((await login(username, '000000')).status).toBe(401);
      expect((await login(username)).status).toBe(401);
    } finally {
      maintenance = null;
    }
    expect((await login(username, code)).status).toBe(200);
  });

  test('is still accepted after ten wrong codes from any address', async () => {
    const { username, recoveryCodes } = await newOwner();
    const headers = { 'sec-fetch-site': 'same-origin' };
    const known = await api.call('POST', '/auth/login', {
      body: { username, password, code: recoveryCodes[0] },
      headers,
    });
    const cookie = cookiesOf(known);
    const from = (by: Readonly<Record<string, string>>, code: string) =>
      api.call('POST', '/auth/login', { body: { username, password, code }, headers: by });
    for (const by of [headers, { ...headers, cookie }]) {
      for (let tries = 0; tries < 10; tries += 1) expect((await from(by, '000000')).status).toBe(401);
      expect((await from(by, '000000')).status).toBe(429);
    }
    expect((await from({ ...headers, cookie }, recoveryCodes[1] ?? '')).status).toBe(200);
    expect((await from(headers, recoveryCodes[2] ?? '')).status).toBe(200);
  });
});

describe('a password change', () => {
  test('requires the second factor when it is on', async () => {
    const { username, secret, token, recoveryCodes } = await newOwner();
    const change = (code?: string, of = token, wanted = 'Quite-Another-9') =>
      api.call('POST', '/auth/change-password', {
        token: of,
        body: { password, new_password: wanted, ...(code === undefined ? {} : { code }) },
      });
    expect((await change()).body).toMatchObject({ error: 'code_required', errors: [{ key: 'code' }] });
    expect((await change('000000')).body).toMatchObject({ error: 'code_wrong', errors: [{ key: 'code' }] });
    expect((await change('abcd-efgh-jkmn-pqrs')).body).toMatchObject({ error: 'code_wrong' });
    expect((await login(username, recoveryCodes[0])).status, 'the old password is still valid').toBe(200);
    nextHalfMinute();
    expect((await change(codeOf(secret))).status).toBe(200);
    nextHalfMinute();
    expect((await login(username, codeOf(secret), 'Quite-Another-9')).status).toBe(200);
  });
});

describe('an invalid recovery code', () => {
  test('counts as a wrong guess and does not unlock an account', async () => {
    const { username, recoveryCodes } = await newOwner();
    const guess = (code: string | undefined, given: string) => login(username, code, given);
    for (let tries = 0; tries < 10; tries += 1)
      expect((await guess('aaaa-bbbb-cccc-dddd', `guess ${tries}`)).status).toBe(401);
    expect((await guess('aaaa-bbbb-cccc-dddd', 'guess')).status).toBe(429);
    expect((await guess('eeee-ffff-gggg-hhhh', password)).status, 'with the right password').toBe(429);
    expect((await guess(undefined, password)).status).toBe(429);
    expect((await guess(recoveryCodes[3], password)).status, 'a valid recovery code').toBe(200);
  });
});

describe('an app code', () => {
  test.each([-1, 0, 1])('is accepted once within one half minute: %d', async (ahead) => {
    const { username, secret } = await newOwner();
    // Codes from before the confirmation of the app are invalid.
    api.world.clock.advance(120);
    for (const far of [-2, 2]) expect((await login(username, codeOf(secret, far))).status).toBe(401);
    expect((await login(username, codeOf(secret, ahead))).status).toBe(200);
    expect((await login(username, codeOf(secret, ahead))).status).toBe(401);
  });
});

describe('with the second factor on', () => {
  test('new recovery codes replace the old ones with password and code', async () => {
    const { username, secret, token, recoveryCodes } = await newOwner();
    expect((await post('recovery-codes', token, { password, code: '000000' })).body?.['error']).toBe('code_wrong');
    const { data } = await post('recovery-codes', token, { password, code: codeOf(secret) });
    const [fresh = ''] = data['recovery_codes'] as readonly string[];
    expect((await login(username, recoveryCodes[0])).status).toBe(401);
    expect((await login(username, fresh)).status).toBe(200);
  });

  test('it is turned off with password and code, which is logged and emailed', async () => {
    const { username, secret, token } = await newOwner();
    expect((await post('turn-off', token, { password: 'wrong', code: codeOf(secret) })).status).toBe(422);
    expect((await post('turn-off', token, { password, code: codeOf(secret) })).status).toBe(200);
    expect((await login(username)).status).toBe(200);
    const { events } = await api.world.tenant.store.listAudit({ page: 1, pageSize: 5 });
    expect(events.find(({ action }) => action !== 'sign_in.succeeded')).toMatchObject({
      action: 'second_factor.turned_off',
      actor: { username },
    });
    await eventually(() =>
      expect(api.world.app.mailer.sent?.().find(({ to }) => to === username)?.subject).toBe('Two-step login is off'),
    );
  });
});

describe('when it is required', () => {
  test('a system administrator can do nothing before the setup', async () => {
    const limited = tokenOf(await login(people.sysadmin));
    const claims = JSON.parse(Buffer.from(limited.split('.')[1] ?? '', 'base64url').toString()) as object;
    expect(claims).toMatchObject({ must_set_up: 'second_factor', user: { roles: [] } });
    expect((await api.call('GET', '/api/clients', { token: limited })).status).toBe(403);
    const masquerade = { body: { client_id: api.otherTenantId }, token: limited };
    expect((await api.call('POST', '/auth/masquerade', masquerade)).status).toBe(403);
    expect(await read(limited)).toMatchObject({ is_on: false, required_by: 'deployment' });

    const { secret } = (await post('begin', limited, { password })).data;
    const confirmed = await post('confirm', limited, { code: codeOf(String(secret)) });
    const token = tokenOf(confirmed);
    expect((await api.call('GET', '/api/clients', { token })).status).toBe(200);
    nextHalfMinute();
    const off = await post('turn-off', token, { password, code: codeOf(String(secret)) });
    expect([off.status, off.body?.['error']]).toEqual([409, 'second_factor_required']);

    const acting = tokenOf(
      await api.call('POST', '/auth/masquerade', { token, body: { client_id: api.otherTenantId } }),
    );
    for (const [path, body] of [
      ['begin', { password }],
      ['confirm', { code: '123456' }],
      ['turn-off', { password, code: '123456' }],
      ['recovery-codes', { password, code: '123456' }],
    ] as const)
      expect((await post(path, acting, body)).body?.['error'], path).toBe('masquerading');
    expect((await api.call('GET', '/api/my', { token: acting })).status).toBe(200);
  });

  test("a client's requirement ends sessions without a second factor until it is set up", async () => {
    const { world } = api;
    const passwordHash = (await world.app.store.findUser(people.other))?.passwordHash ?? '';
    const add = (username: string) =>
      world.app.store.addUser(newUser(username, { passwordHash, tenantId: api.otherTenantId }));
    await add('careful@contoso-msp.example');
    await add('careless@contoso-msp.example');
    const careless = tokenOf(await login('careless@contoso-msp.example'));
    const require = (token: string, isRequired: boolean) =>
      api.call('PUT', '/api/my/second-factor/requirement', { token, body: { is_required: isRequired } });
    const early = await require(careless, true);
    expect([early.status, early.body?.['error']]).toEqual([409, 'second_factor_off']);

    const careful = await newOwner('careful@contoso-msp.example');
    expect((await require(careful.token, true)).status).toBe(200);
    expect((await api.call('GET', '/api/my', { token: careless })).status).toBe(401);
    expect((await api.call('GET', '/api/my', { token: careful.token })).status).toBe(200);
    const limited = tokenOf(await login('careless@contoso-msp.example'));
    expect((await api.call('GET', '/api/my', { token: limited })).status).toBe(403);
    expect(await read(limited)).toMatchObject({ required_by: 'client' });
    const now = await newOwner('careless@contoso-msp.example');
    expect((await api.call('GET', '/api/my', { token: now.token })).status).toBe(200);

    expect((await require(careful.token, false)).status).toBe(200);
    const off = await post('turn-off', now.token, { password, code: codeOf(now.secret) });
    expect(off.status).toBe(200);
    const { events } = await world.app.store.forTenant(api.otherTenantId).listAudit({ page: 1, pageSize: 20 });
    expect(events.map(({ action }) => action)).toContain('second_factor.requirement_saved');
  });
});

test('a PSA link requires password and code', async () => {
  const username = `linked@northwind-msp.example`;
  const { app, tenant } = api.world;
  const passwordHash = (await app.store.findUser(people.admin))?.passwordHash ?? '';
  const psaLink = { databaseId: '424242', resourceId: 77 };
  await app.store.addUser({
    username,
    passwordHash,
    roles: ['clientadmin'],
    tenantId: tenant.tenantId,
    isActive: true,
    psaLink,
  });
  const { secret } = await newOwner(username);
  const prove = (code?: string) =>
    api.call('POST', '/auth/autotask/authorize', {
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        origin: 'http://localhost:3000',
      },
      body: new URLSearchParams({
        tenant_id: '424242',
        resource_id: '77',
        username,
        password,
        ...(code === undefined ? {} : { code }),
      }).toString(),
    });
  const response = await prove();
  expect([response.status, response.text.includes('name="code"')]).toEqual([401, true]);
  const entered = await prove(codeOf(secret));
  expect([entered.status, entered.headers.get('location')]).toEqual([303, expect.stringContaining('kiss=')]);
  expect(cookiesOf(entered)).toContain('sign-on');
});
