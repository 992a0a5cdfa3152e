import { afterAll, describe, expect, test, vi } from 'vitest';
import type { SentMail } from '#core/ports/mailer.ts';
import { hashOf } from '#flows/access/secrets.ts';
import { mailLane } from '#core/records/outbox.ts';
import { sendOutbox } from '#flows/outbox/send.ts';
import { newApi, password, people, type Answered } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';
import { newUser } from '#test/cases/sample-records.ts';

const api = await newApi();
afterAll(() => api.close());

const fresh = 'Another-Horse-10';
const forgot = (email: string, headers: Record<string, string> = {}) =>
  api.call('POST', '/auth/forgot-password', { body: { email }, headers });
const reset = (token: string, to: string): Promise<Answered> =>
  api.call('POST', '/auth/reset-password', { body: { token, password: to } });
const login = async (username: string, to: string): Promise<number> =>
  (await api.call('POST', '/auth/login', { body: { username, password: to } })).status;

const mailsTo = (username: string): readonly SentMail[] =>
  (api.world.app.mailer.sent?.() ?? []).filter(({ to }) => to === username);
/** Waits for this many emails, which are sent after the response. */
const arrived = (username: string, count: number): Promise<readonly SentMail[]> =>
  eventually(() => {
    const mails = mailsTo(username);
    expect(mails.length).toBeGreaterThanOrEqual(count);
    return mails;
  });
const tokenIn = (mail: SentMail | undefined): string =>
  /^http:\/\/localhost:3000\/password\/([\w-]+)$/m.exec(mail?.text ?? '')?.[1] ?? '';

/** Creates a separate user for each test, so that tests do not share counts and tokens. */
let counter = 0;
async function newPerson(isActive = true): Promise<{ readonly id: string; readonly username: string }> {
  const { app, tenant } = api.world;
  const admin = await app.store.findUser(people.admin);
  counter += 1;
  return app.store.addUser(
    newUser(`person${counter}@northwind-msp.example`, {
      passwordHash: admin?.passwordHash ?? '',
      tenantId: tenant.tenantId,
      isActive,
    }),
  );
}

/** Requests a link and returns its token. */
async function linkFor(username: string): Promise<string> {
  const tokens = () => mailsTo(username).map(tokenIn).filter(Boolean);
  const before = tokens();
  await forgot(username);
  return eventually(() => {
    const [newest = ''] = tokens();
    expect([...before, '']).not.toContain(newest);
    return newest;
  });
}

