import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SentMail } from '#core/ports/mailer.ts';
import { epochMs } from '#core/values/dates.ts';
import { newApi, password, people, tokenOf, type Answered, type TestApi } from '#test/support/api.ts';
import { eventually } from '#test/support/eventually.ts';

let api: TestApi;
let admin: string;
let foreign: string;
beforeAll(async () => {
  api = await newApi();
  [admin, foreign] = await Promise.all([api.signIn(people.admin), api.signIn(people.other)]);
});
afterAll(() => api.close());

const day = 86_400;
const unknownId = '00000000-0000-4000-8000-000000000000';
let counter = 0;
const newAddress = (): string => `guest${(counter += 1)}@example.com`;

const users = (method: string, path = '', body?: unknown, token = admin): Promise<Answered> =>
  api.call(method, `/api/my/users${path}`, { token, ...(body === undefined ? {} : { body }) });
const invite = (email: string, token = admin, name = 'Grace Hopper'): Promise<Answered> =>
  users('POST', '/invitations', { email, name }, token);
const accept = (token: string, to = password): Promise<Answered> =>
  api.call('POST', '/auth/accept-invitation', { body: { token, password: to } });
const login = (username: string): Promise<Answered> =>
  api.call('POST', '/auth/login', { body: { username, password } });
const idOf = ({ data }: Answered): string => (data['user'] as { id: string }).id;
const isIn = async (token: string): Promise<boolean> => (await api.call('GET', '/api/my', { token })).status === 200;

const mailsTo = (email: string): readonly SentMail[] =>
  (api.world.app.mailer.sent?.() ?? []).filter(({ to }) => to === email);
/** Waits for this many emails, which are sent after the response, and returns the newest. */
const arrived = (email: string, count = 1): Promise<SentMail> =>
  eventually(() => {
    const [newest] = mailsTo(email);
    expect(mailsTo(email)).toHaveLength(count);
    if (newest === undefined) throw new Error('no mail');
    return newest;
  });
const tokenIn = ({ text }: SentMail): string =>
  /^http:\/\/localhost:3000\/invitation\/([\w-]+)$/m.exec(text)?.[1] ?? '';

/** Invites a user, accepts, logs in, and returns the user's ID and token. */
async function join(): Promise<{ readonly id: string; readonly email: string; readonly token: string }> {
  const email = newAddress();
  await invite(email);
  await accept(tokenIn(await arrived(email)));
  const user = await api.world.app.store.findUser(email);
  return { id: user?.id ?? '', email, token: tokenOf(await login(email)) };
}
const audit = async (subject: string): Promise<readonly string[]> =>
  (await api.world.store.listAudit({ page: 1, pageSize: 200 })).events
    // Other tests check the login events.
    .filter((event) => event.subject === subject && !event.action.startsWith('sign_in.'))
    .map(({ action, actor }) => `${action} by ${actor.masquerader ?? actor.username}`);

