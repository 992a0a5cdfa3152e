import { Kysely, type RawBuilder, type Transaction } from 'kysely';
import type { Logger } from '#core/ports/logger.ts';
import type { StoreTrouble } from '#core/ports/unavailable.ts';
import { calendarDate, instant } from '#core/values/dates.ts';
import { decimal } from '#core/values/decimal.ts';
import { Pool, types } from 'pg';
import { codeOf, DatabaseUnavailable, readOnly } from './errors.ts';
import { StatementDialect } from './query-compiler.ts';
import type { Tables } from './tables.ts';
import { inTransactionOf } from './transactions.ts';
import { asLogin, proofOf, readBindingKey, tenantLogin, type TenantLogin } from './tenant-login.ts';

/** A transaction with typed tables. */
export type Tx = Transaction<Tables>;

/** The product's database: a pool of connections, and transactions that are bound to a tenant or to none. */
export interface Database {
  readonly pool: Pool;
  /** Login of the tenants' transactions; null: they take the role under the owner's login. */
  readonly tenantLogin: TenantLogin | null;
  /**
   * Runs in one transaction that sees the rows of this tenant only, by row-level security, over connections of a login
   * that can become nobody else. No statement of it can name another tenant to the wall.
   */
  readonly forTenant: <T>(tenantId: string, use: (tx: Tx) => Promise<T>) => Promise<T>;
  /** False for a while after its disk was full, and for good once it lacked something that this program uses. */
  readonly isUsable: () => boolean;
  /** Runs in one transaction that may see identities and the schedule of all tenants, and no tenant's documents. */
  readonly acrossTenants: <T>(use: (tx: Tx) => Promise<T>) => Promise<T>;
  /** Runs in one transaction that may remove rows of any tenant: for what is too old, and for a tenant that leaves. */
  readonly asPurge: <T>(use: (tx: Tx) => Promise<T>) => Promise<T>;
  /**
   * Runs one statement by itself, in one round trip and without waiting for the disk: for the rate limits, which hold
   * nothing of any tenant.
   */
  readonly alone: <R>(statement: RawBuilder<R>) => Promise<readonly R[]>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  readonly logger: Logger;
  /** `SECRET_KEY`, of which the login of the tenants' connections is made; absent: they take the role instead. */
  readonly secretKey?: string;
  /** Most connections of this process under each of its two logins; default 14. */
  readonly maxConnections?: number;
  /** How long a transaction may wait for its next statement; default 10 seconds. */
  readonly idleInTransactionMs?: number;
}

const statementTimeoutMs = 30_000;
/** Connections for the rate limits: their statements are short. */
const mostForCounters = 3;
/**
 * A connection is kept so long without work. A new one costs the database as much as a document does, and more: it knows
 * no table and no function yet.
 */
const idleMs = 60_000;
/**
 * A worker that stands still in the middle of a transaction keeps the rows that it has locked: it is cut off before its
 * lease (12 seconds) ends, so that whoever takes over does not wait for it.
 */
const idleInTransactionMs = 10_000;
const connectTimeoutMs = 10_000;
/** PostgreSQL's code for a full disk. */
const diskFull = '53100';
/** PostgreSQL's codes for a function, table or column that does not exist: a defect of the process. */
const missing: readonly string[] = ['42883', '42P01', '42703'];
/** Milliseconds for which nobody is sent here after that, unless it is full again. */
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
  const counters = poolOf(url, { ...options, maxConnections: mostForCounters });
  // A crash of the database loses a second of counted calls here, and nothing else.
  counters.on('connect', (client) => client.query('set synchronous_commit = off').catch(() => undefined));
  const alone = kyselyOf(counters);
  const login = options.secretKey === undefined ? null : tenantLogin(options.secretKey);
  const tenants = tenantAccess(pool, login, { ...options, url });
  let fullAt = Number.NEGATIVE_INFINITY;
  let isMismatched = false;
  const reaching = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      const trouble = troubleOf(error);
      if (trouble === null) throw error;
      if (trouble === 'full') fullAt = performance.now();
      if (trouble === 'mismatch') isMismatched = true;
      throw unavailable(where, trouble, error);
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
        // All of it ends with the transaction. Nothing that an earlier transaction left in this connection, a table of the
        // same name for one, stands before the tables.
        const role = access.takesRole ? `set_config('role', 'tallybridge_app', true),` : '';
        const text = `select ${role} set_config('search_path', 'public, pg_temp', true), enter_tenant($1, $2)`;
        return inTransactionOf(access.pool, { text, values: [tenantId, proofOf(access.key, tenantId)] }, use);
      }),
    acrossTenants: (use) => asRole('tallybridge_root', use),
    asPurge: (use) => asRole('tallybridge_purge', use),
    alone: (statement) => reaching(async () => (await statement.execute(alone)).rows),
    close: async () => void (await (closing ??= Promise.all([pool.end(), counters.end(), tenants.close()]))),
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
    application_name: 'tallybridge',
    pipeline: true,
    types: { getTypeParser: parserFor },
  });
  // Without these listeners a lost connection would end the process: an idle one is told of by the pool, one in use by
  // itself, besides failing its statement.
  pool.on('error', () => undefined);
  pool.on('connect', (client) =>
    client.on('error', (error) => options.logger.warn({ code: codeOf(error) }, 'a database connection was lost')),
  );
  return pool;
}

