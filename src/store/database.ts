import type { Transaction } from 'kysely';
import type { Logger } from '#core/ports/logger.ts';
import type { StoreFailure } from '#core/records/unavailable.ts';
import { calendarDate, instant } from '#core/values/dates.ts';
import { decimal } from '#core/values/decimal.ts';
import { messageOf } from '#core/values/text.ts';
import { Pool, types, type PoolClient } from 'pg';
import { codeOf, DatabaseUnavailable, readOnly } from './errors.ts';
import { inTransactionOf } from './transactions.ts';
import type { Tables } from './tables.ts';
import { asLogin, proofOf, readBindingKey, tenantLogin, type TenantLogin } from './tenant-login.ts';

/** A transaction with typed tables. */
export type Tx = Transaction<Tables>;

/** The product's database: a pool of connections, and transactions that are bound to one tenant or to none. */
export interface Database {
  readonly pool: Pool;
  /** Login for tenant transactions; null: they switch to the role under the owner's login. */
  readonly tenantLogin: TenantLogin | null;
  /**
   * Runs one transaction that sees only this tenant's rows, by row-level security. Its connections use a login that
   * cannot switch roles, and no statement can change the tenant.
   */
  readonly forTenant: <T>(tenantId: string, use: (tx: Tx) => Promise<T>) => Promise<T>;
  /** False for a while after the disk was full, and permanently after an object that this program needs was missing. */
  readonly isUsable: () => boolean;
  /** Runs one transaction that may read identities and the schedule of all tenants, but no tenant's documents. */
  readonly acrossTenants: <T>(use: (tx: Tx) => Promise<T>) => Promise<T>;
  /** Runs one transaction that may delete rows of any tenant: expired rows, or all rows of a tenant that leaves. */
  readonly asPurge: <T>(use: (tx: Tx) => Promise<T>) => Promise<T>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly logger: Logger;
  /**
   * `SECRET_KEY`, from which the login of the tenant connections is derived. If undefined, they switch to the role instead.
   */
  readonly secretKey?: string;
  /** Name of the connections in PostgreSQL; default `tallybridge`. */
  readonly applicationName?: string;
  /** Maximum connections of this process under each of its two logins; default 14. */
  readonly maxConnections?: number;
  /** How long a transaction may wait for its next statement; default 10 seconds. */
  readonly idleInTransactionMs?: number;
}

const statementTimeoutMs = 30_000;
/**
 * How long an idle connection stays open. A new connection costs the database more than syncing a document does,
 * because its caches of tables and functions are empty.
 */
const idleMs = 60_000;
/**
 * A worker that stalls in the middle of a transaction blocks the rows it has locked. The database ends the transaction
 * before the worker's lease (12 seconds) ends, so that the next worker does not wait for it.
 */
const idleInTransactionMs = 10_000;
const connectTimeoutMs = 10_000;
/** PostgreSQL's code for a full disk. */
const diskFull = '53100';
/** PostgreSQL's codes for a missing function, table or column: a defect of the process. */
const missing: readonly string[] = ['42883', '42P01', '42703'];
/** Milliseconds during which the database reports as unusable after a full disk, unless it is full again. */
const fullForMs = 30_000;
const oldestVersion = 150_000;

/**
 * Opens the database and proves that it answers.
 *
 * @param url e.g. `postgres://user:password@host:5432/name`; never printed.
 * @throws DatabaseUnavailable with one sentence that names the host and what to do.
 */
export async function openDatabase(url: string, options: DatabaseOptions): Promise<Database> {
  const where = placeOf(url);
  const pool = poolOf(url, options);
  try {
    const { rows } = await pool.query<{ server_version_num: string; server_encoding: string }>(
      `select current_setting('server_version_num') as server_version_num, current_setting('server_encoding') as server_encoding`,
    );
    const found = rows[0];
    if (found === undefined || Number(found.server_version_num) < oldestVersion)
      throw new DatabaseUnavailable(`The database at ${where} is older than PostgreSQL 15: use 15 or later.`);
    if (found.server_encoding !== 'UTF8')
      throw new DatabaseUnavailable(
        `The database at ${where} is encoded in ${found.server_encoding}: create it with UTF8.`,
      );
  } catch (error) {
    await pool.end();
    throw error instanceof DatabaseUnavailable
      ? error
      : new DatabaseUnavailable(unreachable(where, error), { cause: error });
  }
  const other = poolOf(url, { ...options, maxConnections: 1 });
  try {
    if (await isPooled(pool, other)) throw new DatabaseUnavailable(pooled(where));
  } catch (error) {
    await pool.end();
    throw error;
  } finally {
    await other.end();
  }
  const login = options.secretKey === undefined ? null : tenantLogin(options.secretKey);
  const tenants = tenantAccess(pool, login, { ...options, url });
  let fullAt = Number.NEGATIVE_INFINITY;
  let isMismatched = false;
  const reaching = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const failure = storeFailureOf(error);
      if (failure === null) throw error;
      if (failure === 'full') fullAt = performance.now();
      if (failure === 'mismatch') isMismatched = true;
      throw unavailable(where, failure, error);
    }
  };
  const asRole = <T>(role: string, use: (tx: Tx) => Promise<T>): Promise<T> =>
    reaching(() => inTransactionOf(pool, { text: `select set_config('role', $1, true)`, values: [role] }, use));
  let closing: Promise<unknown> | undefined;
  return {
    pool,
    tenantLogin: login,
    isUsable: () => !isMismatched && performance.now() - fullAt > fullForMs,
    forTenant: (tenantId, use) =>
      reaching(async () => {
        const access = await tenants.access();
        // Everything here ends with the transaction. The search path ensures that no leftover of an earlier transaction
        // on this connection, such as a temporary table of the same name, hides the real tables.
        const role = access.takesRole ? `set_config('role', 'tallybridge_app', true),` : '';
        const text = `select ${role} set_config('search_path', 'public, pg_temp', true), enter_tenant($1, $2)`;
        return inTransactionOf(access.pool, { text, values: [tenantId, proofOf(access.key, tenantId)] }, use);
      }),
    acrossTenants: (use) => asRole('tallybridge_root', use),
    asPurge: (use) => asRole('tallybridge_purge', use),
    close: async () => void (await (closing ??= Promise.all([pool.end(), tenants.close()]))),
  };
}

