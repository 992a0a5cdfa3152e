import { describe, expect, test } from 'vitest';
import { loadCachedLists } from '#flows/connections/cached-lists.ts';
import type { JsonObject } from '#core/values/json.ts';
import { eachWorld } from '../support/each-world.ts';
import { mapping } from '../support/mappings.ts';
import { payInvoice } from '../support/pay-invoice.ts';

/** QuickBooks may report a record as deleted that was only changed: it is read before that is believed. */
const world = eachWorld();

const queries = async (since: number): Promise<string[]> =>
  (await world.quickbooks.journal())
    .filter(({ sequence }) => sequence > since)
    .flatMap(({ query }) => /FROM (\w+)/.exec(decodeURIComponent(query ?? ''))?.[1] ?? [])
    .toSorted();

describe('the change feed', () => {
  test('keeps changed records of every list, with one query for each list that has some', async () => {
    const before = await loadCachedLists(world.tenant, 'if_changed');
    const gone = await world.quickbooks.add('Customer', { DisplayName: 'Gone soon' });
    const goneId = String((gone['item'] as JsonObject)['Id']);
    await world.advance(3_601);
    await loadCachedLists(world.tenant, 'if_changed');
    const names = { Customer: 'DisplayName', Vendor: 'DisplayName', Item: 'Name', Account: 'Name', Class: 'Name' };
    const ids: Record<string, string> = {};
    for (const [entity, member] of Object.entries(names)) {
      const rows = await world.quickbooks.list(entity);
      const row = rows.find((one) => one['Active'] !== false && one['ParentRef'] === undefined);
      ids[entity] = String(row?.['Id']);
      const name = `Renamed ${entity}`;
      await world.quickbooks.put(entity, ids[entity], { [member]: name, FullyQualifiedName: name });
    }
    await world.quickbooks.remove('Customer', goneId);
    await world.advance(3_601);
    const since = await world.quickbooks.lastRequest();
    const lists = await loadCachedLists(world.tenant, 'if_changed');
    expect(await queries(since)).toEqual(Object.keys(names).toSorted());
    expect(lists.customers.find(({ id }) => id === ids['Customer'])?.displayName).toBe('Renamed Customer');
    expect(lists.vendors.find(({ id }) => id === ids['Vendor'])?.displayName).toBe('Renamed Vendor');
    expect(lists.items.find(({ id }) => id === ids['Item'])?.name).toBe('Renamed Item');
    expect(lists.accounts.find(({ id }) => id === ids['Account'])?.fullyQualifiedName).toContain('Renamed Account');
    expect(lists.classes.find(({ id }) => id === ids['Class'])?.fullyQualifiedName).toContain('Renamed Class');
    expect(lists.customers.some(({ id }) => id === goneId)).toBe(false);
    expect(lists.customers).toHaveLength(before.customers.length);
  });

  test('reports the invoice of a payment that was only dated', async () => {
    await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
    const { targetId } = (await world.store.readPosting('invoice', 48_213)) ?? {};
    const row = (await world.quickbooks.list('Invoice')).find(({ Id }) => Id === targetId);
    const paid = await payInvoice(world, targetId ?? '', Number(row?.['TotalAmt']), { customer: '58' });
    const id = String((paid['item'] as JsonObject)['Id']);
    await world.advance(1_800);
    const since = world.clock.now();
    await world.advance(60);
    await world.quickbooks.put('Payment', id, { TxnDate: '2025-03-01' });
    await world.advance(60);
    const { touchedInvoices } = await (await world.tenant.accounting()).readCdc(since);
    // The payment itself is listed as well: it may have been posted from here.
    expect(touchedInvoices.toSorted()).toEqual([targetId, id].toSorted());
  });
});

test('a webhook that calls changed records deleted changes nothing else', async () => {
  await world.sync('invoice', { mode: 'live', psaIds: [48_213] });
  const { targetId } = (await world.store.readPosting('invoice', 48_213)) ?? {};
  await world.store.addToInbox(
    [
      { record: 'invoice', id: targetId ?? '' },
      { record: 'customer', id: '58' },
      { record: 'item', id: '21' },
    ],
    { isNotification: true },
  );
  await world.cycle();
  const lists = await loadCachedLists(world.tenant, 'if_changed');
  expect(lists.customers.some(({ id }) => id === '58')).toBe(true);
  expect(lists.items.some(({ id }) => id === '21')).toBe(true);
  expect((await world.store.readPosting('invoice', 48_213))?.status).toBe('synced');
  expect((await world.logs()).filter(({ success }) => !success)).toEqual([]);
});

describe('lists that lost a record to such a report', () => {
  const lose = async (list: 'items' | 'customers' | 'accounts', lostId: string) => {
    await loadCachedLists(world.tenant, 'as_they_are');
    await world.store.changeCached('accounting.lists.v6', (value) => {
      const cached = value as unknown as { lists: Record<string, readonly { id: string }[]> };
      const rows = (cached.lists[list] ?? []).filter(({ id }) => id !== lostId);
      return { ...cached, lists: { ...cached.lists, [list]: rows } };
    });
  };

  test('do not refuse documents: the missing records are read once, and are in the lists again', async () => {
    await world.store.saveMappings([mapping('ItemBilling', '51', '21'), mapping('Customer', '175', '58')]);
    await lose('items', '21');
    await lose('customers', '58');
    const since = await world.quickbooks.lastRequest();
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_214] });
    expect(job).toMatchObject({ succeeded: 2, failed: 0 });
    expect(job.results).toHaveLength(2);
    expect((await queries(since)).filter((one) => one === 'Item')).toHaveLength(2);
    const lists = await loadCachedLists(world.tenant, 'if_changed');
    expect(lists.items.some(({ id }) => id === '21')).toBe(true);
    expect(lists.customers.some(({ id }) => id === '58')).toBe(true);
  });

  test('refuse a document whose record was really deleted, after reading it', async () => {
    await world.store.saveMappings([mapping('Customer', '175', '999999')]);
    const job = await world.sync('invoice', { mode: 'live', psaIds: [48_213, 48_214] });
    expect(world.resultOf(job, 48_213)).toMatchObject({ outcome: 'failed' });
    expect(world.resultOf(job, 48_214)).toMatchObject({ outcome: 'succeeded' });
  });
});