describe('inviting', () => {
  test('lists the invitation and emails a link that creates the user', async () => {
    const email = newAddress();
    const answer = await invite(`  ${email.toUpperCase()} `, admin, '  Grace \n Hopper ');
    expect(answer.body).toMatchObject({
      success: true,
      message: `An invitation is on its way to ${email}.`,
      data: { user: { email, name: 'Grace Hopper', state: 'invited', invited_by: people.admin, is_you: false } },
    });
    const mail = await arrived(email);
    const token = tokenIn(mail);
    expect(token).toMatch(/^[\w-]{32}$/);
    expect(mail.subject).toBe('You are invited to “Northwind IT Services” on Tallybridge');
    expect(mail.text).toContain(people.admin);
    expect(mail.html).toContain(`href="http://localhost:3000/invitation/${token}"`);

    const read = await api.call('POST', '/auth/read-invitation', { body: { token } });
    expect(read.data).toEqual({ email, name: 'Grace Hopper', client: 'Northwind IT Services' });
    const weak = await accept(token, 'password');
    expect([weak.status, weak.body?.['error']]).toEqual([422, 'password_refused']);
    expect((await accept(token)).body).toEqual({ success: true, data: null });
    const signedIn = await login(email);
    expect(signedIn.status).toBe(200);
    const list = await users('GET', `?q=${email}`, undefined, tokenOf(signedIn));
    expect(list.data).toMatchObject({
      total: 1,
      users: [{ email, name: 'Grace Hopper', state: 'active', sessions: 1, is_you: true, invited_by: null }],
    });
    const again = await accept(token);
    expect([again.status, again.body?.['error']]).toEqual([400, 'link_expired']);
    expect(await audit(email)).toEqual([`user.joined by ${email}`, `user.invited by ${people.admin}`]);
  });

  test("answers the same for an unknown email, one with an account elsewhere, and a system administrator's", async () => {
    const newEmail = newAddress();
    const answers = [];
    for (const email of [newEmail, people.other, people.sysadmin]) {
      const { status, text } = await invite(email);
      const id = /"id":"([^"]+)"/.exec(text)?.[1] ?? '';
      const resent = await users('POST', `/invitations/${id}/resend`);
      const list = await users('GET', `?q=${email}`);
      const answerText = `${status} ${text} ${resent.status} ${resent.text} ${list.text}`;
      answers.push(answerText.replaceAll(email, 'ADDRESS').replaceAll(id, 'ID'));
    }
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(/^200 .*"state":"invited"/);
    expect(tokenIn(await arrived(newEmail, 2))).not.toBe('');
    for (const known of [people.other, people.sysadmin]) {
      const { text, html } = await arrived(known, 2);
      expect(text.replaceAll('\n', ' ')).toContain('an account belongs to one company');
      expect(`${text}${html}`).not.toContain('/invitation/');
    }
  });

  test('rejects invalid emails, missing names, and existing users', async () => {
    for (const [body, key] of [
      [{ email: 'nonsense', name: 'Ada' }, 'email'],
      [{ email: 'ada@example.com, eve@example.com', name: 'Ada' }, 'email'],
      [{ email: 'ada@example.com\r\nBcc: eve@example.com', name: 'Ada' }, 'email'],
      [{ email: 'ada@example.com', name: '  ' }, 'name'],
      [{ email: 'ada@example.com', name: 'x'.repeat(101) }, 'name'],
      [{}, 'email'],
    ] as const) {
      const answer = await users('POST', '/invitations', body);
      expect(answer.status).toBe(400);
      expect(answer.body?.['errors']).toContainEqual({ key, error: expect.any(String) });
    }
    const self = await invite(people.admin.toUpperCase());
    expect([self.status, self.body?.['error']]).toEqual([409, 'user_exists']);
    const email = newAddress();
    await invite(email);
    const twice = await invite(email);
    expect(twice.body).toMatchObject({ error: 'invited_already', errors: [{ key: 'email' }] });
  });

  test('resending replaces the link; withdrawing ends it', async () => {
    const email = newAddress();
    const id = idOf(await invite(email));
    const first = tokenIn(await arrived(email));
    await api.world.advance(8 * day);
    expect((await accept(first)).status, 'after its 7 days').toBe(400);
    admin = await api.signIn(people.admin);
    expect((await users('POST', `/invitations/${id}/resend`)).body).toMatchObject({ data: { user: { id, email } } });
    const second = tokenIn(await arrived(email, 2));
    expect((await api.call('POST', '/auth/read-invitation', { body: { token: first } })).status).toBe(400);
    expect((await api.call('POST', '/auth/read-invitation', { body: { token: second } })).status).toBe(200);
    expect((await users('DELETE', `/invitations/${id}`)).body).toEqual({ success: true, data: null });
    expect((await accept(second)).status).toBe(400);
    expect((await users('DELETE', `/invitations/${id}`)).status).toBe(404);
    expect((await audit(email)).map((line) => line.split(' ')[0])).toEqual([
      'user.invitation_withdrawn',
      'user.invited_again',
      'user.invited',
    ]);
  });

  test('creates the user for one of two parallel requests', async () => {
    const email = newAddress();
    await invite(email);
    const token = tokenIn(await arrived(email));
    const answers = await Promise.all(['Race-Horse-1', 'Race-Horse-2', 'Race-Horse-3'].map((to) => accept(token, to)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });

  test('reports when the email got an account elsewhere meanwhile', async () => {
    const email = newAddress();
    await invite(email);
    const token = tokenIn(await arrived(email));
    await invite(email, await api.signIn(people.other));
    await accept(tokenIn(await arrived(email, 2)));
    const late = await accept(token);
    expect([late.status, late.body?.['error']]).toEqual([409, 'username_taken']);
  });

  test('limits the emails to one mailbox', async () => {
    const id = idOf(await invite(newAddress()));
    const statuses = [];
    for (let attempt = 0; attempt < 4; attempt += 1)
      statuses.push((await users('POST', `/invitations/${id}/resend`)).status);
    expect(statuses).toEqual([200, 200, 429, 429]);
  });

  test('does not store the token in plain text', async () => {
    const email = newAddress();
    await invite(email);
    const token = tokenIn(await arrived(email));
    const storedText = JSON.stringify(await api.world.store.listPeople({ page: 1, pageSize: 200 }));
    expect(storedText).not.toContain(token);
    expect(await api.world.app.store.readInvitation(token, api.world.clock.now())).toBeNull();
  });
});

