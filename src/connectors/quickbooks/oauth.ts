import { setTimeout as delay } from 'node:timers/promises';
import * as oauth from 'oauth4webapi';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { AccountingOAuth } from '#core/ports/oauth.ts';
import { ServiceError } from '#core/service-error.ts';
import type { AccountingCredentials } from '#core/tenant.ts';
import { addSeconds, secondsBetween, type Instant } from '#core/values/dates.ts';
import { type CallRecord, callService, type Egress, type HttpResult } from '../http-client.ts';
import { consentLost, notSent, readAnswer, registrationRefused, wrongShape } from './errors.ts';

export interface OAuthOptions {
  /** The discovery document, e.g. `https://developer.api.intuit.com/.well-known/openid_configuration`. */
  readonly discoveryUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** `host:port` of services that may be called besides the vendor's: sandboxes, by explicit configuration only. */
  readonly allowedHosts: readonly string[];
  readonly logger: Logger;
  readonly clock: Clock;
  readonly onCall?: (call: CallRecord) => void;
  /** Deadline of one call; default 30 s. */
  readonly timeoutMs?: number;
}

const scope = 'com.intuit.quickbooks.accounting';
const defaultTimeoutMs = 30_000;
/** The document changes rarely; the vendor's own clients cache it for a day. */
const discoveryKeptSeconds = 86_400;
/** Used if an answer contains no lifetimes (quickbooks reference 1.4 and 1.5). */
const accessTokenSeconds = 3_600;
const refreshTokenSeconds = 100 * 86_400;
/** A call leaves right after it has read its tokens. */
const departedMs = 1_000;
const vendorHost = /^([a-z0-9-]+\.)*intuit\.com$/i;

/** The part of the discovery document that we use, with its original names. */
type Endpoints = Readonly<
  Record<'issuer' | 'authorization_endpoint' | 'token_endpoint' | 'revocation_endpoint', string>
>;

/** What calls of the login service need. */
interface Login {
  readonly discoveryUrl: URL;
  /** The application's credentials as a header. */
  readonly basic: string;
  readonly timeoutMs: number;
  readonly egress: Egress;
}

/**
 * Creates the QuickBooks sign-in for tenants.
 *
 * @throws Error if the discovery address itself is not allowed, which is a configuration error.
 */
export function quickbooksOAuth(options: OAuthOptions): AccountingOAuth {
  const { clientId, clientSecret, clock, allowedHosts, timeoutMs = defaultTimeoutMs } = options;
  const egress = { allowedHosts, logger: options.logger, now: () => clock.now(), onCall: options.onCall };
  const client: oauth.Client = { client_id: clientId };
  // As documented by the vendor; the standard's extra encoding of both parts would be read as other credentials.
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const authenticate: oauth.ClientAuth = (_server, _client, _body, headers) => headers.set('authorization', basic);
  const login = { discoveryUrl: configuredUrl(options.discoveryUrl, allowedHosts), basic, timeoutMs, egress };
  let known: { readonly endpoints: Endpoints; readonly at: Instant } | undefined;

  const discover = async (): Promise<Endpoints> => {
    const now = clock.now();
    if (known === undefined || secondsBetween(known.at, now) >= discoveryKeptSeconds)
      known = { endpoints: await readEndpoints(login), at: now };
    return known.endpoints;
  };

  return {
    async authorizeUrl({ state, codeChallenge, redirectUri }) {
      const url = new URL((await discover()).authorization_endpoint);
      const query = {
        client_id: clientId,
        response_type: 'code',
        scope,
        redirect_uri: redirectUri,
        state,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
      return url.href;
    },

    async exchange({ code, codeVerifier, redirectUri, realmId }) {
      const operation = 'exchange the code for tokens';
      const server = await discover();
      return readTokens(operation, async () => {
        // The flow that created the state has already checked it.
        const callback = oauth.validateAuthResponse(server, client, new URLSearchParams({ code }), oauth.expectNoState);
        const request = tokenRequest(login, operation);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authenticate,
          callback,
          redirectUri,
          codeVerifier,
          request,
        );
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
        return toCredentials(realmId, tokens, operation, clock.now());
      });
    },

    async refresh(current) {
      const operation = 'refresh the tokens';
      const server = await discover();
      return readTokens(operation, async () => {
        const request = tokenRequest(login, operation);
        const { refreshToken } = current;
        const response = await oauth.refreshTokenGrantRequest(server, client, authenticate, refreshToken, request);
        const tokens = await oauth.processRefreshTokenResponse(server, client, response);
        return toCredentials(current.realmId, tokens, operation, clock.now());
      });
    },

    async revoke({ refreshToken }) {
      // A call of any process that has just read its tokens leaves before the access ends.
      await delay(departedMs);
      await endAccess(login, (await discover()).revocation_endpoint, refreshToken);
    },
  };
}

