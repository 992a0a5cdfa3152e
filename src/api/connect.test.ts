import { afterAll, describe, expect, test, vi } from 'vitest';
import { cookiesOf, newApi, password, people, tokenOf, type Answered } from '#test/support/api.ts';
import { mapping } from '#test/support/mappings.ts';

const api = await newApi();
const answer = await fetch(`${api.world.autotask.url}/__sandbox/credentials`);
const { users } = (await answer.json()) as { users: { userName: string; secret: string }[] };
const [first] = users;
if (first === undefined) throw new Error('no API user in the PSA');
const apiUser = first;
afterAll(() => api.close());

/** A user with a browser: a token and cookies. */
class Browser {
  readonly token: string;
  readonly cookies = new Map<string, string>();

  constructor(signedIn: Answered) {
    this.token = tokenOf(signedIn);
    this.keep(signedIn);
  }

  static async of(username: string): Promise<Browser> {
    const headers = { 'sec-fetch-site': 'same-origin' };
    return new Browser(await api.call('POST', '/auth/login', { body: { username, password }, headers }));
  }

  private keep(answer: Answered): void {
    for (const pair of cookiesOf(answer).split('; ').filter(Boolean)) {
      const [name = '', value = ''] = pair.split('=', 2);
      this.cookies.set(name, value);
    }
  }

  private get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  call(method: string, path: string, body?: unknown): Promise<Answered> {
    const headers = { cookie: this.cookie, 'sec-fetch-site': 'same-origin' };
    return api.call(method, path, { token: this.token, headers, ...(body === undefined ? {} : { body }) });
  }

  /** Follows a link. The browser sends cookies but no token, and no strict cookies if the link is on another site. */
  async open(path: string, fromAnotherSite = false): Promise<Answered> {
    const lax = [...this.cookies].filter(([name]) => name.endsWith('-consent'));
    const cookie = fromAnotherSite ? lax.map((pair) => pair.join('=')).join('; ') : this.cookie;
    const answer = await api.call('GET', path, { headers: { cookie } });
    this.keep(answer);
    return answer;
  }

  async send(path: string, form: Readonly<Record<string, string>>, site = 'same-origin'): Promise<Answered> {
    const answer = await api.call('POST', path, {
      body: new URLSearchParams(form).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie: this.cookie, 'sec-fetch-site': site },
    });
    this.keep(answer);
    return answer;
  }

  async ticket(service: 'autotask' | 'qbo', isConfirmed = false): Promise<string> {
    const body = { service, allow_different_company: isConfirmed };
    const { data } = await this.call('POST', '/auth/connect-ticket', body);
    return data['ticket'] as string;
  }

  /** Opens the QuickBooks consent page and returns the URL to which it redirects the browser. */
  async consent(decision: 'connect' | 'cancel' = 'connect', isConfirmed = false): Promise<string> {
    const begun = await this.open(`/connect/qbo?token=${await this.ticket('qbo', isConfirmed)}`);
    const page = begun.headers.get('location') ?? '';
    const html = await (await fetch(page)).text();
    const form = new URLSearchParams({ decision });
    for (const [, name = '', value = ''] of html.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g))
      form.set(name, value.replaceAll('&amp;', '&'));
    form.set('realm_id', /name="realm_id" value="(\d+)"/.exec(html)?.[1] ?? '');
    const action = /<form method="post" action="([^"]+)"/.exec(html)?.[1] ?? '';
    const url = new URL(action.replaceAll('&amp;', '&'), page);
    const answer = await fetch(url, { method: 'POST', body: form, redirect: 'manual' });
    const back = new URL(answer.headers.get('location') ?? '');
    expect(back.origin).toBe('http://localhost:3000');
    return `${back.pathname}${back.search}`;
  }

  async connectAccounting(isConfirmed = false): Promise<string | null> {
    return (await this.open(await this.consent('connect', isConfirmed))).headers.get('location');
  }
}

const formOf = (page: Answered): string => /name="form" value="([^"]+)"/.exec(page.text)?.[1] ?? '';

/** Opens and fills in the form for the API user. */
async function fillIn(browser: Browser, secret = apiUser.secret, more: Readonly<Record<string, string>> = {}) {
  const page = await browser.open(
    `/connect/autotask?token=${await browser.ticket('autotask')}&tenant_id=1&resource_id=2`,
  );
  expect(page.status).toBe(200);
  const form = { form: formOf(page), api_user: apiUser.userName, api_secret: secret, ...more };
  return { form, answer: await browser.send('/connect/autotask', form) };
}

const connections = async (browser: Browser) => (await browser.call('GET', '/api/my')).data['connections'];

