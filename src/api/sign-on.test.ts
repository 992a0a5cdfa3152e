import { decodeJwt } from 'jose';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { hostilePaths } from '#test/support/hostile-paths.ts';
import { cookiesOf, newApi, password, people, tokenOf, type Answered } from '#test/support/api.ts';

const link = { tenant_id: '777', resource_id: '21' };
const betty = 'betty.decker@northwind-msp.example';
const path = '/auth/autotask/authorize';

const api = await newApi();
const { app, tenant } = api.world;
const admin = await app.store.findUser(people.admin);
const add = (username: string, resourceId: number, isActive = true) =>
  app.store.addUser({
    username,
    passwordHash: admin?.passwordHash ?? '',
    roles: ['clientadmin'],
    tenantId: tenant.tenantId,
    isActive,
    psaLink: { databaseId: '777', resourceId },
  });
await add(betty, 21);
await add('gone@northwind-msp.example', 24, false);
afterAll(() => api.close());
beforeEach(() => api.world.advance(16 * 60));

/** A browser with its cookies. */
class Browser {
  readonly cookies = new Map<string, string>();

  async call(
    method: string,
    to: string,
    options: { body?: unknown; form?: Record<string, string>; site?: string } = {},
  ) {
    const { body, form, site = 'same-origin' } = options;
    const answer = await api.call(method, to, {
      ...(form === undefined ? {} : { body: new URLSearchParams(form).toString() }),
      ...(body === undefined ? {} : { body }),
      headers: {
        cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        'sec-fetch-site': site,
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
    });
    for (const pair of cookiesOf(answer).split('; ').filter(Boolean)) {
      const [name = '', value = ''] = pair.split('=', 2);
      this.cookies.set(name, value);
    }
    return answer;
  }

  login = (username: string) => this.call('POST', '/auth/login', { body: { username, password } });
  follow = (query: Record<string, string> = link) =>
    this.call('GET', `${path}?${new URLSearchParams(query).toString()}`);
  prove = (change: Record<string, string> = {}, site?: string) =>
    this.call('POST', path, {
      form: { ...link, username: betty, password, ...change },
      ...(site === undefined ? {} : { site }),
    });
  signOn = (token: string) => this.call('POST', '/auth/sso', { body: { token } });
}

/** Returns the code in the URL that the response redirects to. */
const codeOf = (answer: Answered): string =>
  new URL(answer.headers.get('location') ?? '', 'http://here').searchParams.get('kiss') ?? '';
const verify = (body: object) => api.call('POST', '/r1c/verify', { body });

describe('verify', () => {
  test('returns whether the user is known and the authorization URL', async () => {
    expect((await verify(link)).data).toEqual({
      known: true,
      authorize_url: `http://localhost:3000${path}?tenant_id=777&resource_id=21`,
    });
    for (const other of [
      { tenant_id: '777', resource_id: '22' },
      { tenant_id: '778', resource_id: '21' },
      { tenant_id: '777', resource_id: '24' },
      { tenant_id: "' or 1=1", resource_id: '21' },
      { tenant_id: '777', resource_id: '-21' },
      { tenant_id: '777', resource_id: '' },
    ])
      expect((await verify(other)).data).toMatchObject({ known: false });
    expect((await verify({ tenant_id: 777, resource_id: 21 })).data, 'numbers').toMatchObject({ known: true });
  });

  test('limits guesses of IDs', async () => {
    let status = 200;
    for (let id = 1; id < 200 && status === 200; id += 1)
      ({ status } = await verify({ tenant_id: '777', resource_id: id }));
    expect(status).toBe(429);
  });
});

describe('authentication', () => {
  test('by password redirects to the application, and the code logs in that user', async () => {
    const browser = new Browser();
    const page = await browser.follow({ ...link, referrer: '/logs?type=invoice' });
    expect([page.status, page.text.includes(betty)]).toEqual([200, false]);
    const back = await browser.prove({ referrer: '/logs?type=invoice' });
    expect(back.status).toBe(303);
    expect(back.headers.get('location')).toMatch(/^\/logs\?type=invoice&kiss=[\w-]{32}$/);
    const token = tokenOf(await browser.signOn(codeOf(back)));
    expect(decodeJwt(token)).toMatchObject({
      user: { username: betty },
      autotask_tenant_id: '777',
      autotask_resource_id: 21,
    });
  });

  test("fails the same way for a wrong password, another user's password, and unknown or inactive users", async () => {
    const pages = [
      await new Browser().prove({ password: 'wrong' }),
      await new Browser().prove({ username: people.admin }),
      await new Browser().prove({ resource_id: '22' }),
      await new Browser().prove({ tenant_id: '778' }),
      await new Browser().prove({ resource_id: 'x', tenant_id: '<script>' }),
      await new Browser().prove({ username: 'gone@northwind-msp.example', resource_id: '24' }),
    ];
    for (const { status, text, headers } of pages) {
      expect(status).toBe(401);
      expect(text).toContain('The user name or the password is not correct.');
      expect(text).not.toContain('<script>');
      expect(headers.get('location')).toBeNull();
    }
  });

  test('is skipped with a session of the same user in this browser only', async () => {
    const browser = new Browser();
    await browser.login(betty);
    const back = await browser.follow();
    expect([back.status, codeOf(back).length]).toEqual([303, 32]);
    expect((await browser.signOn(codeOf(back))).status).toBe(200);
    const other = new Browser();
    await other.login(people.admin);
    expect((await other.follow()).status).toBe(200);
  });

  test('by session does not extend it; by password does', async () => {
    const browser = new Browser();
    const expiryOf = (answer: Answered) => decodeJwt(tokenOf(answer)).exp ?? 0;
    const first = expiryOf(await browser.login(betty));
    for (let round = 0; round < 3; round += 1) {
      await api.world.advance(3_000);
      const signedOn = await browser.signOn(codeOf(await browser.follow()));
      expect(expiryOf(signedOn)).toBe(first);
    }
    const other = new Browser();
    const proved = await other.signOn(codeOf(await other.prove()));
    expect(expiryOf(proved)).toBeGreaterThan(first);
  });

  test('redirects into the application for any referrer', async () => {
    const browser = new Browser();
    await browser.login(betty);
    const origin = 'https://tally.example';
    for (const referrer of hostilePaths) {
      const location = (await browser.follow({ ...link, referrer })).headers.get('location') ?? '';
      expect([referrer, new URL(location, `${origin}/auth`).origin]).toEqual([referrer, origin]);
    }
  });

  test('of another user than the logged-in one asks first and ends that session', async () => {
    const browser = new Browser();
    const before = tokenOf(await browser.login(people.admin));
    const session = browser.cookies.get('tallybridge-session') ?? '';
    const asks = await browser.prove();
    expect(asks.status).toBe(200);
    expect(asks.text).toContain(`Continue as ${betty} of Northwind IT Services?`);
    expect(asks.text).toContain(`${people.admin} of Northwind IT Services is logged in`);
    const question = /name="question" value="([^"]+)"/.exec(asks.text)?.[1] ?? '';
    expect((await browser.signOn(question)).status, 'a question is not a code').toBe(401);

    const again = await browser.prove();
    const form = { question: /name="question" value="([^"]+)"/.exec(again.text)?.[1] ?? '' };
    expect((await new Browser().call('POST', path, { form })).status, 'in another browser').toBe(401);
    const third = await browser.prove();
    const back = await browser.call('POST', path, {
      form: { question: /name="question" value="([^"]+)"/.exec(third.text)?.[1] ?? '' },
    });
    expect(back.status).toBe(303);
    expect((await browser.signOn(codeOf(back))).status).toBe(200);
    const headers = { cookie: `tallybridge-session=${session}` };
    expect((await api.call('GET', '/api/my', { token: before, headers })).status).toBe(401);
  });

  test('is accepted only from our own page', async () => {
    expect((await new Browser().prove({}, 'cross-site')).status).toBe(403);
  });

  test('limits guesses like the login page', async () => {
    const browser = new Browser();
    let status = 401;
    for (let tries = 0; tries < 15 && status === 401; tries += 1)
      ({ status } = await browser.prove({ password: `guess ${tries}` }));
    expect(status).toBe(429);
  });
});

