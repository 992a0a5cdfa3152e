import { randomBytes } from 'node:crypto';
import type { Clock } from '#core/ports/clock.ts';
import type { RootStore } from '#store/root-store.ts';
import { instant } from '#core/values/dates.ts';
import { databaseClock } from '#store/clock.ts';
import { isConnectionFailure, openDatabase, type Database } from '#store/database.ts';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { codeOf, DatabaseUnavailable } from '#store/errors.ts';
import { migrate } from '#store/migrate.ts';
import { createStore } from '#store/root-store.ts';
import { proofOf } from '#store/tenant-login.ts';
import { createVault } from '#store/vault.ts';
import { Client, Pool, type PoolClient } from 'pg';
import { inject } from 'vitest';
import { silentLogger } from './logger.ts';
import { withoutPowerCuts } from './quick-server.ts';

/** A migrated, empty database for a test. */
export interface TestDatabase {
  readonly url: string;
  readonly database: Database;
  readonly store: RootStore;
  /** Number of tenant transactions of the store. */
  readonly transactions: () => number;
  /** Moves the ends of held leases as if these seconds had passed, because leases use the database's clock. */
  readonly passLeases: (seconds: number) => Promise<void>;
  /** Returns the tenants of transactions since the last call. */
  readonly boundTenants: () => ReadonlySet<string>;
  /** Closes and drops the database. */
  close(): Promise<void>;
}

export const testSecretKey = 'a secret key that only the tests know';

/** Retries while another process copies the template. */
const copyTries = 50;

/**
 * Creates a database for a test file or a test: a copy of one that was migrated once per run, or an emptied one of an
 * earlier test with open connections.
 *
 * @param options.clock the store's clock; default: the database's.
 * @param options.refreshLimits wait times of a token refresh; default: as in the product.
 * @param options.isMigrated false creates a database without tables, whose store does not work.
 * @param options.schema statements that change the schema.
 * @param options.server address of a separate server, where the database is created and stays.
 */
export async function newDatabase(
  options: {
    readonly clock?: Clock;
    readonly isMigrated?: boolean;
    readonly refreshLimits?: Parameters<typeof createStore>[0]['refreshLimits'];
    readonly schema?: string;
    readonly server?: string;
  } = {},
): Promise<TestDatabase> {
  const { isMigrated = true, schema = '', server: ownServer } = options;
  const unused = emptied.findLastIndex((one) => isMigrated && one.changes === schema && ownServer === undefined);
  const copy =
    ownServer === undefined
      ? (emptied.splice(unused, unused === -1 ? 0 : 1)[0] ?? (await copyOf(isMigrated, schema)))
      : await migratedOn(ownServer);
  const { url, database } = copy;
  const machine: Clock = { now: () => instant(Date.now()) };
  const clock = options.clock ?? (isMigrated ? await databaseClock(database, silentLogger) : machine);
  let transactions = 0;
  let bound = new Set<string>();
  let isClosed = false;
  // A test with the pool may have changed the sessions.
  let isPoolKnown = false;
  const whileOpen =
    <A extends unknown[], T>(use: (...args: A) => Promise<T>) =>
    (...args: A): Promise<T> =>
      isClosed ? Promise.reject(new DatabaseUnavailable('The test closed its database.')) : use(...args);
  const leased: Database = {
    ...database,
    get pool() {
      isPoolKnown = true;
      return database.pool;
    },
    forTenant: whileOpen((tenantId, use) => {
      transactions += 1;
      bound.add(tenantId);
      return database.forTenant(tenantId, use);
    }),
    acrossTenants: whileOpen(database.acrossTenants),
    asPurge: whileOpen(database.asPurge),
  };
  return {
    url,
    database: leased,
    store: createStore({
      database: leased,
      vault: createVault(testSecretKey),
      clock,
      ...(options.refreshLimits && { refreshLimits: options.refreshLimits }),
    }),
    transactions: () => transactions,
    async passLeases(seconds) {
      // Time also passes while a database is read-only.
      if (!isClosed) await copy.owner.use((owner) => passLeases(owner, seconds));
    },
    boundTenants() {
      const seen = bound;
      bound = new Set();
      return seen;
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      if (ownServer !== undefined) await Promise.all([copy.database.close(), copy.owner.close()]);
      else if (isMigrated && !isPoolKnown && (await isEmptied(copy))) emptied.push(copy);
      else await drop(copy);
    },
  };
}

/** Emptied databases of this process, for reuse. */
const emptied: Copy[] = [];

interface Copy {
  readonly url: string;
  readonly database: Database;
  readonly owner: Owner;
  /** Statements that changed the schema. */
  readonly changes: string;
  /** The result of {@link schemaOf} at the creation; empty without tables. */
  readonly schema: string;
}

async function copyOf(isMigrated: boolean, changes: string): Promise<Copy> {
  const server = await serverUrl();
  const template = isMigrated ? await migratedTemplate(server) : 'template0';
  const name = `${inject('postgres').prefix}${randomBytes(6).toString('hex')}`;
  await asAdmin(server, (client) => createFrom(client, name, template));
  const url = named(server, name);
  const options = { logger: silentLogger, secretKey: testSecretKey };
  // The tests of migrations and restores start commands, which refuse while the product has connections.
  const database = await openDatabase(url, isMigrated ? options : { ...options, applicationName: 'tallybridge test' });
  const owner = ownerOf(url);
  if (changes !== '') await owner.use((client) => client.query(changes));
  return { url, database, owner, changes, schema: isMigrated ? await owner.use(schemaOf) : '' };
}

