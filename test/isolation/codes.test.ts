import { afterAll, beforeAll, expect, test } from 'vitest';
import { addSeconds } from '#core/values/dates.ts';
import { hashOf } from '#flows/access/secrets.ts';
import { newApi, people, type Answered, type TestApi } from '#test/support/api.ts';
import { asOwner } from '#test/support/database.ts';

/** Every kind of code at every door: each opens its own and no other (reliability reference 2.3, row 10). */

let api: TestApi;
let session: string;
beforeAll(async () => {
  api = await newApi();
  session = await api.signIn(people.admin);
});
afterAll(() => api.close());

/** Known to this browser: it holds the other half of every code. */
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

/** Places to which a code can be brought, with the kinds that belong there. */
const doors: Readonly<
  Record<string, { readonly takes: readonly string[]; readonly bring: (code: string) => Promise<Answered> }>
> = {
  'as a session token': {
    takes: ['session'],
    bring: (code) => api.call('GET', '/api/my', { token: code, headers: { cookie } }),
  },
  'for a new password': {
    takes: ['reset_password'],
    bring: (token) => post('/auth/reset-password', { token, password: 'Another-Horse-9!' }),
  },
  'for a sign-on': { takes: ['sign_on code'], bring: (token) => post('/auth/sso', { token }) },
  'as the answer to a question': {
    takes: ['sign_on question'],
    bring: (question) => form('/auth/autotask/authorize', { question }),
  },
  'to read an invitation': { takes: ['invitation'], bring: (token) => post('/auth/read-invitation', { token }) },
  'to accept an invitation': {
    takes: ['invitation'],
    bring: (token) => post('/auth/accept-invitation', { token, password: 'Another-Horse-9!' }),
  },
  'to connect the PSA': {
    takes: ['connect_psa ticket'],
    bring: (code) => get(`/connect/autotask?token=${encodeURIComponent(code)}`),
  },
  'with the form of the PSA': {
    takes: ['connect_psa kept'],
    bring: (code) => form('/connect/autotask', { form: code.slice(0, 200), api_user: 'a', api_secret: 'b' }),
  },
  'to connect the books': {
    takes: ['connect_accounting ticket'],
    bring: (code) => get(`/connect/qbo?token=${encodeURIComponent(code)}`),
  },
  'back from the consent page': {
    takes: ['oauth_state kept'],
    bring: (code) => get(`/connect/qbo/callback?state=${encodeURIComponent(code.slice(0, 200))}&code=x&realmId=1`),
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

/** A session of whoever connects something, in this very browser; a door of before may have ended theirs. */
async function newSession(jti: string): Promise<void> {
  const { app, clock } = api.world;
  const user = await app.store.findUser(people.other);
  if (user === null) throw new Error('nobody to connect anything');
  await app.store.addSession({
    jti,
    userId: user.id,
    tenantId: api.otherTenantId,
    roles: user.roles,
    masquerader: null,
    cookieHash: hashOf(browserSecret),
    accessVersion: user.accessVersion,
    userAgent: '',
    address: '',
    createdAt: clock.now(),
    endsAt: addSeconds(clock.now(), 3_600),
  });
}

/** A fresh code of a kind, as the product would hand it out. */
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
  if (purpose === undefined) throw new Error(`no code is called ${kind}`);
  const jti = app.randomToken(16);
  await newSession(jti);
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

/** Sent away with the reason, or refused on the spot. */
const isRefused = ({ status, headers }: Answered): boolean =>
  status >= 400 || (status === 303 && /[?&]error=/.test(headers.get('location') ?? ''));

test.each(kinds)('a code of the kind “%s” opens its own door and no other', async (kind) => {
  for (const [door, { takes, bring }] of Object.entries(doors)) {
    const answer = await bring(await newCode(kind));
    // An answer of the consent page is then asked about at the service, which knows nothing of it.
    const isOpen = !isRefused(answer) || answer.headers.get('location')?.includes('error=not_accepted') === true;
    // A form that was taken up is shown again with what is wrong about its fields.
    const isShownAgain = door === 'with the form of the PSA' && answer.status === 422;
    expect([door, isOpen || isShownAgain]).toEqual([door, takes.includes(kind)]);
  }
});
