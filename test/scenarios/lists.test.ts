import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountingChange } from '#core/documents/accounting-change.ts';
import { loadCachedLists } from '#flows/connections/cached-lists.ts';
import { eachWorld } from '../support/each-world.ts';

const world = eachWorld();
beforeEach(async () => {
  await loadCachedLists(world.tenant, 'if_changed');
});

const day = 86_400;
/** Returns the reads of QuickBooks during `work`: entities of queries, and single records. */
async function asked(work: () => Promise<unknown>): Promise<string[]> {
  const before = (await world.quickbooks.journal()).length;
  await work();
  return (
    (await world.quickbooks.journal())
      .slice(before)
      .map(({ path, query }) => {
        const entity = /FROM (\w+)/.exec(decodeURIComponent(query ?? ''))?.[1];
        return entity ?? path.split('/').at(-1) ?? '';
      })
      // A token refresh may be due at any time.
      .filter((one) => one !== 'bearer' && one !== 'openid_configuration')
      .toSorted()
  );
}
const customer = async (id: string, how: Parameters<typeof loadCachedLists>[1] = 'if_changed') =>
  (await loadCachedLists(world.tenant, how)).customers.find((one) => one.id === id);
const rename = (id: string, name: string) =>
  world.quickbooks.put('Customer', id, { DisplayName: name, FullyQualifiedName: name });
const notify = (...changes: readonly AccountingChange[]) => world.store.addToInbox(changes, { isNotification: true });

describe('cached QuickBooks lists', () => {
  test('are reused: the next sync reads only the preferences, and not again shortly after', async () => {
    await world.advance(6);
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toEqual(['preferences']);
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toEqual([]);
  });

  test('are updated by webhooks immediately, even if the feed is late', async () => {
    await world.quickbooks.behave({ cdc_delay_seconds: 3_600 });
    await rename('58', 'Adler & Söhne');
    await notify({ record: 'customer', id: '58' });
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toEqual(['Customer', 'preferences']);
    expect(await customer('58')).toMatchObject({ displayName: 'Adler & Söhne' });
    // It was settled with it.
    await world.advance(6);
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toEqual(['preferences']);
  });

  test('lose deleted records after a webhook', async () => {
    const made = await world.quickbooks.add('Customer', { DisplayName: 'Gone soon' });
    const id = JSON.stringify(made).match(/"Id":"(\d+)"/)?.[1] ?? '';
    await notify({ record: 'customer', id });
    expect(await customer(id)).toMatchObject({ displayName: 'Gone soon' });
    await world.quickbooks.remove('Customer', id);
    await notify({ record: 'customer', id });
    expect(await customer(id)).toBeUndefined();
  });

  test.each([0, 3_600])('show a user a recent fix, with a feed that is %s seconds late', async (delay) => {
    await world.quickbooks.behave({ cdc_delay_seconds: delay });
    await rename('58', 'Fixed just now');
    await world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: { BookCloseDate: '2025-02-10' } });
    const lists = await loadCachedLists(world.tenant, 'as_they_are');
    expect(lists.customers.find(({ id }) => id === '58')).toMatchObject({ displayName: 'Fixed just now' });
    expect(lists.preferences.closedThrough).toBe('2025-02-10');
    expect(await customer('58')).toMatchObject({ displayName: 'Fixed just now' });
  });

  test('are updated by the feed hourly without webhooks, including deleted records', async () => {
    await world.quickbooks.behave({ cdc_delay_seconds: 3, changed_as_deleted: 'nowhere' });
    const made = await world.quickbooks.add('Customer', { DisplayName: 'Gone soon' });
    const id = JSON.stringify(made).match(/"Id":"(\d+)"/)?.[1] ?? '';
    await world.advance(3_601);
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toEqual(['cdc', 'preferences']);
    expect(await customer(id)).toMatchObject({ displayName: 'Gone soon' });
    await world.quickbooks.remove('Customer', id);
    await world.advance(3_601);
    expect(await customer(id)).toBeUndefined();
  });

  test('are read completely when the feed does not reach back far enough or holds too much', async () => {
    await world.advance(30 * day);
    const whole = await asked(() => loadCachedLists(world.tenant, 'if_changed'));
    expect(whole).toContain('Item');
    expect(whole).not.toContain('cdc');
    await notify(
      ...Array.from({ length: 1_001 }, (_, id): AccountingChange => ({ record: 'item', id: String(90_000 + id) })),
    );
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toContain('Vendor');
    await world.advance(6);
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toEqual(['preferences']);
  });

  test('are read by a job only as needed: no vendors for sales, and the company for no document', async () => {
    const sales = ['Account', 'Class', 'Customer', 'Item', 'TaxCode', 'TaxRate', 'Term', 'preferences'];
    const load = (needed: 'all' | 'sales') => asked(() => loadCachedLists(world.tenant, { maxAgeSeconds: 5 }, needed));
    await world.advance(6);
    expect(await load('sales')).toEqual(sales);
    expect(await load('sales')).toEqual(['preferences']);
    // An order right afterward still gets the current vendors.
    const vendors = await world.quickbooks.list('Vendor');
    const id = String(vendors[0]?.['Id']);
    await world.quickbooks.put('Vendor', id, { DisplayName: 'Renamed just now' });
    expect(await load('all')).toEqual([...sales, 'Vendor'].toSorted());
    expect((await loadCachedLists(world.tenant, 'if_changed')).vendors.find((one) => one.id === id)).toMatchObject({
      displayName: 'Renamed just now',
    });
    expect(await asked(() => loadCachedLists(world.tenant, 'as_they_are'))).toContain('9341452000000001');
  });

  test('that the feed does not cover are read once a day', async () => {
    await world.quickbooks.behave({ changed_as_deleted: 'nowhere' });
    await notify({ record: 'customer', id: '58' });
    await loadCachedLists(world.tenant, 'if_changed');
    await world.advance(day + 1);
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toEqual(
      ['TaxCode', 'TaxRate', '9341452000000001', 'cdc', 'preferences'].toSorted(),
    );
  });

  test('include locations as soon as QuickBooks tracks them', async () => {
    const [kept] = await world.quickbooks.list('Preferences');
    const accounting = { ...(kept?.['AccountingInfoPrefs'] as object), TrackDepartments: true };
    await world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: accounting });
    await world.advance(3_601);
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toContain('Department');
    const { locations } = await loadCachedLists(world.tenant, 'if_changed');
    expect(locations).toContainEqual({ id: '210', fullyQualifiedName: 'Austin office', isActive: true });
    await world.advance(3_601);
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).not.toContain('Department');
  });

  test('include a customer created by a sync, without another read', async () => {
    const before = new Set((await world.quickbooks.list('Customer')).map((row) => row['Id']));
    await world.sync('invoice', { mode: 'live', psaIds: [48_304] });
    const made = (await world.quickbooks.list('Customer')).find((row) => !before.has(row['Id']));
    const id = JSON.stringify(made?.['Id'] ?? '').slice(1, -1);
    expect(id).not.toBe('');
    expect(await customer(id)).toBeDefined();
  });
});
