import { afterAll, expect, test } from 'vitest';
import { newDatabase } from '#test/support/database.ts';
import { silentLogger } from '#test/support/logger.ts';
import { startPooler } from '#test/support/pooler.ts';
import { openDatabase } from './database.ts';

const db = await newDatabase();
afterAll(() => db.close());

test.each(['refused', 'dropped', 'passed on'] as const)(
  'refuses a connection pooler in transaction mode, startup settings %s',
  async (settings) => {
    const url = new URL(db.url);
    const pooler = await startPooler({ host: url.hostname, port: Number(url.port) }, settings);
    url.port = String(pooler.port);
    try {
      await expect(openDatabase(url.href, { logger: silentLogger })).rejects.toThrow(
        `The database at ${url.host}${url.pathname} is behind a connection pooler such as PgBouncer, which Tallybridge does not support: set DATABASE_URL to the address of PostgreSQL itself.`,
      );
    } finally {
      await pooler.close();
    }
  },
);
