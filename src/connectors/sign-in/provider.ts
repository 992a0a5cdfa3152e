import * as oauth from 'oauth4webapi';
import type { Clock } from '#core/ports/clock.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { ProviderAccess, SignInService } from '#core/ports/sign-in.ts';
import { Refusal } from '#core/refusal.ts';
import { issuerFault, providerLabels, subjectOf } from '#core/sign-in-provider.ts';
import { epochMs } from '#core/values/dates.ts';
import { parsePublicUrl } from '../addresses.ts';
import { send, TransportError } from '../http-client.ts';

/** A user waits for these calls in front of the screen. */
const defaultTimeoutMs = 8_000;
/** Far above any discovery document, key set or token response. */
const maxAnswerBytes = 512 * 1024;
/** Clocks of providers and of this machine may differ by more than two minutes. */
const toleranceSeconds = 180;
const discoverySeconds = 3_600;
/** Maximum issuers in the cache of the process; the oldest are removed first. */
const maxIssuers = 500;

interface Known {
  readonly server: oauth.AuthorizationServer;
  readonly atMs: number;
  /** Signing keys. The library reads them again after five minutes, and when a token has an unknown key. */
  readonly keys: oauth.JWKSCacheInput;
}

/** The provider did not answer, or not in time. */
class Unavailable extends Error {}

/**
 * Creates the client of OpenID Connect providers. Every address is public https, or a provider on this machine that
 * `isLocalAllowed` accepts; names are resolved and checked for each connection, and redirects are not followed.
 */
export function createSignInService({
  isLocalAllowed,
  clock,
  logger,
  timeoutMs = defaultTimeoutMs,
}: {
  readonly isLocalAllowed: (url: URL) => boolean;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeoutMs?: number;
}): SignInService {
  const http: Http = { [oauth.customFetch]: fetchFrom(isLocalAllowed, timeoutMs), [oauth.allowInsecureRequests]: true };
  const known = new Map<string, Known>();

  async function discover({ issuer }: ProviderAccess): Promise<Known> {
    const nowMs = epochMs(clock.now());
    const before = known.get(issuer);
    if (before !== undefined && Math.abs(nowMs - before.atMs) < discoverySeconds * 1_000) return before;
    const url = parsePublicUrl(issuer, isLocalAllowed);
    if (url === null) throw new oauth.OperationProcessingError('the issuer is not a public address');
    const server = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, http));
    if (parsePublicUrl(server.authorization_endpoint ?? '', isLocalAllowed) === null)
      throw new oauth.OperationProcessingError('the authorization endpoint is not a public address');
    known.delete(issuer);
    if (known.size >= maxIssuers) known.delete(known.keys().next().value ?? '');
    const found = { server, atMs: nowMs, keys: before?.keys ?? {} };
    known.set(issuer, found);
    return found;
  }

  const clientOf = ({ clientId }: ProviderAccess): oauth.Client => ({
    client_id: clientId,
    [oauth.clockSkew]: Math.round((epochMs(clock.now()) - Date.now()) / 1_000),
    [oauth.clockTolerance]: toleranceSeconds,
  });
  const checked = <T>(access: ProviderAccess, operation: string, work: () => Promise<T>): Promise<T> =>
    failingPlainly(logger, access, operation)(work);

  return {
    parseIssuer(kind, text) {
      const url = parsePublicUrl(text.trim(), isLocalAllowed);
      if (url === null) return { fault: 'Enter a public address that begins with https://.' };
      const fault = issuerFault(kind, url, isLocalAllowed(url));
      // A root path is written without the slash, except where the administrator typed it.
      return fault === null ? { issuer: text.trim() } : { fault };
    },

    authorizeUrl: (access, { state, nonce, codeChallenge, redirectUri, loginHint }) =>
      checked(access, 'find the provider', async () => {
        const { server } = await discover(access);
        const url = new URL(server.authorization_endpoint ?? '');
        const query = {
          client_id: access.clientId,
          response_type: 'code',
          // Google issues refresh tokens for another parameter instead of the scope.
          scope: access.kind === 'google' ? 'openid email' : 'openid email profile offline_access',
          ...(access.kind === 'google' ? { access_type: 'offline' } : {}),
          redirect_uri: redirectUri,
          state,
          nonce,
          code_challenge: codeChallenge,
          code_challenge_method: 'S256',
          login_hint: loginHint,
        };
        for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
        return url.href;
      }),

    exchange: (access, callback) =>
      checked(access, 'exchange the code', async () =>
        exchangeCode(access, callback, await discover(access), clientOf(access), http),
      ),

    refresh: (access, account) =>
      checked(access, 'check an account', async () =>
        refreshAccount(access, account, await discover(access), clientOf(access), http),
      ),
  };
}

/** Options of the OAuth library: our HTTP client, also over http on this machine. */
type Http = {
  readonly [oauth.customFetch]: ReturnType<typeof fetchFrom>;
  readonly [oauth.allowInsecureRequests]: true;
};