describe('the code', () => {
  test('is valid once, for a minute, in the same browser', async () => {
    const browser = new Browser();
    const first = codeOf(await browser.prove());
    const stolen = await new Browser().signOn(first);
    expect([stolen.status, stolen.body?.['error']]).toEqual([401, 'code_refused']);
    expect((await browser.signOn(first)).status, 'a stolen code is spent').toBe(401);

    const second = codeOf(await browser.prove());
    expect((await browser.signOn(second)).status).toBe(200);
    expect((await browser.signOn(second)).status).toBe(401);

    const third = codeOf(await browser.prove());
    await api.world.advance(60);
    expect((await browser.signOn(third)).status).toBe(401);
  });

  test('works for one of several parallel requests', async () => {
    const browser = new Browser();
    const code = codeOf(await browser.prove());
    const answers = await Promise.all([1, 2, 3, 4].map(() => browser.signOn(code)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 401, 401, 401]);
  });

  test('is not accepted elsewhere, and other tokens are not accepted as code', async () => {
    const browser = new Browser();
    const code = codeOf(await browser.prove());
    expect((await api.call('POST', '/auth/reset-password', { body: { token: code, password } })).status).toBe(400);
    for (const other of ['x', tokenOf(await browser.login(betty)).slice(0, 200)])
      expect((await browser.signOn(other)).status).toBe(401);
    expect((await api.call('POST', '/auth/sso', { body: {} })).body).toMatchObject({ message: 'Token not provided.' });
  });

  test.each([
    'https://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    '/x\\..\\evil',
    'javascript:alert(1)',
    '/ok\r\nSet-Cookie: a=b',
    '',
    'logs',
  ])('never redirects to another site: %j', async (referrer) => {
    const back = await new Browser().prove({ referrer });
    expect(back.headers.get('location')).toMatch(/^\/my\?kiss=/);
  });
});