const kyselyOf = (pool: Pool) => new Kysely<Tables>({ dialect: new StatementDialect({ pool }) });

/** Access of the tenants' transactions to the database. */
interface TenantAccess {
  readonly pool: Pool;
  readonly key: Buffer;
  /** Under the owner's login the role is taken with each transaction, and a statement could put it off again. */
  readonly takesRole: boolean;
}

/** Finds out with the first transaction how the tenants' connections sign in; a failure is tried again with the next. */
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
 * Refuses a login that row-level security does not bind, once a statement has put off the role that it took.
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
      `The database user ${login.name} may bypass row-level security, so clients would not be kept apart: run “alter role ${login.name} nosuperuser nobypassrls”.`,
    );
}

/** The server knows no such login, or a program in front of it lets only some through; not that it cannot be reached. */
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

/** Trouble of the database that a statement failed for; null when the statement itself was wrong. */
export function troubleOf(error: unknown): StoreTrouble | null {
  const code = codeOf(error);
  if (code === diskFull) return 'full';
  if (code === readOnly) return 'read_only';
  if (missing.includes(code)) return 'mismatch';
  return isConnectionFailure(error) ? 'unreachable' : null;
}

function unavailable(where: string, trouble: StoreTrouble, cause: unknown): DatabaseUnavailable {
  const sentences: Readonly<Record<StoreTrouble, () => string>> = {
    unreachable: () => unreachable(where, cause),
    full: () => `The database at ${where} has no room left on its disk.`,
    read_only: () => `The database at ${where} is read-only: wait for the failover to end, or allow writes.`,
    mismatch: () =>
      `The database at ${where} is of another version than this program (${codeOf(cause)}: ${messageOf(cause)}). Restart this process with the version that runs elsewhere.`,
  };
  return new DatabaseUnavailable(sentences[trouble](), { cause, trouble });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function unreachable(where: string, error: unknown): string {
  const code = codeOf(error);
  if (code === '28P01' || code === '28000')
    return `The database at ${where} refuses this user or password: check DATABASE_URL.`;
  if (code === '3D000') return `The database at ${where} does not exist: create it, or correct DATABASE_URL.`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `The database host of ${where} is not known: check DATABASE_URL.`;
  return `The database at ${where} cannot be reached: check that it runs and that DATABASE_URL is right.`;
}

/** The connection failed, not the statement; whether a commit got through is not known then. */
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

/** A server that is starting, restarting or recovering answers so; not one that nobody knows, or that refuses the login. */
export const isRestarting = (error: unknown): boolean =>
  isConnectionFailure(error) && !/^(ENOTFOUND|EAI_AGAIN|28|3D000)/.test(codeOf(error));

/** PostgreSQL's own numbers of the types that this pool reads in its own way. */
const oids = { int8: 20, int8Array: 1016, date: 1082, timestamptz: 1184, numeric: 1700 } as const;

/**
 * This pool's own reading of PostgreSQL's types: an instant and a calendar date as text, a 64-bit id as number,
 * an amount as a decimal. Other users of the driver keep theirs.
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
