import { randomUUID } from 'node:crypto';
import { TOTP, Secret } from 'otpauth';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { epochMs } from '#core/values/dates.ts';
import type { Maintenance } from '#core/records/maintenance.ts';
import { mailLane } from '#core/records/outbox.ts';
import { sendOutbox } from '#flows/outbox/send.ts';
import { checkProviderAccounts } from '#flows/access/provider-checks.ts';
import { cookiesOf, newApi, password, people, tokenOf, type Answered } from '#test/support/api.ts';
import { directoryId, startProvider, type TestProvider } from '#test/support/sign-in-provider.ts';

/** Sign-in with real providers over HTTP, in the shapes of Microsoft and Google. */

let maintenance: Maintenance | null = null;
const api = await newApi({
  server: { maintenance: { current: () => maintenance, refresh: () => Promise.resolve() } },
});
const { app, tenant, clock } = api.world;
const redirectUri = `${app.config.appUrl}/auth/provider/callback`;
// The providers run in this process: their clock follows the product's.
vi.useFakeTimers({ toFake: ['Date'] });
const setProviderClock = (offsetSeconds = 0) => vi.setSystemTime(epochMs(clock.now()) + offsetSeconds * 1_000);
setProviderClock();
const entra = await startProvider('microsoft', { redirectUri, idTokenSeconds: 60 });
const google = await startProvider('google', { redirectUri });
afterAll(async () => {
  vi.useRealTimers();
  await Promise.all([entra.close(), google.close()]);
  await api.close();
});

const admin = await app.store.findUser(people.admin);
const betty = 'betty@northwind-msp.example';
const addUser = (username: string, more: { isActive?: boolean; tenantId?: string } = {}) =>
  app.store.addUser({
    username,
    passwordHash: admin?.passwordHash ?? '',
    roles: ['accountant'],
    tenantId: tenant.tenantId,
    isActive: true,
    ...more,
  });
const bettyUser = await addUser(betty);
await addUser('gone@northwind-msp.example', { isActive: false });
await addUser('theirs@northwind-msp.example', { tenantId: api.otherTenantId });

/** A browser with its cookies. */
class Browser {
  readonly cookies = new Map<string, string>();
  token: string | undefined;

