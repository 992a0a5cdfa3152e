import { afterAll, expect, test } from 'vitest';
import { addSeconds } from '#core/values/dates.ts';
import { hashOf } from '#flows/access/secrets.ts';
import { newApi, people, type Answered } from '#test/support/api.ts';
import { asOwner } from '#test/support/database.ts';
import { newSession } from '#test/cases/sample-records.ts';

/** Every kind of one-time code at every endpoint: each works only at its own (reliability reference 2.3, row 10). */

const api = await newApi();
const session = await api.signIn(people.admin);
afterAll(() => api.close());

/** The browser's half of each code, in a cookie. */
const browserSecret = 'the-other-half-of-every-code';
const cookie = ['session', 'sign-on', 'form', 'consent']
  .map((name) => `tallybridge-${name}=${browserSecret}`)
  .join('; ');

const form = (path: string, fields: Record<string, string>): Promise<Answered> =>
  api.call('POST', path, {
    body: new URLSearchParams(fields).toString(),
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
  });
const get = (path: string) => api.call('GET', path, { headers: { cookie } });
const post = (path: string, body: object) => api.call('POST', path, { body, headers: { cookie } });

/** Endpoints that accept a code, with their kinds of codes. */
const endpoints: Readonly<
  Record<string, { readonly takes: readonly string[]; readonly send: (code: string) => Promise<Answered> }>
> = {
  'as a session token': {
    takes: ['session'],
    send: (code) => api.call('GET', '/api/my', { token: code, headers: { cookie } }),
  },
  'to set a new password': {
    takes: ['reset_password'],
    send: (token) => post('/auth/reset-password', { token, password: 'Another-Horse-9!' }),
  },
  'to sign on from Autotask': { takes: ['sign_on code'], send: (token) => post('/auth/sso', { token }) },
  'to answer a sign-on question': {
    takes: ['sign_on question'],
    send: (question) => form('/auth/autotask/authorize', { question }),
  },
  'to read an invitation': { takes: ['invitation'], send: (token) => post('/auth/read-invitation', { token }) },
  'to accept an invitation': {
    takes: ['invitation'],
    send: (token) => post('/auth/accept-invitation', { token, password: 'Another-Horse-9!' }),
  },
  'to connect Autotask': {
    takes: ['connect_psa ticket'],
    send: (code) => get(`/connect/autotask?token=${encodeURIComponent(code)}`),
  },
  'with the form of the PSA': {
    takes: ['connect_psa kept'],
    send: (code) => form('/connect/autotask', { form: code.slice(0, 200), api_user: 'a', api_secret: 'b' }),
  },
  'to connect QuickBooks': {
    takes: ['connect_accounting ticket'],
    send: (code) => get(`/connect/qbo?token=${encodeURIComponent(code)}`),
  },
  'to return from the consent page': {
    takes: ['oauth_state kept'],
    send: (code) => get(`/connect/qbo/callback?state=${encodeURIComponent(code.slice(0, 200))}&code=x&realmId=1`),
  },
};

const tickets = [
  ['reset_password', null],
  ['sign_on', 'code'],
  ['sign_on', 'question'],
  ['connect_psa', 'ticket'],
  ['connect_psa', 'kept'],
  ['connect_accounting', 'ticket'],
  ['oauth_state', 'kept'],
] as const;

/** Creates a session for connecting a service; an earlier endpoint may have ended the last one. */
async function beginSession(jti: string): Promise<void> {
  const { app, clock } = api.world;
  const user = await app.store.findUser(people.other);
  if (user === null) throw new Error('user not found');
  await app.store.addSession(
    newSession(jti, { ...user, tenantId: api.otherTenantId }, clock.now(), { cookieHash: hashOf(browserSecret) }),
  );
}

/** Creates a code of a kind, like the product does. */
async function newCode(kind: string): Promise<string> {
  if (kind === 'session') return session;
  const { app, tenant, clock, database } = api.world;
  const code = app.randomToken(24);
  if (kind === 'invitation') {
    await asOwner(database.url, (client) =>
      client.query(
        `insert into invitations (tenant_id, email, name, token_hash, invited_by, invited_at, ends_at)
         values ($1, $2, 'Inge', $3, 'somebody', $4, $5)`,
        [
          tenant.tenantId,
          `${code.toLowerCase()}@nowhere.example`,
          hashOf(code),
          clock.now(),
          addSeconds(clock.now(), 60),
        ],
      ),
    );
    return code;
  }
  const [purpose, step = null] = tickets.find((one) => one.filter((part) => part !== null).join(' ') === kind) ?? [];
  if (purpose === undefined) throw new Error(`unknown kind of code: ${kind}`);
  const jti = app.randomToken(16);
  await beginSession(jti);
  await app.store.addOneTimeToken({
    hash: hashOf(code),
    purpose,
    userId: (await app.store.findUser(people.other))?.id ?? '',
    tenantId: api.otherTenantId,
    data: {
      ...(step === null ? {} : { step }),
      username: people.other,
      masquerader: null,
      allowsDifferentCompany: false,
      jti,
      browserHash: hashOf(browserSecret),
      codeVerifier: 'v'.repeat(43),
    },
    endsAt: addSeconds(clock.now(), 60),
  });
  return code;
}

const kinds = ['session', 'invitation', ...tickets.map((one) => one.filter((part) => part !== null).join(' '))];

/** Redirected with a reason, or rejected. */
const isRefused = ({ status, headers }: Answered): boolean =>
  status >= 400 || (status === 303 && /[?&]error=/.test(headers.get('location') ?? ''));

test.each(kinds)('accepts a code of the kind “%s” only at its own endpoint', async (kind) => {
  for (const [endpoint, { takes, send }] of Object.entries(endpoints)) {
    const answer = await send(await newCode(kind));
    // The endpoint accepted the code if it then asked QuickBooks about the unknown consent response.
    const isOpen = !isRefused(answer) || answer.headers.get('location')?.includes('error=not_accepted') === true;
    // An accepted form is shown again with its errors.
    const isShownAgain = endpoint === 'with the form of the PSA' && answer.status === 422;
    expect([endpoint, isOpen || isShownAgain]).toEqual([endpoint, takes.includes(kind)]);
  }
});
