import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '#core/ports/logger.ts';
import type { Pool } from 'pg';
import { storeFailureOf, type Database } from './database.ts';
import { DatabaseUnavailable } from './errors.ts';
import { noticeRestore, readServerId, recordRestore } from './restored.ts';

/** Notices while a process runs, and when it starts, that the database was restored. */
export interface RestoreWatch {
  /** Checks the database again if a connection was lost since the last check. @throws DatabaseUnavailable */
  verify(): Promise<void>;
  /** Checks the database now. @throws DatabaseUnavailable */
  check(): Promise<void>;
  stop(): void;
}

const checkEveryMs = 10_000;
/** Rows of folders that no process used for this long are deleted. */
const maxUnusedDays = 400;

/** What a data folder remembers about the database. */
interface Remembered {
  /** The server and the database. A folder that was used with another database remembers nothing about this one. */
  readonly place: string;
  readonly folderId: string;
  readonly beat: number;
  /** Number of restores that were recorded at that time. */
  readonly gaps: number;
}

/**
 * Records a restore that no operator reported: a snapshot, a point-in-time recovery, a dump in the same database, or a
 * failover that lost transactions. Every check raises a counter in the database and stores it in the data folder. A
 * lower counter in the database means that it is older than the folder remembers. A folder without the file, as on a
 * new machine, remembers nothing.
 */
export async function watchForRestores(
  { pool }: Pick<Database, 'pool'>,
  dataDir: string,
  logger: Logger,
): Promise<RestoreWatch> {
  const path = join(dataDir, fileName);
  let known = await readRemembered(path);
  let place: string | null = null;
  /** The next connection may lead to another server. */
  let isUnverified = false;
  let isSaved = true;
  let checking: Promise<void> | undefined;
  const examine = async (): Promise<void> => {
    try {
      const actor = place === null ? 'start' : 'process';
      if (isUnverified) await noticeRestore(pool, logger);
      if (isUnverified || place === null) place = await readPlace(pool);
      isUnverified = false;
      known = await raise(pool, known, place, { actor, logger });
    } catch (error) {
      isUnverified = true;
      const failure = storeFailureOf(error);
      if (failure === null) throw error;
      throw new DatabaseUnavailable('The database cannot be used now.', { cause: error, failure });
    }
    try {
      await save(path, known);
      isSaved = true;
    } catch (error) {
      if (isSaved) logger.warn({ error, path }, 'the data folder cannot be written: a restore may not be noticed');
      isSaved = false;
    }
  };
  const check = (): Promise<void> => (checking ??= examine().finally(() => (checking = undefined)));
  await check();
  // A restore of files, and a failover, end all connections.
  const onNewConnection = (): void => void (isUnverified = true);
  pool.on('error', onNewConnection).on('connect', onNewConnection);
  const timer = setInterval(() => {
    check().catch((error: unknown) => logger.warn({ error }, 'the database could not be checked for a restore'));
  }, checkEveryMs);
  timer.unref();
  return {
    verify: () => (isUnverified ? check() : Promise.resolve()),
    check,
    stop() {
      clearInterval(timer);
      pool.off('error', onNewConnection).off('connect', onNewConnection);
    },
  };
}

/** Returns whether the database is older than this data folder remembers, and no restore was recorded since. */
export async function isOlderThanRemembered(pool: Pool, dataDir: string): Promise<boolean> {
  const known = await readRemembered(join(dataDir, fileName)).catch(() => null);
  if (known === null || known.place !== (await readPlace(pool))) return false;
  const { rows } = await pool.query<{ beat: string | null; gaps: number }>(
    'select (select beat from data_folders where id = $1)::text as beat, gaps from deployment_clock',
    [known.folderId],
  );
  return rows[0] !== undefined && Number(rows[0].beat ?? 0) < known.beat && rows[0].gaps <= known.gaps;
}

/** Raises the counter, and records a restore if it was lower than the remembered one. */
async function raise(
  pool: Pool,
  remembered: Remembered | null,
  place: string,
  { actor, logger }: { readonly actor: 'start' | 'process'; readonly logger: Logger },
): Promise<Remembered> {
  // A database in another place was noticed by its place.
  const known = remembered?.place === place ? remembered : null;
  const folderId = remembered?.folderId ?? randomUUID();
  const client = await pool.connect();
  let hasFailed = true;
  try {
    await client.query('begin');
    if (known === null)
      await client.query(`delete from data_folders where seen_at < now() - make_interval(days => $1)`, [maxUnusedDays]);
    const { rows: beats } = await client.query<{ beat: string }>(
      `insert into data_folders as folder (id, beat, seen_at) values ($1, 1, now())
       on conflict (id) do update set beat = folder.beat + 1, seen_at = now() returning beat::text`,
      [folderId],
    );
    const beat = Number(beats[0]?.beat);
    const isOlder = known !== null && beat <= known.beat;
    const { rows: clocks } = await client.query<{ gaps: number }>(
      `select gaps from deployment_clock ${isOlder ? 'for update' : ''}`,
    );
    let gaps = Number(clocks[0]?.gaps);
    // Another process, or the operator, may have recorded it.
    if (isOlder && gaps <= known.gaps) {
      await recordRestore(client, actor);
      gaps += 1;
      logger.warn(
        { event: 'database.restored' },
        'The database is older than this process remembers, so it counts as restored: documents that it lacks are searched for, paid dates are checked, and users log in again.',
      );
    }
    await client.query('commit');
    hasFailed = false;
    return { place, folderId, beat, gaps };
  } finally {
    // Ends the transaction.
    client.release(hasFailed);
  }
}

async function readPlace(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ oid: number }>(`select oid from pg_database where datname = current_database()`);
  return `${(await readServerId(pool)) ?? 'unknown'} ${rows[0]?.oid}`;
}

const fileName = 'database.json';

async function readRemembered(path: string): Promise<Remembered | null> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isRemembered(value) ? value : null;
  } catch {
    // Without a readable file, nothing is remembered.
    return null;
  }
}

const isRemembered = (value: unknown): value is Remembered =>
  typeof value === 'object' &&
  value !== null &&
  'place' in value &&
  typeof value.place === 'string' &&
  'folderId' in value &&
  typeof value.folderId === 'string' &&
  'beat' in value &&
  typeof value.beat === 'number' &&
  'gaps' in value &&
  typeof value.gaps === 'number';

async function save(path: string, remembered: Remembered): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(remembered), { mode: 0o600 });
  await rename(draft, path);
}
