import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readMonthOfReads } from '#flows/connections/watch-service.ts';
import { newWorld, today, type World } from '../support/world.ts';

/** Costs of the last release. `RECORD_COSTS=1` updates them; the commit explains the change. */
const recorded = join(import.meta.dirname, '..', '..', 'bench', 'costs.json');
/** Allowed increase. How many concurrent saves share a transaction varies. */
const tolerance = { calls: 0, transactions: 0.3, bytes: 0.02 } as const;

/** Tables that grow with every document. */
const tables = ['attempts', 'job_results', 'log_details', 'logs', 'postings'] as const;
const [firstId, warm, count] = [100_001, 20, 100] as const;

let world: World;
let database: Client;
beforeEach(async () => {
  world = await newWorld({ settings: { inv_numbering_option: 'autotask' } });
  database = new Client({ connectionString: world.database.url });
  await database.connect();
});
afterEach(async () => {
  await database.end();
  await world.close();
});

const rowBytes = async (): Promise<number> => {
  const sums = tables.map((table) => `coalesce((select sum(pg_column_size(t)) from ${table} t), 0)`);
  const { rows } = await database.query<{ bytes: string }>(`select (${sums.join(' + ')})::bigint as bytes`);
  return Number(rows[0]?.bytes);
};

test('a job of a hundred invoices costs no more calls, transactions and bytes than in the last release', async () => {
  await world.autotask.reset({ today, invoices: warm + count, lines_per_invoice: 5, seed: 7 });
  const ids = Array.from({ length: warm + count }, (_, n) => firstId + n);
  for (const id of ids) await world.autotask.put('Invoices', id, { invoiceNumber: `T-${id}` });
  await world.quickbooks.put('Preferences', '1', { SalesFormsPrefs: { CustomTxnNumbers: true } });
  expect(await world.sync('invoice', { mode: 'live', psaIds: ids.slice(0, warm) })).toMatchObject({ succeeded: warm });

  const [psaBefore, accountingBefore] = [await world.autotask.journal(), await world.quickbooks.journal()];
  const [transactions, bytes] = [world.transactions(), await rowBytes()];
  const { reads } = await readMonthOfReads(world.app);
  const job = await world.sync('invoice', { mode: 'live', psaIds: ids.slice(warm) });
  expect(job).toMatchObject({ status: 'finished', succeeded: count });
  const seen = {
    psaCalls: (await world.autotask.journal()).length - psaBefore.length,
    accountingCalls: (await world.quickbooks.journal()).length - accountingBefore.length,
    // Reads, and each item of a batch.
    meteredCalls: (await readMonthOfReads(world.app)).reads - reads,
    transactions: world.transactions() - transactions,
    bytesOfRows: (await rowBytes()) - bytes,
  };
  if (process.env['RECORD_COSTS'] === '1') await writeFile(recorded, `${JSON.stringify(seen, null, 2)}\n`);
  const before = JSON.parse(await readFile(recorded, 'utf8')) as typeof seen;
  const most = {
    psaCalls: before.psaCalls * (1 + tolerance.calls),
    accountingCalls: before.accountingCalls * (1 + tolerance.calls),
    meteredCalls: before.meteredCalls * (1 + tolerance.calls),
    transactions: before.transactions * (1 + tolerance.transactions),
    bytesOfRows: before.bytesOfRows * (1 + tolerance.bytes),
  };
  const risen = Object.entries(most).flatMap(([name, limit]) =>
    seen[name as keyof typeof seen] > limit ? [`${name}: ${seen[name as keyof typeof seen]}, at most ${limit}`] : [],
  );
  expect(risen, JSON.stringify(seen)).toEqual([]);
});
