import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '#core/ports/logger.ts';
import type { RootStore } from '#store/root-store.ts';
import { databaseClock, type DatabaseClock } from '#store/clock.ts';
import { lockDataDir, tryLockDataDir } from '#store/data-folder.ts';
import { isRestarting, openDatabase, storeFailureOf, type Database } from '#store/database.ts';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { assertMigrated, migrate } from '#store/migrate.ts';
import { assertProtected } from '#store/protection.ts';
import { noticeRestore } from '#store/restored.ts';
import { createStore } from '#store/root-store.ts';
import { DatabaseUnavailable, SecretKeyLost } from '#store/errors.ts';
import { findLostSecrets, lostSecretsText, rotateKeys } from '#store/secrets.ts';
import { createVault, type Vault } from '#store/vault.ts';
import type { Config } from './config.ts';
import { demoSecretKey } from './demo.ts';

/** Maximum connections of a worker, which mostly waits for the services: the first lists of a job share them. */
const connectionsOfWorker = 6;

/** The store and its parts, opened and migrated. */
export interface OpenStore {
  readonly connectionString: string;
  readonly database: Database;
  readonly clock: DatabaseClock;
  readonly secretKey: string;
  readonly vault: Vault;
  readonly store: RootStore;
}

/**
 * Maximum wait for a database that is restarting, or starting together with the product, and the pause between two
 * tries.
 */
const retryLimits = { maxMs: 15_000, pauseMs: 500 } as const;

export interface OpenOptions {
  readonly allowsLostSecrets?: boolean;
  readonly migrates?: boolean;
  /** Uses the embedded server of a running product. */
  readonly joins?: boolean;
  /** Name of the connections in PostgreSQL; default `tallybridge`. */
  readonly connectionName?: string;
}

/**
 * Opens the configured database. Waits for a database that is just starting. A deployment's database must be migrated;
 * a demo and an embedded database migrate here.
 *
 * @param ends receives a function to close each part, in the order of their start, even if a later part fails.
 * @param options.migrates migrates a deployment's database, too.
 * @param options.allowsLostSecrets opens it even if some secrets need a SECRET_KEY that is not set.
 * @throws DataFolderUnusable, DatabaseUnavailable, SchemaMismatch or SecretKeyLost, each with plain sentences.
 */
export async function openStore(
  config: Config,
  dataDir: string,
  logger: Logger,
  ends: (() => Promise<unknown>)[],
  { allowsLostSecrets = false, migrates = false, joins = false, connectionName }: OpenOptions = {},
): Promise<OpenStore> {
  const connectionString = await openDatabaseServer(config, dataDir, logger, ends, joins);
  const secretKey = config.secretKey ?? (await demoSecretKey(dataDir));
  const open = (own: (() => Promise<unknown>)[]) =>
    openParts(
      {
        config,
        connectionString,
        secretKey,
        allowsLostSecrets,
        connectionName,
        migrates: migrates || config.isDemo || config.databaseUrl === undefined,
      },
      logger,
      own,
    );
  for (const giveUpAt = performance.now() + retryLimits.maxMs; ;) {
    const own: (() => Promise<unknown>)[] = [];
    try {
      const opened = await open(own);
      ends.push(...own);
      return opened;
    } catch (error) {
      for (const end of own.toReversed()) await end();
      const isReadOnly = (error instanceof DatabaseUnavailable ? error.failure : storeFailureOf(error)) === 'read_only';
      const isPassing =
        isReadOnly || isRestarting(error) || (error instanceof DatabaseUnavailable && isRestarting(error.cause));
      if (!isPassing || performance.now() > giveUpAt)
        throw isReadOnly ? new DatabaseUnavailable(readOnlyText, { cause: error, failure: 'read_only' }) : error;
      logger.warn({ error }, 'the database does not answer yet');
      await delay(retryLimits.pauseMs);
    }
  }
}

const readOnlyText = 'The database is read-only, so Tallybridge cannot start: allow writes, then start again.';

async function openParts(
  {
    config,
    connectionString,
    secretKey,
    allowsLostSecrets,
    connectionName,
    migrates,
  }: {
    readonly config: Config;
    readonly connectionString: string;
    readonly secretKey: string;
    readonly allowsLostSecrets: boolean;
    readonly connectionName: string | undefined;
    readonly migrates: boolean;
  },
  logger: Logger,
  ends: (() => Promise<unknown>)[],
): Promise<OpenStore> {
  const database = await openDatabase(connectionString, {
    logger,
    secretKey,
    ...(connectionName !== undefined && { applicationName: connectionName }),
    ...(config.role === 'worker' && { maxConnections: connectionsOfWorker }),
  });
  ends.push(() => database.close());
  if (migrates) {
    const migrations = await migrate(database);
    if (migrations.length > 0) logger.info({ migrations }, 'migrated the database');
  } else await assertMigrated(database);
  await assertProtected(database.pool);
  await noticeRestore(database.pool, logger);
  const clock = await databaseClock(database, logger);
  ends.push(() => Promise.resolve(clock.stop()));
  const vault = createVault(secretKey);
  const lost = await findLostSecrets(database, vault);
  const isLost = lost.rootKeyIds.length > 0;
  if (isLost && !allowsLostSecrets) throw new SecretKeyLost(lostSecretsText(lost));
  // After this has run, the older keys in SECRET_KEY are no longer needed.
  const renewed = isLost ? 0 : await rotateKeys(database, vault);
  if (renewed > 0) logger.info({ renewed }, 'the keys of the tenants are under the newest secret key now');
  return { connectionString, database, clock, secretKey, vault, store: createStore({ database, vault, clock }) };
}

/**
 * Returns the database's address; without `DATABASE_URL`, starts a server in the data folder.
 *
 * @param joins uses the server of a running product, which then also stops it.
 */
export async function openDatabaseServer(
  config: Config,
  dataDir: string,
  logger: Logger,
  ends: (() => Promise<unknown>)[],
  joins = false,
): Promise<string> {
  if (config.databaseUrl !== undefined) return config.databaseUrl;
  const lock = await (joins ? tryLockDataDir(dataDir) : lockDataDir(dataDir));
  if (lock === null) return (await startEmbeddedPostgres({ dataDir, logger })).url;
  ends.push(() => lock.release());
  const postgres = await startEmbeddedPostgres({ dataDir, logger });
  ends.push(() => postgres.stop());
  return postgres.url;
}
