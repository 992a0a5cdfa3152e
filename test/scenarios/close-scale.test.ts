import { afterAll, beforeAll, expect, test } from 'vitest';
import { tieOut } from '#core/reconciliation/close.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { gatherMonth } from '#flows/close/gather.ts';
import { textOf } from '../support/rows.ts';
import { newWorld, today, type World } from '../support/world.ts';

/** Large months: the number of calls and the product's CPU time. */
let world: World;
const calls: string[] = [];

beforeAll(async () => {
  world = await newWorld({ onCall: ({ operation }) => calls.push(operation) });
  const counts = { today, invoices: 2_400, lines_per_invoice: 2 };
  await world.autotask.reset(counts);
  await world.quickbooks.reset(counts);
  await fill(world.autotask, 'Invoices', 'invoiceDateTime', '2025-02-10T00:00:00Z');
  await fill(world.quickbooks, 'Invoice', 'TxnDate', '2025-02-10');
}, 240_000);
afterAll(() => world.close());

const isOfFebruary = (row: JsonObject): boolean => String(row['TxnDate']).startsWith('2025-02');

/** Moves invoices into or out of February until it has exactly 2,000. */
async function fill(service: World['autotask'], entity: string, field: string, day: string): Promise<void> {
  const all = await service.list(entity);
  const isIn = (row: (typeof all)[number]) => textOf(row, field).startsWith('2025-02');
  const before = all.filter(isIn).length;
  const moved = all.filter((row) => isIn(row) === before > 2_000).slice(0, Math.abs(2_000 - before));
  const to = before > 2_000 ? day.replace('2025-02', '2025-01') : day;
  const idOf = (row: (typeof all)[number]) => (row['Id'] === undefined ? Number(row['id']) : textOf(row, 'Id'));
  for (const row of moved) await service.put(entity, idOf(row), { [field]: to });
}

test('a month of 2,000 invoices in each service needs at most 26 calls, including tax and prepayments', async () => {
  await world.saveSettings({ prepaid_account: '88' });
  const [first] = await world.quickbooks.list('Invoice').then((all) => all.filter(isOfFebruary));
  await world.quickbooks.put('Invoice', String(first?.['Id']), {
    TxnTaxDetail: {
      TotalTax: 8.25,
      TaxLine: [{ Amount: 8.25, DetailType: 'TaxLineDetail', TaxLineDetail: { TaxRateRef: { value: '9' } } }],
    },
  });
  await gatherMonth(world.tenant, month('2024-01'));
  calls.length = 0;
  const { facts } = await gatherMonth(world.tenant, month('2025-02'));
  const isOfMonth = ({ datedOn }: { readonly datedOn: string }) => datedOn.startsWith('2025-02');
  expect(facts.kinds[0]?.sources.filter(isOfMonth)).toHaveLength(2_000);
  expect(facts.kinds[0]?.documents.filter((one) => one.type === 'Invoice' && isOfMonth(one))).toHaveLength(2_000);
  const { rows, tieOuts } = tieOut(facts);
  expect(rows.filter(({ kind, psa }) => kind === 'invoice' && psa !== null)).toHaveLength(2_000);
  expect(tieOuts.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['sales_tax_by_agency', 'sales_tax_by_region']),
  );
  expect([calls.length <= 26, calls]).toEqual([true, calls]);
});

test('a busy month needs at most 26 calls', async () => {
  // Lists are cached for an hour and normally warm.
  await gatherMonth(world.tenant, month('2024-01'));
  const sizes = new Map<string, number>();
  for (const of of ['2025-01', '2025-02', '2025-03']) {
    calls.length = 0;
    const { facts } = await gatherMonth(world.tenant, month(of));
    const count = facts.kinds[0]?.sources.length ?? 0;
    sizes.set(of, count);
    expect([of, calls.length <= 26, calls]).toEqual([of, true, calls]);
    const proof = tieOut(facts);
    expect(proof.rows.length).toBeGreaterThanOrEqual(count);
  }
  expect(Math.max(...sizes.values())).toBeGreaterThan(500);
}, 240_000);

test('a month is proved while users save, change, and delete documents in QuickBooks', async () => {
  const before = (await world.quickbooks.list('Invoice')).filter(isOfFebruary).map((row) => textOf(row, 'Id'));
  expect(before.length).toBeGreaterThanOrEqual(2_000);
  await gatherMonth(world.tenant, month('2024-01'));
  const reading = new AbortController();
  const removed = new Set<string>();
  const users = async () => {
    for (let n = 0; !reading.signal.aborted; n += 1) {
      const [changed, gone] = [before[(n * 7) % before.length] ?? '', before[(n * 13 + 1) % before.length] ?? ''];
      if (!removed.has(changed)) await world.quickbooks.put('Invoice', changed, { PrivateNote: `seen ${n}` });
      if (removed.has(gone) || n % 5 > 0) continue;
      removed.add(gone);
      await world.quickbooks.remove('Invoice', gone);
    }
  };
  const [{ facts }] = await Promise.all([
    gatherMonth(world.tenant, month('2025-02')).finally(() => reading.abort()),
    users(),
  ]);
  const read = new Set(facts.kinds[0]?.documents.filter(({ type }) => type === 'Invoice').map(({ id }) => id));
  expect(before.filter((id) => !removed.has(id) && !read.has(id))).toEqual([]);
  expect(tieOut(facts).rows.length).toBeGreaterThanOrEqual(2_000);
}, 240_000);
