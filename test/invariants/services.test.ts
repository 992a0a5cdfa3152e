import { beforeEach, describe, expect, test } from 'vitest';
import type { SubmittableKind } from '#core/kinds.ts';
import { isProblemCode } from '#core/problems.ts';
import type { LogEntry } from '#core/records/log.ts';
import type { JsonObject } from '#core/values/json.ts';
import { clearSyncStatus } from '#flows/sync/job/clear-status.ts';
import { submit } from '#flows/sync/job/submit.ts';
import { mapExpenses } from '../support/mappings.ts';
import { textOf } from '../support/rows.ts';
import { eachWorld } from '../support/each-world.ts';
import { type JournalEntry } from '../support/world.ts';

/**
 * Invariants of the domain reference (section 16) that need both services and the database. `npm run disasters` covers
 * crashes.
 */
const world = eachWorld({ settings: { po_payable_account: '20', exp_cash_advance_expense_account: '25' } });
beforeEach(async () => {
  await mapExpenses(world.store);
});

const actor = { username: 'admin@northwind-msp.example' };
const kinds: readonly SubmittableKind[] = ['invoice', 'purchase_order', 'expense_report'];
const entities = { invoice: 'Invoice', purchase_order: 'PurchaseOrder', expense_report: 'Bill' } as const;
const words = { invoice: 'invoice', purchase_order: 'purchase order', expense_report: 'expense report' } as const;
const fields = {
  invoice: ['Invoices', 'invoiceNumber'],
  purchase_order: ['PurchaseOrders', 'externalPONumber'],
  expense_report: ['ExpenseReports', 'quickBooksReferenceNumber'],
} as const;

/** Returns the documents in QuickBooks for one Autotask document. */
const documentsFor = async (kind: SubmittableKind, psaId: number): Promise<readonly JsonObject[]> =>
  (await world.quickbooks.list(entities[kind])).filter((row) =>
    new RegExp(`^Autotask ${words[kind]} ${psaId}\\b`).test(textOf(row, 'PrivateNote')),
  );
/** Returns Autotask's status field. */
const referenceInPsa = async (kind: SubmittableKind, psaId: number): Promise<string> => {
  const [entity, field] = fields[kind];
  return textOf(
    (await world.autotask.list(entity)).find((row) => row['id'] === psaId),
    field,
  );
};
const isQuery = ({ method, path }: JournalEntry): boolean =>
  method === 'GET' || /\/query(\/count)?$/.test(path) || path.endsWith('/tokens/bearer');

test('invariant 1: a test sync of all documents writes nothing', async () => {
  const journal = async () => [...(await world.quickbooks.journal()), ...(await world.autotask.journal())];
  const before = (await journal()).filter((entry) => !isQuery(entry)).length;
  const mappings = await world.store.listMappings();
  for (const kind of kinds)
    expect((await world.sync(kind, { mode: 'test', force: true })).succeeded).toBeGreaterThan(0);
  const after = await journal();
  expect(after.length).toBeGreaterThan(0);
  expect(after.filter((entry) => !isQuery(entry)).length).toBe(before);
  expect(await world.store.listMappings()).toEqual(mappings);
  expect((await world.logs()).every(({ isTest }) => isTest)).toBe(true);
  for (const [kind, psaId] of [
    ['invoice', 48_213],
    ['purchase_order', 3_310],
    ['expense_report', 1_207],
  ] as const)
    expect(await world.store.readPosting(kind, psaId)).toBeNull();
  expect(await world.store.readSyncStates()).not.toHaveProperty('invoice.syncedAt', expect.any(String));
});