describe('a user', () => {
  test('who is deactivated is logged out at once and cannot return until reactivated', async () => {
    const { id, email, token } = await join();
    expect(await isIn(token)).toBe(true);
    const answer = await users('POST', `/${id}/deactivate`);
    expect(answer.data).toMatchObject({ user: { id, state: 'deactivated', sessions: 0 } });
    expect(await isIn(token)).toBe(false);
    expect((await login(email)).body).toMatchObject({ error: 'credentials_wrong' });
    expect((await users('POST', `/${id}/deactivate`)).body).toMatchObject({ error: 'not_active' });
    expect((await users('POST', `/${id}/reactivate`)).data).toMatchObject({ user: { state: 'active' } });
    expect(await isIn(token), 'the earlier session').toBe(false);
    expect((await login(email)).status).toBe(200);
    expect((await users('POST', `/${id}/reactivate`)).body).toMatchObject({ error: 'not_deactivated' });
    expect(await audit(email)).toEqual([
      `user.reactivated by ${people.admin}`,
      `user.deactivated by ${people.admin}`,
      `user.joined by ${email}`,
      `user.invited by ${people.admin}`,
    ]);
  });

  test('can be removed after deactivation and invited again', async () => {
    const { id, email } = await join();
    expect((await users('DELETE', `/${id}`)).body).toMatchObject({ error: 'not_deactivated' });
    await users('POST', `/${id}/deactivate`);
    expect((await invite(email)).body).toMatchObject({ error: 'user_exists' });
    expect((await users('DELETE', `/${id}`)).body).toEqual({ success: true, data: null });
    expect((await users('DELETE', `/${id}`)).status).toBe(404);
    expect((await users('GET', `?q=${email}`)).data).toEqual({ users: [], total: 0 });
    expect((await invite(email)).status).toBe(200);
  });

  test('shows two-step login only after its confirmation', async () => {
    const { email, token } = await join();
    const isOn = async () => {
      const { data } = await users('GET', `?q=${email}`);
      return (data['users'] as { has_second_factor: boolean }[]).map(({ has_second_factor: isSecured }) => isSecured);
    };
    const step = (name: string, body: object) => api.call('POST', `/api/my/second-factor/${name}`, { token, body });
    const { secret } = (await step('begin', { password })).data;
    expect(await isOn()).toEqual([false]);
    const app = new TOTP({ secret: Secret.fromBase32(String(secret)) });
    const code = app.generate({ timestamp: epochMs(api.world.clock.now()) });
    expect((await step('confirm', { code })).status).toBe(200);
    expect(await isOn()).toEqual([true]);
  });

  test('can be logged out everywhere by an administrator and log in again', async () => {
    const { id, email, token } = await join();
    expect((await users('POST', `/${id}/end-sessions`)).data).toMatchObject({ user: { state: 'active', sessions: 0 } });
    expect(await isIn(token)).toBe(false);
    expect((await login(email)).status).toBe(200);
    expect((await audit(email))[0]).toBe(`user.sessions_ended by ${people.admin}`);
  });

  test('cannot deactivate themselves or the last administrator', async () => {
    const ids = async (token: string) => {
      const { data } = await users('GET', '?state=active', undefined, token);
      return data['users'] as { id: string; email: string; is_you: boolean }[];
    };
    const [own] = (await ids(admin)).filter(({ is_you }) => is_you);
    expect(own?.email).toBe(people.admin);
    for (const verb of ['deactivate', 'end-sessions'])
      expect((await users('POST', `/${own?.id.toUpperCase()}/${verb}`)).body).toMatchObject({ error: 'own_account' });
    expect(await isIn(admin)).toBe(true);

    const sysadmin = await api.signIn(people.sysadmin);
    const body = { client_id: api.otherTenantId };
    const acting = tokenOf(await api.call('POST', '/auth/masquerade', { token: sysadmin, body }));
    const everybody = await ids(acting);
    const outcomes = [];
    for (const { id } of everybody) outcomes.push((await users('POST', `/${id}/deactivate`, undefined, acting)).status);
    expect(outcomes.filter((status) => status === 409)).toHaveLength(1);
    expect(await ids(acting)).toHaveLength(1);
    for (const { id } of everybody) await users('POST', `/${id}/reactivate`, undefined, acting);
  });

  test('is managed by a masquerading system administrator under their own name', async () => {
    const { id, email } = await join();
    const sysadmin = await api.signIn(people.sysadmin);
    const body = { client_id: api.world.tenant.tenantId };
    const acting = tokenOf(await api.call('POST', '/auth/masquerade', { token: sysadmin, body }));
    expect((await users('POST', `/${id}/deactivate`, undefined, acting)).status).toBe(200);
    expect((await audit(email))[0]).toBe(`user.deactivated by ${people.sysadmin}`);
    const guest = newAddress();
    expect((await invite(guest, acting)).status).toBe(200);
    expect((await arrived(guest)).text).toContain('A system administrator of Tallybridge invites you');
  });
});

