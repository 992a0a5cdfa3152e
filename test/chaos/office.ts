import type { FastifyInstance } from 'fastify';
import { buildServer } from '#api/server.ts';
import type { JsonObject } from '#core/values/json.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { testSecretKey } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import type { World } from '../support/world.ts';

const username = 'admin@northwind-msp.example';
const password = 'Correct-Horse-9';
let passwordHash: Promise<string> | undefined;

/** So often a person who is told to try again does so: every connection of the product may have been cut. */
const mostTries = 60;
const pageSize = 100;
/** A month that could not be proved is asked for so often: what is kept from before says nothing of now. */
const mostPreparations = 3;

/** An answer of the product; null where it refused. */
type Reply = JsonObject | null;

/** The people of a client at the product's HTTP API, who see and do what its screens let them. */
export interface Office {
  /**
   * Asks until there is an answer: again while the database is away, and with a new sign-in once the session is over.
   *
   * @returns what the reply holds; null when the product refused, so that nothing has happened.
   * @throws Error for a failure of the product's own.
   */
  ask(method: 'GET' | 'POST' | 'PUT', path: string, body?: JsonObject): Promise<Reply>;
  /** All entries of the log that a query narrows it to. */
  logs(query: string): Promise<readonly JsonObject[]>;
  /** Refreshes a month, and answers the documents of the PSA in which its proof finds a difference. */
  differing(month: string): Promise<ReadonlySet<number>>;
  close(): Promise<void>;
}

/** Opens the HTTP API over a world, with an administrator of its client. */
export async function openOffice(world: World): Promise<Office> {
  await world.app.store.addUser({
    username,
    passwordHash: await (passwordHash ??= hashPassword(password)),
    roles: ['clientadmin'],
    tenantId: world.tenant.tenantId,
    isActive: true,
  });
  const server: FastifyInstance = await buildServer({
    app: world.app,
    secretKey: testSecretKey,
    webFolder: null,
    requestsPerMinute: { address: 1e6, user: 1e6, client: 1e6 },
  });
  let token = '';
  const call = async (method: 'GET' | 'POST' | 'PUT', path: string, body?: JsonObject) => {
    const { statusCode, body: text } = await server.inject({
      method,
      url: path,
      headers: token === '' ? {} : { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { payload: { ...body } }),
    });
    return { status: statusCode, data: (JSON.parse(text) as JsonObject)['data'] as Reply, text };
  };
  const ask: Office['ask'] = async (method, path, body) => {
    for (let tries = 1; ; tries += 1) {
      const { status, data, text } = await call(method, path, body);
      if (status < 300) return data ?? {};
      if (status === 401 && path !== '/auth/login' && tries < mostTries) {
        token = '';
        token = String((await ask('POST', '/auth/login', { username, password }))?.['token']);
      } else if (status !== 503 || tries === mostTries) {
        if (status >= 500 && status !== 502 && status !== 503) throw new Error(`${method} ${path}: ${status} ${text}`);
        return null;
      }
    }
  };
  return {
    ask,
    async logs(query) {
      const rows: JsonObject[] = [];
      for (let page = 1; ; page += 1) {
        const reply = await ask('GET', `/api/my/logs?${query}&page=${page}&page_size=${pageSize}`);
        if (reply === null) throw new Error('the log is refused');
        const own = reply['logs'] as readonly JsonObject[];
        rows.push(...own);
        if (own.length < pageSize) return rows;
      }
    },
    async differing(month) {
      for (let tries = 1; ; tries += 1) {
        await ask('POST', `/api/my/closes/${month}/prepare`);
        const close = await eventually(async () => {
          const shown = (await ask('GET', `/api/my/closes/${month}`))?.['close'] as JsonObject | undefined;
          if (shown?.['is_preparing'] !== false) throw new Error('the month is being prepared');
          return shown;
        });
        const { problem } = close;
        if (problem === null)
          return new Set((close['exceptions'] as readonly JsonObject[]).map((one) => Number(one['psa_id'])));
        if (tries === mostPreparations) throw new Error(`${month} cannot be proved: ${String(problem)}`);
      }
    },
    close: () => server.close(),
  };
}
