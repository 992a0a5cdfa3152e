import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOrNull } from '#store/data-folder.ts';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { silentLogger } from './logger.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the run's PostgreSQL lives, and how the names of its databases begin. */
    readonly postgres: { readonly dataDir: string; readonly prefix: string };
  }
}

/**
 * One PostgreSQL for the whole run: in a folder of its own, or the server of TEST_DATABASE_URL. It starts when the
 * first test asks for a database (see database.ts), so that a run without one does not wait for it; at the end nothing
 * of it is left.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallybridge-test-'));
  const prefix = `tallybridge_test_${randomBytes(4).toString('hex')}_`;
  project.provide('postgres', { dataDir, prefix });
  return async () => {
    const { TEST_DATABASE_URL: url } = process.env;
    if (url !== undefined) await dropDatabases(url, prefix);
    else if ((await readOrNull(join(dataDir, 'postgres', 'data', 'postmaster.pid'))) !== null)
      await (await startEmbeddedPostgres({ dataDir, logger: silentLogger })).stop();
    await rm(dataDir, { recursive: true, force: true });
  };
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
