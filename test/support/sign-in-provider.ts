import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider, type Configuration } from 'oidc-provider';

/** An account at the provider, by the id that the test logs in with. */
export type ProviderAccount = Readonly<Record<string, unknown>> & { readonly sub: string };

/** A real OpenID Connect provider over HTTP, in the shape of Microsoft or Google. */
export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly accounts: Map<string, ProviderAccount>;
  /** Sets the account of the next login, for a browser. */
  choose(account: string): void;
  /** Follows the provider’s pages as this account. Returns the query of the callback. */
  logIn(url: string, account: string, how?: { readonly amr?: readonly string[] }): Promise<string>;
  /** Replaces the signing keys. */
  rotateKeys(): Promise<void>;
  /** Requests fail with this status; null: they work. */
  fail(status: number | null): void;
  close(): Promise<void>;
}

/** The directory of a provider in the shape of Microsoft. */
export const directoryId = '5f0c1f3e-9a57-4d3a-8a5e-0c8d1b2e7f10';
const clientId = 'tallybridge-test';
const clientSecret = 'a-secret-that-only-the-tests-know';

const shapes = {
  // Microsoft sends no `email_verified`, and the directory in `tid`.
  microsoft: { path: `/${directoryId}/v2.0`, claims: ['tid', 'oid', 'xms_edov', 'email', 'preferred_username'] },
  google: { path: '', claims: ['email', 'email_verified', 'hd'] },
} as const;

async function newKeys(id: number) {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { keys: [{ ...(await exportJWK(privateKey)), kid: `key-${id}`, use: 'sig', alg: 'RS256' }] };
}

/**
 * Starts a provider on a free port.
 *
 * @param idTokenSeconds lifetime of ID tokens.
 */
export async function startProvider(
  shape: keyof typeof shapes,
  { redirectUri, idTokenSeconds = 3_600 }: { readonly redirectUri: string; readonly idTokenSeconds?: number },
): Promise<TestProvider> {
  const accounts = new Map<string, ProviderAccount>();
  let next: { readonly account: string; readonly amr: readonly string[] } = { account: '', amr: [] };
  let failure: number | null = null;
  let generation = 0;
  let current: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
  const { path, claims } = shapes[shape];
  const server = createServer((request, response) => {
    if (failure !== null) {
      response.writeHead(failure).end();
      return;
    }
    const url = request.url ?? '';
    Object.assign(request, { originalUrl: url, url: url.startsWith(path) ? url.slice(path.length) : url });
    current(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = `${origin}${path}`;

  async function renew(): Promise<void> {
    generation += 1;
    const provider: Provider = new Provider(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [redirectUri],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
        },
      ],
      jwks: await newKeys(generation),
      cookies: { keys: ['a-key-for-the-cookies-of-the-provider'] },
      features: { devInteractions: { enabled: false } },
      conformIdTokenClaims: false,
      claims: { openid: ['sub', 'amr', ...claims] },
      scopes: ['openid', 'email', 'profile', 'offline_access'],
      issueRefreshToken: () => true,
      expiresWithSession: () => false,
      ttl: { IdToken: idTokenSeconds, Interaction: 600, Session: 600, Grant: 86_400 },
      interactions: { url: (_context, { uid }) => `${path}/interaction/${uid}` },
      findAccount: (_context, id) => {
        const account = accounts.get(id);
        return account === undefined ? undefined : { accountId: id, claims: () => account };
      },
      loadExistingGrant: async (context) => {
        const accountId = context.oidc.session?.accountId;
        if (accountId === undefined) return undefined;
        const grant = new context.oidc.provider.Grant({ clientId, accountId });
        grant.addOIDCScope('openid email profile offline_access');
        grant.addOIDCClaims([...claims, 'amr']);
        await grant.save();
        return grant;
      },
    } satisfies Configuration);
    provider.use(async (context, then) => {
      if (!context.path.startsWith('/interaction/')) return then();
      await provider.interactionFinished(context.req, context.res, {
        login: { accountId: next.account, ...(next.amr.length > 0 && { amr: [...next.amr] }) },
      });
      context.respond = false;
      return undefined;
    });
    current = provider.callback();
  }
  await renew();

  return {
    issuer,
    clientId,
    clientSecret,
    accounts,
    choose(account) {
      next = { account, amr: [] };
    },
    async logIn(url, account, { amr = [] } = {}) {
      next = { account, amr };
      const jar = new Map<string, string>();
      let to = new URL(url);
      for (let step = 0; step < 10; step += 1) {
        const answer = await fetch(to, {
          redirect: 'manual',
          headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
        });
        for (const line of answer.headers.getSetCookie()) {
          const [name = '', value = ''] = (line.split(';', 1)[0] ?? '').split('=', 2);
          if (value === '') jar.delete(name);
          else jar.set(name, value);
        }
        const location = answer.headers.get('location');
        if (location === null) throw new Error(`the provider answered ${answer.status}: ${await answer.text()}`);
        to = new URL(location, to);
        if (to.href.startsWith(redirectUri)) return to.search;
      }
      throw new Error('the provider redirects endlessly');
    },
    rotateKeys: renew,
    fail(status) {
      failure = status;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