  async call(
    method: string,
    to: string,
    options: { body?: unknown; form?: Record<string, string> } = {},
  ): Promise<Answered> {
    const { body, form } = options;
    const answer = await api.call(method, to, {
      ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
      ...(body === undefined ? {} : { body }),
      ...(this.token === undefined ? {} : { token: this.token }),
      headers: {
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'sec-fetch-site': 'same-origin',
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
    });
    for (const pair of cookiesOf(answer).split('; ').filter(Boolean)) {
      const [name = '', value = ''] = pair.split('=', 2);
      this.cookies.set(name, value);
    }
    return answer;
  }

  async begin(email: string): Promise<string> {
    const { data, text } = await this.call('POST', '/auth/provider/begin', { body: { username: email } });
    if (typeof data['url'] !== 'string') throw new Error(text);
    return data['url'];
  }

  callback = (query: string) => this.call('GET', `/auth/provider/callback${query}`);

  /** Logs in at the provider. Returns the response of the callback. */
  async signIn(provider: TestProvider, account: string, email = betty, how: { amr?: readonly string[] } = {}) {
    return this.callback(await provider.logIn(await this.begin(email), account, how));
  }

  /** Exchanges the code that the callback redirected with for a session. */
  async enter(answer: Answered): Promise<Answered> {
    const code = new URL(answer.headers.get('location') ?? '', 'http://here').searchParams.get('kiss');
    const entered = await this.call('POST', '/auth/sso', { body: { token: code } });
    if (entered.status === 200) this.token = tokenOf(entered);
    return entered;
  }

  isIn = async () => (await this.call('GET', '/auth/account')).status === 200;
}

const loggedIn = async (username: string): Promise<Browser> => {
  const browser = new Browser();
  browser.token = tokenOf(await browser.call('POST', '/auth/login', { body: { username, password } }));
  return browser;
};
const path = '/api/my/sign-in-provider';
const settingsOf = (provider: TestProvider, more: object = {}) => ({
  kind: provider === entra ? 'microsoft' : 'google',
  issuer: provider.issuer,
  client_id: provider.clientId,
  client_secret: provider.clientSecret,
  domains: ['northwind-msp.example'],
  ...more,
});

/** Replaces the provider and removes all links, and returns the administrator's browser. */
async function setUp(provider: TestProvider, more: object = {}): Promise<Browser> {
  const browser = await loggedIn(people.admin);
  await browser.call('DELETE', path);
  expect(await browser.call('PUT', path, { body: settingsOf(provider, more) })).toMatchObject({ status: 200 });
  return browser;
}

const inEntra = (email: string, more: object = {}) => ({
  sub: `pairwise-${email}`,
  oid: randomUUID(),
  tid: directoryId,
  preferred_username: email,
  ...more,
});

beforeEach(async () => {
  await api.world.advance(16 * 60);
  setProviderClock();
  entra.fail(null);
  entra.accounts.clear();
  entra.accounts.set('betty', inEntra(betty));
  entra.accounts.set('admin', inEntra(people.admin));
  google.accounts.clear();
  await app.store.removeSignInLinksOf(tenant.tenantId);
});

describe('login at a provider in the shape of Microsoft', () => {
  test('finds the user by address, then by account', async () => {
    await setUp(entra);
    const browser = new Browser();
    expect((await browser.enter(await browser.signIn(entra, 'betty'))).status).toBe(200);
    expect(await browser.isIn()).toBe(true);
    const { events } = await tenant.store.listAudit({ page: 1, pageSize: 10 });
    expect(events.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['sign_in.linked', 'sign_in.succeeded', 'sign_in_provider.saved']),
    );

    // Another address at the provider, even that of another user, changes nothing.
    entra.accounts.set('betty', { ...entra.accounts.get('betty'), sub: 'x', preferred_username: people.admin });
    const later = new Browser();
    await later.enter(await later.signIn(entra, 'betty'));
    expect((await later.call('GET', '/auth/account')).data).toMatchObject({ username: betty });
  });

  test.each([
    ['an unknown address', inEntra('unknown@northwind-msp.example')],
    ['a deactivated user', inEntra('gone@northwind-msp.example')],
    ['a user of another client', inEntra('theirs@northwind-msp.example')],
    ['an address outside the domains', inEntra(people.other)],
    ['an address of an unverified domain', inEntra(betty, { xms_edov: false })],
    ['another directory', inEntra(betty, { tid: randomUUID() })],
    ['an account without an object id', inEntra(betty, { oid: undefined })],
  ])('rejects %s', async (_what, account) => {
    await setUp(entra);
    entra.accounts.set('other', account);
    const answer = await new Browser().signIn(entra, 'other');
    expect(answer).toMatchObject({ status: 401 });
    expect(answer.headers.get('location')).toBeNull();
    expect(await app.store.findUser('unknown@northwind-msp.example')).toBeNull();
  });

  test('rejects another account with the address of a linked user', async () => {
    await setUp(entra);
    const browser = new Browser();
    await browser.enter(await browser.signIn(entra, 'betty'));
    entra.accounts.set('successor', inEntra(betty));
    expect(await new Browser().signIn(entra, 'successor')).toMatchObject({
      status: 401,
      text: expect.stringContaining('logs in with another account'),
    });
  });

  test('accepts a callback once, in the browser that began, from the issuer that was asked', async () => {
    await setUp(entra);
    const browser = new Browser();
    const query = await entra.logIn(await browser.begin(betty), 'betty');
    expect(await new Browser().callback(query)).toMatchObject({ status: 400 });
    // The attempt has used up the state.
    expect(await browser.callback(query)).toMatchObject({ status: 400, text: expect.stringContaining('expired') });

    const again = await entra.logIn(await browser.begin(betty), 'betty');
    const mixedUp = new URLSearchParams(again);
    mixedUp.set('iss', google.issuer);
    expect(await browser.callback(`?${mixedUp.toString()}`)).toMatchObject({ status: 401 });
    // A code of an earlier login with the state of a new one.
    const replayed = new URLSearchParams(await entra.logIn(await browser.begin(betty), 'betty'));
    replayed.set('code', new URLSearchParams(again).get('code') ?? '');
    expect(await browser.callback(`?${replayed.toString()}`)).toMatchObject({ status: 401 });
    const canceled = `?error=access_denied&state=${new URL(await browser.begin(betty)).searchParams.get('state') ?? ''}&iss=${encodeURIComponent(entra.issuer)}`;
    expect(await browser.callback(canceled)).toMatchObject({ status: 401 });
    expect(browser.cookies.has('tallybridge-session')).toBe(false);
  });

  test.each([-120, 120])('accepts a provider whose clock is %i s off', async (offset) => {
    await setUp(entra);
    setProviderClock(offset);
    const url = await new Browser().begin(betty);
    expect(url).toContain('nonce=');
    const browser = new Browser();
    const query = await entra.logIn(await browser.begin(betty), 'betty');
    expect((await browser.enter(await browser.callback(query))).status).toBe(200);
  });

  test('follows a change of the signing keys', async () => {
    await setUp(entra);
    const first = new Browser();
    expect((await first.enter(await first.signIn(entra, 'betty'))).status).toBe(200);
    await entra.rotateKeys();
    await api.world.advance(120);
    setProviderClock();
    const second = new Browser();
    expect((await second.enter(await second.signIn(entra, 'betty'))).status).toBe(200);
  });

  test('says that the provider does not answer', async () => {
    const administrator = await setUp(entra, { issuer: entra.issuer.replace(directoryId, randomUUID()) });
    entra.fail(503);
    expect(await new Browser().call('POST', '/auth/provider/begin', { body: { username: betty } })).toMatchObject({
      status: 503,
      text: expect.stringContaining('log in with your password'),
    });
    entra.fail(null);
    // The discovery document names another issuer.
    expect(await new Browser().call('POST', '/auth/provider/begin', { body: { username: betty } })).toMatchObject({
      status: 409,
    });
    expect(await administrator.call('POST', `${path}/test`)).toMatchObject({ status: 409 });
  });
});

