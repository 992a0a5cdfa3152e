import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Kind, Mode, Trigger } from '#core/kinds.ts';
import type { LogFilter } from '#core/records/log.ts';
import type { TenantStore } from './tenant-store.ts';
import type { ProblemDocument } from '#core/problems.ts';
import { addSeconds, calendarDate, instant } from '#core/values/dates.ts';
import { decimal } from '#core/values/decimal.ts';
import { began, ended, logged, newAttempt, newTenant } from '#test/support/attempts.ts';
import { asOwner, enterTenant, newDatabase } from '#test/support/database.ts';
import { logList } from './log.ts';

const db = await newDatabase({ clock: { now: () => began } });
afterAll(() => db.close());

const all: LogFilter = { page: 1, pageSize: 50, sort: 'LastModified', descending: true };

interface Entry {
  readonly kind?: Kind;
  readonly psaId: number;
  readonly mode?: Mode;
  readonly trigger?: Trigger;
  readonly success?: boolean;
  readonly message?: string;
  readonly at?: number;
  readonly about?: ProblemDocument;
}

const acme: ProblemDocument = {
  what: 'Credit memo',
  psaId: 48_301,
  number: 'PSA-7',
  party: 'Acme Dental',
  on: calendarDate('2025-03-03'),
  amount: decimal('-1180.50'),
  currency: 'USD',
};

async function write(store: TenantStore, entries: readonly Entry[]): Promise<void> {
  const lease = await store.acquireLease('w', 10);
  if (lease === null) throw new Error('no lease');
  for (const {
    kind = 'invoice',
    psaId,
    mode = 'live',
    trigger = 'manual',
    success = true,
    message,
    at = 0,
    about,
  } of entries) {
    const { attempt } = await store.openAttempt(lease, newAttempt({ kind, psaId, mode, trigger }));
    if (attempt.state !== 'planning') throw new Error(attempt.state);
    const to = ended(attempt, success ? 'done' : 'refused', message ?? `Document ${psaId}.`);
    await store.advance(lease, attempt, { ...to, ...(about && { about }) }, logged(addSeconds(began, at)));
  }
}

describe('a log entry', () => {
  test('is found by its key with transcript, problems, and document, and not by other tenants', async () => {
    const [store, other] = [await newTenant(db.store), await newTenant(db.store)];
    await write(store, [{ psaId: 48213, message: 'Invoice 48213 was created in QuickBooks as 1042.', about: acme }]);
    const key = 'invoice/48213/2025-03-03T15:00:00.000Z';
    expect(await store.readLog(key)).toEqual({
      key,
      at: began,
      type: 'invoice',
      psaId: 48213,
      isTest: false,
      isManual: true,
      success: true,
      awaitsApproval: false,
      isOnHold: false,
      message: 'Invoice 48213 was created in QuickBooks as 1042.',
      transcript: '15:00:08 RESULT OK',
      problems: [],
      document: { DocNumber: '1042' },
      preview: null,
      what: 'Credit memo',
      number: 'PSA-7',
      party: 'Acme Dental',
      on: '2025-03-03',
      amount: '-1180.5',
      currency: 'USD',
    });
    expect(await other.readLog(key)).toBeNull();
    expect(await store.readLog('nonsense\u0000')).toBeNull();
    expect((await other.listLogs(all)).total).toBe(0);
  });

  test('is found by party, number, and amount in any format', async () => {
    const store = await newTenant(db.store);
    await write(store, [{ psaId: 1 }, { psaId: 48_301, about: acme }]);
    for (const text of ['acme', 'psa-7', '1,180.50', '−$1,180.5', '1180'])
      expect([text, (await store.listLogs({ ...all, text })).logs.map(({ psaId }) => psaId)]).toEqual([text, [48_301]]);
    expect((await store.listLogs({ ...all, text: '1180.51' })).total).toBe(0);
  });

  test('of the same document and time gets the next free millisecond', async () => {
    const store = await newTenant(db.store);
    await write(store, [{ psaId: 1 }, { psaId: 1 }, { psaId: 1 }]);
    expect((await store.listLogs(all)).logs.map((log) => [log.key, log.at])).toEqual([
      ['invoice/1/2025-03-03T15:00:00.002Z', instant('2025-03-03T15:00:00.002Z')],
      ['invoice/1/2025-03-03T15:00:00.001Z', instant('2025-03-03T15:00:00.001Z')],
      ['invoice/1/2025-03-03T15:00:00.000Z', instant('2025-03-03T15:00:00.000Z')],
    ]);
  });
});

