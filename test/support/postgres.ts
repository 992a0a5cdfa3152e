import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import type { TestProject } from 'vitest/node';
import { newRunFolder } from './run-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Data folder of the run's PostgreSQL and the prefix of its databases. */
    readonly postgres: { readonly dataDir: string; readonly prefix: string };
  }
}

/**
 * Provides one PostgreSQL for the run, or uses TEST_DATABASE_URL. It starts with the first database (see database.ts)
 * and is removed at the end. The next run cleans up after a killed one.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await newRunFolder();
  const prefix = `tallybridge_test_${randomBytes(4).toString('hex')}_`;
  project.provide('postgres', { dataDir: folder.path, prefix });
  return async () => {
    const { TEST_DATABASE_URL: url } = process.env;
    if (url !== undefined) await dropDatabases(url, prefix);
    await folder.clear();
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
