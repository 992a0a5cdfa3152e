import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Clock } from '../kit/clock.ts';
import type { SandboxAnswer, SandboxRequest } from '../kit/definition.ts';
import type { QuickBooksBehaviour } from './behaviour.ts';
import { accessTokenSeconds, type Connections, type Grant, type Refusal } from './connections.ts';
import { consentPage, problemPage } from './consent-page.ts';
import type { Doc } from './doc.ts';

/** The app that is registered in the sandbox. */
export interface App {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
}

/** A company on the consent page. */
interface Choice {
  readonly realmId: string;
  readonly companyName: string;
}

/** The parts of the sandbox that OAuth uses. */
export interface OAuthParts {
  readonly app: App;
  readonly clock: Clock;
  readonly behaviour: QuickBooksBehaviour;
  readonly connections: Connections;
  readonly companies: () => readonly Choice[];
}

const paths = {
  discovery: ['/.well-known/openid_configuration', '/.well-known/openid_sandbox_configuration'],
  authorize: '/connect/oauth2',
  token: '/oauth2/v1/tokens/bearer',
  revoke: '/v2/oauth2/tokens/revoke',
  userinfo: '/v1/openid_connect/userinfo',
  jwks: '/op/v1/jwks',
} as const;

const user = {
  sub: 'b3c1e9d2-5a47-4f0e-9a66-0d7f5c2b8e10',
  email: 'robin.ledger@northwind-msp.example',
  givenName: 'Robin',
  familyName: 'Ledger',
} as const;

const accountingScope = 'com.intuit.quickbooks.accounting';
const companyScopes = [accountingScope, 'com.intuit.quickbooks.payment'];
const knownScopes = new Set([
  ...companyScopes,
  'openid',
  'profile',
  'email',
  'phone',
  'address',
  'payroll.compensation.read',
  'project-management.project',
  'app-foundations.custom-field-definitions',
  'app-foundations.custom-field-definitions.read',
  'app-foundations.custom-dimensions.read',
  'time-tracking.time-entry',
  'indirect-tax.tax-calculation.quickbooks',
]);

const json = (status: number, body: Doc, headers: Readonly<Record<string, string>> = {}): SandboxAnswer => ({
  status,
  headers: {
    'Content-Type': 'application/json;charset=UTF-8',
    'Cache-Control': 'no-cache, no-store',
    Pragma: 'no-cache',
    ...headers,
  },
  body: JSON.stringify(body),
});

/** Returns whether a redirect address belongs to the app or to this machine. */
export function isAllowedRedirect(app: App, address: string): boolean {
  if (app.redirectUris.includes(address)) return true;
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, hash } = new URL(address);
  return hash === '' && /^https?:$/.test(protocol) && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** Issuer of identity tokens: Intuit, regardless of the endpoints. */
const issuer = 'https://oauth.platform.intuit.com/op/v1';

/** Intuit's OAuth 2.0 and OpenID Connect, as described in the reference (section 1). */
export class OAuth {
  readonly #parts: OAuthParts;
  #key: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } | undefined;

  constructor(parts: OAuthParts) {
    this.#parts = parts;
  }

  /** Handles a request for OAuth; returns undefined for other requests. */
  handle(request: SandboxRequest): SandboxAnswer | undefined {
    const { path, method } = request;
    if (paths.discovery.some((known) => known === path.replace(/\/$/, ''))) return this.#discovery(request);
    if (path === paths.authorize) return method === 'POST' ? this.#decide(request) : this.#authorize(request);
    if (path === paths.token) return method === 'POST' ? this.#token(request) : json(405, { error: 'invalid_request' });
    if (path === paths.revoke)
      return method === 'POST' ? this.#revoke(request) : json(405, { error: 'invalid_request' });
    if (path === paths.userinfo) return this.#userinfo(request);
    return path === paths.jwks ? this.#jwks() : undefined;
  }

