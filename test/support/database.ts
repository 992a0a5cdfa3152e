import { randomBytes } from 'node:crypto';
import type { Clock } from '#core/ports/clock.ts';
import type { RootStore } from '#core/ports/store.ts';
import { instant } from '#core/values/dates.ts';
import { databaseClock } from '#store/clock.ts';
import { openDatabase, type Database } from '#store/database.ts';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { codeOf } from '#store/errors.ts';
import { migrate } from '#store/migrate.ts';
import { createStore } from '#store/root-store.ts';
import { proofOf } from '#store/tenant-login.ts';
import { createVault } from '#store/vault.ts';
import { Client } from 'pg';
import { inject } from 'vitest';
import { silentLogger } from './logger.ts';
import { withoutPowerCuts } from './quick-server.ts';

/** A migrated, empty database of a test's own. */
export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  readonly store: RootStore;
  /** Transactions that the store has begun for tenants so far. */
  readonly transactions: () => number;
  /** The tenants that transactions were bound to since this was last asked. */
  readonly boundTenants: () => ReadonlySet<string>;
  /** Closes and drops it. */
  close(): Promise<void>;
}

export const testSecretKey = 'a secret key that only the tests know';

/** How often a template that somebody else is just copying is tried again. */
const copyTries = 50;

/**
 * Gives a test file (or a test) its own database, copied from one that was migrated once per run.
 *
 * @param options.clock what the store takes for “now”; default: the database's own clock.
 * @param options.isMigrated false gives a database without tables; its store does not work.
 */
export async function newDatabase(
  options: { readonly clock?: Clock; readonly isMigrated?: boolean } = {},
): Promise<TestDatabase> {
  const server = await serverUrl();
  const template = options.isMigrated === false ? 'template0' : await migratedTemplate(server);
  const name = `${inject('postgres').prefix}${randomBytes(6).toString('hex')}`;
  await asAdmin(server, (client) => createFrom(client, name, template));
  const url = named(server, name);
  const database = await openDatabase(url, { logger: silentLogger, secretKey: testSecretKey });
  const machine: Clock = { now: () => instant(Date.now()) };
  const clock = options.clock ?? (options.isMigrated === false ? machine : await databaseClock(database, silentLogger));
  let transactions = 0;
  let bound = new Set<string>();
  const counted: Database = {
    ...database,
    forTenant(tenantId, use) {
      transactions += 1;
      bound.add(tenantId);
      return database.forTenant(tenantId, use);
    },
  };
  return {
    url,
    database,
    store: createStore({ database: counted, vault: createVault(testSecretKey), clock }),
    transactions: () => transactions,
    boundTenants() {
      const seen = bound;
      bound = new Set();
      return seen;
    },
    async close() {
      await database.close();
      await asAdmin(server, (client) => client.query(`drop database if exists ${name} with (force)`));
    },
  };
}

/** Runs statements as the owner of a test database, with every right: to plant and to look behind the store's back. */
export async function asOwner<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  return asAdmin(url, use);
}

/** Binds the transaction of an owner's client to a tenant, as the store does. */
export async function enterTenant(client: Client, tenantId: string): Promise<void> {
  const { rows } = await client.query<{ key: Buffer }>('select key from binding_key');
  const [row] = rows;
  if (row === undefined) throw new Error('no key');
  await client.query('select enter_tenant($1, $2)', [tenantId, proofOf(row.key, tenantId)]);
}

let server: Promise<string> | undefined;
let template: Promise<string> | undefined;

const serverUrl = (): Promise<string> =>
  (server ??= (async () => {
    const { TEST_DATABASE_URL: url } = process.env;
    if (url !== undefined) return url;
    const started = await startEmbeddedPostgres({ dataDir: inject('postgres').dataDir, logger: silentLogger });
    await withoutPowerCuts(started.url);
    return started.url;
  })());

/** The first test file of the run that comes makes the template; the others wait for it. */
const migratedTemplate = (url: string): Promise<string> =>
  (template ??= asAdmin(url, async (client) => {
    const name = `${inject('postgres').prefix}template`;
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount !== 0) return name;
    await client.query(`create database ${name}_new template template0 encoding 'UTF8'`);
    const database = await openDatabase(named(url, `${name}_new`), {
      logger: silentLogger,
      secretKey: testSecretKey,
    });
    await migrate(database);
    await database.close();
    for (let tries = 1; ; tries += 1) {
      try {
        await client.query(`alter database ${name}_new rename to ${name}`);
        return name;
      } catch (error) {
        // A connection that was closed a moment ago may still be there.
        if (codeOf(error) !== '55006' || tries === copyTries) throw error;
        await client.query('select pg_sleep(0.02)');
      }
    }
  }));

async function createFrom(client: Client, name: string, from: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query(`create database ${name} template ${from}`);
      return;
    } catch (error) {
      if (codeOf(error) !== '55006' || tries === copyTries) throw error;
      await client.query('select pg_sleep(0.02)');
    }
  }
}

const named = (url: string, name: string): string => {
  const target = new URL(url);
  target.pathname = `/${name}`;
  return target.href;
};

async function asAdmin<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
