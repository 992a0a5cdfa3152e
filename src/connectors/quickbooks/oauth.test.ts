import { afterEach, describe, expect, test } from 'vitest';
import { addSeconds, secondsBetween } from '#core/values/dates.ts';
import { clockAt, keepingLogger } from '#test/support/fake-ports.ts';
import { startFakeService, type FakeService, type Received, type Reply } from '#test/support/fake-service.ts';
import { quickbooksOAuth } from './oauth.ts';

const services: FakeService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((one) => one.stop()));
});

const clock = clockAt('2025-03-03T15:00:00Z');
const isDiscovery = ({ path }: Received) => path === '/.well-known/openid_configuration';

/** Starts a login service; `answer` serves the token endpoint, `more` replaces members of the discovery document. */
async function signIn(answer: (request: Received) => Reply, more: Record<string, string> = {}) {
  const one: FakeService = await startFakeService((request) => {
    if (!isDiscovery(request)) return answer(request);
    const discovery = {
      issuer: `${one.url}/op/v1`,
      authorization_endpoint: `${one.url}/connect/oauth2`,
      token_endpoint: `${one.url}/oauth2/v1/tokens/bearer`,
      revocation_endpoint: `${one.url}/v2/oauth2/tokens/revoke`,
    };
    return { json: { ...discovery, ...more } };
  });
  services.push(one);
  const logger = keepingLogger();
  const oauth = quickbooksOAuth({
    discoveryUrl: `${one.url}/.well-known/openid_configuration`,
    clientId: 'client-id_1',
    clientSecret: 'canary.secret-1',
    allowedHosts: [one.host],
    logger,
    clock,
    timeoutMs: 300,
  });
  return { one, oauth, logger, tokenCalls: () => one.received.filter((request) => !isDiscovery(request)) };
}

const tokens = {
  token_type: 'bearer',
  access_token: 'canary-access-2',
  expires_in: 3600,
  refresh_token: 'canary-refresh-2',
  x_refresh_token_expires_in: 8726400,
};
const old = {
  realmId: '9341000000000001',
  accessToken: 'canary-access-1',
  accessTokenEndsAt: clock.now(),
  refreshToken: 'canary-refresh-1',
  refreshTokenEndsAt: clock.now(),
};
const renewed = {
  realmId: '9341000000000001',
  accessToken: 'canary-access-2',
  accessTokenEndsAt: addSeconds(clock.now(), 3_600),
  refreshToken: 'canary-refresh-2',
  refreshTokenEndsAt: addSeconds(clock.now(), 8_726_400),
};
const code = {
  code: 'code-1',
  codeVerifier: 'v'.repeat(43),
  redirectUri: 'http://localhost:3000/connect/qbo/callback',
  realmId: '9341000000000001',
};
const basic = `Basic ${Buffer.from('client-id_1:canary.secret-1').toString('base64')}`;

test('sends the browser to the service with state, challenge, and our exact redirect URL', async () => {
  const { one, oauth } = await signIn(() => ({ json: {} }));
  const url = new URL(await oauth.authorizeUrl({ state: 's-1', codeChallenge: 'c-1', redirectUri: code.redirectUri }));
  expect(`${url.origin}${url.pathname}`).toBe(`${one.url}/connect/oauth2`);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: 'client-id_1',
    response_type: 'code',
    scope: 'com.intuit.quickbooks.accounting',
    redirect_uri: code.redirectUri,
    state: 's-1',
    code_challenge: 'c-1',
    code_challenge_method: 'S256',
  });
});

test('exchanges a code and its verifier for tokens', async () => {
  const { oauth, tokenCalls } = await signIn(() => ({ json: tokens }));
  expect(await oauth.exchange(code)).toEqual(renewed);
  const [call] = tokenCalls();
  expect(call?.headers.authorization).toBe(basic);
  expect(Object.fromEntries(new URLSearchParams(call?.body))).toEqual({
    grant_type: 'authorization_code',
    code: 'code-1',
    redirect_uri: code.redirectUri,
    code_verifier: code.codeVerifier,
  });
});

test('returns the rotated token and accepts lifetimes as text', async () => {
  const asText = { ...tokens, expires_in: '3600', x_refresh_token_expires_in: '8726400' };
  const { oauth, tokenCalls } = await signIn(() => ({ json: asText }));
  expect(await oauth.refresh(old)).toEqual(renewed);
  expect(Object.fromEntries(new URLSearchParams(tokenCalls()[0]?.body))).toEqual({
    grant_type: 'refresh_token',
    refresh_token: 'canary-refresh-1',
  });
});