describe('login at a provider in the shape of Google', () => {
  const account = { sub: '1', email: betty, email_verified: true, hd: 'northwind-msp.example' };

  test('needs a verified address and the company’s domain', async () => {
    await setUp(google);
    for (const more of [
      { email_verified: false },
      { email_verified: undefined },
      { hd: undefined },
      { hd: 'else.example' },
    ]) {
      google.accounts.set('betty', { ...account, ...more });
      expect(await new Browser().signIn(google, 'betty')).toMatchObject({ status: 401 });
    }
    google.accounts.set('betty', account);
    const browser = new Browser();
    expect((await browser.enter(await browser.signIn(google, 'betty'))).status).toBe(200);
  });
});

test('does not reveal which addresses have users', async () => {
  await setUp(entra);
  const begin = (email: string) => new Browser().call('POST', '/auth/provider/begin', { body: { username: email } });
  const withoutSecrets = (url: unknown) => String(url).replace(/(state|nonce|code_challenge|login_hint)=[^&]+/g, '$1');
  const known = await begin(betty);
  const unknown = await begin('unknown@northwind-msp.example');
  expect(withoutSecrets(unknown.data['url'])).toBe(withoutSecrets(known.data['url']));
  const [a, b] = [await begin(people.other), await begin('nobody@unknown.example')];
  expect([a.status, a.text]).toEqual([b.status, b.text]);
  expect(a.status).toBe(422);
});

