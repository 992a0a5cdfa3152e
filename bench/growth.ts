import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { signIn, type ApiClient } from '#test/support/api-client.ts';
import { silentLogger } from '#test/support/logger.ts';
import { newProcessFixture } from '#test/support/process-fixture.ts';

/** Documents of an average client in a month. */
const documentsAMonth = 120;
/** Default of RETENTION_MONTHS, after which everything but the ledger is deleted. */
const retentionMonths = 13;
const ledgerYears = 7;
const clients = [1_000, 10_000, 100_000];
/** Tables whose rows are kept: what was posted, and who decided what. */
const isLedger = (table: string): boolean => /^(postings|audit_events|closes|close_\w+|payment_states)$/.test(table);
const syncTimeoutMs = 30 * 60_000;

/**
 * Measures how much a posted document adds to the database, and what that means for many clients.
 *
 * @param invoices number of invoices that are posted; each has three lines.
 * @returns false when a document adds more than 100 kB.
 */
export async function growth(invoices: number): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallybridge-bench-'));
  const [postgres, fixture] = await Promise.all([
    startEmbeddedPostgres({ dataDir, logger: silentLogger }),
    newProcessFixture('empty'),
  ]);
  const database = new Client({ connectionString: postgres.url });
  try {
    const { url } = await fixture.start({ DATABASE_URL: postgres.url });
    await database.connect();
    const api = await signIn(url);
    await api.connectQuickBooks();
    await api.data('POST', '/api/my/settings/', {
      inv_default_income_account: '2',
      inv_create_item_automatically: true,
    });
    await fixture.autotask.reset({ invoices, lines_per_invoice: 3 });
    const before = await sizesOf(database);
    const posted = await syncAll(api);
    const after = await sizesOf(database);
    const added = [...after].map(([table, bytes]) => [table, (bytes - (before.get(table) ?? 0)) / posted] as const);
    for (const [table, bytes] of added.filter((one) => one[1] >= 10).toSorted((a, b) => b[1] - a[1]))
      console.log(
        `${table.padEnd(24)} ${bytes.toFixed(0).padStart(7)} bytes per document${isLedger(table) ? ', kept' : ''}`,
      );
    const sumOf = (wanted: boolean) =>
      added.filter(([table]) => isLedger(table) === wanted).reduce((sum, [, bytes]) => sum + bytes, 0);
    const [kept, deleted] = [sumOf(true), sumOf(false)];
    console.log(
      `${posted} documents: ${(kept / 1e3).toFixed(1)} kB kept, ${(deleted / 1e3).toFixed(1)} kB until deleted`,
    );
    for (const count of clients) {
      const monthly = count * documentsAMonth;
      const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(0)} GB`;
      console.log(
        `${count} clients: ${(monthly / 1e6).toFixed(2)} million documents a month, ` +
          `${gigabytes(monthly * retentionMonths * deleted)} of logs and jobs, ` +
          `${gigabytes(monthly * 12 * ledgerYears * kept)} of ledger after ${ledgerYears} years`,
      );
    }
    return kept + deleted <= 100_000;
  } finally {
    await database.end();
    await fixture.close();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Returns the bytes of each table with its indexes and long values. */
async function sizesOf(database: Client): Promise<ReadonlyMap<string, number>> {
  const { rows } = await database.query<{ table: string; bytes: string }>(
    `select relname as table, pg_total_relation_size(oid) as bytes
       from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  );
  return new Map(rows.map(({ table, bytes }) => [table, Number(bytes)]));
}

/** Posts all eligible invoices. @returns their number. */
async function syncAll(api: ApiClient): Promise<number> {
  const submitted = await api.data('POST', '/api/my/invoices/sync/submit/all', { mode: 'live', force: false });
  const { id } = submitted['job'] as { readonly id: string };
  const endsAt = Date.now() + syncTimeoutMs;
  for (;;) {
    const { job } = await api.data('GET', `/api/my/jobs/${id}`);
    const { status, succeeded } = job as { readonly status: string; readonly succeeded: number };
    if (status === 'finished') return succeeded;
    if (Date.now() > endsAt) throw new Error('the sync does not end');
    await delay(1_000);
  }
}