async function migratedOn(server: string): Promise<Copy> {
  const name = `own_${randomBytes(6).toString('hex')}`;
  await asAdmin(server, (client) => client.query(`create database ${name} template template0 encoding 'UTF8'`));
  const url = named(server, name);
  const database = await openDatabase(url, { logger: silentLogger, secretKey: testSecretKey });
  await migrate(database);
  return { url, database, owner: ownerOf(url), changes: '', schema: '' };
}

/** A session of a database's owner that stays open, because opening one costs more than a statement. */
interface Owner {
  /** Does one work after the other. */
  use<T>(work: (client: Session) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
type Session = Pick<PoolClient, 'query'>;

function ownerOf(url: string): Owner {
  const pool = new Pool({ connectionString: url, max: 1, idleTimeoutMillis: 60_000, allowExitOnIdle: true });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  const once = async <T>(work: (client: Session) => Promise<T>): Promise<T> => {
    const client = await pool.connect();
    let hasFailed = true;
    try {
      const result = await work(client);
      hasFailed = false;
      return result;
    } finally {
      client.release(hasFailed);
    }
  };
  return {
    async use(work) {
      try {
        return await once(work);
      } catch (error) {
        // A test may cut all sessions.
        if (!isConnectionFailure(error)) throw error;
        return once(work);
      }
    },
    close: () => pool.end(),
  };
}

/** Returns a value that changes with every change of the schema, of the keys, or of the database's settings. */
async function schemaOf(client: Session): Promise<string> {
  const catalogs = ['class', 'attribute', 'proc', 'trigger', 'policy', 'constraint', 'index', 'rewrite', 'namespace'];
  const sums = catalogs.map(
    (name) => `(select sum(hashtextextended(ctid::text || xmin::text, 0)) from pg_catalog.pg_${name})`,
  );
  const { rows } = await client.query<{ schema: string }>(`
    select concat_ws(' ', ${sums.join(', ')},
      (select string_agg(one::text, ' ' order by one::text) from schema_migrations as one),
      (select string_agg(one::text, ' ') from binding_key as one),
      (select string_agg(one::text, ' ') from pg_db_role_setting as one
       where setdatabase = (select oid from pg_database where datname = current_database()))) as schema`);
  return rows[0]?.schema ?? '';
}

async function drop({ url, database, owner }: Copy): Promise<void> {
  await Promise.all([database.close(), owner.close()]);
  const name = new URL(url).pathname.slice(1);
  await asAdmin(await serverUrl(), (client) => client.query(`drop database if exists ${name} with (force)`));
}

/**
 * Empties a migrated database.
 *
 * @returns false when a client is still connected or listening, or when the test changed the schema.
 */
async function isEmptied({ owner, schema }: Copy): Promise<boolean> {
  return owner.use(async (client) => {
    const { rowCount: busy } = await client.query(
      `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
         and (state <> 'idle' or query ilike 'listen%') limit 1`,
    );
    if (busy !== 0 || (await schemaOf(client)) !== schema) return false;
    await client.query(`
      do $$
      declare
        one regclass;
        has_rows boolean;
      begin
        -- Neither triggers nor references ask questions.
        set local session_replication_role = replica;
        for one in select oid from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
          and relname not in ('schema_migrations', 'binding_key', 'deployment_clock')
        loop
          execute format('select exists (select from %s)', one) into has_rows;
          if has_rows then execute format('delete from %s', one); end if;
        end loop;
        perform setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
          from pg_sequences where last_value is not null;
        delete from deployment_clock;
        insert into deployment_clock (wall_ms) values (wall_clock_ms());
      end $$`);
    return true;
  });
}

/** Moves the ends of held leases, as {@link TestDatabase.passLeases}. */
export async function passLeases(owner: Pick<Client, 'query'>, seconds: number): Promise<void> {
  await owner.query(`begin read write;
    update leases set ends_at = ends_at - make_interval(secs => ${seconds}) where owner is not null;
    commit`);
}

/** Runs statements as the owner of a test database, bypassing the store. */
export async function asOwner<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  return asAdmin(url, use);
}

/** Makes a database read-only, as in a failover, or writable again. Closes the product's connections. */
export async function setReadOnly(url: string, isReadOnly: boolean): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  await asAdmin(url, async (client) => {
    await client.query('set session characteristics as transaction read write');
    await client.query(`alter database ${name} set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`);
    await client.query(
      'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
  });
}

/** Binds a transaction to a tenant, like the store does. */
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

/** The first test file of a run creates the template; others wait for it. */
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
        // A connection that was just closed may still exist.
        if (codeOf(error) !== '55006' || tries === copyTries) throw error;
        await client.query('select pg_sleep(0.02)');
      }
    }
  }));

async function createFrom(client: Client, name: string, from: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query(`create database ${name} template ${from} strategy file_copy`);
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