/** Exchanges the code of a callback for the claims about the user. @throws errors of the OAuth library */
async function exchangeCode(
  access: ProviderAccess,
  { parameters, state, nonce, codeVerifier, redirectUri }: Parameters<SignInService['exchange']>[1],
  { server, keys }: Known,
  client: oauth.Client,
  http: Http,
) {
  // Also rejects the response of another issuer (RFC 9207).
  const callback = oauth.validateAuthResponse(server, client, new URLSearchParams(parameters), state);
  const auth = clientAuth(server, access);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    auth,
    callback,
    redirectUri,
    codeVerifier,
    http,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(server, response, { ...http, [oauth.jwksCache]: keys });
  const claims = oauth.getValidatedIdTokenClaims(tokens);
  if (claims === undefined) throw new oauth.OperationProcessingError('no ID token');
  return { claims, refreshToken: tokens.refresh_token ?? null };
}

/** Renews the tokens of an account; null if the provider ended its access. @throws errors of the OAuth library */
async function refreshAccount(
  access: ProviderAccess,
  { refreshToken, subject }: Parameters<SignInService['refresh']>[1],
  { server }: Known,
  client: oauth.Client,
  http: Http,
) {
  try {
    const auth = clientAuth(server, access);
    const response = await oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, http);
    const tokens = await oauth.processRefreshTokenResponse(server, client, response);
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    if (claims !== undefined && subjectOf(access.kind, claims) !== subject) return null;
    return { refreshToken: tokens.refresh_token ?? refreshToken };
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError && endings.has(error.error)) return null;
    throw error;
  }
}

/** Errors after which the user must log in again. */
const endings: ReadonlySet<string> = new Set([
  'invalid_grant',
  'interaction_required',
  'login_required',
  'consent_required',
]);

function clientAuth(server: oauth.AuthorizationServer, { clientSecret }: ProviderAccess): oauth.ClientAuth {
  const methods = server.token_endpoint_auth_methods_supported;
  const usesBasic = methods === undefined || methods.includes('client_secret_basic');
  return usesBasic ? oauth.ClientSecretBasic(clientSecret) : oauth.ClientSecretPost(clientSecret);
}

/** Returns a `fetch` for the OAuth library, with our limits. */
function fetchFrom(isLocalAllowed: (url: URL) => boolean, timeoutMs: number) {
  return async (
    address: string,
    { method, headers, body }: { method: string; headers: Record<string, string>; body?: URLSearchParams | undefined },
  ): Promise<Response> => {
    const url = parsePublicUrl(address, isLocalAllowed);
    if (url === null) throw new oauth.OperationProcessingError('the provider names an address that is not public');
    try {
      const {
        status,
        text,
        headers: answered,
      } = await send({
        url,
        method,
        headers,
        body: body?.toString(),
        timeoutMs,
        maxAnswerBytes,
        ownConnection: method !== 'GET',
        mayBePrivate: isLocalAllowed(url),
      });
      if (status === 429 || status >= 500) throw new Unavailable(`status ${status}`);
      const type = answered.get('content-type');
      return new Response(status === 204 || status === 304 ? null : text, {
        status,
        headers: type === null ? {} : { 'content-type': type },
      });
    } catch (error) {
      if (error instanceof TransportError) throw new Unavailable(error.reason);
      throw error;
    }
  };
}

/** Returns a function that runs calls and turns their failures into messages without secrets. */
function failingPlainly(logger: Logger, { kind, issuer }: ProviderAccess, operation: string) {
  const name = kind === 'other' ? 'Your identity provider' : providerLabels[kind];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Unavailable) {
        logger.warn({ issuer, operation, reason: error.message }, 'a sign-in provider did not answer');
        throw new Refusal(
          'overloaded',
          'provider_unavailable',
          `${name} does not answer. Try again in a minute, or log in with your password.`,
        );
      }
      if (error instanceof oauth.AuthorizationResponseError) {
        logger.info({ issuer, operation, reason: error.error }, 'a provider ended a sign-in');
        throw refused(
          `The sign-in was ended at ${kind === 'other' ? 'your identity provider' : name}. Please try again.`,
        );
      }
      if (error instanceof oauth.ResponseBodyError) {
        logger.warn({ issuer, operation, reason: error.error }, 'a provider refused a sign-in');
        if (error.error === 'invalid_client' || error.error === 'unauthorized_client')
          throw unusable(`${name} rejects the client ID or the client secret.`);
        throw refused(`${name} did not accept the sign-in. Please try again.`);
      }
      if (
        !(
          error instanceof oauth.OperationProcessingError ||
          error instanceof oauth.UnsupportedOperationError ||
          error instanceof oauth.WWWAuthenticateChallengeError
        )
      )
        throw error;
      logger.warn({ issuer, operation, reason: error.message }, 'a response of a sign-in provider was rejected');
      if (operation === 'find the provider') throw unusable(`${name} cannot be used with this issuer.`);
      throw refused(
        `The response of ${kind === 'other' ? 'your identity provider' : name} is not valid. Please try again.`,
      );
    }
  };
}

const refused = (message: string): Refusal => new Refusal('unauthorized', 'provider_refused', message);
const unusable = (message: string): Refusal =>
  new Refusal('conflict', 'provider_unusable', `${message} An administrator must check it on the Security screen.`);