test('uses the earlier of the rolling and absolute expiry of a refresh token, or 100 days without one', async () => {
  const endsAfter = async (json: object) => {
    const { oauth, tokenCalls } = await signIn(() => ({ json }));
    const { refreshTokenEndsAt } = await oauth.refresh(old);
    expect(tokenCalls()[0]?.headers).toMatchObject({ 'x-include-refresh-token-hard-expires-in': 'true' });
    return secondsBetween(clock.now(), refreshTokenEndsAt);
  };
  expect(await endsAfter({ ...tokens, x_refresh_token_hard_expires_in: 156_032_154 })).toBe(8_726_400);
  expect(await endsAfter({ ...tokens, x_refresh_token_hard_expires_in: '86400' })).toBe(86_400);
  expect(await endsAfter({ ...tokens, x_refresh_token_expires_in: undefined })).toBe(8_640_000);
});

test.each([-7_200, 7_200])('N14 computes expiry with our clock when the service is %i seconds off', async (skew) => {
  const says = new Date(Date.parse(clock.now()) + skew * 1_000).toUTCString();
  const { oauth } = await signIn(() => ({ headers: { Date: says }, json: tokens }));
  expect(await oauth.refresh(old)).toEqual(renewed);
});

describe('a failed token request', () => {
  test.each<[string, Reply, object]>([
    [
      'revoked access',
      { status: 400, json: { error: 'invalid_grant', error_description: 'Token invalid canary-refresh-1' } },
      { code: 'QBO_AUTH', next: 'reconnect', outcome: 'not_applied' },
    ],
    [
      'an invalid client registration',
      { status: 401, json: { error: 'invalid_client' } },
      { code: 'QBO_AUTH', next: 'stop_run', outcome: 'not_applied' },
    ],
    ['an HTML page', { text: '<html>' }, { outcome: 'unknown', next: 'try_again' }],
    ['503', { status: 503, text: '<html>' }, { outcome: 'unknown', next: 'try_again' }],
    ['no response', { raw: () => undefined }, { outcome: 'unknown', next: 'try_again' }],
    [
      'a cut connection',
      { raw: (response) => response.socket?.resetAndDestroy() },
      { outcome: 'unknown', next: 'try_again' },
    ],
    ['tokens without a refresh token', { json: { ...tokens, refresh_token: undefined } }, { outcome: 'unknown' }],
    ['a response without tokens', { json: {} }, { outcome: 'unknown' }],
    ['a list', { json: [] }, { outcome: 'unknown' }],
  ])('distinguishes %s, sends one request, and logs no secret', async (_what, reply, about) => {
    const { oauth, tokenCalls, logger } = await signIn(() => reply);
    const failed = await oauth.refresh(old).catch((error: unknown) => error);
    expect(failed).toMatchObject({ about });
    expect(tokenCalls()).toHaveLength(1);
    expect(JSON.stringify(logger.lines) + JSON.stringify(failed) + String(failed)).not.toMatch(/canary/);
  });
});

test('sends no secret to a foreign token URL in the discovery document', async () => {
  const evil = await startFakeService(() => ({ json: tokens }));
  services.push(evil);
  const { oauth } = await signIn(() => ({ json: tokens }), { token_endpoint: `${evil.url}/token` });
  await expect(oauth.refresh(old)).rejects.toMatchObject({ about: { outcome: 'not_applied' } });
  expect(evil.received).toEqual([]);
});

test('reads the discovery document once a day', async () => {
  const { one, oauth } = await signIn(() => ({ json: tokens }));
  await oauth.refresh(old);
  await oauth.refresh(old);
  expect(one.received.filter(isDiscovery)).toHaveLength(1);
});

test("revokes access with the vendor's format and never fails", async () => {
  const { oauth, tokenCalls } = await signIn(() => ({ status: 400, json: { error: 'invalid_request' } }));
  await oauth.revoke(old);
  expect(tokenCalls()[0]).toMatchObject({ path: '/v2/oauth2/tokens/revoke', body: '{"token":"canary-refresh-1"}' });
  expect(tokenCalls()[0]?.headers).toMatchObject({ authorization: basic, 'content-type': 'application/json' });
});
