import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import type { Mapping } from '#core/mapping/mapping.ts';
import type { TenantStore } from './tenant-store.ts';
import { defaultSettings } from '#core/settings/definitions.ts';
import { defaultItemSettings } from '#core/settings/item-settings.ts';
import { addSeconds } from '#core/values/dates.ts';
import { began, newTenant } from '#test/support/attempts.ts';
import { asOwner, newDatabase } from '#test/support/database.ts';
import { mapping } from '#test/support/mappings.ts';

let store: TenantStore;
let other: TenantStore;
const db = await newDatabase({ clock: { now: () => began } });
afterAll(() => db.close());
beforeEach(async () => {
  store = await newTenant(db.store);
  other = await newTenant(db.store);
});

const actor = { username: 'admin@example.com' };
const firstPage = { page: 1, pageSize: 50 };

describe('settings', () => {
  test('are the defaults until saved, and are separate per tenant', async () => {
    expect(await store.readSettings()).toEqual(defaultSettings);
    expect(await store.readItemSettings()).toEqual(defaultItemSettings);
    const changed = { ...defaultSettings, inv_sync_active: !defaultSettings.inv_sync_active };
    await store.saveSettings(changed, actor);
    expect(await store.readSettings()).toEqual(changed);
    expect(await store.readItemSettings()).toEqual(defaultItemSettings);
    expect(await other.readSettings()).toEqual(defaultSettings);
  });

  test('of another version get defaults for missing values and lose unknown ones', async () => {
    await asOwner(db.url, (client) =>
      client.query(`insert into settings (tenant_id, section, value) values ($1, 'settings', $2)`, [
        store.tenantId,
        { inv_sync_active: true, a_setting_of_next_year: 1 },
      ]),
    );
    expect(await store.readSettings()).toEqual({ ...defaultSettings, inv_sync_active: true });
  });

  test('log each change with user and old and new value, and no event without a change', async () => {
    const changed = { ...defaultSettings, inv_sync_active: true, inv_max_age_days: 77 };
    await store.saveSettings(changed, { username: 'admin@example.com', masquerader: 'root@example.com' });
    await store.saveSettings(changed, actor);
    expect(await store.listAudit(firstPage)).toEqual({
      total: 1,
      more: false,
      events: [
        {
          id: expect.any(String),
          at: began,
          actor: { username: 'admin@example.com', masquerader: 'root@example.com' },
          action: 'settings.saved',
          subject: null,
          before: { inv_sync_active: false, inv_max_age_days: defaultSettings.inv_max_age_days },
          after: { inv_sync_active: true, inv_max_age_days: 77 },
        },
      ],
    });
    expect(await other.listAudit(firstPage)).toEqual({ total: 0, more: false, events: [] });
  });
});

test('accounts appear in the audit trail with their names and in the settings by ID', async () => {
  const named = { '20': 'Accounts Payable (A/P)', '33': 'Other Payables' };
  const chosen = (id: string) => ({ ...defaultSettings, po_payable_account: id });
  await store.saveSettings(chosen('20'), actor, named);
  await store.saveSettings(chosen('33'), actor, named);
  await store.saveSettings(chosen('34'), actor, named);
  const { events } = await store.listAudit(firstPage);
  expect(events.map(({ before, after }) => [before, after])).toEqual([
    [{ po_payable_account: { id: '33', name: 'Other Payables' } }, { po_payable_account: '34' }],
    [
      { po_payable_account: { id: '20', name: 'Accounts Payable (A/P)' } },
      { po_payable_account: { id: '33', name: 'Other Payables' } },
    ],
    [{ po_payable_account: null }, { po_payable_account: { id: '20', name: 'Accounts Payable (A/P)' } }],
  ]);
  expect((await store.readSettings()).po_payable_account).toBe('34');
});

describe('combined reads', () => {
  test('share one transaction of their tenant, and a failure leaves the store usable', async () => {
    const begun = db.transactions();
    const both = await store.readInOneTransaction((one) =>
      Promise.all([one.readSettings(), one.readItemSettings(), one.readTenant()]),
    );
    expect(db.transactions() - begun).toBe(1);
    expect(both).toEqual([await store.readSettings(), await store.readItemSettings(), await store.readTenant()]);
    expect((await other.readInOneTransaction((one) => one.readTenant())).id).toBe(other.tenantId);
    await expect(store.readInOneTransaction(() => Promise.reject(new Error('read failed')))).rejects.toThrow(
      'read failed',
    );
    expect((await store.readTenant()).id).toBe(store.tenantId);
  });
});

describe('the audit trail', () => {
  test('is listed newest first in pages', async () => {
    for (const action of ['a', 'b', 'c'])
      await store.addAudit({ at: began, actor, action, subject: 'x', before: null, after: { [action]: [1, 'é'] } });
    const page = async (number: number) =>
      (await store.listAudit({ page: number, pageSize: 2 })).events.map((one) => one.action);
    expect([await page(1), await page(2), await page(3)]).toEqual([['c', 'b'], ['a'], []]);
    expect((await store.listAudit({ page: 1, pageSize: 1 })).total).toBe(3);
    expect((await store.listAudit({ page: 1, pageSize: 1 })).events[0]).toMatchObject({
      before: null,
      after: { c: [1, 'é'] },
    });
  });
});