describe('IDs of another client', () => {
  test('appear unknown and have no effect', async () => {
    foreign = await api.signIn(people.other);
    const { id, token } = await join();
    const invited = idOf(await invite(newAddress()));
    const calls = (target: string): readonly [string, string][] => [
      ['POST', `/${target}/deactivate`],
      ['POST', `/${target}/reactivate`],
      ['POST', `/${target}/end-sessions`],
      ['DELETE', `/${target}`],
      ['POST', `/invitations/${target}/resend`],
      ['DELETE', `/invitations/${target}`],
    ];
    for (const target of [id, invited])
      for (const [index, [method, path]] of calls(target).entries()) {
        const [, unknownPath = ''] = calls(unknownId)[index] ?? [];
        const [ours, unknown] = [
          await users(method, path, undefined, foreign),
          await users(method, unknownPath, undefined, foreign),
        ];
        expect([path, ours.status, ours.text]).toEqual([path, 404, unknown.text]);
      }
    expect(await isIn(token)).toBe(true);
    expect((await users('GET', '?state=invited')).text).toContain(invited);
    expect((await users('GET', `?q=${people.admin}`, undefined, foreign)).data).toEqual({ users: [], total: 0 });
  });

  test('all user calls require a client administrator', async () => {
    for (const who of [people.sysadmin, people.nobody]) {
      const token = await api.signIn(who);
      expect((await users('GET', '', undefined, token)).status).toBe(403);
      expect((await invite(newAddress(), token)).status).toBe(403);
    }
  });
});

describe('my sessions', () => {
  const mine = async (token: string) =>
    (await api.call('GET', '/api/my/sessions', { token })).data['sessions'] as {
      id: string;
      device: string;
      address: string;
      client: string | null;
      is_this: boolean;
    }[];

  test('are listed with their devices and end individually or all at once', async () => {
    const { email, token } = await join();
    const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const asFirefox = async () => {
      const body = { username: email, password };
      return tokenOf(await api.call('POST', '/auth/login', { body, headers: { 'user-agent': firefox } }));
    };
    const [second, third] = [await asFirefox(), await asFirefox()];
    const sessions = await mine(token);
    expect(sessions.map(({ device }) => device).sort()).toEqual([
      'A program (node)',
      'Firefox on Windows',
      'Firefox on Windows',
    ]);
    expect(sessions.filter(({ is_this: isThis }) => isThis)).toMatchObject([
      { device: 'A program (node)', address: '127.0.0.1', client: null },
    ]);
    const ofSecond = (await mine(second)).find(({ is_this: isThis }) => isThis)?.id ?? '';
    expect((await api.call('DELETE', `/api/my/sessions/${ofSecond}`, { token })).body).toEqual({
      success: true,
      data: null,
    });
    expect([await isIn(second), await isIn(third), await isIn(token)]).toEqual([false, true, true]);
    expect((await api.call('DELETE', `/api/my/sessions/${ofSecond}`, { token })).status, 'again').toBe(404);
    expect((await api.call('POST', '/api/my/sessions/end-others', { token })).data).toEqual({ ended: 1 });
    expect([await isIn(third), await isIn(token)]).toEqual([false, true]);
    expect((await audit(email)).slice(0, 2)).toEqual([`sessions.ended by ${email}`, `sessions.ended by ${email}`]);
    const [present] = await mine(token);
    expect((await api.call('DELETE', `/api/my/sessions/${present?.id}`, { token })).body).toMatchObject({
      error: 'this_session',
    });
  });

  test('exclude those of other users: a foreign ID appears unknown', async () => {
    const { token } = await join();
    const [theirs] = await mine(token);
    const [ours, unknown] = await Promise.all(
      [theirs?.id, unknownId].map((id) => api.call('DELETE', `/api/my/sessions/${id}`, { token: admin })),
    );
    expect([ours?.status, ours?.text]).toEqual([404, unknown?.text]);
    expect(await isIn(token)).toBe(true);
  });

  test('of a system administrator show the client they act as', async () => {
    const token = await api.signIn(people.sysadmin);
    const body = { client_id: api.world.tenant.tenantId };
    const acting = tokenOf(await api.call('POST', '/auth/masquerade', { token, body }));
    expect(await mine(acting)).toContainEqual(
      expect.objectContaining({ is_this: true, client: 'Northwind IT Services' }),
    );
    const { data } = await users('GET', '?state=active&page_size=200', undefined, acting);
    expect(JSON.stringify(data), 'not listed as a user of the client').not.toContain(people.sysadmin);
  });
});