function poolOf(url: string, options: DatabaseOptions): Pool {
  const pool = new Pool({
    connectionString: url,
    max: options.maxConnections ?? 14,
    connectionTimeoutMillis: connectTimeoutMs,
    idleTimeoutMillis: idleMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionMs ?? idleInTransactionMs,
    application_name: options.applicationName ?? 'tallybridge',
    pipeline: true,
    types: { getTypeParser: parserFor },
  });
  // Without these listeners a lost connection would end the process. The pool reports an idle connection; a connection
  // in use also reports it, besides failing its statement.
  pool.on('error', () => undefined);
  pool.on('connect', (client) =>
    client.on('error', (error) => options.logger.warn({ code: codeOf(error) }, 'a database connection was lost')),
  );
  return pool;
}

/**
 * Returns true behind a connection pooler that drops our settings, or that gives each transaction another session:
 * prepared statements and time limits would then belong to other clients.
 */
async function isPooled(one: Pool, other: Pool): Promise<boolean> {
  const [first, second] = await Promise.all([one.connect(), other.connect()]);
  const sessionOf = async (client: PoolClient) => {
    const { rows } = await client.query<{ pid: number; limit: string }>(
      `select pg_backend_pid() as pid, (select setting from pg_settings where name = 'statement_timeout') as limit`,
    );
    return rows[0];
  };
  try {
    const before = await sessionOf(first);
    if (before?.limit !== String(statementTimeoutMs)) return true;
    await second.query('begin');
    const occupied = await sessionOf(second);
    // Another query of the first client would wait for its session.
    if (occupied?.pid === before.pid) return true;
    return (await sessionOf(first))?.pid !== before.pid;
  } finally {
    // Not returned to the pools: their sessions may belong to other clients.
    first.release(true);
    second.release(true);
  }
}

const pooled = (where: string): string =>
  `The database at ${where} is behind a connection pooler such as PgBouncer, which Tallybridge does not support: set DATABASE_URL to the address of PostgreSQL itself.`;

/** How tenant transactions access the database. */
interface TenantAccess {
  readonly pool: Pool;
  readonly key: Buffer;
  /** Under the owner's login each transaction switches to the role, and a statement could switch back. */
  readonly takesRole: boolean;
}

/**
 * Determines with the first transaction how tenant connections sign in; after a failure, the next transaction tries
 * again.
 */
function tenantAccess(
  owner: Pool,
  login: TenantLogin | null,
  options: DatabaseOptions & { readonly url: string },
): { readonly access: () => Promise<TenantAccess>; readonly close: () => Promise<void> } {
  let found: Promise<TenantAccess> | undefined;
  let own: Pool | undefined;
  const find = async (): Promise<TenantAccess> => {
    const key = await readBindingKey(owner);
    if (login === null) return { pool: owner, key, takesRole: true };
    const pool = poolOf(asLogin(options.url, login), options);
    try {
      (await pool.connect()).release();
    } catch (error) {
      await pool.end();
      if (!isRefusedLogin(error)) throw error;
      options.logger.warn(
        { login: login.name },
        'the database lets the login of the tenants not in: their transactions take a role under the login of DATABASE_URL, which an injected statement could put off',
      );
      await refusePowerful(owner);
      return { pool: owner, key, takesRole: true };
    }
    own = pool;
    return { pool, key, takesRole: false };
  };
  return {
    async access() {
      try {
        return await (found ??= find());
      } catch (error) {
        found = undefined;
        throw error;
      }
    },
    close: async () => own?.end(),
  };
}

