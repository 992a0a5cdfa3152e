import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { LogEntry } from '#core/records/log.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { mapExpenses, mapping } from '../support/mappings.ts';
import { payInvoice } from '../support/pay-invoice.ts';
import { newWorld } from '../support/world.ts';

/**
 * Entire transcripts in the logs (domain reference 12), one file each. Times and request ids are replaced by
 * placeholders.
 */
const folder = join(import.meta.dirname, '..', 'cases', 'transcripts');
const transcripts = new Map<string, string>();

const settled = ({ transcript }: LogEntry): string =>
  transcript
    .replace(/^\d\d:\d\d:\d\d /gm, 'HH:MM:SS ')
    .replace(/\((?:request|batch) [0-9a-f]{8}…[^)]*\)/g, '(request …)');

/** Stores the newest transcript of a document. */
async function keep(name: string, type: LogEntry['type'], psaId: number): Promise<void> {
  const entry = (await world.logs()).findLast((log) => log.type === type && log.psaId === psaId);
  transcripts.set(name, entry === undefined ? 'no log entry' : settled(entry));
}

const world = await newWorld({ settings: { po_payable_account: '20', exp_cash_advance_expense_account: '25' } });
await mapExpenses(world.store);
await world.store.saveMappings([mapping('LineOfBusiness', '1', '200'), mapping('LineOfBusiness', '2', '201')]);
await world.sync('invoice', { mode: 'test', psaIds: [48_213] });
await keep('invoice-test', 'invoice', 48_213);
await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
await keep('invoice-live', 'invoice', 48_213);
await world.sync('purchase_order', { mode: 'live', psaIds: [3_310] });
await keep('purchase-order-live', 'purchase_order', 3_310);
const actor = { username: 'admin@northwind-msp.example' };
await submit(world.tenant, {
  kind: 'expense_report',
  mode: 'live',
  force: false,
  psaIds: [1_207],
  logLevel: 'debug',
  actor,
});
await world.work();
await keep('expense-report-live', 'expense_report', 1_207);
await world.saveSettings({ inv_create_item_automatically: false });
await world.sync('invoice', { mode: 'live', psaIds: [48_305, 48_307] });
await keep('invoice-held', 'invoice', 48_305);
await keep('invoice-refused', 'invoice', 48_307);
await world.saveSettings({ void_sync_active: true, void_across_months: 'void', pay_sync_active: true });
await payInvoice(world, '9177', 1966.25);
await world.advance(3_600);
await world.cycle();
await keep('payment-written-back', 'payment', 48_213);
await keep('void-of-an-earlier-tool', 'void', 48_312);
await keep('void-refused', 'void', 48_313);
afterAll(() => world.close());

test.each(readdirSync(folder).map((file) => file.replace('.txt', '')))('%s equals its transcript file', (name) => {
  expect(`${transcripts.get(name)}\n`).toBe(readFileSync(join(folder, `${name}.txt`), 'utf8'));
});

test('every transcript has a file', () => {
  expect([...transcripts.keys()].sort()).toEqual(readdirSync(folder).map((file) => file.replace('.txt', '')));
});
