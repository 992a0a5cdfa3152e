import type { MappingStore } from '#core/ports/mappings.ts';
import type { Mapping } from '#core/mapping/mapping.ts';
import { chunked } from '#core/values/chunked.ts';
import { insertAudit } from './audit.ts';
import type { Tx } from './database.ts';
import type { Scope } from './scope.ts';
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

/** Rows per statement: far below the most parameters that one may have. */
const chunkSize = 1_000;

export const mappings = ({ tenantId, inTransaction }: Scope): MappingStore => ({
  listMappings: async (namespaces) => {
    if (namespaces?.length === 0) return [];
    return inTransaction((tx) =>
      tx
        .selectFrom('mappings')
        .select(columns)
        .where('tenant_id', '=', tenantId)
        .$if(namespaces !== undefined, (query) => query.where('namespace', 'in', namespaces ?? []))
        .orderBy('namespace')
        .orderBy('source_label')
        .orderBy('source_entity')
        .orderBy('source_value')
        .execute(),
    );
  },

  saveMappings: (wanted) => inTransaction((tx) => upsertMappings(tx, tenantId, wanted)),

  deleteMappings: (ids) => inTransaction((tx) => deleteRows(tx, tenantId, ids)),

  changeMappings: ({ saved, deleted, eventOf }) =>
    inTransaction(async (tx) => {
      const count = await deleteRows(tx, tenantId, deleted);
      const rows = saved.length === 0 ? [] : await upsertMappings(tx, tenantId, saved);
      await insertAudit(tx, tenantId, eventOf(rows));
      return { saved: rows, deleted: count };
    }),
});

async function deleteRows(tx: Tx, tenantId: string, ids: readonly string[]): Promise<number> {
  const known = ids.filter(isId);
  if (known.length === 0) return 0;
  const { numDeletedRows } = await tx
    .deleteFrom('mappings')
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', known)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Inserts or replaces by namespace and source; of two for the same source the later one counts. */
export async function upsertMappings(
  tx: Tx,
  tenantId: string,
  wanted: readonly Omit<Mapping, 'id'>[],
): Promise<readonly Mapping[]> {
  const rows = [
    ...new Map(
      wanted.map((one) => [JSON.stringify([one.namespace, one.sourceEntity, clean(one.sourceValue)]), one]),
    ).values(),
  ];
  const saved: Mapping[] = [];
  for (const chunk of chunked(rows, chunkSize)) saved.push(...(await upsertChunk(tx, tenantId, chunk)));
  return saved;
}

/** Inserts mappings of sources that have none; of a few that stand in one document. */
export async function addMappings(tx: Tx, tenantId: string, wanted: readonly Omit<Mapping, 'id'>[]): Promise<void> {
  if (wanted.length === 0) return;
  await tx
    .insertInto('mappings')
    .values(wanted.map((one) => rowOf(tenantId, one)))
    .onConflict((conflict) => conflict.columns(['tenant_id', 'namespace', 'source_entity', 'source_value']).doNothing())
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