describe('the log list', () => {
  let store: TenantStore;
  beforeAll(async () => {
    store = await newTenant(db.store);
    await write(store, [
      { psaId: 10, at: 1, message: 'Invoice 10 was created in QuickBooks as 1042. 100% _done_' },
      { psaId: 11, at: 2, mode: 'test', message: 'Invoice 11 would be created.' },
      { psaId: 12, at: 3, success: false, message: 'Line 3 has no item: C:\\Items.' },
      { psaId: 20, at: 4, kind: 'expense_report', trigger: 'automatic' },
      { psaId: 21, at: 5, kind: 'expense_report', trigger: 'automatic', success: false },
      { psaId: 30, at: 6, kind: 'purchase_order' },
    ]);
  });
  const ids = async (filter: Partial<LogFilter>) => {
    const { logs, total } = await store.listLogs({ ...all, ...filter });
    expect(total).toBeGreaterThanOrEqual(logs.length);
    return logs.map((log) => log.psaId);
  };

  test('applies each filter, alone and combined', async () => {
    expect(await ids({})).toEqual([30, 21, 20, 12, 11, 10]);
    expect(await ids({ type: 'expense_report' })).toEqual([21, 20]);
    expect(await ids({ mode: 'test' })).toEqual([11]);
    expect(await ids({ mode: 'live', type: 'invoice' })).toEqual([12, 10]);
    expect(await ids({ manual: false })).toEqual([21, 20]);
    expect(await ids({ success: false })).toEqual([21, 12]);
    expect(await ids({ after: addSeconds(began, 5) })).toEqual([30, 21]);
    expect(await ids({ before: addSeconds(began, 3) })).toEqual([11, 10]);
    expect(await ids({ success: false, manual: true, text: 'item', type: 'invoice' })).toEqual([12]);
  });

  test('finds text in message and ID in any case and escapes wildcards', async () => {
    expect(await ids({ text: 'QUICKBOOKS' })).toEqual([10]);
    expect(await ids({ text: '1042' })).toEqual([10]);
    expect(await ids({ text: '21' })).toEqual([21]);
    expect(await ids({ text: '100%' })).toEqual([10]);
    expect(await ids({ text: '0% _' })).toEqual([10]);
    expect(await ids({ text: '_done_' })).toEqual([10]);
    expect(await ids({ text: '____________' })).toEqual([]);
    expect(await ids({ text: 'C:\\Items' })).toEqual([12]);
    expect(await ids({ text: "' or 1=1" })).toEqual([]);
    expect(await ids({ text: '\u0000' })).toEqual([]);
    expect(await ids({ text: '   ' })).toHaveLength(6);
  });

  test('sorts by every column in both directions, newest first among equals', async () => {
    expect(await ids({ descending: false })).toEqual([10, 11, 12, 20, 21, 30]);
    expect(await ids({ sort: 'entityid', descending: false })).toEqual([10, 11, 12, 20, 21, 30]);
    expect(await ids({ sort: 'entityid' })).toEqual([30, 21, 20, 12, 11, 10]);
    expect(await ids({ sort: 'type', descending: false })).toEqual([21, 20, 12, 11, 10, 30]);
    expect(await ids({ sort: 'success', descending: false })).toEqual([21, 12, 30, 20, 11, 10]);
    expect(await ids({ sort: 'test' })).toEqual([11, 30, 21, 20, 12, 10]);
    expect(await ids({ sort: 'manual', descending: false })).toEqual([21, 20, 30, 12, 11, 10]);
  });

  test('returns pages without overlaps and gaps', async () => {
    for (const sort of ['LastModified', 'success', 'type'] as const) {
      const seen: number[] = [];
      for (const page of [1, 2, 3, 4]) {
        const { logs, total } = await store.listLogs({ ...all, sort, page, pageSize: 2 });
        expect(total).toBe(6);
        seen.push(...logs.map((log) => log.psaId));
      }
      expect(seen.toSorted((a, b) => a - b)).toEqual([10, 11, 12, 20, 21, 30]);
    }
    expect(await ids({ page: 9 })).toEqual([]);
  });
});

