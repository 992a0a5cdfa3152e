import type { FastifyInstance } from 'fastify';
import { buildServer } from '#api/server.ts';
import type { JsonObject } from '#core/values/json.ts';
import { hashPassword } from '#flows/access/passwords.ts';
import { testSecretKey } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import type { World } from '../support/world.ts';
import { newUser } from '#test/cases/sample-records.ts';

const username = 'admin@northwind-msp.example';
const password = 'Correct-Horse-9';
let passwordHash: Promise<string> | undefined;

/** Retries of a failed request. Every database connection of the product may have been cut. */
const maxTries = 60;
const pageSize = 100;
/** Retries of a reconciliation that failed; a cached result is not used. */
const maxPreparations = 3;

/** The response's data; null when the request was rejected. */
type Reply = JsonObject | null;

/** A user of the product's HTTP API. */
export interface ApiUser {
  /**
   * Sends a request. Retries while the database is unavailable, and logs in again when the session ended.
   *
   * @returns the response's data; null when the request was rejected.
   * @throws Error for an internal error of the product.
   */
  ask(method: 'GET' | 'POST' | 'PUT', path: string, body?: JsonObject): Promise<Reply>;
  /** Returns all log entries that match a query. */
  logs(query: string): Promise<readonly JsonObject[]>;
  /** Refreshes a month and returns the Autotask ids with a difference. */
  differences(month: string): Promise<ReadonlySet<number>>;
  close(): Promise<void>;
}

/** Starts the HTTP API for a world, with an administrator. */
export async function openApiUser(world: World): Promise<ApiUser> {
  await world.app.store.addUser(
    newUser(username, {
      passwordHash: await (passwordHash ??= hashPassword(password)),
      tenantId: world.tenant.tenantId,
    }),
  );
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
  const ask: ApiUser['ask'] = async (method, path, body) => {
    for (let tries = 1; ; tries += 1) {
      const { status, data, text } = await call(method, path, body);
      if (status < 300) return data ?? {};
      if (status === 401 && path !== '/auth/login' && tries < maxTries) {
        token = '';
        token = String((await ask('POST', '/auth/login', { username, password }))?.['token']);
      } else if (status !== 503 || tries === maxTries) {
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
        if (reply === null) throw new Error('the log request was rejected');
        const own = reply['logs'] as readonly JsonObject[];
        rows.push(...own);
        if (own.length < pageSize) return rows;
      }
    },
    async differences(month) {
      for (let tries = 1; ; tries += 1) {
        // Refused while the month is being prepared already, or the database cannot be used.
        const isBegun = (await ask('POST', `/api/my/closes/${month}/prepare`)) !== null;
        const close = await eventually(async () => {
          const shown = (await ask('GET', `/api/my/closes/${month}`))?.['close'] as JsonObject | undefined;
          if (shown?.['is_preparing'] !== false) throw new Error('the month is still being prepared');
          return shown;
        });
        const { problem } = close;
        // An earlier reading may lack the latest changes.
        if (isBegun && problem === null)
          return new Set((close['exceptions'] as readonly JsonObject[]).map((one) => Number(one['psa_id'])));
        if (tries === maxPreparations)
          throw new Error(`${month} cannot be reconciled: ${isBegun ? String(problem) : 'it was never prepared'}`);
      }
    },
    close: () => server.close(),
  };
}
