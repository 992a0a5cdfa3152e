import type { FastifyInstance } from 'fastify';
import type { ApiDependencies } from '#api/dependencies.ts';
import { buildServer } from '#api/server.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { Role } from '#core/roles.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { testSecretKey } from './database.ts';
import { newWorld, type World, type WorldOptions } from './world.ts';

/** The response to a call. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body; null when it is not JSON. */
  readonly body: JsonObject | null;
  readonly text: string;
  /** The body's `data`. */
  readonly data: JsonObject;
}

export interface CallOptions {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The API over real HTTP, in a world with two clients: one with both services connected, one with none. */
export interface TestApi {
  readonly world: World;
  readonly server: FastifyInstance;
  readonly url: string;
  readonly otherTenantId: string;
  call(method: string, path: string, options?: CallOptions): Promise<Answered>;
  /** Logs in and returns the token. */
  signIn(username: string): Promise<string>;
  close(): Promise<void>;
}

/** The token that allows reading the metrics. */
export const metricsToken = 'a-token-that-only-the-tests-know';
export const password = 'Correct-Horse-9';
export const people = {
  admin: 'admin@northwind-msp.example',
  other: 'admin@contoso-msp.example',
  sysadmin: 'sysadmin@tallybridge.example',
  nobody: 'nobody@northwind-msp.example',
} as const;

export async function newApi(
  options: {
    readonly webFolder?: string;
    readonly isDemo?: boolean;
    /** A PSA other than Autotask. */
    readonly psa?: WorldOptions['psa'];
    readonly server?: Partial<ApiDependencies>;
  } = {},
): Promise<TestApi> {
  const world = await newWorld(options.psa === undefined ? {} : { psa: options.psa });
  const { isDemo } = options;
  const app = isDemo === undefined ? world.app : { ...world.app, config: { ...world.app.config, isDemo } };
  const other = await app.store.addTenant({ name: 'Contoso MSP', status: 'pending', timeZone: 'Europe/Berlin' });
  const passwordHash = await hashPassword(password);
  const add = (username: string, roles: readonly Role[], tenantId: string | null) =>
    app.store.addUser({ username, passwordHash, roles, tenantId, isActive: true });
  await add(people.admin, ['clientadmin'], world.tenant.tenantId);
  await add(people.other, ['clientadmin'], other.id);
  await add(people.sysadmin, ['sysadmin'], null);
  await add(people.nobody, [], world.tenant.tenantId);

  const server = await buildServer({
    app,
    secretKey: testSecretKey,
    metricsToken,
    webFolder: options.webFolder ?? null,
    // Slow test machines must not cause timeouts. Tests of slow services set a shorter time.
    patienceMs: 60_000,
    ...options.server,
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });

  async function call(method: string, path: string, { token, body, headers }: CallOptions = {}): Promise<Answered> {
    const answer = await fetch(`${url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
    const parsed = isJson && text !== '' ? (JSON.parse(text) as JsonObject) : null;
    const data = (parsed?.['data'] ?? {}) as JsonObject;
    return { status: answer.status, headers: answer.headers, body: parsed, text, data };
  }

  return {
    world,
    server,
    url,
    otherTenantId: other.id,
    call,
    signIn: async (username) => tokenOf(await call('POST', '/auth/login', { body: { username, password } })),
    async close() {
      await server.close();
      await world.close();
    },
  };
}

/** Returns the cookies of a response as a Cookie header. */
export const cookiesOf = (answer: { readonly headers: Headers }): string =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0] ?? '')
    .filter((pair) => !pair.endsWith('='))
    .join('; ');

/** Returns the token in a response. */
export function tokenOf({ data, text }: Answered): string {
  if (typeof data['token'] !== 'string') throw new Error(`no token in ${text}`);
  return data['token'];
}