test('rejects a company connected to another client and changes neither', async () => {
  const browser = await Browser.of(people.other);
  const { answer } = await fillIn(browser);
  expect(answer.status).toBe(422);
  expect(answer.text).toContain('is connected to another subscription already');
  expect(await browser.connectAccounting()).toBe('/connections?reload=qbo&error=company_taken');
  expect(await connections(browser)).toMatchObject([{ status: 'inactive' }, { status: 'inactive' }]);
  const owner = await Browser.of(people.admin);
  expect((await owner.call('PUT', '/api/my/connections/qbo/test')).data).toMatchObject({ is_connected: true });
});

test("compares a QuickBooks company with the client's own; only a system administrator sees its owner", async () => {
  const { store, tenantId } = api.world.tenant;
  const connections = await store.listConnections();
  const realmId = connections.find(({ service }) => service === 'accounting')?.externalId ?? '';
  const find = async (username: string, id: string) => {
    const answer = await api.call('GET', `/api/qbo/companies/${id}`, { token: await api.signIn(username) });
    return answer.data;
  };
  expect(await find(people.admin, realmId)).toEqual({ company: 'yours', client: null });
  expect(await find(people.admin, '999999')).toEqual({ company: 'other', client: null });
  for (const id of [realmId, '999999']) expect(await find(people.other, id)).toEqual({ company: 'none', client: null });
  const { name } = await store.readTenant();
  expect(await find(people.sysadmin, realmId)).toEqual({ company: 'other', client: { id: tenantId, name } });
  expect(await find(people.sysadmin, '999999')).toEqual({ company: 'none', client: null });
  expect((await api.call('GET', `/api/qbo/companies/${realmId}`)).status).toBe(401);
});

describe('a connection test', () => {
  test('shows the company or the reason of a failure', async () => {
    const browser = await Browser.of(people.admin);
    for (const service of ['autotask', 'qbo'])
      expect((await browser.call('PUT', `/api/my/connections/${service}/test`)).data).toEqual({
        is_connected: true,
        message: expect.stringContaining('Connected to '),
        error: null,
      });
    expect((await browser.call('PUT', '/api/my/connections/xero/test')).status).toBe(404);
    const outsider = await Browser.of(people.other);
    expect((await outsider.call('PUT', '/api/my/connections/qbo/test')).data).toMatchObject({
      is_connected: false,
      error: 'not_connected',
    });
  });

  test('keeps the connection when the service is unavailable', async () => {
    await api.world.quickbooks.fault({ match: { path: 'companyinfo' }, action: { status: 503 } });
    const browser = await Browser.of(people.admin);
    const { data } = await browser.call('PUT', '/api/my/connections/qbo/test');
    expect(data).toMatchObject({
      is_connected: false,
      message: expect.stringMatching(/^QuickBooks .*\. Try again later\.$/),
    });
    await api.world.quickbooks.clearFaults();
    expect(await connections(browser)).toMatchObject([{}, { service: 'qbo', status: 'active' }]);
  });

  test('reports withdrawn consent until the user reconnects', async () => {
    await fetch(`${api.world.quickbooks.url}/__sandbox/revoke`, { method: 'POST' });
    const browser = await Browser.of(people.admin);
    expect((await browser.call('PUT', '/api/my/connections/qbo/test')).data).toMatchObject({
      is_connected: false,
      message: 'QuickBooks Online needs to be reconnected.',
    });
    expect(await connections(browser)).toMatchObject([
      {},
      { status: 'inactive', problem: 'QuickBooks Online needs to be reconnected.' },
    ]);
    expect(await browser.connectAccounting()).toBe('/connections?reload=qbo');
    expect(await connections(browser)).toMatchObject([{}, { status: 'active', problem: null }]);
  });
});

describe('disconnecting', () => {
  test('revokes access, deletes secrets and lists, and can be repeated', async () => {
    const browser = await Browser.of(people.admin);
    await browser.call('GET', '/api/my/qbo');
    for (const path of ['/api/my/qbo/disconnect/', '/api/my/autotask/disconnect/', '/api/my/qbo/disconnect'])
      expect([path, (await browser.call('PUT', path)).body]).toEqual([path, { success: true, data: null }]);
    const { store } = api.world;
    expect(await store.readPsaCredentials()).toBeNull();
    expect(await store.readAccountingCredentials()).toBeNull();
    expect(await store.readCached('accounting.raw-accounts.v1')).toBeNull();
    expect((await api.world.quickbooks.journal()).some((entry) => entry.path.includes('revoke'))).toBe(true);
    expect(await connections(browser)).toMatchObject([{ status: 'inactive' }, { status: 'inactive' }]);
    expect((await browser.call('GET', '/api/my/qbo/accounts')).status).toBe(409);
  });
});

