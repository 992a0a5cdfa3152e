import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certificateFor } from '#test/support/certificate.ts';
import { silentLogger } from '#test/support/logger.ts';
import { openDatabase } from './database.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from './embedded-postgres.ts';
import { migrate } from './migrate.ts';

let dataDir: string;
let postgres: EmbeddedPostgres;
const file = (name: string) => join(dataDir, 'postgres', name);

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tallybridge-tls-'));
  postgres = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  const { uid, gid } = await stat(file('data'));
  const [own, other] = [certificateFor('localhost'), certificateFor('localhost')];
  for (const [name, text] of [
    ['server.crt', own.cert],
    ['server.key', own.key],
    ['other.crt', other.cert],
  ] as const) {
    await writeFile(file(name), text);
    await chmod(file(name), name === 'server.key' ? 0o600 : 0o644);
    if (process.getuid?.() === 0) await chown(file(name), uid, gid);
  }
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`alter system set ssl_cert_file = '${file('server.crt')}'`);
  await client.query(`alter system set ssl_key_file = '${file('server.key')}'`);
  await client.query('alter system set ssl = on');
  await client.query('select pg_reload_conf()');
  await client.end();
});
afterAll(async () => {
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Opens the database with a verified server, as docs/operate/database.md describes. */
const open = (host: string, root: string) => {
  const url = new URL(postgres.url);
  url.hostname = host;
  url.search = new URLSearchParams({ sslmode: 'verify-full', sslrootcert: file(root) }).toString();
  return openDatabase(url.href, { logger: silentLogger, secretKey: 'a secret key that only this test knows' });
};

test('every connection to the database is encrypted, also those of the login for clients', async () => {
  const database = await open('localhost', 'server.crt');
  await migrate(database);
  await database.close();
  const again = await open('localhost', 'server.crt');
  expect(again.tenantLogin).not.toBeNull();
  await again.acrossTenants((tx) => tx.selectFrom('tenants').select('id').execute());
  const { rows } = await again.pool.query<{ name: string; ssl: boolean }>(
    `select usename as name, ssl from pg_stat_ssl join pg_stat_activity using (pid)
      where datname = current_database() and application_name like 'tallybridge%'`,
  );
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter(({ ssl }) => !ssl)).toEqual([]);
  await again.close();
});

test.each([
  ['another certificate', 'localhost', 'other.crt'],
  ['another name', '127.0.0.1', 'server.crt'],
])('a server with %s is refused', async (_what, host, root) => {
  await expect(open(host, root)).rejects.toThrow(
    /^The certificate of the database at \S+ is not accepted \([A-Z_]+\): check sslrootcert in DATABASE_URL/,
  );
});

test('a missing certificate file is named', async () => {
  await expect(open('localhost', 'missing.crt')).rejects.toThrow(/missing\.crt/);
});
