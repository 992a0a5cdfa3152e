import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Mapping, MappingNamespace } from '#core/mapping/mapping.ts';
import { chunked } from '#core/in-parallel.ts';
import type { AuditEvent, NewAuditEvent } from '#core/records/audit.ts';
import { insertAudit, selectAudit } from './audit.ts';
import type { Tx } from './database.ts';
import type { TenantWork } from './scope.ts';
import { clean, cleanOrNull, isId } from './tables.ts';

const columns = [
  'id',
  'namespace',
  'source_entity as sourceEntity',
  'source_value as sourceValue',
  'source_label as sourceLabel',
  'target_entity as targetEntity',
  'target_value as targetValue',
  'target_label as targetLabel',
] as const;

/** Rows per statement, far below the maximum number of parameters. */
const chunkSize = 1_000;

/** Maximum number of events that a change depends on. */
const maxFollowed = 200;

/** Mappings from PSA records to QuickBooks records. */
export const mappings = {
  listMappings: async (
    { tx, tenantId }: TenantWork,
    namespaces?: readonly MappingNamespace[],
  ): Promise<readonly Mapping[]> => {
    if (namespaces?.length === 0) return [];
    if (namespaces === undefined) return selectMappings(tx, tenantId, undefined);

    return selectUnlessCached(tx, tenantId, namespaces);
  },

  /** Inserts or replaces by namespace, source entity and source value; returns the saved rows. */
  saveMappings: ({ tx, tenantId }: TenantWork, wanted: readonly Omit<Mapping, 'id'>[]): Promise<readonly Mapping[]> =>
    upsertMappings(tx, tenantId, wanted),

  deleteMappings: ({ tx, tenantId }: TenantWork, ids: readonly string[]): Promise<number> =>
    deleteRows(tx, tenantId, ids),

  /**
   * Saves a user's changes and their audit event in one transaction. No other user and no sync changes mappings of the
   * tenant between the rows that `decide` receives and the save.
   *
   * @param change.follows actions whose newest 200 events {@link change.decide} receives; default: none.
   * @param change.decide returns what to save and to delete. Receives all mappings of the namespace and the newest
   *   events of `follows` about it, newest first. Its errors are rethrown, and nothing is changed.
   * @param change.eventOf `before` are the replaced or deleted mappings, `saved` the current ones; null
   *   records nothing.
   */
  changeMappings: async (
    { tx, tenantId }: TenantWork,
    {
      namespace,
      follows,
      decide,
      eventOf,
    }: {
      readonly namespace: MappingNamespace;
      readonly follows?: readonly string[];
      readonly decide: (
        now: readonly Mapping[],
        newest: readonly AuditEvent[],
      ) => {
        readonly saved: readonly Omit<Mapping, 'id'>[];
        readonly deleted: readonly string[];
      };
      readonly eventOf: (saved: readonly Mapping[], before: readonly Mapping[]) => NewAuditEvent | null;
    },
  ): Promise<{ readonly saved: readonly Mapping[]; readonly deleted: number }> => {
    await lockMappings(tx, tenantId);
    const now = await selectMappings(tx, tenantId, [namespace]);
    const last = { actions: follows ?? [], subject: namespace, page: 1, pageSize: maxFollowed };
    const newest = follows === undefined ? [] : (await selectAudit(tx, tenantId, last)).events;
    const { saved, deleted } = decide(now, newest);
    const count = await deleteRows(tx, tenantId, deleted);
    const rows = saved.length === 0 ? [] : await upsertMappings(tx, tenantId, saved);
    const [goneIds, sources] = [new Set(deleted), new Set(rows.map(({ sourceValue }) => sourceValue))];
    const before = now.filter(({ id, sourceValue }) => goneIds.has(id) || sources.has(sourceValue));
    const event = eventOf(rows, before);
    if (event !== null) await insertAudit(tx, tenantId, event);
    return { saved: rows, deleted: count };
  },
};

/** Mappings that this process has read, even short lists: screens reuse what they derive from the same object. */
const readMappings = new LRUCache<string, { readonly version: string; readonly value: readonly Mapping[] }>({
  maxSize: 3_000_000,
});
/** Memory for an entry besides its rows. */
const entryBytes = 500;

/**
 * Returns the mappings of the namespaces, as the same object while none of them has changed. Rows saved between the two
 * statements are cached under the previous version, which is never requested again.
 */
async function selectUnlessCached(
  tx: Tx,
  tenantId: string,
  namespaces: readonly MappingNamespace[],
): Promise<readonly Mapping[]> {
  const key = `${tenantId} ${namespaces.join(' ')}`;
  const { version, bytes } = await selectVersion(tx, tenantId, namespaces);
  const cached = readMappings.get(key);
  if (cached?.version === version) return cached.value;
  const value = await selectMappings(tx, tenantId, namespaces);
  readMappings.set(key, { version, value }, { size: bytes + entryBytes });
  return value;
}