test('invariant 2: repeated and concurrent syncs create a document once', async () => {
  const ask = (psaIds: readonly number[] | null) =>
    submit(world.tenant, { kind: 'invoice', mode: 'live', force: false, psaIds, actor });
  await Promise.all([ask([48_213]), ask([48_213, 48_304]), ask([48_304, 48_213]), ask(null), ask([48_213])]);
  await Promise.all([world.work(undefined, 'one'), world.work(undefined, 'another')]);
  await world.work();
  for (let again = 0; again < 2; again += 1) {
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    await world.sync('invoice', { mode: 'live' });
  }
  expect(await documentsFor('invoice', 48_213)).toHaveLength(1);
  expect(await documentsFor('invoice', 48_304)).toHaveLength(1);
});

describe('invariant 13: every failed attempt has a code, a message, a fix and a transcript', () => {
  const explained = (log: LogEntry): void => {
    expect(log.problems.length, log.message).toBeGreaterThan(0);
    expect(log.message).toMatch(/^[A-Z\d].*\.( \(\d+ warnings?\))?$/);
    for (const found of log.problems) {
      const code = String(found['code']);
      expect(isProblemCode(code), `${code} is in the catalogue`).toBe(true);
      expect(found['message']).toMatch(/\S/);
      expect(found['remedy'], `${code} has a fix`).toMatch(/\S/);
      expect(log.transcript).toMatch(new RegExp(`^\\d\\d:\\d\\d:\\d\\d ERROR ${code} `, 'm'));
      expect(log.transcript).toContain(`What to do: ${String(found['remedy'])}`);
    }
    expect(log.transcript).toMatch(/RESULT (FAILED|HELD)  \S/);
    expect(log.transcript.split('\n').at(-1)).toContain(log.message);
  };

  test('of a rejected or missing document', async () => {
    await world.saveSettings({
      inv_create_item_automatically: false,
      po_create_item_automatically: false,
      po_default_expense_account: null,
    });
    for (const kind of kinds) await world.sync(kind, { mode: 'live' });
    await world.sync('invoice', { mode: 'live', psaIds: [999_999] });
    const failed = (await world.logs()).filter(({ success }) => !success);
    expect(new Set(failed.map(({ type }) => type))).toEqual(new Set(kinds));
    expect(failed.at(-1)?.problems).toMatchObject([{ code: 'PSA_DOCUMENT_MISSING' }]);
    expect(new Set(failed.flatMap((log) => log.problems.map(({ code }) => code))).size).toBeGreaterThan(6);
    failed.forEach(explained);
  });

  test.each<readonly [string, 'quickbooks' | 'autotask', JsonObject]>([
    [
      'of a document rejected by QuickBooks',
      'quickbooks',
      {
        match: { method: 'POST', path: '/invoice(\\?|$)' },
        action: {
          status: 400,
          body: JSON.stringify({
            Fault: {
              Error: [{ Message: 'Invalid Line', Detail: 'The line is wrong.', code: '6000' }],
              type: 'ValidationFault',
            },
          }),
        },
      },
    ],
    [
      'when QuickBooks was too busy',
      'quickbooks',
      { match: { method: 'POST', path: '/invoice(\\?|$)' }, action: { status: 429, body: '' } },
    ],
    [
      'when Autotask rejected the number',
      'autotask',
      {
        match: { method: 'PATCH', path: '/Invoices$' },
        action: { status: 500, body: JSON.stringify({ errors: ['Not that number.'] }) },
      },
    ],
  ])('%s', async (_what, service, rule) => {
    await world[service].fault(rule);
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    const failed = (await world.logs()).filter(({ success }) => !success);
    expect(failed).toHaveLength(1);
    failed.forEach(explained);
  });

  test('of a void and of a payment', async () => {
    await world.saveSettings({ void_sync_active: true, pay_sync_active: true });
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    await world.quickbooks.put('Invoice', '9177', { DocNumber: '7777' });
    await world.autotask.put('Invoices', 48_213, { paidDate: '2025-03-03T00:00:00Z' });
    for (let round = 0; round < 3; round += 1) await world.cycle();
    const failed = (await world.logs()).filter(({ success }) => !success);
    expect(new Set(failed.map(({ type }) => type))).toEqual(new Set(['void', 'payment']));
    failed.forEach(explained);
  });
});