describe('sessions', () => {
  const signal = new AbortController().signal;

  test('end when the account was removed at the provider', async () => {
    await setUp(entra);
    const browser = new Browser();
    await browser.enter(await browser.signIn(entra, 'betty'));
    await api.world.advance(31 * 60);
    setProviderClock();
    await checkProviderAccounts(app, signal);
    await api.world.advance(40 * 60);
    expect(await browser.isIn()).toBe(true);
    entra.accounts.delete('betty');
    setProviderClock();
    await checkProviderAccounts(app, signal);
    expect(await browser.isIn()).toBe(false);
    const { events } = await tenant.store.listAudit({ page: 1, pageSize: 3 });
    expect(events.map(({ action }) => action)).toContain('sign_in.ended_by_provider');
  });

  test('end an hour after the provider last answered', async () => {
    await setUp(entra);
    const browser = new Browser();
    await browser.enter(await browser.signIn(entra, 'betty'));
    entra.fail(500);
    await api.world.advance(59 * 60);
    await checkProviderAccounts(app, signal);
    expect(await browser.isIn()).toBe(true);
    await api.world.advance(60);
    expect(await browser.isIn()).toBe(false);
  });

  test('end when the provider is removed', async () => {
    const administrator = await setUp(entra);
    const browser = new Browser();
    await browser.enter(await browser.signIn(entra, 'betty'));
    expect(await administrator.call('DELETE', path)).toMatchObject({ status: 200 });
    expect(await browser.isIn()).toBe(false);
  });
});

describe('the second step', () => {
  const secret = new Secret({ size: 20 }).base32;
  const codeNow = () => new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: epochMs(clock.now()) });

  test('is asked for, unless the provider covers it', async () => {
    const user = await addUser('carl@northwind-msp.example');
    entra.accounts.set('carl', inEntra(user.username));
    await app.store.beginSecondFactor(user.id, secret, clock.now());
    const version = (await app.store.readSecondFactor(user.id))?.version ?? '';
    await app.store.confirmSecondFactor(user.id, version, { step: 0, recoveryHashes: ['unused'], now: clock.now() });

    await setUp(entra);
    const browser = new Browser();
    const asked = await browser.signIn(entra, 'carl');
    expect(asked.headers.get('location')).toBeNull();
    const question = /name="question" value="([^"]+)"/.exec(asked.text)?.[1] ?? '';
    const send = (code: string) => browser.call('POST', '/auth/provider/code', { form: { question, code } });
    expect((await send('000000')).status).toBe(422);
    expect((await browser.enter(await send(codeNow()))).status).toBe(200);
    expect(await browser.isIn()).toBe(true);

    await setUp(entra, { covers_second_step: true });
    expect((await new Browser().signIn(entra, 'carl')).headers.get('location')).toContain('/my?kiss=');
    const weak = await new Browser().signIn(entra, 'carl', betty, { amr: ['pwd'] });
    expect(weak.headers.get('location')).toBeNull();
    expect(
      (await new Browser().signIn(entra, 'carl', betty, { amr: ['pwd', 'mfa'] })).headers.get('location'),
    ).toContain('/my?kiss=');
  });
});