/**
 * Refuses a login that bypasses row-level security as soon as a statement resets its role.
 *
 * @throws DatabaseUnavailable with one sentence.
 */
async function refusePowerful(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string; isPowerful: boolean }>(
    `select rolname as name, rolsuper or rolbypassrls as "isPowerful" from pg_roles where rolname = current_user`,
  );
  const [login] = rows;
  if (login?.isPowerful === true)
    throw new DatabaseUnavailable(
      `The database user ${login.name} may bypass row-level security, so clients would not be separated: run “alter role ${login.name} nosuperuser nobypassrls”.`,
    );
}

/** Returns true if the server, or a proxy in front of it, rejects the login; false if the server is unreachable. */
const isRefusedLogin = (error: unknown): boolean => /^(28|08P01|42501)/.test(codeOf(error));

const placeOf = (url: string): string => {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname}:${port === '' ? '5432' : port}${pathname}`;
  } catch {
    throw new DatabaseUnavailable(
      'DATABASE_URL is not an address: it looks like postgres://user:password@host:5432/name.',
    );
  }
};

/** Returns the database problem that made a statement fail; null if the statement itself was wrong. */
export function storeFailureOf(error: unknown): StoreFailure | null {
  const code = codeOf(error);
  if (code === diskFull) return 'full';
  if (code === readOnly) return 'read_only';
  if (missing.includes(code)) return 'mismatch';
  return isConnectionFailure(error) ? 'unreachable' : null;
}

function unavailable(where: string, failure: StoreFailure, cause: unknown): DatabaseUnavailable {
  const sentences: Readonly<Record<StoreFailure, () => string>> = {
    unreachable: () => unreachable(where, cause),
    full: () => `The database at ${where} has no room left on its disk.`,
    read_only: () => `The database at ${where} is read-only: wait for the failover to end, or allow writes.`,
    mismatch: () =>
      `The database at ${where} has a different version than this program (${codeOf(cause)}: ${messageOf(cause)}). Restart this process with the version that runs elsewhere.`,
  };
  return new DatabaseUnavailable(sentences[failure](), { cause, failure });
}

function unreachable(where: string, error: unknown): string {
  const code = codeOf(error);
  if (code === '08P01' && messageOf(error).includes('startup parameter')) return pooled(where);
  if (code === '28P01' || code === '28000')
    return `The database at ${where} refuses this user or password: check DATABASE_URL.`;
  if (code === '3D000') return `The database at ${where} does not exist: create it, or correct DATABASE_URL.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `The database host of ${where} is not known: check DATABASE_URL.`;
  if (error instanceof Error && 'path' in error)
    return `A certificate file of DATABASE_URL cannot be read (${code}): ${String(error.path)}.`;
  if (/CERT|^ERR_TLS/.test(code))
    return `The certificate of the database at ${where} is not accepted (${code}): check sslrootcert in DATABASE_URL, and that the certificate names this host.`;
  if (messageOf(error).includes('does not support SSL'))
    return `The database at ${where} offers no TLS: turn on its ssl setting, or change sslmode in DATABASE_URL.`;
  return `The database at ${where} cannot be reached: check that it runs and that DATABASE_URL is right.`;
}

/** Returns true if the connection failed, not the statement; the outcome of a commit is then unknown. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = codeOf(error);
  return (
    /^(08|57P0|25P03|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|28|3D000|53300)/.test(code) ||
    /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
      error.message,
    )
  );
}

/**
 * Returns true for a server that is starting, restarting or recovering; false for an unknown host or a refused login.
 */
export const isRestarting = (error: unknown): boolean =>
  isConnectionFailure(error) && !/^(ENOTFOUND|EAI_AGAIN|28|3D000)/.test(codeOf(error));

/** PostgreSQL's type ids of the types that this pool parses differently. */
const oids = { int8: 20, int8Array: 1016, date: 1082, timestamptz: 1184, numeric: 1700 } as const;

/**
 * Parses PostgreSQL's types for this pool: an instant and a calendar date as text, a 64-bit id as number, an amount as
 * a decimal. Other users of the driver are not affected.
 */
const parserFor = ((oid: number, format?: 'text' | 'binary') => {
  if (format === 'binary') return types.getTypeParser(oid, 'binary');
  switch (oid) {
    case oids.timestamptz:
      return toInstant;
    case oids.date:
      return calendarDate;
    case oids.numeric:
      return decimal;
    case oids.int8:
      return toSafeInteger;
    case oids.int8Array:
      return (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(toSafeInteger));
    default:
      return types.getTypeParser(oid, 'text');
  }
}) as typeof types.getTypeParser;

const toInstant = (text: string) => {
  const [, day, time, hours, minutes] = /^(\S+) ([\d:.]+)([+-]\d\d)(?::(\d\d))?$/.exec(text) ?? [];
  return instant(`${day}T${time}${hours}:${minutes ?? '00'}`);
};

function toSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`Too large for a number: ${text}`);
  return value;
}