describe('mappings', () => {
  const mappingOf = (from: string, to: string, change: Partial<Mapping> = {}) => ({
    ...mapping('Customer', from, to),
    sourceLabel: `Company ${from}`,
    ...change,
  });

  test('are inserted or replaced by source and keep their ID', async () => {
    const [first] = await store.saveMappings([mappingOf('1', '58')]);
    const saved = await store.saveMappings([mappingOf('1', '60'), mappingOf('2', '61')]);
    expect(saved).toMatchObject([{ id: first?.id, targetValue: '60' }, { targetValue: '61' }]);
    expect(await store.listMappings()).toEqual(saved);
    expect(await store.listMappings(['Vendor'])).toEqual([]);
    expect(await store.listMappings([])).toEqual([]);
    expect(await other.listMappings()).toEqual([]);
  });

  test('with the same source are saved as the later one', async () => {
    expect(await store.saveMappings([mappingOf('1', '58'), mappingOf('1', '59')])).toMatchObject([
      { targetValue: '59' },
    ]);
    expect(await store.saveMappings([])).toEqual([]);
  });

  test('are saved by the thousand', async () => {
    await store.saveMappings(Array.from({ length: 2_500 }, (_, index) => mappingOf(String(index), '1')));
    expect(await store.listMappings(['Customer'])).toHaveLength(2_500);
  });

  test('are cached until one is saved, added, or deleted', async () => {
    const [first] = await store.saveMappings([mappingOf('1', '58'), mappingOf('2', '61')]);
    const read = async () => store.listMappings(['Customer']);
    const before = await read();
    expect(await read()).toBe(before);
    expect(await store.listMappings(['Vendor'])).toEqual([]);
    expect(await other.listMappings(['Customer'])).toEqual([]);

    await store.saveMappings([mappingOf('2', '62')]);
    expect(await read()).toMatchObject([{ targetValue: '58' }, { targetValue: '62' }]);
    await store.deleteMappings([first?.id ?? '']);
    expect(await read()).toMatchObject([{ targetValue: '62' }]);
    // The next row may take the place of the deleted one.
    await store.saveMappings([mappingOf('1', '59')]);
    expect(await read()).toMatchObject([{ targetValue: '59' }, { targetValue: '62' }]);
    expect(before).toMatchObject([{ targetValue: '58' }, { targetValue: '61' }]);
  });

  test('are deleted by ID, for this tenant only', async () => {
    const [saved] = await store.saveMappings([mappingOf('1', '58')]);
    const id = saved?.id ?? '';
    expect(await other.deleteMappings([id])).toBe(0);
    expect(await store.deleteMappings([id, 'nonsense', '00000000-0000-0000-0000-000000000000'])).toBe(1);
    expect(await store.deleteMappings([])).toBe(0);
    expect(await store.listMappings()).toEqual([]);
  });
});

describe('cached lists', () => {
  test('return the current content of long lists after any change', async () => {
    const long = (word: string) => Array.from({ length: 3_000 }, (_, at) => `${word} ${at * 7_919}`);
    await store.writeCached('long', long('one'), began);
    const first = await store.readCached('long');
    // The same object: it was not read again.
    expect((await store.readCached('long'))?.value).toBe(first?.value);
    await store.changeCached('long', () => long('two'));
    expect((await store.readCached('long'))?.value).toEqual(long('two'));
    await store.writeCached('long', long('three'), began);
    expect((await store.readCached('long'))?.value).toEqual(long('three'));
    expect(await other.readCached('long')).toBeNull();
    await store.dropCached('long');
    expect(await store.readCached('long')).toBeNull();
    await store.writeCached('long', long('one'), began);
    expect((await store.readCached('long'))?.value).toEqual(long('one'));
  });

  test('are stored by key, replaced, expired, and deleted by prefix, with wildcards escaped', async () => {
    expect(await store.readCached('accounting/items')).toBeNull();
    await store.writeCached('accounting/items', [{ z: 1, a: '\u0000' }], began);
    await store.writeCached('accounting/items', [{ z: '2', a: [] }], addSeconds(began, 5));
    await store.writeCached('accounting_accounts', null, began);
    await store.writeCached('psa/roles', 'x', began);
    expect(await store.readCached('accounting/items')).toEqual({
      value: [{ z: '2', a: [] }],
      fetchedAt: addSeconds(began, 5),
    });
    expect(await other.readCached('accounting/items')).toBeNull();
    await store.expireCached('psa/');
    expect(await store.readCached('psa/roles')).toEqual({ value: 'x', fetchedAt: '1970-01-01T00:00:00.000Z' });
    await store.dropCached('accounting_');
    expect(await store.readCached('accounting_accounts')).toBeNull();
    expect(await store.readCached('accounting/items')).not.toBeNull();
    await store.dropCached('');
    expect(await store.readCached('psa/roles')).toBeNull();
  });
});

describe('sync states', () => {
  test('store the end of the last scan, which never moves back', async () => {
    expect(await store.readSyncStates()).toEqual({});
    await store.markPolled('invoice', addSeconds(began, 10));
    await store.markPolled('invoice', began);
    expect(await store.readSyncStates()).toEqual({
      invoice: { polledAt: addSeconds(began, 10), syncedAt: null, info: null },
    });
  });
});

describe('a tenant', () => {
  test('returns the status that was set', async () => {
    await store.setStatus('suspended');
    expect(await store.readTenant()).toMatchObject({
      id: store.tenantId,
      status: 'suspended',
      timeZone: 'America/Chicago',
    });
    expect(await other.readTenant()).toMatchObject({ status: 'active' });
  });
});
