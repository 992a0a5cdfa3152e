import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '#store/database.ts';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { migrate } from '#store/migrate.ts';
import { Client } from 'pg';
import { silentLogger } from '../support/logger.ts';
import { quickFolder, withoutPowerCuts } from '../support/quick-server.ts';
import { historySql } from './evidence.ts';

/** The PostgreSQL server of the sweep, and a migrated database to copy. */
export interface Server {
  readonly url: string;
  readonly template: string;
  /** Prefix of database names. */
  readonly prefix: string;
}

/** Starts a separate PostgreSQL in a temporary folder, with a database to copy. */
export async function startServer(): Promise<Server & { close(): Promise<void> }> {
  const dataDir = await mkdtemp(join(await quickFolder(), 'tallybridge-sweep-'));
  const postgres = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  const { url } = postgres;
  await withoutPowerCuts(url);
  await prepareTemplate(url);
  // A template cannot be copied while a client is connected to it.
  const admin = new URL(url);
  const template = admin.pathname.slice(1);
  admin.pathname = '/postgres';
  return {
    url: admin.href,
    template,
    prefix: '',
    async close() {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Uses a test's database as the template.
 *
 * @param database must have no further connections.
 */
export async function serverOf(database: {
  readonly url: string;
  readonly database: { close(): Promise<void> };
}): Promise<Server> {
  await database.database.close();
  await prepareTemplate(database.url);
  const url = new URL(database.url);
  const template = url.pathname.slice(1);
  url.pathname = '/postgres';
  return { url: url.href, template, prefix: `${template}_` };
}

/** Migrates a database and adds the history that the checker reads. */
export async function prepareTemplate(url: string): Promise<void> {
  const database = await openDatabase(url, { logger: silentLogger, maxConnections: 2 });
  await migrate(database);
  await database.close();
  await asOwner(url, (client) => client.query(historySql));
}

async function asOwner(url: string, use: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
}