describe('the requirement', () => {
  const require = (browser: Browser, body: object) => browser.call('PUT', `${path}/requirement`, { body });

  test('needs a test and a break-glass administrator, and rejects the passwords of all others', async () => {
    const administrator = await setUp(entra);
    const body = { is_required: true, break_glass: people.admin };
    expect(await require(administrator, body)).toMatchObject({ status: 409 });

    const test = async (account: string) => {
      const { data } = await administrator.call('POST', `${path}/test`);
      return administrator.callback(await entra.logIn(String(data['url']), account));
    };
    expect(await test('betty')).toMatchObject({ status: 401 });
    expect((await test('admin')).headers.get('location')).toBe('/security');
    expect(await require(administrator, { is_required: true, break_glass: betty })).toMatchObject({ status: 422 });

    const before = await loggedIn(betty);
    expect(await require(administrator, body)).toMatchObject({ status: 200 });
    expect(await before.isIn()).toBe(false);
    expect(await administrator.isIn()).toBe(true);
    const logIn = (username: string, secret: string) =>
      new Browser().call('POST', '/auth/login', { body: { username, password: secret } });
    expect(await logIn(betty, password)).toMatchObject({ status: 403, text: expect.stringContaining('Microsoft') });
    expect(await logIn(betty, 'wrong')).toMatchObject({ status: 401 });
    expect(await logIn(people.admin, password)).toMatchObject({ status: 200 });
    const browser = new Browser();
    expect((await browser.enter(await browser.signIn(entra, 'betty'))).status).toBe(200);

    const { id: adminId } = (await app.store.findUser(people.admin)) ?? { id: '' };
    await app.store.addUser({
      username: 'eve@northwind-msp.example',
      passwordHash: admin?.passwordHash ?? '',
      roles: ['clientadmin'],
      tenantId: tenant.tenantId,
      isActive: true,
    });
    entra.accounts.set('eve', inEntra('eve@northwind-msp.example'));
    const eve = new Browser();
    await eve.enter(await eve.signIn(entra, 'eve'));
    expect(await eve.call('POST', `/api/my/users/${adminId}/deactivate`)).toMatchObject({
      status: 409,
      body: { error: 'break_glass' },
    });

    // Another secret must be tested again, and until then all users can log in with a password.
    await administrator.call('PUT', path, { body: settingsOf(entra) });
    expect(await logIn(betty, password)).toMatchObject({ status: 200 });
  });
});

test('a change is reported by email to the other administrators', async () => {
  const username = 'frank@northwind-msp.example';
  await (await loggedIn(people.admin)).call('DELETE', path);
  await app.store.addUser({
    username,
    passwordHash: admin?.passwordHash ?? '',
    roles: ['clientadmin'],
    tenantId: tenant.tenantId,
    isActive: true,
  });
  const administrator = await setUp(entra);
  await administrator.call('PUT', path, { body: settingsOf(entra) });
  await administrator.call('DELETE', path);
  await sendOutbox(app, mailLane);
  const mails = (app.mailer.sent?.() ?? []).filter(({ to }) => to === username);
  expect(mails.map(({ subject }) => subject)).toEqual(
    Array.from({ length: 3 }, () => 'Company sign-in of “Northwind IT Services” changed'),
  );
  for (const did of ['set up company sign-in at', 'changed company sign-in at', 'removed company sign-in'])
    expect(mails.some(({ text }) => text.replaceAll('\n', ' ').includes(`${people.admin} ${did}`))).toBe(true);
});

