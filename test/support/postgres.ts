import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile, readOrNull } from '#store/data-folder.ts';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { silentLogger } from './logger.ts';
import { quickFolder, quickFolders } from './quick-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Folder of the run's PostgreSQL, and the beginning of its databases' names. */
    readonly postgres: { readonly dataDir: string; readonly prefix: string };
  }
}

const folderPrefix = 'tallybridge-test-';
const lockName = 'run.lock';

/**
 * One PostgreSQL for the whole run: in a folder of its own, or the server of TEST_DATABASE_URL. It starts when the
 * first test asks for a database (see database.ts), so that a run without one does not wait for it; at the end nothing
 * of it is left. What a killed run left is cleared by the next one.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await clearKilledRuns();
  const dataDir = await mkdtemp(join(await quickFolder(), folderPrefix));
  await lockFile(join(dataDir, lockName));
  const prefix = `tallybridge_test_${randomBytes(4).toString('hex')}_`;
  project.provide('postgres', { dataDir, prefix });
  return async () => {
    const { TEST_DATABASE_URL: url } = process.env;
    if (url !== undefined) await dropDatabases(url, prefix);
    await clear(dataDir);
  };
}

async function clearKilledRuns(): Promise<void> {
  for (const parent of quickFolders)
    for (const name of await readdir(parent).catch(() => [])) {
      const folder = join(parent, name);
      if (!name.startsWith(folderPrefix) || (await readOrNull(join(folder, lockName))) === null) continue;
      if (typeof (await lockFile(join(folder, lockName))) !== 'number') await clear(folder);
    }
}

/** Stops the servers of a run, of which single tests may have some of their own one level deeper, and removes it. */
async function clear(folder: string): Promise<void> {
  const below = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const dataDir of [folder, ...below.map((entry) => join(folder, entry.name))])
    if ((await readOrNull(join(dataDir, 'postgres', 'data', 'postmaster.pid'))) !== null)
      await (await startEmbeddedPostgres({ dataDir, logger: silentLogger })).stop();
  await rm(folder, { recursive: true, force: true });
}

async function dropDatabases(url: string, prefix: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [prefix],
    );
    for (const { datname } of rows) await client.query(`drop database "${datname}" with (force)`);
  } finally {
    await client.end();
  }
}
