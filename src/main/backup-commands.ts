/** `tallybridge backup`, `restore` and `restored`. */
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { Client } from 'pg';
import { instant } from '#core/values/dates.ts';
import { checkBackup, restoreRows, writeBackup } from '#store/backup.ts';
import { openDatabase } from '#store/database.ts';
import { insertDeploymentEvent } from '#store/deployment-events.ts';
import { openWith, sealWith, writeIdentity, type FileKeys } from '#store/encrypted-file.ts';
import { BackupUnusable, codeOf } from '#store/errors.ts';
import { listMigrations, migrate, pendingMigrations } from '#store/migrate.ts';
import { processNamePattern } from '#store/processes.ts';
import { assertProtected } from '#store/protection.ts';
import { markRestored } from '#store/restored.ts';
import { createLogger } from './logger.ts';
import { operator, type Outcome } from './operator-context.ts';
import { withDatabase } from './migrate-command.ts';
import { progressBar } from './progress.ts';
import { readVersion } from './version.ts';

/**
 * Writes all data into a file, and records the time for monitoring.
 *
 * @param file default: a name with the time, in the current folder.
 * @param options.keys encrypt the file.
 * @param options.isVerified restores the file into a scratch database on the same server, and deletes that again.
 */
export const backUp = (
  file?: string,
  { isVerified = false, keys = {} }: { readonly isVerified?: boolean; readonly keys?: FileKeys } = {},
): Promise<Outcome> =>
  withDatabase(async (database, { url }) => {
    const pending = await pendingMigrations(database);
    const seal = await sealWith(keys);
    if (isVerified && keys.recipients !== undefined && keys.identityFile === undefined)
      throw new BackupUnusable('To verify an encrypted backup, also give its secret key with --identity.');
    const end = seal === undefined ? '' : '.age';
    const path = resolve(
      file ?? `tallybridge-${new Date().toISOString().slice(0, 16).replace(':', '')}.backup.gz${end}`,
    );
    const show = progressBar('Tables');
    const rows = await onOneConnection(url, async (client) => {
      try {
        return await writeBackup(client, path, { version: readVersion(), seal, onTable: show });
      } catch (error) {
        if (codeOf(error) === 'EEXIST')
          throw new BackupUnusable(`${path} exists already: choose another name.`, { cause: error });
        if (/^E[A-Z]+$/.test(codeOf(error)))
          throw new BackupUnusable(`${path} cannot be written (${codeOf(error)}): choose another place.`, {
            cause: error,
          });
        throw error;
      }
    });
    if (isVerified) await verifyBackup(url, path, keys);
    if (pending.length === 0)
      await database.acrossTenants((tx) =>
        insertDeploymentEvent(tx, {
          at: instant(Date.now()),
          actor: operator.username,
          action: 'database.backed_up',
          subject: 'the database',
          detail: { rows, isVerified, isEncrypted: seal !== undefined },
        }),
      );
    const checked = isVerified ? ' They were restored into a scratch database and counted.' : '';
    const advice =
      seal === undefined
        ? 'Store it apart from SECRET_KEY: both together reveal the credentials.'
        : 'It is encrypted: store its key elsewhere. Without the key and SECRET_KEY it is lost.';
    const text = `${rows} rows are in ${path} now.${checked} ${advice}`;
    return { text, data: { file: path, rows, pending, verified: isVerified, encrypted: seal !== undefined } };
  });

/**
 * Restores a backup into a new database on the same server, with all checks of a restore, and deletes that database.
 *
 * @throws BackupUnusable if the file cannot be restored, or the database user may not create databases.
 */
async function verifyBackup(url: string, path: string, keys: FileKeys): Promise<void> {
  const unseal = await openWith(path, keys);
  const backup = await checkBackup(path, unseal);
  const name = `tallybridge_verify_${randomBytes(6).toString('hex')}`;
  const scratch = new URL(url);
  scratch.pathname = `/${name}`;
  try {
    await onOneConnection(url, (client) => client.query(`create database ${name} template template0 encoding 'UTF8'`));
  } catch (error) {
    if (codeOf(error) !== '42501') throw error;
    throw new BackupUnusable(
      `${path} was written, but not verified: the database user may not create databases. Run “alter role … createdb” as an administrator of the server, then run this again.`,
      { cause: error },
    );
  }
  try {
    const options = { logger: createLogger('silent'), applicationName: 'tallybridge command' };
    const database = await openDatabase(scratch.href, options);
    try {
      await migrate(database, { only: backup.migrations });
      await onOneConnection(scratch.href, (client) =>
        restoreRows(client, path, backup, { unseal, onTable: progressBar('Verified tables') }),
      );
      await assertProtected(database.pool);
    } finally {
      await database.close();
    }
  } finally {
    await onOneConnection(url, (client) => client.query(`drop database if exists ${name} with (force)`));
  }
}