describe('settings', () => {
  test.each([
    ['an address of this network', { kind: 'other', issuer: 'https://10.0.0.1' }, 'issuer'],
    ['an address without https', { kind: 'other', issuer: 'http://login.example.com' }, 'issuer'],
    ['every directory', { kind: 'microsoft', issuer: 'https://login.microsoftonline.com/common/v2.0' }, 'issuer'],
    [
      'personal accounts',
      { kind: 'microsoft', issuer: 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0' },
      'issuer',
    ],
    [
      'Microsoft as another provider',
      { kind: 'other', issuer: `https://login.microsoftonline.com/${directoryId}/v2.0` },
      'issuer',
    ],
    ['a domain for everyone', { domains: ['gmail.com'] }, 'domains'],
    ['a domain without a user', { domains: ['victim.example'] }, 'domains'],
    ['no domain', { domains: [' '] }, 'domains'],
    ['no secret', { client_secret: undefined }, 'client_secret'],
  ])('reject %s', async (_what, change, field) => {
    const browser = await loggedIn(people.admin);
    await browser.call('DELETE', path);
    const answer = await browser.call('PUT', path, { body: settingsOf(entra, change) });
    expect(answer).toMatchObject({ status: 422, body: { errors: [{ key: field }] } });
  });

  test('reject the domain of another client, and never return the secret', async () => {
    const browser = await setUp(entra);
    expect((await browser.call('GET', path)).text).not.toContain(entra.clientSecret);
    const others = await loggedIn('admin@contoso-msp.example');
    const answer = await others.call('PUT', path, { body: settingsOf(google, { domains: ['northwind-msp.example'] }) });
    expect(answer).toMatchObject({ status: 409, body: { errors: [{ key: 'domains' }] } });
  });

  test('are closed to accountants and system administrators', async () => {
    await setUp(entra);
    expect(await (await loggedIn(betty)).call('GET', path)).toMatchObject({ status: 403 });
    const operator = await loggedIn(people.sysadmin);
    const masked = await operator.call('POST', '/auth/masquerade', { body: { client_id: tenant.tenantId } });
    operator.token = tokenOf(masked);
    expect(await operator.call('PUT', path, { body: settingsOf(entra) })).toMatchObject({ status: 409 });
    expect(await operator.call('POST', `${path}/test`)).toMatchObject({ status: 409 });
    expect(bettyUser.isActive).toBe(true);
  });
});

test('a deactivated user loses the link, and logs in with another account after a reactivation', async () => {
  const administrator = await setUp(entra);
  const user = await addUser('dora@northwind-msp.example');
  entra.accounts.set('dora', inEntra(user.username));
  const browser = new Browser();
  await browser.enter(await browser.signIn(entra, 'dora'));
  await administrator.call('POST', `/api/my/users/${user.id}/deactivate`);
  expect(await browser.isIn()).toBe(false);
  expect(await new Browser().signIn(entra, 'dora')).toMatchObject({ status: 401 });
  await administrator.call('POST', `/api/my/users/${user.id}/reactivate`);
  entra.accounts.set('dora', inEntra(user.username));
  expect((await browser.enter(await browser.signIn(entra, 'dora'))).status).toBe(200);
});

describe('system administrators', () => {
  const signIn = {
    access: { kind: 'microsoft', issuer: entra.issuer, clientId: entra.clientId, clientSecret: entra.clientSecret },
    domains: ['tallybridge.example', 'northwind-msp.example'],
    coversSecondStep: true,
    isRequired: true,
    breakGlass: null,
  } as const;

  test('log in at the provider of the configuration, beside the users of a client', async () => {
    await setUp(entra);
    Object.assign(app.config, { signIn });
    try {
      entra.accounts.set('operator', inEntra(people.sysadmin));
      const browser = new Browser();
      expect(
        await browser.call('POST', '/auth/login', { body: { username: people.sysadmin, password } }),
      ).toMatchObject({
        status: 403,
      });
      await browser.enter(await browser.signIn(entra, 'operator', people.sysadmin));
      expect((await browser.call('GET', '/api/clients')).status).toBe(200);
      // Acting as a client keeps how the session began.
      browser.token = tokenOf(await browser.call('POST', '/auth/masquerade', { body: { client_id: tenant.tenantId } }));
      await api.world.advance(61 * 60);
      expect(await browser.isIn()).toBe(false);

      setProviderClock();
      // A client's user cannot log in with the provider of the system administrators.
      expect(await new Browser().signIn(entra, 'betty', people.sysadmin)).toMatchObject({ status: 401 });
      const users = new Browser();
      expect((await users.enter(await users.signIn(entra, 'betty'))).status).toBe(200);

      maintenance = { since: clock.now(), message: '' };
      const resting = new Browser();
      await resting.enter(await resting.signIn(entra, 'operator', people.sysadmin));
      expect((await resting.call('GET', '/api/clients')).status).toBe(200);
      const refused = new Browser();
      const answer = await refused.enter(await refused.signIn(entra, 'betty'));
      expect([answer.status, answer.body?.['error']]).toEqual([503, 'maintenance']);
    } finally {
      maintenance = null;
      Object.assign(app.config, { signIn: null });
    }
  });
});
