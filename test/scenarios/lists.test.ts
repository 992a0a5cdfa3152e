import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BooksChange } from '#core/documents/books-change.ts';
import { loadCachedLists } from '#flows/connections/cached-lists.ts';
import { newWorld, type World } from '../support/world.ts';

let world: World;
beforeEach(async () => {
  world = await newWorld();
  await loadCachedLists(world.tenant, 'if_changed');
});
afterEach(() => world.close());

const day = 86_400;
/** Runs `work` and returns what it asked of QuickBooks: entities of queries, and single records. */
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
      // A sign-in may be due at any time.
      .filter((one) => one !== 'bearer' && one !== 'openid_configuration')
      .toSorted()
  );
}
const customer = async (id: string, how: Parameters<typeof loadCachedLists>[1] = 'if_changed') =>
  (await loadCachedLists(world.tenant, how)).customers.find((one) => one.id === id);
const rename = (id: string, name: string) =>
  world.quickbooks.put('Customer', id, { DisplayName: name, FullyQualifiedName: name });
const notify = (...changes: readonly BooksChange[]) => world.store.addToInbox(changes, { isWebhook: true });

describe('the lists of the books', () => {
  test('are kept: the next sync asks for the preferences alone, and not for those of moments ago', async () => {
    await world.advance(6);
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toEqual(['preferences']);
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toEqual([]);
  });

  test('follow what was told of by its id, whatever the feed shows by then', async () => {
    await world.quickbooks.behave({ cdc_delay_seconds: 3_600 });
    await rename('58', 'Adler & Söhne');
    await notify({ record: 'customer', id: '58' });
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toEqual(['Customer', 'preferences']);
    expect(await customer('58')).toMatchObject({ displayName: 'Adler & Söhne' });
    // It was settled with it.
    await world.advance(6);
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toEqual(['preferences']);
  });

  test('lose what was told of and is gone', async () => {
    const made = await world.quickbooks.add('Customer', { DisplayName: 'Gone soon' });
    const id = JSON.stringify(made).match(/"Id":"(\d+)"/)?.[1] ?? '';
    await notify({ record: 'customer', id });
    expect(await customer(id)).toMatchObject({ displayName: 'Gone soon' });
    await world.quickbooks.remove('Customer', id);
    await notify({ record: 'customer', id });
    expect(await customer(id)).toBeUndefined();
  });

  test.each([0, 3_600])(
    'show a person what was mended a moment ago, with a feed that is %s seconds late',
    async (delay) => {
      await world.quickbooks.behave({ cdc_delay_seconds: delay });
      await rename('58', 'Mended a moment ago');
      await world.quickbooks.put('Preferences', '1', { AccountingInfoPrefs: { BookCloseDate: '2025-02-10' } });
      const lists = await loadCachedLists(world.tenant, 'as_they_are');
      expect(lists.customers.find(({ id }) => id === '58')).toMatchObject({ displayName: 'Mended a moment ago' });
      expect(lists.preferences.closedThrough).toBe('2025-02-10');
      expect(await customer('58')).toMatchObject({ displayName: 'Mended a moment ago' });
    },
  );

  test('are followed by the feed within the hour while nothing is told, records that are gone included', async () => {
    await world.quickbooks.behave({ cdc_delay_seconds: 3 });
    const made = await world.quickbooks.add('Customer', { DisplayName: 'Gone soon' });
    const id = JSON.stringify(made).match(/"Id":"(\d+)"/)?.[1] ?? '';
    await world.advance(3_601);
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toEqual(['cdc', 'preferences']);
    expect(await customer(id)).toMatchObject({ displayName: 'Gone soon' });
    await world.quickbooks.remove('Customer', id);
    await world.advance(3_601);
    expect(await customer(id)).toBeUndefined();
  });

  test('are read whole again once the feed reaches no further back, and when it holds more than an answer', async () => {
    await world.advance(30 * day);
    const whole = await asked(() => loadCachedLists(world.tenant, 'if_changed'));
    expect(whole).toContain('Item');
    expect(whole).not.toContain('cdc');
    await notify(
      ...Array.from({ length: 1_001 }, (_, id): BooksChange => ({ record: 'item', id: String(90_000 + id) })),
    );
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toContain('Vendor');
    await world.advance(6);
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toEqual(['preferences']);
  });

  test('are asked by a job for what its documents name: no vendors for sales, and the company itself for none', async () => {
    const sales = ['Account', 'Class', 'Customer', 'Item', 'TaxCode', 'TaxRate', 'Term', 'preferences'];
    const load = (needed: 'all' | 'sales') => asked(() => loadCachedLists(world.tenant, { maxAgeSeconds: 5 }, needed));
    await world.advance(6);
    expect(await load('sales')).toEqual(sales);
    expect(await load('sales')).toEqual(['preferences']);
    // An order that follows at once finds the vendors of now all the same.
    const vendors = await world.quickbooks.list('Vendor');
    const id = String(vendors[0]?.['Id']);
    await world.quickbooks.put('Vendor', id, { DisplayName: 'Renamed a moment ago' });
    expect(await load('all')).toEqual([...sales, 'Vendor'].toSorted());
    expect((await loadCachedLists(world.tenant, 'if_changed')).vendors.find((one) => one.id === id)).toMatchObject({
      displayName: 'Renamed a moment ago',
    });
    expect(await asked(() => loadCachedLists(world.tenant, 'as_they_are'))).toContain('9341452000000001');
  });

  test('are asked once a day for what the books do not tell of', async () => {
    await notify({ record: 'customer', id: '58' });
    await loadCachedLists(world.tenant, 'if_changed');
    await world.advance(day + 1);
    expect(await asked(() => loadCachedLists(world.tenant, 'if_changed'))).toEqual(
      ['TaxCode', 'TaxRate', '9341452000000001', 'cdc', 'preferences'].toSorted(),
    );
  });

  test('hold the locations as soon as the books track them', async () => {
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

  test('know of a customer that a sync has made, without being read again', async () => {
    const before = new Set((await world.quickbooks.list('Customer')).map((row) => row['Id']));
    await world.sync('invoice', { mode: 'live', psaIds: [48_304] });
    const made = (await world.quickbooks.list('Customer')).find((row) => !before.has(row['Id']));
    const id = JSON.stringify(made?.['Id'] ?? '').slice(1, -1);
    expect(id).not.toBe('');
    expect(await customer(id)).toBeDefined();
  });
});