  #discovery({ baseUrl }: SandboxRequest): SandboxAnswer {
    return json(200, {
      issuer,
      authorization_endpoint: baseUrl + paths.authorize,
      token_endpoint: baseUrl + paths.token,
      userinfo_endpoint: baseUrl + paths.userinfo,
      revocation_endpoint: baseUrl + paths.revoke,
      jwks_uri: baseUrl + paths.jwks,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
      scopes_supported: ['openid', 'email', 'profile', 'address', 'phone'],
      token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
      claims_supported: ['aud', 'exp', 'iat', 'iss', 'realmid', 'sub'],
    });
  }

  /** Returns an error message for an invalid request to the consent page; undefined when it is valid. */
  #problem(parameters: URLSearchParams): string | undefined {
    const { app } = this.#parts;
    if (parameters.get('client_id') !== app.clientId)
      return 'The app that sent you here is not known: its client_id is missing or wrong.';
    if (!isAllowedRedirect(app, parameters.get('redirect_uri') ?? ''))
      return 'The redirect_uri is missing, or it is not one that is registered for the app.';
    if (parameters.get('response_type') !== 'code') return 'The response_type must be “code”.';
    if ((parameters.get('state') ?? '') === '')
      return 'The state is missing. It prevents another person from connecting you.';
    const scopes = (parameters.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
    if (scopes.length === 0) return 'The scope is missing: the app must say what it wants to do.';
    const unknown = scopes.find((scope) => !knownScopes.has(scope));
    if (unknown !== undefined) return `The scope “${unknown}” is not known.`;
    const method = parameters.get('code_challenge_method') ?? 'plain';
    return method === 'plain' || method === 'S256' ? undefined : 'The code_challenge_method must be “S256” or “plain”.';
  }

  #authorize({ params }: SandboxRequest): SandboxAnswer {
    const problem = this.#problem(params);
    if (problem !== undefined) return problemPage(problem);
    return consentPage(params, this.#parts.companies(), paths.authorize);
  }

  #decide(request: SandboxRequest): SandboxAnswer {
    const form = new URLSearchParams(request.text());
    const problem = this.#problem(form);
    if (problem !== undefined) return problemPage(problem);
    const back = new URL(form.get('redirect_uri') ?? '');
    const state = form.get('state') ?? '';
    if (form.get('decision') !== 'connect') {
      back.searchParams.set('error', 'access_denied');
      if (this.#parts.behaviour.get('denial_has_description'))
        back.searchParams.set('error_description', 'The user did not authorize the request');
      back.searchParams.set('state', state);
      return redirect(back);
    }
    const scopes = (form.get('scope') ?? '').split(' ').filter((scope) => scope !== '');
    const needsCompany = scopes.some((scope) => companyScopes.includes(scope));
    const company = this.#parts.companies().find(({ realmId }) => realmId === form.get('realm_id'));
    if (needsCompany && company === undefined)
      return consentPage(form, this.#parts.companies(), paths.authorize, 'Choose a company first.');
    const code = this.#parts.connections.issueCode({
      realmId: needsCompany ? company?.realmId : undefined,
      scopes,
      redirectUri: form.get('redirect_uri') ?? '',
      challenge: form.get('code_challenge') ?? undefined,
      challengeMethod: form.get('code_challenge_method') ?? undefined,
    });
    back.searchParams.set('code', code);
    back.searchParams.set('state', state);
    if (needsCompany && company !== undefined) back.searchParams.set('realmId', company.realmId);
    return redirect(back);
  }

  /** Returns whether a request has the app's credentials, by Basic authentication or in the form. */
  #isOurClient(request: SandboxRequest, form: URLSearchParams): boolean {
    const { clientId, clientSecret } = this.#parts.app;
    const basic = /^Basic\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (basic === undefined) return form.get('client_id') === clientId && form.get('client_secret') === clientSecret;
    const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString('utf8').split(':');
    const decode = (text: string) => {
      try {
        return decodeURIComponent(text);
      } catch {
        return text;
      }
    };
    return decode(id) === clientId && decode(secret) === clientSecret;
  }

  #token(request: SandboxRequest): SandboxAnswer {
    const tid = { intuit_tid: tidOf(request.sequence) };
    const form = new URLSearchParams(request.text());
    if (!this.#isOurClient(request, form)) return json(401, { error: 'invalid_client' }, tid);
    if (!(request.headers['content-type'] ?? '').startsWith('application/x-www-form-urlencoded'))
      return json(
        400,
        { error: 'invalid_request', error_description: 'Content-Type must be application/x-www-form-urlencoded' },
        tid,
      );
    const connections = this.#parts.connections;
    let outcome: Grant | Refusal;
    switch (form.get('grant_type')) {
      case 'authorization_code': {
        const [code, redirectUri] = [form.get('code'), form.get('redirect_uri')];
        if (code === null || redirectUri === null) return json(400, { error: 'invalid_request' }, tid);
        outcome = connections.exchange(code, redirectUri, form.get('code_verifier') ?? undefined);
        break;
      }
      case 'refresh_token': {
        const token = form.get('refresh_token');
        if (token === null || token === '') return json(400, { error: 'invalid_request' }, tid);
        outcome = connections.refresh(token);
        break;
      }
      case null:
        return json(400, { error: 'invalid_request' }, tid);
      default:
        return json(400, { error: 'unsupported_grant_type' }, tid);
    }
    if ('error' in outcome) {
      const { error, ...more } = outcome;
      return json(400, { ...more, error }, tid);
    }
    const body: Doc = {
      token_type: 'bearer',
      access_token: outcome.accessToken,
      expires_in: accessTokenSeconds,
      refresh_token: outcome.refreshToken,
      x_refresh_token_expires_in: outcome.refreshSeconds,
    };
    if (request.headers['x-include-refresh-token-hard-expires-in'] === 'true')
      body['x_refresh_token_hard_expires_in'] = outcome.hardSeconds;
    if (outcome.connection.scopes.includes('openid')) body['id_token'] = this.#idToken(outcome);
    return { ...json(200, body, tid), applied: true };
  }

  #revoke(request: SandboxRequest): SandboxAnswer {
    const text = request.text();
    let token: string | undefined;
    if ((request.headers['content-type'] ?? '').includes('json')) {
      try {
        const body: unknown = JSON.parse(text);
        if (typeof body === 'object' && body !== null && 'token' in body && typeof body.token === 'string')
          token = body.token;
      } catch {
        token = undefined;
      }
    } else token = new URLSearchParams(text).get('token') ?? undefined;
    if (!this.#isOurClient(request, new URLSearchParams())) return json(401, { error: 'invalid_client' });
    const connection = token === undefined ? undefined : this.#parts.connections.find(token);
    if (connection === undefined || connection.isRevoked) return json(400, { error: 'invalid_request' });
    this.#parts.connections.revoke(connection);
    return { status: 200, headers: { intuit_tid: tidOf(request.sequence) }, body: '', applied: true };
  }

  #userinfo(request: SandboxRequest): SandboxAnswer {
    const token = /^Bearer\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const state = this.#parts.connections.stateOf(token);
    if (state.state !== 'valid' || !state.connection.scopes.includes('openid'))
      return json(401, { error: 'invalid_token' });
    const { scopes } = state.connection;
    const body: Doc = { sub: user.sub };
    if (scopes.includes('email')) Object.assign(body, { email: user.email, emailVerified: true });
    if (scopes.includes('profile')) Object.assign(body, { givenName: user.givenName, familyName: user.familyName });
    if (scopes.includes('phone')) Object.assign(body, { phoneNumber: '+15125550100', phoneNumberVerified: true });
    if (scopes.includes('address'))
      body['address'] = {
        streetAddress: '500 Congress Ave',
        locality: 'Austin',
        region: 'TX',
        postalCode: '78701',
        country: 'US',
      };
    return json(200, body);
  }

  get #keys() {
    return (this.#key ??= generateKeyPairSync('rsa', { modulusLength: 2048 }));
  }

  #keyId(): string {
    const { n = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    return createHash('sha256').update(n).digest('base64url').slice(0, 16);
  }

  #jwks(): SandboxAnswer {
    const { n = '', e = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    return json(200, { keys: [{ kty: 'RSA', use: 'sig', alg: 'RS256', kid: this.#keyId(), n, e }] });
  }

  #idToken({ connection }: Grant): string {
    const now = Math.floor(this.#parts.clock.now() / 1000);
    const claims: Doc = {
      sub: user.sub,
      aud: [this.#parts.app.clientId],
      auth_time: Math.floor(connection.connectedAt / 1000),
      iss: issuer,
      exp: now + accessTokenSeconds,
      iat: now,
    };
    if (connection.realmId !== undefined) claims['realmid'] = connection.realmId;
    const part = (value: Doc) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const signed = `${part({ kid: this.#keyId(), alg: 'RS256' })}.${part(claims)}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), this.#keys.privateKey).toString('base64url')}`;
  }
}

/** Returns the request id that Intuit support asks for, different for each request. */
export function tidOf(sequence: number): string {
  const hash = createHash('sha256').update(`tid ${sequence}`).digest('hex');
  return `1-${hash.slice(0, 8)}-${hash.slice(8, 32)}`;
}

function redirect(to: URL): SandboxAnswer {
  return { status: 302, headers: { Location: to.href, 'Cache-Control': 'no-store' }, body: '', applied: true };
}