test('invariant 14: the age window includes its entire first day and nothing earlier', async () => {
  // 14 days before March 3, 2025, and 30 for expense reports. Midnight in Chicago is 6:00 UTC.
  const [midnight, before] = ['2025-02-17T06:00:00Z', '2025-02-17T05:59:59Z'];
  const [reportMidnight, reportBefore] = ['2025-02-01T06:00:00Z', '2025-02-01T05:59:59Z'];
  await world.autotask.put('Invoices', 48_213, { createDateTime: midnight });
  await world.autotask.put('Invoices', 48_214, { createDateTime: before });
  await world.autotask.put('PurchaseOrders', 3_310, { createDateTime: midnight });
  await world.autotask.put('PurchaseOrders', 3_311, { createDateTime: before });
  await world.autotask.put('ExpenseReports', 1_207, { submitDate: reportMidnight });
  await world.autotask.put('ExpenseReports', 1_208, { submitDate: reportBefore });
  await world.autotask.put('Invoices', 48_312, { voidedDate: midnight });
  await world.autotask.put('Invoices', 48_313, { voidedDate: before });
  for (const kind of kinds) await world.sync(kind, { mode: 'test' });
  await world.saveSettings({ void_sync_active: true });
  await world.cycle();
  const logs = await world.logs();
  const processed = (type: string, ...ids: readonly number[]) =>
    ids.filter((id) => logs.some((log) => log.type === type && log.psaId === id));
  expect(processed('invoice', 48_213, 48_214)).toEqual([48_213]);
  expect(processed('purchase_order', 3_310, 3_311)).toEqual([3_310]);
  expect(processed('expense_report', 1_207, 1_208)).toEqual([1_207]);
  expect(processed('void', 48_312, 48_313)).toEqual([48_312]);
});

test.each([
  ['invoice', 48_213],
  ['purchase_order', 3_310],
  ['expense_report', 1_207],
] as const)('invariant 15: clearing a synced %s and syncing again creates no second document', async (kind, psaId) => {
  await world.sync(kind, { mode: 'live', psaIds: [psaId] });
  const reference = await referenceInPsa(kind, psaId);
  expect(reference).not.toBe('');
  expect(await clearSyncStatus(world.tenant, kind, [psaId], actor)).toEqual([psaId]);
  expect(await referenceInPsa(kind, psaId)).toBe('');
  await world.sync(kind, { mode: 'live' });
  expect(await documentsFor(kind, psaId)).toHaveLength(1);
  expect(await referenceInPsa(kind, psaId)).toBe(reference);
});

test.each([
  ['invoice', 48_213, '/invoice(\\?|$)'],
  ['expense_report', 1_207, '/bill(\\?|$)'],
] as const)(
  'invariant 18: a transient failure of an %s writes ERROR only after five times',
  async (kind, psaId, path) => {
    await world.quickbooks.fault({ match: { method: 'POST', path }, action: { status: 429, body: '' } });
    for (let time = 1; time <= 5; time += 1) {
      await world.sync(kind, { mode: 'live', psaIds: [psaId] });
      expect([time, await referenceInPsa(kind, psaId)]).toEqual([time, time < 5 ? '' : 'ERROR']);
      await world.advance(3_600);
    }
    const failed = (await world.logs()).filter(({ success }) => !success);
    expect(failed.map(({ problems: [found] }) => [found?.['code'], found?.['treatment']])).toEqual([
      ...Array.from({ length: 4 }, () => ['QBO_THROTTLED', 'transient']),
      ['QBO_THROTTLED', 'person'],
    ]);
    await world.quickbooks.clearFaults();
    await world.sync(kind, { mode: 'live', psaIds: [psaId] });
    expect(await documentsFor(kind, psaId)).toHaveLength(1);
  },
);
