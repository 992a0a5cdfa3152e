import { openDatabase, type Database } from '#store/database.ts';
import { ensureFolder } from '#store/data-folder.ts';
import { migrate, pendingMigrations } from '#store/migrate.ts';
import type { Outcome } from './operator-context.ts';
import { readConfig, type Config } from './config.ts';
import { demoSecretKey } from './demo.ts';
import { createLogger } from './logger.ts';
import { openDatabaseServer } from './open-store.ts';
import { progressBar } from './progress.ts';

interface DatabaseParts {
  readonly config: Config;
  readonly secretKey: string;
  readonly url: string;
}

/**
 * Opens the configured database as it is, also without migrations, and closes it afterward.
 *
 * @param options.joins uses the embedded server of a running product.
 */
export async function withDatabase<T>(
  use: (database: Database, parts: DatabaseParts) => Promise<T>,
  { joins = false }: { readonly joins?: boolean } = {},
): Promise<T> {
  const config = readConfig(process.env);
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const dataDir = await ensureFolder(config.dataDir);
    const logger = createLogger('warn');
    const url = await openDatabaseServer(config, dataDir, logger, ends, joins);
    const secretKey = config.secretKey ?? (await demoSecretKey(dataDir));
    const database = await openDatabase(url, { logger, secretKey, applicationName: 'tallybridge command' });
    ends.push(() => database.close());
    return await use(database, { config, secretKey, url });
  } finally {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
  }
}

/**
 * Applies the pending migrations.
 *
 * @param options.isDryRun only lists them.
 */
export const migrateDatabase = ({
  isDryRun,
  lockTimeoutSeconds,
}: {
  readonly isDryRun: boolean;
  readonly lockTimeoutSeconds: number;
}): Promise<Outcome> =>
  withDatabase(async (database) => {
    if (isDryRun) {
      const pending = await pendingMigrations(database);
      const text = pending.length === 0 ? 'No migration is pending.' : `Pending:\n${pending.join('\n')}`;
      return { text, data: { pending } };
    }
    const show = progressBar('Migrations');
    const applied = await migrate(database, {
      lockTimeoutMs: lockTimeoutSeconds * 1_000,
      onApplied: (_name, done, total) => show(done, total),
    });
    const text = applied.length === 0 ? 'No migration was pending.' : `Applied:\n${applied.join('\n')}`;
    return { text, data: { applied } };
  });