describe('forgot password', () => {
  test('answers the same for known, unknown, inactive, and invalid users, and emails only the known one', async () => {
    const known = await newPerson();
    const inactive = await newPerson(false);
    const answers = await Promise.all(
      [known.username, 'stranger@example.com', inactive.username, 'no address', ''].map((email) => forgot(email)),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject({ success: true, data: null, message: expect.any(String) });
    await arrived(known.username, 1);
    expect(mailsTo('stranger@example.com')).toEqual([]);
    expect(mailsTo(inactive.username)).toEqual([]);
  });

  test("links to the configured URL, ignoring the request's host", async () => {
    const { username } = await newPerson();
    await forgot(username, { 'x-forwarded-host': 'evil.example', host: 'evil' });
    const [mail] = await arrived(username, 1);
    expect(tokenIn(mail)).toMatch(/^[\w-]{32}$/);
    expect(`${mail?.text}${mail?.html}`).not.toContain('evil');
    expect(mail?.html).toContain(`href="http://localhost:3000/password/${tokenIn(mail)}"`);
  });

  test('ignores case and limits the emails to one mailbox', async () => {
    const { username } = await newPerson();
    for (let attempt = 0; attempt < 6; attempt += 1) expect((await forgot(username.toUpperCase())).status).toBe(200);
    await arrived(username, 3);
    const other = await newPerson();
    await linkFor(other.username);
    expect(mailsTo(username)).toHaveLength(3);
  });
});

describe('the link in the email', () => {
  test('sets the password once, ends every session, and emails the user', async () => {
    const { username } = await newPerson();
    const session = await api.signIn(username);
    const token = await linkFor(username);
    expect((await reset(token, fresh)).body).toEqual({ success: true, data: null });
    expect([await login(username, password), await login(username, fresh)]).toEqual([401, 200]);
    expect((await api.call('GET', '/api/my', { token: session })).status).toBe(401);
    const [changed] = await arrived(username, 2);
    expect(changed?.subject).toBe('Your password was changed');
    expect(`${changed?.text}${changed?.html}`).not.toContain(fresh);
    const again = await reset(token, 'Third-Horse-11');
    expect([again.status, again.body?.['error']]).toEqual([400, 'link_expired']);
    expect(await login(username, fresh)).toBe(200);
  });

  test('works for one of several parallel requests, whose password is set', async () => {
    const { username } = await newPerson();
    const token = await linkFor(username);
    const newPasswords = ['Race-Horse-1', 'Race-Horse-2', 'Race-Horse-3', 'Race-Horse-4'];
    const answers = await Promise.all(newPasswords.map((attempt) => reset(token, attempt)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 400, 400, 400]);
    const winner = newPasswords[answers.findIndex(({ status }) => status === 200)] ?? '';
    expect(await login(username, winner)).toBe(200);
  });

  test('expires after 30 minutes', async () => {
    const { username } = await newPerson();
    const early = await linkFor(username);
    await api.world.advance(30 * 60 - 1);
    expect((await reset(early, fresh)).status).toBe(200);
    const late = await linkFor(username);
    await api.world.advance(30 * 60);
    expect((await reset(late, 'Third-Horse-11')).status).toBe(400);
  });

  test('expires when a newer one is requested', async () => {
    const { username } = await newPerson();
    const older = await linkFor(username);
    const newer = await linkFor(username);
    expect((await reset(older, fresh)).status).toBe(400);
    expect((await reset(newer, fresh)).status).toBe(200);
  });

  test('remains valid after a password breaks a rule, which is named', async () => {
    const { username } = await newPerson();
    const token = await linkFor(username);
    for (const [weak, rule] of [
      ['short1A', 'Use 8 to 100 characters.'],
      ['Password1!', 'Do not use a common password.'],
      [username, 'Do not use your email address.'],
      ['x'.repeat(1_000), 'Use 8 to 100 characters.'],
    ] as const) {
      const answer = await reset(token, weak);
      expect([weak, answer.status, answer.body?.['error']]).toEqual([weak, 422, 'password_refused']);
      expect(answer.body?.['errors']).toMatchObject([{ key: 'password', error: expect.stringContaining(rule) }]);
    }
    expect((await reset(token, fresh)).status).toBe(200);
  });

  test('is stored only as a hash, and no other code is accepted', async () => {
    const { id, username } = await newPerson();
    const token = await linkFor(username);
    const now = api.world.clock.now();
    const stored = await api.world.app.store.findOneTimeToken(hashOf(token), 'reset_password', now);
    expect(stored).toMatchObject({ userId: id, hash: hashOf(token) });
    expect(JSON.stringify(stored)).not.toContain(token);
    expect(await api.world.app.store.findOneTimeToken(hashOf(token), 'sign_on', now)).toBeNull();
    for (const other of ['', 'x', hashOf(token), await api.signIn(username)])
      expect((await reset(other.slice(0, 200), fresh)).status).toBe(400);
  });

  test('does not work for a deactivated user', async () => {
    const deactivated = await newPerson(false);
    const token = 'a-token-that-was-mailed-before';
    await api.world.app.store.addOneTimeToken({
      hash: hashOf(token),
      purpose: 'reset_password',
      userId: deactivated.id,
      tenantId: null,
      data: {},
      endsAt: new Date(Date.parse(api.world.clock.now()) + 60_000).toISOString() as never,
    });
    expect((await reset(token, fresh)).status).toBe(400);
  });
});

describe('a forced reset', () => {
  test('ends sessions and password and emails a link', async () => {
    const { id, username } = await newPerson();
    const session = await api.signIn(username);
    const older = await linkFor(username);
    const sysadmin = await api.signIn(people.sysadmin);
    const answer = await api.call('POST', `/auth/force-password-reset/${id}`, { token: sysadmin });
    expect(answer.body).toEqual({ success: true, data: null });
    expect((await api.call('GET', '/api/my', { token: session })).status).toBe(401);
    expect(await login(username, password)).toBe(401);
    expect((await reset(older, fresh)).status).toBe(400);
    const [mail] = await arrived(username, 2);
    expect(mail?.subject).toBe('Please set a new password');
    expect((await reset(tokenIn(mail), fresh)).status).toBe(200);
    expect(await login(username, fresh)).toBe(200);
    const { events } = await api.world.store.listAudit({ page: 1, pageSize: 50 });
    const ours = events
      .filter(({ subject, action }) => subject === username && action.startsWith('password.'))
      .map(({ action, actor }) => [action, actor.username]);
    expect(ours).toEqual([
      ['password.changed', username],
      ['password.reset_forced', people.sysadmin],
    ]);
  });

  test('requires a system administrator and an existing user', async () => {
    const { id } = await newPerson();
    const admin = await api.signIn(people.admin);
    expect((await api.call('POST', `/auth/force-password-reset/${id}`, { token: admin })).status).toBe(403);
    const sysadmin = await api.signIn(people.sysadmin);
    for (const unknown of ['00000000-0000-4000-8000-000000000000', 'nonsense'])
      expect((await api.call('POST', `/auth/force-password-reset/${unknown}`, { token: sysadmin })).status).toBe(404);
  });
});

test('limits requests from one network address', async () => {
  let status = 200;
  for (let attempt = 0; attempt < 40 && status === 200; attempt += 1)
    ({ status } = await forgot('stranger@example.com'));
  expect(status).toBe(429);
  await api.world.advance(16 * 60);
  expect((await forgot('stranger@example.com')).status).toBe(200);
});

describe('the emails of a demo', () => {
  test('are listed newest first with links and escaped content', async () => {
    const { username } = await newPerson();
    const token = await linkFor(username);
    const list = await api.call('GET', '/demo/mails');
    expect(list.status).toBe(200);
    expect(list.text).toContain(`<a href="http://localhost:3000/password/${token}">`);
    expect(list.headers.get('content-security-policy')).toContain("script-src 'self'");
    const number = /\/demo\/mails\/(\d+)/.exec(list.text)?.[1] ?? '';
    expect((await api.call('GET', `/demo/mails/${number}`)).text).toContain(token);
    for (const other of ['0', '999', 'x']) expect((await api.call('GET', `/demo/mails/${other}`)).status).toBe(404);
  });

  test('do not exist in a deployment', async () => {
    const { buildServer } = await import('./server.ts');
    const { app } = api.world;
    const server = await buildServer({
      app: { ...app, config: { ...app.config, isDemo: false } },
      secretKey: 'a secret key that only the tests know',
      webFolder: null,
    });
    expect((await server.inject({ url: '/demo/mails' })).statusCode).toBe(404);
    await server.close();
  });
});

describe('when the mail server or the data folder refuses an email', () => {
  test('saves it encrypted, reports it to the operator, retries it, and deletes it after it is sent', async () => {
    const { app, clock, database } = api.world;
    const send = vi
      .spyOn(app.mailer, 'send')
      .mockRejectedValueOnce(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    const { username } = await newPerson();
    await forgot(username);
    const events = await eventually(async () => {
      const found = (await app.store.listDeploymentEvents(20)).filter(({ subject }) => subject === username);
      expect(found).toHaveLength(1);
      return found;
    });
    expect(events).toMatchObject([{ action: 'email.failed', detail: { tries: 1, reason: 'ENOSPC' } }]);
    const lost = send.mock.calls[0]?.[0];
    expect(lost?.to).toBe(username);
    const token = /password\/([\w-]+)/.exec(lost?.text ?? '')?.[1] ?? '';
    expect(token).not.toBe('');
    const saved = () => database.database.acrossTenants((tx) => tx.selectFrom('outbox').selectAll().execute());
    const [waiting, ...others] = (await saved()).filter(({ ended_at: endedAt }) => endedAt === null);
    expect(others).toEqual([]);
    expect(waiting?.content).toMatchObject({ sealed: expect.stringMatching(/^v1\./) });
    expect(JSON.stringify(waiting)).not.toContain(username);
    expect(JSON.stringify(waiting)).not.toContain(token);

    expect(await sendOutbox(app, mailLane), 'no retry yet').toBe(0);
    clock.advance(61);
    expect(await sendOutbox(app, mailLane)).toBe(1);
    expect(mailsTo(username).map(tokenIn)).toEqual([token]);
    expect(await reset(token, fresh)).toMatchObject({ status: 200 });
    expect((await saved()).find(({ id }) => id === waiting?.id)?.content).toBeNull();
  });
});
