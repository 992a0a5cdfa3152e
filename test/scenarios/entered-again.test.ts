import { describe, expect, test } from 'vitest';
import { exceptionsOf } from '#core/reconciliation/close.ts';
import type { Settlement } from '#core/reconciliation/exception-actions.ts';
import { month } from '#core/reconciliation/month.ts';
import type { JsonObject } from '#core/values/json.ts';
import { settleException } from '#flows/close/settle.ts';
import { clearSyncStatus } from '#flows/sync/job/clear-status.ts';
import { eachWorld } from '../support/each-world.ts';
import { loggedIn, proveMonth } from '../support/month-end.ts';
import { movedSince, postedNow } from '../support/moved-since.ts';

const world = eachWorld();
const march = month('2025-03');
const actor = { username: 'admin@northwind-msp.example' };

/** Posts an invoice that a user then voids or deletes in QuickBooks, and types again without a note. */
async function enteredAgain(how: 'voided' | 'deleted'): Promise<string> {
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  const id = (await world.store.readPosting('invoice', 48_213))?.targetId ?? '';
  const was = (await world.quickbooks.list('Invoice')).find((one) => one['Id'] === id) ?? {};
  if (how === 'deleted') await world.quickbooks.remove('Invoice', id);
  else
    await world.quickbooks.put('Invoice', id, {
      TotalAmt: 0,
      Balance: 0,
      PrivateNote: `Voided - ${String(was['PrivateNote'])}`,
    });
  const made = await world.quickbooks.add('Invoice', {
    CustomerRef: was['CustomerRef'] ?? null,
    TxnDate: '2025-03-04',
    DocNumber: 'HAND-1',
    Line: (was['Line'] as JsonObject[]).filter((line) => line['SalesItemLineDetail'] !== undefined),
    TxnTaxDetail: was['TxnTaxDetail'] ?? null,
  });
  const copy = (made['item'] as JsonObject | undefined) ?? made;
  expect(copy['TotalAmt']).toBe(1966.25);
  return String(copy['Id']);
}
const found = async () =>
  exceptionsOf((await proveMonth(world)).proof).filter(({ psaId, number }) => psaId === 48_213 || number === 'HAND-1');
async function settle(action: Settlement) {
  const [one] = await found();
  const job = await settleException(world.tenant, loggedIn(world), march, { key: one?.key ?? '', action });
  await world.work();
  return world.store.readJob(job.id);
}

describe.each(['voided', 'deleted'] as const)('an invoice that was %s and entered again by hand', (how) => {
  test('is one case, and is linked without posting anything', async () => {
    const copy = await enteredAgain(how);
    const before = await postedNow(world);
    expect((await found()).map((one) => [one.class, one.actions])).toEqual([
      ['entered_again', ['link', 'post_again', 'accept', 'carry']],
    ]);
    expect(await settle('link')).toMatchObject({ succeeded: 1, failed: 0 });
    expect(await movedSince(world, before)).toEqual({});
    expect(await world.store.readPosting('invoice', 48_213)).toMatchObject({ status: 'synced', targetId: copy });
    expect(await world.psaInvoice(48_213)).toMatchObject({ invoiceNumber: 'HAND-1' });
    // The typed document has another date, which is listed like any other changed date.
    expect((await found()).map((one) => one.class)).toEqual(['date_differs', 'due_differs']);
  });

  test('is not posted a second time by a sync after its status was cleared', async () => {
    await enteredAgain(how);
    const before = await postedNow(world);
    await clearSyncStatus(world.tenant, 'invoice', [48_213], actor);
    await world.cycle();
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    expect(await movedSince(world, before)).toEqual({});
    expect((await world.logs()).at(-1)).toMatchObject({ success: false, problems: [{ code: 'ENTERED_AGAIN' }] });
  });

  test('is posted as well if the user decides so after the case was shown', async () => {
    await enteredAgain(how);
    const before = await postedNow(world);
    await settle('post_again');
    expect(await movedSince(world, before)).toEqual({});
    await settle('post_again');
    expect(await movedSince(world, before)).toMatchObject({ 'Accounts Receivable': 1966.25 });
  });
});

test('a document that was deleted meanwhile is not linked, and nothing is posted', async () => {
  const copy = await enteredAgain('voided');
  const [one] = await found();
  await world.quickbooks.remove('Invoice', copy);
  const before = await postedNow(world);
  const job = await settleException(world.tenant, loggedIn(world), march, { key: one?.key ?? '', action: 'link' });
  await world.work();
  expect(await world.store.readJob(job.id)).toMatchObject({ succeeded: 0, failed: 1 });
  expect(await movedSince(world, before)).toEqual({});
  expect((await world.logs()).at(-1)).toMatchObject({ problems: [{ code: 'NOTHING_TO_LINK' }] });
});