describe('connecting the PSA', () => {
  test('tests the API user, shows the form again after an error, and accepts each form once', async () => {
    const browser = await Browser.of(people.other);
    const { form, answer } = await fillIn(browser, 'wrong<script>');
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('did not accept this user name and secret');
    expect(answer.text).not.toContain('wrong<script>');
    expect(answer.text).not.toMatch(/<script/);

    const spent = await browser.send('/connect/autotask', { ...form, api_secret: apiUser.secret });
    expect(spent.headers.get('location')).toMatch(/^\/autotask-error\?message=.*error=link_expired$/);

    const right = await browser.send('/connect/autotask', {
      ...form,
      form: formOf(answer),
      api_secret: apiUser.secret,
    });
    expect([right.status, right.headers.get('location')]).toEqual([303, '/connections?reload=autotask']);
    expect(await connections(browser)).toMatchObject([
      { service: 'autotask', status: 'active', user: apiUser.userName, name: expect.stringMatching(/./) },
      { status: 'inactive' },
    ]);
  });

  test('accepts the form only from the browser and page that opened it', async () => {
    const browser = await Browser.of(people.other);
    const page = await browser.open(`/connect/autotask?token=${await browser.ticket('autotask')}`);
    const form = { form: formOf(page), api_user: 'a', api_secret: 'b' };
    const elsewhere = await (await Browser.of(people.other)).send('/connect/autotask', form);
    expect(elsewhere.headers.get('location')).toContain('error=wrong_browser');
    const foreign = await browser.send('/connect/autotask', form, 'cross-site');
    expect(foreign.headers.get('location')).toContain('error=wrong_browser');
  });

  test('asks for confirmation of another database', async () => {
    const { store } = api.world.app.forTenant(api.otherTenantId);
    const [before] = (await store.listConnections()).filter((one) => one.service === 'psa');
    if (before === undefined) throw new Error('not connected');
    const credentials = { userName: apiUser.userName, secret: apiUser.secret };
    await store.saveConnection({ ...before, name: 'Former MSP', externalId: 'another' }, credentials);
    await store.saveMappings([mapping('Customer', '1', '58')]);

    const browser = await Browser.of(people.other);
    const { answer, form } = await fillIn(browser);
    expect(answer.status).toBe(422);
    expect(answer.text).toContain('different company than “Former MSP”');
    expect(await store.listMappings()).toHaveLength(1);
    const confirmed = await browser.send('/connect/autotask', { ...form, form: formOf(answer), confirm: 'yes' });
    expect(confirmed.headers.get('location')).toBe('/connections?reload=autotask');
    expect(await store.listMappings()).toHaveLength(0);
  });
});

describe('connecting QuickBooks', () => {
  test('uses the consent page and activates the subscription once the settings are valid', async () => {
    const browser = await Browser.of(people.other);
    const begun = await browser.open(`/connect/qbo?token=${await browser.ticket('qbo')}`);
    const consentPage = new URL(begun.headers.get('location') ?? '');
    expect(consentPage.searchParams.get('code_challenge_method')).toBe('S256');
    expect(consentPage.searchParams.get('redirect_uri')).toBe('http://localhost:3000/connect/qbo/callback');
    expect(begun.headers.getSetCookie().join()).toMatch(/tallybridge-consent=.*HttpOnly.*SameSite=Lax/);

    expect(await browser.connectAccounting()).toBe('/connections?reload=qbo');
    expect((await browser.call('GET', '/api/my')).data).toMatchObject({
      status: 'pending',
      settings_valid: false,
      connections: [{ status: 'active' }, { service: 'qbo', status: 'active', user: people.other }],
    });
    expect((await browser.call('POST', '/api/my/settings/', { inv_default_income_account: '2' })).status).toBe(200);
    expect((await browser.call('GET', '/api/my')).data).toMatchObject({ status: 'active', settings_valid: true });
  });

  test('accepts a state once, in the same browser, and before it expires', async () => {
    const browser = await Browser.of(people.other);
    const back = await browser.consent();
    const outsider = await Browser.of(people.other);
    expect((await outsider.open(back)).headers.get('location')).toBe('/connections?reload=qbo&error=wrong_browser');
    expect((await browser.open(back)).headers.get('location')).toBe('/connections?reload=qbo&error=link_expired');
    const forged = await browser.open('/connect/qbo/callback?state=abc&code=def&realmId=123');
    expect(forged.headers.get('location')).toBe('/connections?reload=qbo&error=link_expired');
    const late = await browser.consent();
    await api.world.advance(901);
    expect((await browser.open(late)).headers.get('location')).toBe('/connections?reload=qbo&error=link_expired');
  });

  test('changes nothing when consent is refused', async () => {
    const browser = await Browser.of(people.other);
    const back = await browser.open(await browser.consent('cancel'));
    expect(back.headers.get('location')).toBe('/connections?reload=qbo&error=consent_refused');
    expect(await connections(browser)).toMatchObject([{}, { status: 'active' }]);
  });

  test('asks for confirmation of another company', async () => {
    const { store } = api.world.app.forTenant(api.otherTenantId);
    const [before] = (await store.listConnections()).filter((one) => one.service === 'accounting');
    const credentials = await store.readAccountingCredentials();
    if (before === undefined || credentials === null) throw new Error('not connected');
    await store.saveConnection({ ...before, externalId: '999' }, credentials);
    const browser = await Browser.of(people.other);
    expect(await browser.connectAccounting()).toBe('/connections?reload=qbo&error=different_company');
    expect(await browser.connectAccounting(true)).toBe('/connections?reload=qbo');
    expect((await browser.call('GET', '/api/my/settings')).data['settings']).toMatchObject({
      inv_default_income_account: null,
    });
  });
});

