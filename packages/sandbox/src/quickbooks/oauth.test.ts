import { createHash, createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { textAt } from './doc.ts';
import { isAllowedRedirect } from './oauth.ts';
import { startQuickBooksSandbox } from './server.ts';
import { type Client, redirectUri, World } from './test-client.ts';

let world: World;
beforeAll(async () => {
  world = await World.start();
});
beforeEach(async () => {
  world.sandbox.reset();
  await world.control('POST', 'revoke', {});
  await world.control('DELETE', 'behaviour');
});
afterAll(() => world.close());

const codeFrom = async (more: Readonly<Record<string, string>> = {}) =>
  (await world.consent(more)).searchParams.get('code') ?? '';
const exchange = (code: string, more: Readonly<Record<string, string>> = {}) =>
  world.token({ grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...more });
const refresh = (token: string) => world.token({ grant_type: 'refresh_token', refresh_token: token });
const day = 86_400;

test('both discovery documents point to the sandbox', async () => {
  for (const name of ['openid_configuration', 'openid_sandbox_configuration']) {
    const response = await fetch(`${world.sandbox.url}/.well-known/${name}`);
    expect(await response.json()).toMatchObject({
      authorization_endpoint: `${world.sandbox.url}/connect/oauth2`,
      token_endpoint: `${world.sandbox.url}/oauth2/v1/tokens/bearer`,
      revocation_endpoint: `${world.sandbox.url}/v2/oauth2/tokens/revoke`,
      userinfo_endpoint: `${world.sandbox.url}/v1/openid_connect/userinfo`,
      response_types_supported: ['code'],
    });
  }
});

test('the consent page lists every company, keeps the parameters, and needs no script', async () => {
  const params = new URLSearchParams({
    client_id: world.sandbox.credentials.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'com.intuit.quickbooks.accounting',
    state: '"><script>alert(1)</script>',
  });
  const response = await fetch(`${world.sandbox.url}/connect/oauth2?${params.toString()}`);
  const page = await response.text();
  expect(response.status).toBe(200);
  for (const { realmId, companyName } of world.sandbox.credentials.realms) {
    expect(page).toContain(realmId);
    expect(page).toContain(companyName);
  }
  expect(page).not.toContain('<script');
  expect(page).toMatch(/<button[^>]*value="connect"/);
  expect(page).toMatch(/<button[^>]*value="cancel"/);
});

test('the consent page accepts a redirect address that is registered for the app', async () => {
  const registered = 'https://tallybridge.example/connect/qbo/callback';
  const sandbox = await startQuickBooksSandbox({ redirectUris: [registered] });
  try {
    const statusOf = async (redirect: string) => {
      const { clientId } = sandbox.credentials;
      const scope = 'com.intuit.quickbooks.accounting';
      const fields = { client_id: clientId, redirect_uri: redirect, response_type: 'code', scope, state: 'state' };
      return (await fetch(`${sandbox.url}/connect/oauth2?${new URLSearchParams(fields).toString()}`)).status;
    };
    expect([await statusOf(registered), await statusOf(`${registered}/other`)]).toEqual([200, 400]);
  } finally {
    await sandbox.close();
  }
});

test.each([
  ['client_id', 'someone-else'],
  ['redirect_uri', 'https://elsewhere.example/callback'],
  ['response_type', 'token'],
  ['state', ''],
  ['scope', 'everything'],
])('a wrong %s shows an error without a redirect', async (name, value) => {
  const params = new URLSearchParams({
    client_id: world.sandbox.credentials.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'com.intuit.quickbooks.accounting',
    state: 's',
    [name]: value,
  });
  const response = await fetch(`${world.sandbox.url}/connect/oauth2?${params.toString()}`, { redirect: 'manual' });
  expect(response.status).toBe(400);
  expect(response.headers.get('location')).toBeNull();
});

test('allows redirects only to registered and loopback URLs', () => {
  const app = { clientId: 'a', clientSecret: 'b', redirectUris: ['https://app.example/callback'] };
  expect(isAllowedRedirect(app, 'https://app.example/callback')).toBe(true);
  expect(isAllowedRedirect(app, 'http://127.0.0.1:4999/anything')).toBe(true);
  expect(isAllowedRedirect(app, 'http://localhost.evil.example/')).toBe(false);
  expect(isAllowedRedirect(app, 'javascript:alert(1)')).toBe(false);
});

test('Connect returns code, state, and realmId; Cancel returns access_denied', async () => {
  const back = await world.consent({ state: 'a b&c' });
  expect([...back.searchParams.keys()].sort()).toEqual(['code', 'realmId', 'state']);
  expect(back.searchParams.get('state')).toBe('a b&c');
  const denied = await world.consent({ decision: 'cancel' });
  expect(Object.fromEntries(denied.searchParams)).toEqual({ error: 'access_denied', state: 'st-1' });
  await world.behave({ denial_has_description: true });
  expect((await world.consent({ decision: 'cancel' })).searchParams.has('error_description')).toBe(true);
});

test('a login without an accounting scope returns no company', async () => {
  expect((await world.consent({ scope: 'openid email' })).searchParams.has('realmId')).toBe(false);
});

test('a code returns tokens once; using it again ends the connection', async () => {
  const code = await codeFrom();
  const first = await exchange(code);
  expect(first.status).toBe(200);
  expect(first.headers.get('intuit_tid')).toBeTruthy();
  expect(first.body).toMatchObject({ token_type: 'bearer', expires_in: 3600, x_refresh_token_expires_in: 8_726_400 });
  expect(first.body['access_token']).toMatch(/^eyJ/);
  expect(first.body).not.toHaveProperty('x_refresh_token_hard_expires_in');
  expect(first.body).not.toHaveProperty('id_token');
  expect(await exchange(code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  expect(await refresh(textAt(first.body, 'refresh_token') ?? '')).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  });
});

test('a code is valid for a limited time and its redirect URL only', async () => {
  const late = await codeFrom();
  await world.advance(60);
  expect(await exchange(late)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  expect(await exchange(await codeFrom(), { redirect_uri: 'http://localhost:9/other' })).toMatchObject({
    body: { error: 'invalid_grant' },
  });
});

test('verifies a code challenge unless the switch ignores it', async () => {
  const verifier = 'v'.repeat(50);
  const params = {
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  expect((await exchange(await codeFrom(params))).status).toBe(400);
  expect((await exchange(await codeFrom(params), { code_verifier: 'w'.repeat(50) })).status).toBe(400);
  expect((await exchange(await codeFrom(params), { code_verifier: verifier })).status).toBe(200);
  await world.behave({ pkce: 'ignored' });
  expect((await exchange(await codeFrom(params))).status).toBe(200);
});

test.each([
  [{ grant_type: 'password' }, 400, 'unsupported_grant_type'],
  [{ grant_type: 'refresh_token' }, 400, 'invalid_request'],
  [{ grant_type: 'authorization_code', code: 'x' }, 400, 'invalid_request'],
  [{ grant_type: 'refresh_token', refresh_token: 'unknown' }, 400, 'invalid_grant'],
])('the token endpoint answers %j with %i %s', async (form, status, error) => {
  expect(await world.token(form as Record<string, string>)).toMatchObject({ status, body: { error } });
});

test('returns 401 invalid_client for a wrong secret', async () => {
  const response = await fetch(`${world.sandbox.url}/oauth2/v1/tokens/bearer`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from('a:b').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x' }),
  });
  expect([response.status, await response.json()]).toEqual([401, { error: 'invalid_client' }]);
});

test('the refresh token is unchanged for a day, then rotates and invalidates the old one', async () => {
  const client = await world.connect();
  await world.advance(3600);
  const sameDay = await refresh(client.refreshToken);
  expect(sameDay.body['refresh_token']).toBe(client.refreshToken);
  await world.advance(day);
  const nextDay = await refresh(client.refreshToken);
  expect(nextDay.body['refresh_token']).not.toBe(client.refreshToken);
  expect(await refresh(client.refreshToken)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  expect((await refresh(textAt(nextDay.body, 'refresh_token') ?? '')).status).toBe(200);
});

test('switches: rotation at every refresh, and a day of grace for the old token', async () => {
  await world.behave({ refresh_token_rotation: 'every-refresh', refresh_token_grace_seconds: day });
  const client = await world.connect();
  const first = await refresh(client.refreshToken);
  expect(first.body['refresh_token']).not.toBe(client.refreshToken);
  const again = await refresh(client.refreshToken);
  expect([again.status, again.body['refresh_token']]).toEqual([200, first.body['refresh_token']]);
  await world.advance(day);
  expect((await refresh(client.refreshToken)).status).toBe(400);
});

test('a refresh token expires 101 days after its last use and after five years', async () => {
  const client = await world.connect();
  let token = client.refreshToken;
  const hard = async () =>
    world.token(
      { grant_type: 'refresh_token', refresh_token: token },
      { 'x-include-refresh-token-hard-expires-in': 'true' },
    );
  for (let round = 0; round < 18; round += 1) {
    await world.advance(100 * day);
    const answer = await hard();
    expect(answer.status).toBe(200);
    token = textAt(answer.body, 'refresh_token') ?? '';
  }
  const last = await hard();
  expect(last.body['x_refresh_token_hard_expires_in']).toBe(26 * day);
  expect(last.body['x_refresh_token_expires_in']).toBe(26 * day);
  await world.advance(26 * day);
  expect((await hard()).status).toBe(400);

  const other = await world.connect();
  await world.advance(102 * day);
  expect((await refresh(other.refreshToken)).status).toBe(400);
});

test('an access token lasts an hour; then the gateway returns 401 with its own envelope', async () => {
  const client = await world.connect();
  expect((await client.get('preferences')).status).toBe(200);
  await world.advance(3600);
  const late = await client.get('preferences');
  expect(late.status).toBe(401);
  expect(late.headers.get('www-authenticate')).toBe('Bearer realm="Intuit", error="invalid_token"');
  expect(late.body).toMatchObject({
    fault: {
      error: [
        { message: 'message=AuthenticationFailed; errorCode=003200; statusCode=401', code: '3200', element: null },
      ],
      type: 'AUTHENTICATION',
    },
    batchItemResponse: [],
    queryResponse: null,
  });
  expect(typeof late.body['time']).toBe('number');
});

test("missing and invalid tokens return 401, another company's token 403", async () => {
  const client = await world.connect();
  const other = world.sandbox.credentials.realms[1]?.realmId ?? '';
  const response = await fetch(`${world.sandbox.url}/v3/company/${client.realmId}/preferences`, {
    headers: { Accept: 'application/json' },
  });
  expect(response.status).toBe(401);
  const plain = await fetch(`${world.sandbox.url}/v3/company/${client.realmId}/preferences`);
  expect(await plain.text()).toMatch(/^<\?xml .*<Fault type="AUTHENTICATION"><Error code="3200"><Message>/);
  client.accessToken = 'short';
  expect((await client.get('preferences')).text).toContain('Malformed bearer token: too short or too long');
  const foreign = await world.connect(other);
  const trespass = await foreign.send('GET', `../${client.realmId}/preferences`);
  expect(trespass.status).toBe(403);
  expect(trespass.text).toContain('message=ApplicationAuthorizationFailed; errorCode=003100; statusCode=403');
});

const revoke = async (client: Client, token: string) => {
  const { clientId, clientSecret } = client.world.sandbox.credentials;
  return fetch(`${client.world.sandbox.url}/v2/oauth2/tokens/revoke`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'Content-Type': 'application/json',
    },
    body: JSON.stringify({ token }),
  });
};

test('revoking either token ends the connection; an unknown one returns 400', async () => {
  for (const pick of ['refreshToken', 'accessToken'] as const) {
    const client = await world.connect();
    const answer = await revoke(client, client[pick]);
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect((await client.get('preferences')).status).toBe(403);
    expect((await refresh(client.refreshToken)).body).toMatchObject({ error: 'invalid_grant' });
    expect((await revoke(client, client[pick])).status).toBe(400);
  }
});

test('a user can disconnect the app or leave the company, and tokens can be expired', async () => {
  const client = await world.connect();
  await world.control('POST', 'expire-tokens', {});
  expect((await client.get('preferences')).status).toBe(401);
  expect((await refresh(client.refreshToken)).status).toBe(200);
  await world.control('POST', 'expire-tokens', { what: 'refresh' });
  expect((await refresh(client.refreshToken)).status).toBe(400);

  const second = await world.connect();
  expect((await world.control('POST', 'revoke', { how: 'user-left' })).body).toMatchObject({ connections: 2 });
  expect((await refresh(second.refreshToken)).body).toMatchObject({
    error: 'invalid_grant',
    x_error_reason: 'user_not_in_realm',
  });

  const third = await world.connect();
  await world.behave({ revoked_connection_answer: '401' });
  await world.control('POST', 'revoke', {});
  expect((await third.get('preferences')).status).toBe(401);
});

test('OpenID returns the user and a token signed with the published key', async () => {
  const tokens = (await exchange(await codeFrom({ scope: 'com.intuit.quickbooks.accounting openid email profile' })))
    .body;
  const user = await fetch(`${world.sandbox.url}/v1/openid_connect/userinfo`, {
    headers: { Authorization: `Bearer ${textAt(tokens, 'access_token')}` },
  });
  expect(await user.json()).toMatchObject({
    email: 'robin.ledger@northwind-msp.example',
    emailVerified: true,
    givenName: 'Robin',
  });
  const [head = '', claims = '', signature = ''] = (textAt(tokens, 'id_token') ?? '').split('.');
  const jwks = (await (await fetch(`${world.sandbox.url}/op/v1/jwks`)).json()) as {
    keys: [{ kid: string; n: string; e: string; kty: string }];
  };
  const { kid, ...jwk } = jwks.keys[0];
  expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toEqual({ kid, alg: 'RS256' });
  expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toMatchObject({
    aud: [world.sandbox.credentials.clientId],
    realmid: world.sandbox.credentials.realms[0]?.realmId,
    iss: 'https://oauth.platform.intuit.com/op/v1',
  });
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  expect(verify('sha256', Buffer.from(`${head}.${claims}`), key, Buffer.from(signature, 'base64url'))).toBe(true);
});