/**
 * Version of all rows together: their number, and the sum of the times when they were saved. With the latest time
 * alone, a removed and an added row could cancel out after the clock was set back.
 */
const selectVersion = (tx: Tx, tenantId: string, namespaces: readonly MappingNamespace[]) =>
  tx
    .selectFrom('mappings')
    .select([
      sql<string>`count(*) || ' ' || coalesce(sum(extract(epoch from saved_at)), 0)`.as('version'),
      sql<number>`coalesce(sum(pg_column_size(mappings.*)), 0)::float8`.as('bytes'),
    ])
    .where('tenant_id', '=', tenantId)
    .where('namespace', 'in', namespaces)
    .executeTakeFirstOrThrow();

/** Blocks other writers of the tenant's mappings until the transaction ends, including inserts of new mappings. */
const lockMappings = (tx: Tx, tenantId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`mappings ${tenantId}`}, 0))`.execute(tx);

const selectMappings = (
  tx: Tx,
  tenantId: string,
  namespaces: readonly MappingNamespace[] | undefined,
): Promise<readonly Mapping[]> =>
  tx
    .selectFrom('mappings')
    .select(columns)
    .where('tenant_id', '=', tenantId)
    .$if(namespaces !== undefined, (query) => query.where('namespace', 'in', namespaces ?? []))
    .orderBy('namespace')
    .orderBy('source_label')
    .orderBy('source_entity')
    .orderBy('source_value')
    .execute();

async function deleteRows(tx: Tx, tenantId: string, ids: readonly string[]): Promise<number> {
  const known = ids.filter(isId);
  if (known.length === 0) return 0;
  let deleted = 0;
  for (const chunk of chunked(known, chunkSize)) {
    const { numDeletedRows } = await tx
      .deleteFrom('mappings')
      .where('tenant_id', '=', tenantId)
      .where('id', 'in', [...chunk])
      .executeTakeFirst();
    deleted += Number(numDeletedRows);
  }
  return deleted;
}

/** Inserts or replaces by namespace and source; the last of several mappings of the same source wins. */
export async function upsertMappings(
  tx: Tx,
  tenantId: string,
  wanted: readonly Omit<Mapping, 'id'>[],
): Promise<readonly Mapping[]> {
  const rows = lastOfEachSource(wanted);
  const saved: Mapping[] = [];
  if (rows.length > 0) await lockMappings(tx, tenantId);
  for (const chunk of chunked(rows, chunkSize)) saved.push(...(await upsertChunk(tx, tenantId, chunk)));
  return saved;
}

const lastOfEachSource = (wanted: readonly Omit<Mapping, 'id'>[]): readonly Omit<Mapping, 'id'>[] => [
  ...new Map(
    wanted.map((one) => [JSON.stringify([one.namespace, one.sourceEntity, clean(one.sourceValue)]), one]),
  ).values(),
];

/** Inserts mappings of sources that have none; the last of several mappings of the same source wins. */
export async function addMappings(tx: Tx, tenantId: string, wanted: readonly Omit<Mapping, 'id'>[]): Promise<void> {
  if (wanted.length === 0) return;
  await lockMappings(tx, tenantId);
  await tx
    .insertInto('mappings')
    .values(lastOfEachSource(wanted).map((one) => rowOf(tenantId, one)))
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'namespace', 'source_entity', 'source_value'])
        .doUpdateSet((row) => ({
          target_value: row.ref('excluded.target_value'),
          target_label: row.ref('excluded.target_label'),
        }))
        // The created record replaces a mapping that requests its creation; for a name, the newest item is stored.
        .where((row) =>
          row.or([row('mappings.target_value', 'like', 'create:%'), row('mappings.namespace', '=', 'ItemName')]),
        ),
    )
    .execute();
}

const rowOf = (tenantId: string, one: Omit<Mapping, 'id'>) => ({
  tenant_id: tenantId,
  namespace: one.namespace,
  source_entity: one.sourceEntity,
  source_value: clean(one.sourceValue),
  source_label: cleanOrNull(one.sourceLabel),
  target_entity: one.targetEntity,
  target_value: clean(one.targetValue),
  target_label: cleanOrNull(one.targetLabel),
});

const upsertChunk = (tx: Tx, tenantId: string, rows: readonly Omit<Mapping, 'id'>[]): Promise<Mapping[]> =>
  tx
    .insertInto('mappings')
    .values(rows.map((one) => rowOf(tenantId, one)))
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'namespace', 'source_entity', 'source_value']).doUpdateSet((row) => ({
        source_label: row.ref('excluded.source_label'),
        target_entity: row.ref('excluded.target_entity'),
        target_value: row.ref('excluded.target_value'),
        target_label: row.ref('excluded.target_label'),
        saved_at: row.ref('excluded.saved_at'),
      })),
    )
    .returning(columns)
    .execute();