describe('the ticket of a link', () => {
  test('is valid once, for its service, in its browser, for a minute', async () => {
    const browser = await Browser.of(people.other);
    const expired = '/connections?reload=qbo&error=link_expired';
    const follow = async (ticket: string, by = browser) =>
      (await by.open(`/connect/qbo?token=${ticket}`)).headers.get('location');

    const ticket = await browser.ticket('qbo');
    expect(await follow(ticket)).toMatch(/^http/);
    expect(await follow(ticket)).toBe(expired);
    expect(await follow(await browser.ticket('autotask')), 'for the other service').toBe(expired);
    expect(await follow(await browser.ticket('qbo'), await Browser.of(people.other))).toContain('error=wrong_browser');
    expect(await follow(browser.token), 'a session token').toBe(expired);
    expect((await browser.open('/connect/qbo')).headers.get('location'), 'no ticket').toBe(expired);
    const late = await browser.ticket('qbo');
    await api.world.advance(61);
    expect(await follow(late)).toBe(expired);
  });

  test('works for one of several parallel requests', async () => {
    const browser = await Browser.of(people.other);
    const ticket = await browser.ticket('qbo');
    const answers = await Promise.all([1, 2, 3].map(() => browser.open(`/connect/qbo?token=${ticket}`)));
    const begun = answers.filter(({ headers }) => headers.get('location')?.startsWith('http'));
    expect(begun).toHaveLength(1);
  });
});