test('reads an index and only the page from 100,000 rows, in every order and with every filter', async () => {
  const [store, other, small] = [await newTenant(db.store), await newTenant(db.store), await newTenant(db.store)];
  await asOwner(db.url, async (client) => {
    // An index is built at once in less time than row by row.
    const { rows: indexes } = await client.query<{ definition: string }>(
      `select pg_get_indexdef('logs_by_search'::regclass) as definition`,
    );
    await client.query('drop index logs_by_search');
    for (const [tenantId, count] of [
      [store.tenantId, 100_000],
      [other.tenantId, 20_000],
      [small.tenantId, 1_000],
    ] as const)
      await client.query(
        `insert into logs (tenant_id, key, at, type, psa_id, is_test, is_manual, success, number, message)
         select $1, 'k' || n, timestamptz '2025-01-01' + n * interval '1 minute',
                (array['invoice', 'expense_report', 'purchase_order'])[1 + n % 3], n % 5000, n % 2 = 0, n % 3 = 0,
                n % 10 <> 0, n::text, 'Document ' || n || ' was created in QuickBooks.'
           from generate_series(1, $2::integer) n`,
        [tenantId, count],
      );
    for (const { definition } of indexes) await client.query(definition);
    // With few rows, the planner reads the whole table.
    await client.query(
      `insert into log_details (tenant_id, key, transcript, problems)
       select tenant_id, key, '[]', '[]' from logs where not success and tenant_id = $1`,
      [store.tenantId],
    );
    await client.query('analyze logs, log_details');
  });
  const isByValue = ({ type, mode, manual, success }: Partial<LogFilter>) =>
    [type, mode, manual, success].some((one) => one !== undefined);
  const plan = (filter: Partial<LogFilter>, { tenantId } = store): Promise<string> =>
    db.database.forTenant(tenantId, async (tx) => {
      const query = logList(tx, tenantId, { ...all, ...filter }).compile();
      const { rows } = await tx.executeQuery<{ 'QUERY PLAN': string }>({
        ...query,
        sql: `explain (analyze, costs off, timing off, summary off) ${query.sql}`,
      });
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
  for (const filter of [
    {},
    { descending: false },
    { page: 4 },
    { success: false },
    { type: 'invoice' },
    { mode: 'test', manual: true },
    { after: instant('2025-02-01T00:00:00Z'), before: instant('2025-02-02T00:00:00Z') },
    { sort: 'entityid', descending: false },
    { mode: 'test', success: false },
    { manual: true, sort: 'entityid', descending: false },
    { mode: 'live', page: 4 },
    { mode: 'live', page: 5 },
    { mode: 'live', page: 50 },
    { success: false, sort: 'entityid', descending: false, page: 50 },
  ] satisfies Partial<LogFilter>[]) {
    const text = await plan(filter);
    // The page is located in an index only, and only the displayed rows are read.
    expect(text, JSON.stringify(filter)).toContain('Index Only Scan');
    expect(text, JSON.stringify(filter)).not.toContain('Seq Scan');
    // The first entries of each combination of filters are sorted; deeper ones are merged in index order.
    const [, read = '', loops = ''] = /Index Only Scan [^(]*\(actual rows=([\d.]+) loops=(\d+)\)/.exec(text) ?? [];
    if (text.includes('Sort Method')) expect(Number(read) * Number(loops)).toBeLessThanOrEqual(24 * 200);
    else expect(text).not.toMatch(/\bSort\b(?! Key)/);
    expect([filter, text.includes('Sort Method')]).toEqual([
      filter,
      isByValue(filter) && (filter.page ?? 1) * 50 <= 200,
    ]);
    expect(text.match(/Index Scan using logs_newest .*rows=(\d+)/g)).toHaveLength(1);
  }
  // Sorted and merged entries form one list.
  for (const filter of [
    { mode: 'test', success: false },
    { manual: true, after: instant('2025-02-01T00:00:00Z'), before: instant('2025-02-09T00:00:00Z') },
    { type: 'invoice', sort: 'entityid', descending: false },
  ] satisfies Partial<LogFilter>[]) {
    const pagesOf = async (pageSize: number) => {
      const pages = Array.from({ length: 400 / pageSize }, (_, index) => index + 1);
      const lists = await Promise.all(pages.map((page) => store.listLogs({ ...all, ...filter, page, pageSize })));
      return lists.flatMap(({ logs }) => logs.map(({ key }) => key));
    };
    const byFifty = await pagesOf(50);
    expect(new Set(byFifty).size).toBe(400);
    expect(await pagesOf(200)).toEqual(byFifty);
  }
  // The index of the filters finds a few matching entries without reading all others.
  const few = await store.listLogs({ ...all, type: 'purchase_order', mode: 'test', success: false });
  expect(few).toMatchObject({ total: 3_333, more: false });
  expect(few.logs.map(({ psaId }) => psaId).slice(0, 3)).toEqual([4_980, 4_950, 4_920]);
  // A text search uses its index, under the role of the function, and reads no row of another tenant.
  const search = await asOwner(db.url, async (client) => {
    await client.query('begin');
    await enterTenant(client, store.tenantId);
    await client.query('set local role tallybridge_purge');
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain (analyze, costs off, timing off, summary off)
       select * from logs where tenant_id = current_tenant() and search ilike '%Document 77777 %' order by seq desc limit 100`,
    );
    await client.query('rollback');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(search).toContain('logs_by_search');
  expect(search).not.toContain('Seq Scan');
  for (const [one, found] of [
    [store, 1],
    [other, 0],
    [small, 0],
  ] as const)
    expect((await one.listLogs({ ...all, text: 'Document 77777 ' })).total).toBe(found);
  const owner = await asOwner(db.url, async (client) => {
    const { rows } = await client.query<{ owner: string; definer: boolean }>(
      `select pg_get_userbyid(proowner) as owner, prosecdef as definer from pg_proc where proname = 'search_logs'`,
    );
    return rows;
  });
  expect(owner).toEqual([{ owner: 'tallybridge_purge', definer: true }]);
  const { rows } = await db.database.forTenant(store.tenantId, (tx) =>
    sql<{ count: number }>`select count(*) as count from logs`.execute(tx),
  );
  expect(rows).toEqual([{ count: 100_000 }]);
  expect((await store.listLogs({ ...all, text: '99999' })).total).toBe(1);
  // Beyond the maximum count, the list reports that more exist.
  expect(await store.listLogs({ ...all, page: 1_000, pageSize: 10 })).toMatchObject({
    total: 10_000,
    more: true,
    logs: { length: 10 },
  });
  await expect(store.listLogs({ ...all, page: 1_001, pageSize: 10 })).rejects.toMatchObject({ code: 'page_too_far' });
  expect(await store.listLogs({ ...all, text: 'created' })).toMatchObject({ total: 1_000, more: true });
  await expect(store.listLogs({ ...all, text: 'created', page: 101, pageSize: 10 })).rejects.toMatchObject({
    code: 'page_too_far',
  });
  expect(await other.listLogs({ ...all, text: 'Document 19999 ', page: 7 })).toEqual({
    logs: [],
    total: 1,
    more: false,
  });
  // Pages of every sort order match the whole list, sorted here.
  const truth = await asOwner(db.url, async (client) => {
    const { rows } = await client.query<{
      key: string;
      at: Date;
      type: string;
      test: boolean;
      hand: boolean;
      fine: boolean;
      id: number;
    }>(
      'select key, at, type, is_test as test, is_manual as hand, success as fine, psa_id::integer as id from logs where tenant_id = $1 order by at desc, seq desc',
      [store.tenantId],
    );
    return rows;
  });
  const passes = (
    one: (typeof truth)[number],
    filter: Pick<Partial<LogFilter>, 'mode' | 'manual' | 'success' | 'type'>,
  ) =>
    (filter.mode === undefined || one.test === (filter.mode === 'test')) &&
    (filter.manual === undefined || one.hand === filter.manual) &&
    (filter.success === undefined || one.fine === filter.success) &&
    (filter.type === undefined || one.type === filter.type);
  const columns = { type: 'type', test: 'test', manual: 'hand', success: 'fine', entityid: 'id' } as const;
  for (const sort of ['type', 'test', 'manual', 'success', 'entityid'] as const)
    for (const descending of [true, false]) {
      const sign = descending ? -1 : 1;
      const column = columns[sort];
      const sorted = truth.toSorted((a, b) => sign * (a[column] < b[column] ? -1 : a[column] > b[column] ? 1 : 0));
      for (const filter of [{}, { mode: 'test', manual: true }, { success: true, type: 'purchase_order' }] as const)
        for (const page of [1, 26, 50]) {
          const passing = sorted.filter((one) => passes(one, filter));
          const found = await store.listLogs({ ...all, ...filter, sort, descending, page, pageSize: 200 });
          expect(found.logs.map(({ key }) => key)).toEqual(
            passing.slice((page - 1) * 200, page * 200).map(({ key }) => key),
          );
          expect([found.total, found.more]).toEqual([Math.min(passing.length, 10_000), passing.length > 10_000]);
        }
    }
});
