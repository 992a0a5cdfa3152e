import { afterAll, expect, test } from 'vitest';
import type { Mapping } from '#core/mapping/mapping.ts';
import type { TenantStore } from '#store/tenant-store.ts';
import { began, newTenant } from '#test/support/attempts.ts';
import { newDatabase } from '#test/support/database.ts';
import type { TenantContext } from '../context.ts';
import { listDecided, listMappingChanges, recordOf, undoMappingChange } from './history.ts';
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

test('undo reverts a change of any size at once and keeps what was changed meanwhile', async () => {
  const store = await newTenant(db.store);
  const many = 2_500;
  await change(store, 'two@example.com', [mappingOf('5', '20')]);
  await change(
    store,
    'one@example.com',
    Array.from({ length: many }, (_, index) => mappingOf(String(index), '21')),
  );
  const [bulk] = (await listMappingChanges(contextOf(store), 'ItemBilling', { page: 1, pageSize: 1 })).changes;
  expect(bulk).toMatchObject({ undoable: many });
  // Another user saves changes between reading and undoing.
  const late: TenantStore = {
    ...store,
    changeMappings: async (wanted) => {
      await change(store, 'two@example.com', [mappingOf('1', '22'), mappingOf('9000', '22')]);
      // The same target again is a decision of the other user as well.
      await change(store, 'two@example.com', [mappingOf('2', '21')]);
      return store.changeMappings(wanted);
    },
  };
  const undo = (context: TenantContext) =>
    undoMappingChange(context, 'ItemBilling', bulk?.event.id ?? '', { username: 'one@example.com' });
  expect(await undo(contextOf(late))).toEqual({
    message: 'The change was undone. 2 mappings that were changed since stay as they are.',
  });
  expect(
    (await store.listMappings(['ItemBilling'])).map((one) => [one.sourceValue, one.targetValue]).toSorted(),
  ).toEqual([
    ['1', '22'],
    ['2', '21'],
    ['5', '20'],
    ['9000', '22'],
  ]);
  await expect(undo(contextOf(store))).rejects.toMatchObject({ code: 'changed_meanwhile' });
  const { changes } = await listMappingChanges(contextOf(store), 'ItemBilling', { page: 1, pageSize: 9 });
  expect(changes.map(({ event, undoable }) => [event.action, undoable])).toEqual([
    ['mappings.undone', 0],
    ['mappings.saved', 1],
    ['mappings.saved', 2],
    ['mappings.saved', 0],
    ['mappings.saved', 0],
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
  expect(await listDecided(context, 'ItemBilling')).toMatchObject([
    { sourceValue: '1', targetValue: '21' },
    { sourceValue: '1', targetValue: '21' },
  ]);
});
