import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createHmac } from 'node:crypto';
import { sessionKeys } from './session-keys.ts';
import { renderMail } from '#flows/mail/template.ts';
import { invitationMail } from '#flows/mail/invitation-mails.ts';
import { plainName } from '#flows/mail/names.ts';
import { cookiesOf, newApi, password, people, tokenOf, type TestApi } from '#test/support/api.ts';
import { asOwner, testSecretKey } from '#test/support/database.ts';
import { eventually } from '#test/support/eventually.ts';

const api = await newApi();
const answer = await fetch(`${api.world.autotask.url}/__sandbox/credentials`);
const { users } = (await answer.json()) as { users: { userName: string; secret: string }[] };
const access = { api_user: users[0]?.userName ?? '', api_secret: users[0]?.secret ?? '' };
afterAll(() => api.close());
beforeEach(() => api.world.advance(16 * 60));

const control = async (method: string, path: string, body: object) =>
  (
    await fetch(`${api.world.autotask.url}/__sandbox${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).json() as Promise<{ item?: { id: number } }>;

/** Registers an account for a new PSA resource. Users can enter any email address in their own PSA. */
let count = 0;
async function register(email: string): Promise<Awaited<ReturnType<TestApi['call']>>> {
  for (const tenant of await api.world.app.store.listTenants()) {
    await api.world.app.store.forTenant(tenant.id).removeCredentials('psa');
    await api.world.app.store.forTenant(tenant.id).setStatus('cancelled');
  }
  count += 1;
  const person = { firstName: 'Eve', lastName: `Mallory${count}`, email };
  await control('POST', '/entities/Resources', { ...person, isActive: true });
  return api.call('POST', '/register/complete-registration', {
    body: {
      ...access,
      first_name: person.firstName,
      last_name: person.lastName,
      email,
      company: { id: 0, companyName: 'x' },
      password: 'Betty-Horse-12',
    },
  });
}
const logIn = (username: string, given = 'Betty-Horse-12', headers = {}) =>
  api.call('POST', '/auth/login', { body: { username, password: given }, headers });
const mailsTo = (username: string) => (api.world.app.mailer.sent?.() ?? []).filter(({ to }) => to === username);
const linkOf = async (username: string): Promise<string> => {
  await eventually(() => expect(mailsTo(username)[0]?.text).toContain('/auth/confirm-email?token='));
  return /\/auth\/confirm-email\?token=([\w-]+)/.exec(mailsTo(username)[0]?.text ?? '')?.[1] ?? '';
};
const confirm = (token: string, site = 'same-origin') =>
  api.call('POST', '/auth/confirm-email', {
    body: new URLSearchParams({ token }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': site },
  });

describe('an email address at registration', () => {
  test.each([
    'victim@northwind-msp.example, eve@evil.example',
    'victim@northwind-msp.example;eve@evil.example',
    'Victim <victim@northwind-msp.example>',
    'victim northwind-msp.example',
    'd41d8cd9 admin@northwind-msp.example',
    'victim@northwind-msp.example eve@evil.example',
  ])('is exactly one address: %s', async (email) => {
    const answer = await register(email);
    expect([answer.status, answer.body?.['error']]).toEqual([422, 'registration_refused']);
    expect(await api.world.app.store.findUser(email)).toBeNull();
  });

  test('must be verified; until then setup works and nothing reaches others', async () => {
    const email = 'eve.first@northwind-msp.example';
    expect((await register(email)).status).toBe(200);
    const token = tokenOf(await logIn(email));
    expect((await api.call('GET', '/auth/account', { token })).data).toEqual({ username: email, email_proved: false });
    expect((await api.call('GET', '/api/my', { token })).data).toMatchObject({ status: 'pending' });
    const ticket = await api.call('POST', '/auth/connect-ticket', { token, body: { service: 'qbo' } });
    expect(ticket.status).toBe(200);
    const refused = async (path: string, body: object) => {
      const answer = await api.call('POST', path, { token, body });
      return [answer.status, answer.body?.['error']];
    };
    const unproved = [409, 'email_unproved'];
    expect(await refused('/api/my/invoices/sync/submit', { mode: 'live', invoice_ids: [48_213] })).toEqual(unproved);
    expect(await refused('/api/my/invoices/sync/submit/all', { mode: 'live' })).toEqual(unproved);
    expect(await refused('/api/my/users/invitations', { email: 'a@b.example', name: 'A' })).toEqual(unproved);
    expect(await refused('/api/my/invoices/sync/submit/all', { mode: 'test' })).not.toEqual(unproved);

    const link = await linkOf(email);
    // Mail filters open links automatically, so opening the link must not verify the address.
    const page = await api.call('GET', `/auth/confirm-email?token=${link}`);
    expect([page.status, page.text.includes('Confirm your email address')]).toEqual([200, true]);
    expect((await confirm(link, 'cross-site')).status).toBe(403);
    expect((await api.call('GET', '/auth/account', { token })).data).toMatchObject({ email_proved: false });
    expect((await confirm(link)).text).toContain('Your address is confirmed');
    expect((await confirm(link)).text).toContain('has expired or was used already');
    expect((await api.call('GET', '/auth/account', { token })).data).toMatchObject({ email_proved: true });
    expect((await refused('/api/my/users/invitations', { email: 'a@b.example', name: 'A' }))[0]).toBe(200);
  });

  test('that is unverified activates nothing, gets no password link, and yields to its verified owner', async () => {
    const email = 'eve.second@northwind-msp.example';
    await register(email);
    const user = await api.world.app.store.findUser(email);
    const claimed = api.world.app.forTenant(user?.tenantId ?? '');
    expect(await claimed.store.awaitsProof()).toBe(true);
    await linkOf(email);
    await api.call('POST', '/auth/forgot-password', { body: { email } });
    await eventually(() => expect(mailsTo(email).length).toBe(2));
    expect(mailsTo(email).some(({ text }) => text.includes('/password/'))).toBe(false);
    expect(mailsTo(email).filter(({ text }) => text.includes('/forgot-password'))).toHaveLength(1);

    const ours = api.world.tenant;
    await ours.store.setStatus('pending');
    const inviter = await api.signIn(people.admin);
    const body = { email, name: 'Owner' };
    expect((await api.call('POST', '/api/my/users/invitations', { token: inviter, body })).status).toBe(200);
    await eventually(() => expect(mailsTo(email).some(({ text }) => text.includes('/invitation/'))).toBe(true));
    const mail = mailsTo(email).find(({ text }) => text.includes('/invitation/'));
    const token = /\/invitation\/([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? '';
    const accepted = await api.call('POST', '/auth/accept-invitation', {
      body: { token, password: 'Quite-Another-9' },
    });
    expect(accepted.status).toBe(200);
    expect((await logIn(email)).status).toBe(401);
    expect((await logIn(email, 'Quite-Another-9')).status).toBe(200);
    expect((await api.world.app.store.findUser(email))?.tenantId).toBe(ours.tenantId);
    expect((await api.world.app.store.findTenant(claimed.tenantId))?.status).toBe('cancelled');
  });

  test('of invited and verified users is verified, and a new link is only for unverified ones', async () => {
    const token = await api.signIn(people.admin);
    const again = await api.call('POST', '/auth/mail-email-proof', { token });
    expect([again.status, again.body?.['error']]).toEqual([409, 'email_proved']);
  });
});

describe('the cookie of a known browser', () => {
  test('belongs to one account, is signed with a separator and a separate key', async () => {
    const headers = { 'sec-fetch-site': 'same-origin' };
    const cookie = cookiesOf(await logIn(people.admin, password, headers));
    const [, device = '', mark = ''] = /tallybridge-device=([\w-]+)\.([\w-]+)/.exec(cookie) ?? [];
    const [key] = sessionKeys(testSecretKey);
    const made = (parts: string, secret: Uint8Array) => createHmac('sha256', secret).update(parts).digest('base64url');
    expect(mark).toBe(made(JSON.stringify([device, people.admin]), key.deviceSecret));
    // A different split of the same text, or the token key, must give a different signature.
    expect(made(JSON.stringify([`${device} x`, people.admin]), key.deviceSecret)).not.toBe(
      made(JSON.stringify([device, `x ${people.admin}`]), key.deviceSecret),
    );
    expect(Buffer.from(key.secret)).not.toEqual(Buffer.from(key.deviceSecret));
  });
});

describe('an email', () => {
  test('goes to one address', () => {
    expect(() => renderMail({ to: 'a@x.example, b@y.example', subject: 's', paragraphs: [] }, 'http://x')).toThrow(
      'a mail goes to one address',
    );
  });

  test.each([
    ['Northwind IT Services', '“Northwind IT Services”'],
    ['A. Miller Ltd.', '“A. Miller Ltd.”'],
    ['Your account at https://evil.example/login was closed', '“Your account at https evil. example login was closed”'],
    ['Tallybridge\r\nBcc: all@evil.example', '“Tallybridge Bcc all evil. example”'],
    ['\u202egnp.exe', '“gnp. exe”'],
    ['x'.repeat(500), `“${'x'.repeat(59)}…”`],
    [' \u0000 ', 'a company'],
  ])('quotes a company name without links: %j', (name, quoted) => {
    expect(plainName(name)).toBe(quoted);
    const mail = invitationMail(
      { to: 'a@b.example', client: name, inviter: 'c@d.example', psa: 'Autotask', appUrl: 'http://x' },
      'http://x/l',
      7,
    );
    expect(mail.subject).toBe(`You are invited to ${quoted} on Tallybridge`);
  });
});

describe('a password', () => {
  const change = (token: string, body: object) => api.call('POST', '/auth/change-password', { token, body });

  test('is changed by a logged-in user who knows it, ends every other session, and emails the user', async () => {
    const other = await api.signIn(people.other);
    const token = await api.signIn(people.other);
    const wrong = await change(token, { password: 'no', new_password: 'Quite-Another-9' });
    expect([wrong.status, wrong.body?.['error']]).toEqual([422, 'password_wrong']);
    for (const weak of ['short', 'Password1', people.other, password, 'Tallybridge2025!', 'QuickB00ks!'])
      expect([weak, (await change(token, { password, new_password: weak })).body?.['error']]).toEqual([
        weak,
        'password_refused',
      ]);
    const changed = await change(token, { password, new_password: 'Quite-Another-9' });
    expect(changed.status).toBe(200);
    for (const ended of [other, token]) expect((await api.call('GET', '/api/my', { token: ended })).status).toBe(401);
    const fresh = tokenOf(changed);
    expect((await api.call('GET', '/api/my', { token: fresh })).status).toBe(200);
    await eventually(() =>
      expect(mailsTo(people.other).map(({ subject }) => subject)).toContain('Your password was changed'),
    );
    const { data } = await api.call('GET', '/api/my/audit', { token: fresh });
    expect((data['events'] as { action: string }[]).map(({ action }) => action)).toContain('password.changed');
    expect((await logIn(people.other, password)).status).toBe(401);
    expect((await logIn(people.other, 'Quite-Another-9')).status).toBe(200);
  });

  test('can be guessed ten times by a stolen session', async () => {
    const token = await api.signIn(people.admin);
    for (let tries = 0; tries < 10; tries += 1)
      expect((await change(token, { password: `no ${tries}`, new_password: 'Quite-Another-9' })).status).toBe(422);
    expect((await change(token, { password, new_password: 'Quite-Another-9' })).status).toBe(429);
  });

  test('is not changed by a user who acts as a client', async () => {
    const sysadmin = await api.signIn(people.sysadmin);
    const begun = await api.call('POST', '/auth/masquerade', {
      token: sysadmin,
      body: { client_id: api.otherTenantId },
    });
    const answer = await change(tokenOf(begun), { password, new_password: 'Quite-Another-9' });
    expect([answer.status, answer.body?.['error']]).toEqual([409, 'masquerading']);
  });
});

test('a registered account is stored as unverified', async () => {
  await register('eve.third@northwind-msp.example');
  const verified = await asOwner(api.world.database.url, async (client) => {
    const { rows } = await client.query<{ verified: boolean }>(
      `select email_proved_at is not null as verified from users where username = 'eve.third@northwind-msp.example'`,
    );
    return rows;
  });
  expect(verified).toEqual([{ verified: false }]);
});
