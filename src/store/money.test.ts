import { afterAll, expect, test } from 'vitest';
import { addSeconds, calendarDate } from '#core/values/dates.ts';
import { began, newTenant } from '#test/support/attempts.ts';
import { asOwner, newDatabase } from '#test/support/database.ts';
import type { TenantStore } from './tenant-store.ts';

const db = await newDatabase({ clock: { now: () => began } });
afterAll(() => db.close());

interface Row {
  readonly psaId: number;
  readonly amount: string | null;
  readonly type?: string;
  readonly date?: string;
  readonly currency?: string;
  readonly isTest?: boolean;
  readonly success?: boolean;
  /** Seconds after the start. */
  readonly at?: number;
}

let counter = 0;
const log = (store: TenantStore, rows: readonly Row[]) =>
  asOwner(db.url, async (client) => {
    for (const row of rows) {
      counter += 1;
      const { type = 'invoice', date = '2025-03-03', currency = 'USD', isTest = false, success = true, at = 0 } = row;
      await client.query(
        `insert into logs (tenant_id, key, at, type, psa_id, is_test, is_manual, success, message, dated, amount, currency)
         values ($1, $2, $3, $4, $5, $6, false, $7, 'x', $8, $9, $10)`,
        [
          store.tenantId,
          `${counter}`,
          addSeconds(began, at),
          type,
          row.psaId,
          isTest,
          success,
          date,
          row.amount,
          currency,
        ],
      );
    }
  });

const post = (store: TenantStore, psaId: number, total: string, status = 'synced', generation = 1) =>
  asOwner(db.url, (client) =>
    client.query(
      `insert into postings (tenant_id, kind, psa_id, generation, revision, status, request_id, body, target_id, total, created_at)
       values ($1, 'invoice', $2, $3, 1, $4, 'request', '{}', 'document', $5, $6)`,
      [store.tenantId, psaId, generation, status, total, began],
    ),
  );

const march = (store: TenantStore) => store.sumInvoicesByDay(calendarDate('2025-03-01'), calendarDate('2025-03-31'));

test('adds up invoices by date and currency to the cent', async () => {
  const [store, other] = [await newTenant(db.store), await newTenant(db.store)];
  await log(store, [
    { psaId: 1, amount: '0.10' },
    { psaId: 2, amount: '0.20' },
    { psaId: 3, amount: '-1180.55', date: '2025-03-04' },
    { psaId: 4, amount: '99.99', currency: 'CAD' },
    { psaId: 5, amount: '7', date: '2025-02-28' },
    { psaId: 6, amount: '7', type: 'purchase_order' },
    { psaId: 7, amount: null },
  ]);
  await log(other, [{ psaId: 1, amount: '5000' }]);
  await post(store, 1, '0.11');
  await post(store, 3, '1180.55');
  expect(await march(store)).toEqual([
    { on: '2025-03-03', currency: 'CAD', invoices: 1, invoiced: '99.99', postedInvoices: 0, posted: '0' },
    { on: '2025-03-03', currency: 'USD', invoices: 2, invoiced: '0.3', postedInvoices: 1, posted: '0.11' },
    { on: '2025-03-04', currency: 'USD', invoices: 1, invoiced: '-1180.55', postedInvoices: 1, posted: '-1180.55' },
  ]);
});

test('counts an invoice once, as its newest entry knows it', async () => {
  const store = await newTenant(db.store);
  await log(store, [
    { psaId: 1, amount: '100', isTest: true },
    { psaId: 1, amount: '120', date: '2025-03-05', success: false, at: 1 },
    { psaId: 1, amount: null, at: 2 },
  ]);
  await post(store, 1, '100', 'superseded');
  await post(store, 1, '120', 'unconfirmed', 2);
  expect(await march(store)).toEqual([
    { on: '2025-03-05', currency: 'USD', invoices: 1, invoiced: '120', postedInvoices: 1, posted: '120' },
  ]);
});

test('leaves out voided invoices, and shows invoices deleted in QuickBooks as not posted', async () => {
  const store = await newTenant(db.store);
  await log(store, [
    { psaId: 1, amount: '100' },
    { psaId: 1, amount: '100', type: 'void', at: 1 },
    { psaId: 2, amount: '50' },
    { psaId: 3, amount: '10' },
    { psaId: 3, amount: '10', type: 'void', success: false, at: 1 },
  ]);
  await post(store, 1, '100', 'voided');
  await post(store, 2, '50', 'deleted_in_accounting');
  await post(store, 3, '10');
  expect(await march(store)).toEqual([
    { on: '2025-03-03', currency: 'USD', invoices: 2, invoiced: '60', postedInvoices: 1, posted: '10' },
  ]);
});

test('counts live attempts by kind and hour', async () => {
  const store = await newTenant(db.store);
  await log(store, [
    { psaId: 1, amount: null, at: -3_600 },
    { psaId: 1, amount: null, at: 5 },
    { psaId: 2, amount: null, at: 6, success: false },
    { psaId: 3, amount: null, at: 7, isTest: true },
    { psaId: 4, amount: null, at: 3_600, type: 'payment' },
  ]);
  expect(await store.countAttemptsByHour(began)).toEqual([
    { kind: 'invoice', at: '2025-03-03T15:00:00.000Z', succeeded: 1, failed: 1, held: 0 },
    { kind: 'payment', at: '2025-03-03T16:00:00.000Z', succeeded: 1, failed: 0, held: 0 },
  ]);
});

test('reads the invoices of a period from their index', async () => {
  const store = await newTenant(db.store);
  const { rows } = await asOwner(db.url, async (client) => {
    await client.query('set enable_seqscan = off');
    return client.query<Readonly<Record<'QUERY PLAN', string>>>(
      `explain select 1 from logs where tenant_id = '${store.tenantId}' and type = 'invoice'
       and dated between '2025-03-01' and '2025-03-31'`,
    );
  });
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('logs_invoices_by_date');
});