describe('a connection belongs to the session that started it', () => {
  const refused = ['/connections?reload=qbo&error=', '/autotask-error?message='];
  const placeOf = (answer: Answered): string => answer.headers.get('location') ?? `${answer.status}`;

  test("rejects a ticket in another user's browser", async () => {
    const token = await api.signIn(people.other);
    const victim = await Browser.of(people.admin);
    const outsider = await Browser.of(people.admin);
    outsider.cookies.clear();
    for (const browser of [victim, outsider])
      for (const service of ['qbo', 'autotask']) {
        const { data } = await api.call('POST', '/auth/connect-ticket', { token, body: { service } });
        const place = placeOf(await browser.open(`/connect/${service}?token=${String(data['ticket'])}`));
        expect(
          refused.some((begin) => place.startsWith(begin)),
          place,
        ).toBe(true);
        expect(place).toContain('error=wrong_browser');
      }
  });

  test('accepts a program that stores its session cookie', async () => {
    const signedIn = await api.call('POST', '/auth/login', { body: { username: people.other, password } });
    const program = new Browser(signedIn);
    expect(await program.connectAccounting()).toBe('/connections?reload=qbo');
  });

  test('rejects the redirect from the consent page in another session, even of the same user', async () => {
    const browser = await Browser.of(people.other);
    const back = await browser.consent();
    const again = await Browser.of(people.other);
    browser.cookies.set('tallybridge-session', again.cookies.get('tallybridge-session') ?? '');
    expect(placeOf(await browser.open(back))).toBe('/connections?reload=qbo&error=wrong_browser');
  });

  test('repeats the redirect from our own page when the cookie was missing', async () => {
    const browser = await Browser.of(people.other);
    const back = await browser.consent();
    const page = await browser.open(back, true);
    expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const onward = /<meta http-equiv="refresh" content="0; url=([^"]+)">/
      .exec(page.text)?.[1]
      ?.replaceAll('&amp;', '&');
    const parts = (path = '') => [...new URL(path, api.url).searchParams].map((pair) => pair.join('=')).sort();
    expect(parts(onward)).toEqual(parts(`${back}&again=1`));
    expect(placeOf(await browser.open(onward ?? ''))).toBe('/connections?reload=qbo');
    const without = await Browser.of(people.other);
    const alone = await without.consent();
    without.cookies.delete('tallybridge-session');
    expect(placeOf(await without.open(`${alone}&again=1`))).toBe('/connections?reload=qbo&error=wrong_browser');
  });

  const endings = {
    'the session': ['session_ended', async (browser: Browser) => void (await browser.call('POST', '/auth/logout'))],
    'a new password': [
      'link_expired',
      async () => {
        const { store } = api.world.app;
        const user = await store.findUser(people.other);
        await store.setPassword(user?.id ?? '', user?.passwordHash ?? '', api.world.clock.now());
      },
    ],
    'the suspension': [
      'subscription_suspended',
      async () => api.world.app.forTenant(api.otherTenantId).store.setStatus('suspended'),
    ],
    'the cancellation': [
      'subscription_suspended',
      async () => api.world.app.forTenant(api.otherTenantId).store.setStatus('cancelled'),
    ],
  } as const;

  test.each(Object.entries(endings))('ends every step after %s', async (_what, [error, end]) => {
    const { store } = api.world.app.forTenant(api.otherTenantId);
    const ticket = await Browser.of(people.other);
    const tickets = { qbo: await ticket.ticket('qbo'), autotask: await ticket.ticket('autotask') };
    const consent = await Browser.of(people.other);
    const back = await consent.consent();
    const filling = await Browser.of(people.other);
    const page = await filling.open(`/connect/autotask?token=${await filling.ticket('autotask')}`);
    for (const browser of [ticket, consent, filling]) await end(browser);
    const before = await store.listConnections();
    try {
      const form = { form: formOf(page), api_user: apiUser.userName, api_secret: apiUser.secret };
      const answers = [
        await ticket.open(`/connect/qbo?token=${tickets.qbo}`),
        await ticket.open(`/connect/autotask?token=${tickets.autotask}`),
        await consent.open(back),
        await filling.send('/connect/autotask', form),
      ];
      for (const answer of answers) expect(placeOf(answer)).toContain(`error=${error}`);
      expect(await store.listConnections()).toEqual(before);
    } finally {
      await store.setStatus('pending');
    }
  });

  test('connects nothing when the subscription is suspended before the service responds', async () => {
    const browser = await Browser.of(people.other);
    const { store } = api.world.app.forTenant(api.otherTenantId);
    const back = await browser.consent();
    await api.world.quickbooks.fault({ match: { path: 'companyinfo' }, action: { delay_ms: 300 } });
    const answer = browser.open(back);
    await vi.waitUntil(async () =>
      (await api.world.quickbooks.journal()).some(({ path }) => path.includes('companyinfo')),
    );
    const before = await store.listConnections();
    await store.setStatus('suspended');
    try {
      expect(placeOf(await answer)).toBe('/connections?reload=qbo&error=subscription_suspended');
      expect(await store.listConnections()).toEqual(before);
    } finally {
      await store.setStatus('pending');
      await api.world.quickbooks.clearFaults();
    }
  });

  test("shows the client's name on the form", async () => {
    const browser = await Browser.of(people.other);
    const page = await browser.open(`/connect/autotask?token=${await browser.ticket('autotask')}`);
    expect(page.text).toContain('For <strong>Contoso MSP</strong>');
  });
});

test("limits guesses of another company's API user across all forms", async () => {
  await api.world.advance(16 * 60);
  const browser = await Browser.of(people.other);
  const victim = { api_user: 'someone-elses@msp.example', api_secret: 'a guess' };
  const guess = () => api.call('POST', '/register/validate-autotask-access', { body: victim });
  expect((await guess()).status).toBe(422);
  const tries = async () => {
    const page = await browser.open(`/connect/autotask?token=${await browser.ticket('autotask')}`);
    return browser.send('/connect/autotask', { form: formOf(page), ...victim });
  };
  const countCalls = async () =>
    (await api.world.autotask.journal()).filter(({ path }) => path.includes('zoneinformation')).length;
  for (let count = 0; count < 3; count += 1) expect((await tries()).text).toContain('did not accept');
  const before = await countCalls();
  expect((await tries()).text).toContain('Too many tries. Please try again in 15 minutes.');
  expect((await guess()).status).toBe(429);
  expect(await countCalls()).toBe(before);
});
