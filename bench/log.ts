import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#store/embedded-postgres.ts';
import { newProcessFixture } from '#test/support/process-fixture.ts';
import { silentLogger } from '#test/support/logger.ts';
import { Client } from 'pg';
import { quantile } from './compare.ts';

/** Maximum response time of a page or a search, in milliseconds. */
const goalMs = 50;
/** Days that entries are spread over. Older entries would be removed during the measurement and distort it. */
const spreadDays = 364;

/**
 * Measures the response times of one client's log: pages, every filter and sort order, and searches. The product runs
 * as a process and is called over HTTP.
 *
 * @param entries number of entries, spread over a year.
 * @param rounds of each request.
 * @returns false when the median of a request misses its goal.
 */
export async function log(entries: number, rounds: number): Promise<boolean> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tallybridge-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir, logger: silentLogger });
  const fixture = await newProcessFixture();
  const owner = new Client({ connectionString: postgres.url });
  try {
    const { url } = await fixture.start({ DATABASE_URL: postgres.url });
    await owner.connect();
    await fill(owner, entries);
    const answer = await fetch(`${url}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin@northwind-msp.example', password: 'Demo-Passw0rd!' }),
    });
    const { data } = (await answer.json()) as { data: { token: string } };
    const ask = async (query: string) => {
      const began = performance.now();
      const reply = await fetch(`${url}/api/my/logs?${query}`, { headers: { authorization: `Bearer ${data.token}` } });
      const body = (await reply.json()) as { data?: { total: number; logs: { Key: string }[] } };
      return {
        ms: performance.now() - began,
        status: reply.status,
        total: body.data?.total ?? 0,
        last: body.data?.logs.at(-1)?.Key,
      };
    };
    const week = `after=${daysAgo(107)}&before=${daysAgo(101)}`;
    const middle = await ask('page=100');
    const questions: readonly (readonly [string, string])[] = [
      ['newest', ''],
      ['page 100', 'page=100'],
      ['page 1,000', 'page=1000'],
      ['last page', `page=${Math.ceil(middle.total / 10)}`],
      ...['LastModified', 'type', 'entityid', 'test', 'manual', 'success'].flatMap((key) => [
        [`sorted by ${key}`, `sort=${key}`] as const,
        [`sorted by ${key}, page 1,000`, `sort=${key}&page=1000`] as const,
        [`sorted by ${key}, descending`, `sort=-${key}`] as const,
        [`sorted by ${key}, descending, page 1,000`, `sort=-${key}&page=1000`] as const,
      ]),
      ['failures', 'success=false'],
      ['failures, page 1,000', 'success=false&page=1000'],
      ['invoices', 'type=invoice'],
      ['invoices by hand, sorted by id', 'type=invoice&manual=true&sort=entityid&page=1000'],
      ['live, automatic, by id, page 1,000', 'mode=live&manual=false&sort=-entityid&page=1000'],
      ['tests of orders that failed', 'type=purchase_order&mode=test&success=false'],
      ['by hand', 'manual=true'],
      ['payments by hand that failed', 'type=payment&manual=true&success=false'],
      ['one week', week],
      ['one week, sorted by id, page 500', `${week}&sort=entityid&page=500`],
      ['search: a number', 'q=INV-500123'],
      ['search: a PSA id', 'q=123456'],
      ['search: a customer', 'q=Customer%20777'],
      ['search: failures of a customer', 'q=Customer%20777&success=false'],
      ['search: an amount', 'q=1234.56'],
      ['search: a word of every message', 'q=created'],
      ['search: nothing', 'q=zebra%20crossing'],
    ];
    let isFine = true;
    for (const [name, query] of questions) {
      const times: number[] = [];
      let total = 0;
      let status = 0;
      for (let round = 0; round < rounds; round += 1) {
        const one = await ask(query);
        times.push(one.ms);
        ({ total, status } = one);
      }
      const median = quantile(times, 0.5);
      if (median > goalMs) isFine = false;
      console.log(
        `${name.padEnd(44)} ${median.toFixed(1).padStart(8)} ms  (least ${Math.min(...times).toFixed(1)}, most ${Math.max(...times).toFixed(1)})  ${status} total ${total}${median > goalMs ? '  MISSED' : ''}`,
      );
    }
    console.log(`${entries} entries; load ${loadavg()[0]?.toFixed(1)}`);
    return isFine;
  } finally {
    await owner.end();
    await fixture.close();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Returns the day a number of days ago. */
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);

/**
 * Adds a typical year of a client's log entries: nine of ten succeed, one of twenty is a test, one of ten is manual,
 * each independently of the others.
 */
async function fill(owner: Client, entries: number): Promise<void> {
  await owner.query('set session_replication_role = replica');
  await owner.query(
    `insert into logs (tenant_id, key, at, type, psa_id, is_test, is_manual, success, what, number, party, dated, amount, currency, message)
     select t.id, k.type || '/' || (100000 + n / 2) || '/' || n, k.at, k.type, 100000 + n / 2,
            hashint4(n) & 1023 < 51, hashint4(n + 5000000) & 1023 < 102, hashint4(n + 9000000) & 1023 > 102,
            'Invoice', 'INV-' || n, 'Customer ' || n % 2000, k.at::date, (n % 500000)::numeric / 100, 'USD',
            'Invoice ' || (100000 + n / 2) || ' was created in QuickBooks as INV-' || n || '.'
     from (select id from tenants order by created_at limit 1) t, generate_series(1, $1::int) n,
          lateral (select (array['invoice', 'invoice', 'invoice', 'payment', 'purchase_order', 'expense_report', 'void'])[1 + n % 7] as type,
                          now() - ($2::int + 1) * interval '1 day' + n * ($2::int * interval '1 day') / $1::int as at) k`,
    [entries, spreadDays],
  );
  await owner.query('set session_replication_role = origin');
  await owner.query('vacuum analyze logs');
}
