import { afterAll, expect, test } from 'vitest';
import type { Mapping } from '#core/mapping/mapping.ts';
import type { TenantStore } from '#store/tenant-store.ts';
import { began, newTenant } from '#test/support/attempts.ts';
import { newDatabase } from '#test/support/database.ts';
import type { TenantContext } from '../context.ts';
import { listMappingChanges, recordOf, undoMappingChange } from './history.ts';
import { eventOfSave, saveMappings } from './save.ts';
import { mapping } from '#test/support/mappings.ts';

const db = await newDatabase({ clock: { now: () => began } });
afterAll(() => db.close());

const mappingOf = (sourceValue: string, targetValue: string): Omit<Mapping, 'id'> => ({
  ...mapping('ItemBilling', sourceValue, targetValue),
  sourceLabel: `code ${sourceValue}`,
  targetLabel: `item ${targetValue}`,
});

const change = (store: TenantStore, username: string, saved: readonly Omit<Mapping, 'id'>[]) =>
  store.changeMappings({
    namespace: 'ItemBilling',
    decide: () => ({ saved, deleted: [] }),
    eventOf: (after, before) => ({
      at: began,
      actor: { username },
      action: 'mappings.saved',
      subject: 'ItemBilling',
      before: recordOf(before),
      after: recordOf(after),
    }),
  });

// Has only the parts of a context that undoing uses.
const contextOf = (store: TenantStore) => ({ store, clock: { now: () => began } }) as unknown as TenantContext;

test('undo fails when another user saves any mapping meanwhile', async () => {
  const store = await newTenant(db.store);
  await change(store, 'one@example.com', [mappingOf('1', '21')]);
  const [newest] = (await listMappingChanges(contextOf(store), 'ItemBilling', { page: 1, pageSize: 1 })).changes;
  // Another user saves a change between reading and undoing.
  const late: TenantStore = {
    ...store,
    changeMappings: async (wanted) => {
      await change(store, 'two@example.com', [mappingOf('2', '22')]);
      return store.changeMappings(wanted);
    },
  };
  await expect(
    undoMappingChange(contextOf(late), 'ItemBilling', newest?.event.id ?? '', { username: 'one@example.com' }),
  ).rejects.toMatchObject({
    code: 'changed_meanwhile',
    message: 'This can no longer be undone: A newer change was saved.',
  });
  expect((await store.listMappings(['ItemBilling'])).map((one) => [one.sourceValue, one.targetValue])).toEqual([
    ['1', '21'],
    ['2', '22'],
  ]);
});

test('a save that changes nothing is not recorded, so the last change can still be undone', async () => {
  const store = await newTenant(db.store);
  const [saved] = (await change(store, 'one@example.com', [mappingOf('1', '21')])).saved;
  const connected = [
    { service: 'psa', status: 'active' },
    { service: 'accounting', status: 'active' },
  ] as unknown as Awaited<ReturnType<TenantStore['listConnections']>>;
  const context = contextOf({ ...store, listConnections: async () => connected });
  const actor = { username: 'two@example.com' };
  const gone = { ...mappingOf('9', '21'), targetValue: null };
  expect(await saveMappings(context, 'ItemBilling', [gone], actor)).toMatchObject({ message: '0 mappings deleted.' });
  const { changes, total } = await listMappingChanges(context, 'ItemBilling', { page: 1, pageSize: 5 });
  expect([total, changes[0]?.after[0]?.sourceValue]).toEqual([1, '1']);
  await undoMappingChange(context, 'ItemBilling', changes[0]?.event.id ?? '', actor);
  expect(await store.listMappings(['ItemBilling'])).toEqual([]);

  const about = { at: began, actor, subject: 'ItemBilling' };
  const same = saved === undefined ? [] : [saved];
  const confirmed = eventOfSave(about, same, same);
  expect(confirmed).toMatchObject({ action: 'mappings.confirmed', after: [{ sourceValue: '1' }] });
  expect(eventOfSave(about, same, [])).toMatchObject({ action: 'mappings.saved', before: [] });
  expect(eventOfSave(about, [], same)).toMatchObject({ action: 'mappings.saved', after: [] });
  if (confirmed !== null) await store.addAudit(confirmed);
  expect(await listMappingChanges(context, 'ItemBilling', { page: 1, pageSize: 5 })).toMatchObject({ total: 2 });
  const all = await listMappingChanges(context, 'ItemBilling', { page: 1, pageSize: 5 }, 'confirmed');
  expect(all.changes[0]?.event.action).toBe('mappings.confirmed');
});