async function readEndpoints({ discoveryUrl, timeoutMs, egress }: Login): Promise<Endpoints> {
  const operation = 'find the login service';
  const headers = { Accept: 'application/json' };
  const call = { service: 'accounting', operation, method: 'GET', url: discoveryUrl } as const;
  const answer = readAnswer(operation, await callService({ ...call, headers, timeoutMs }, egress), []);
  const endpoint = (name: keyof Endpoints): string => {
    const value = answer[name];
    if (typeof value !== 'string') throw wrongShape(operation, `The discovery document has no ${name}.`);
    if (checkedUrl(value, egress.allowedHosts) === null)
      throw notSent(operation, `The discovery document names a ${name} whose address is not allowed.`);
    return value;
  };
  return {
    issuer: endpoint('issuer'),
    authorization_endpoint: endpoint('authorization_endpoint'),
    token_endpoint: endpoint('token_endpoint'),
    revocation_endpoint: endpoint('revocation_endpoint'),
  };
}

/** Calls the token endpoint through our HTTP client; an incomplete answer is a failure here already. */
function tokenRequest({ timeoutMs, egress }: Login, operation: string) {
  return {
    // Requests the date on which the refresh token finally expires, despite renewals (reference 1.5).
    headers: { 'x-include-refresh-token-hard-expires-in': 'true' },
    [oauth.allowInsecureRequests]: true,
    [oauth.customFetch]: async (
      url: string,
      { headers, body }: oauth.CustomFetchOptions<'POST', URLSearchParams>,
    ): Promise<Response> => {
      const text = body.toString();
      const call = { service: 'accounting', operation, method: 'POST', url: new URL(url), headers } as const;
      const result = await callService({ ...call, body: text, timeoutMs, isOnce: true }, egress);
      return new Response(wholeText(operation, result), {
        status: result.status ?? 200,
        headers: { 'content-type': 'application/json' },
      });
    },
  };
}

function toCredentials(
  realmId: string,
  tokens: oauth.TokenEndpointResponse,
  operation: string,
  now: Instant,
): AccountingCredentials {
  if (tokens.refresh_token === undefined) throw wrongShape(operation, 'No refresh token came back.');
  const lifetimes = [tokens.x_refresh_token_expires_in, tokens.x_refresh_token_hard_expires_in]
    .filter((seconds) => seconds !== undefined && seconds !== null)
    .map(Number)
    .filter((seconds) => Number.isFinite(seconds));
  return {
    realmId,
    accessToken: tokens.access_token,
    accessTokenEndsAt: addSeconds(now, tokens.expires_in ?? accessTokenSeconds),
    refreshToken: tokens.refresh_token,
    refreshTokenEndsAt: addSeconds(now, lifetimes.length === 0 ? refreshTokenSeconds : Math.min(...lifetimes)),
  };
}

/** Reads an answer of the token endpoint; `invalid_grant` means that a user must connect again. */
async function readTokens<T>(operation: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    if (error instanceof oauth.ResponseBodyError) {
      if (error.error === 'invalid_grant')
        throw consentLost(operation, 'QuickBooks no longer accepts our access.', error.status);
      throw registrationRefused(operation, `QuickBooks refused the login: ${error.error}.`);
    }
    throw wrongShape(operation, 'QuickBooks returned no tokens.');
  }
}

async function endAccess({ basic, timeoutMs, egress }: Login, endpoint: string, token: string): Promise<void> {
  const operation = 'end the access';
  // The vendor requires JSON here, not the standard's form encoding (quickbooks reference 1.6).
  const headers = { Accept: 'application/json', 'Content-Type': 'application/json', Authorization: basic };
  const body = JSON.stringify({ token });
  const call = { service: 'accounting', operation, method: 'POST', url: new URL(endpoint) } as const;
  const result = await callService({ ...call, headers, body, timeoutMs }, egress);
  // Success has an empty body; 400 means that the service no longer knows the token.
  if (result.isAnswered && (result.status === 200 || result.status === 204 || result.status === 400)) return;
  readAnswer(operation, result, [token]);
  throw wrongShape(operation, 'QuickBooks did not confirm that access was revoked.');
}

/**
 * Returns the body of a complete answer that the OAuth library can evaluate; any other answer is a temporary failure.
 */
function wholeText(operation: string, result: HttpResult): string {
  const isJudged = result.isAnswered && (result.status === 200 || result.status === 400 || result.status === 401);
  if (isJudged && isJsonObject(result.text)) return result.text;
  readAnswer(operation, result, []);
  throw wrongShape(operation, 'QuickBooks returned no tokens.');
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

/**
 * Returns the URL if it is a vendor host over https, or a host from the configuration (also over http); null otherwise.
 */
export function checkedUrl(text: string, allowedHosts: readonly string[]): URL | null {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return null;
  const isVendor = url.protocol === 'https:' && url.port === '' && vendorHost.test(url.hostname);
  const isConfigured = /^https?:$/.test(url.protocol) && allowedHosts.includes(url.host);
  return isVendor || isConfigured ? url : null;
}

/**
 * Returns a URL from the configuration.
 *
 * @throws Error if it must not be called, which is a configuration error.
 */
export function configuredUrl(text: string, allowedHosts: readonly string[]): URL {
  const url = checkedUrl(text, allowedHosts);
  if (url === null) throw new Error(`QuickBooks cannot be called at ${text}: the host is not allowed.`);
  return url;
}