/**
 * Restores a backup into an empty database.
 *
 * @param options.isForced deletes everything in the database first.
 * @param options.keys decrypt the file.
 */
export async function restore(
  file: string,
  { isForced, keys = {} }: { readonly isForced: boolean; readonly keys?: FileKeys },
): Promise<Outcome> {
  const path = resolve(file);
  const unseal = await openWith(path, keys);
  const backup = await checkBackup(path, unseal);
  return withDatabase(async (database, { url }) => {
    await onOneConnection(url, (client) => emptyDatabase(client, isForced));
    const known = await listMigrations();
    const newer = backup.migrations.find((name) => !known.includes(name));
    if (newer !== undefined)
      throw new BackupUnusable(
        `The backup was created by a newer Tallybridge (${backup.version}): restore it with that version.`,
      );
    await migrate(database, { only: backup.migrations });
    const show = progressBar('Tables');
    await onOneConnection(url, async (client) => {
      await restoreRows(client, path, backup, { unseal, onTable: show });
      await markRestored(client);
    });
    await assertProtected(database.pool);
    const pending = await pendingMigrations(database);
    const rows = Object.values(backup.rows).reduce((sum, count) => sum + count, 0);
    const next = pending.length === 0 ? 'Next: start' : 'Next: run “tallybridge migrate”, then start';
    const text = `${rows} rows of ${backup.at} were restored. ${next} all processes. ${afterRestore}`;
    return { text, data: { rows, at: backup.at, version: backup.version, pending } };
  });
}

const afterRestore =
  'Users log in again, and the first sync of each client searches for documents that were posted after the backup.';

/** Prepares the first start after a restore with another tool. */
export const markAsRestored = (): Promise<Outcome> =>
  withDatabase(async (database, { url }) => {
    await onOneConnection(url, assertUnused);
    await migrate(database, { only: [] });
    await assertProtected(database.pool);
    await onOneConnection(url, markRestored);
    return { text: `The database is marked as restored. Next: start all processes. ${afterRestore}`, data: {} };
  });

/** Writes a new secret key for encrypted backups into a file. */
export async function createBackupKey(file: string): Promise<Outcome> {
  const path = resolve(file);
  const recipient = await writeIdentity(path);
  const text = `The secret key is in ${path}: move it to a safe place, because backups cannot be restored without it. Encrypt backups with\n  tallybridge backup --encrypt ${recipient}`;
  return { text, data: { file: path, recipient } };
}

/** @throws BackupUnusable if processes of the product use the database. */
async function assertUnused(client: Client): Promise<void> {
  const { rowCount } = await client.query(
    'select from pg_stat_activity where datname = current_database() and application_name ~ $1',
    [processNamePattern],
  );
  if (rowCount !== 0)
    throw new BackupUnusable('Processes of Tallybridge use the database: stop all of them, then run this again.');
}

/** @throws BackupUnusable if the database has tables and may not be emptied. */
async function emptyDatabase(client: Client, isForced: boolean): Promise<void> {
  await assertUnused(client);
  const { rowCount } = await client.query(
    `select from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' limit 1`,
  );
  if (rowCount === 0) return;
  if (!isForced)
    throw new BackupUnusable(
      'The database is not empty: restore into a new one, or add --force, which deletes everything in this one.',
    );
  try {
    await client.query(
      'begin; drop schema public cascade; create schema public; grant usage on schema public to public',
    );
    await client.query('commit');
  } catch (error) {
    if (codeOf(error) !== '42501') throw error;
    throw new BackupUnusable(
      'The database user may not empty the database: drop and create the database, then run this again.',
      { cause: error },
    );
  }
}

/** Uses a separate connection without time limits. */
export async function onOneConnection<T>(url: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end();
  }
}
