import { sql } from 'kysely';
import type { ExportTable } from '#core/records/export.ts';
import { notExported } from './export-columns.ts';
import type { TenantWork } from './scope.ts';

/** Tables that stay behind. */
const skippedTables = Object.keys(notExported).filter((table) => typeof notExported[table] === 'string');
/** `table.column` of columns that stay behind, in tables that are exported. */
const skippedColumns = Object.entries(notExported).flatMap(([table, columns]) =>
  typeof columns === 'string' ? [] : Object.keys(columns).map((column) => `${table}.${column}`),
);
/** Rows per read. */
const chunkSize = 500;

/** Export of all stored data of a tenant. */
export const exports = {
  /** Lists the tables of an export: every table with rows of the tenant, without secret columns. */
  listExportTables: async ({ tx }: TenantWork): Promise<readonly ExportTable[]> => {
    const { rows } = await sql<ExportTable>`
      select c.relname as name, coalesce(obj_description(c.oid), '') as about,
             array_agg(a.attname::text order by a.attnum) as columns,
             (select array_agg(k.attname::text order by array_position(i.indkey, k.attnum))
                from pg_index i join pg_attribute k on k.attrelid = i.indrelid and k.attnum = any (i.indkey)
               where i.indrelid = c.oid and i.indisprimary) as key
        from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
         and exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id' and not t.attisdropped)
         and c.relname <> all (${skippedTables}) and c.relname || '.' || a.attname <> all (${skippedColumns})
         -- What this role may not read is nothing for an export either.
         and has_column_privilege(c.oid, a.attnum, 'select')
       group by c.oid, c.relname order by c.relname`.execute(tx);
    // A secret key column is not exported, so the unique column `id` identifies the rows instead.
    return rows.map((table) => ({
      ...table,
      key: table.key.every((one) => table.columns.includes(one)) ? table.key : ['id'],
    }));
  },

  /**
   * Reads a batch of rows of one table, each as JSON text.
   *
   * @param last end of the previous batch; null for the first one.
   * @returns the rows and the end of this batch; null after the last one.
   */
  exportRows: async (
    { tx, tenantId }: TenantWork,
    { name, columns, key }: ExportTable,
    last: readonly string[] | null,
  ): Promise<{ readonly lines: readonly string[]; readonly last: readonly string[] | null }> => {
    const order = sql.join(key.map((one) => sql.ref(one)));
    const beyond = last === null ? sql`true` : sql`(${order}) > (${sql.join(last)})`;
    const { rows } = await sql<Line>`
      select row_to_json(r)::text as line, array[${sql.join(key.map((one) => sql`r.${sql.ref(one)}::text`))}] as key
        from (select ${sql.join(columns.map((one) => sql.ref(one)))} from ${sql.table(name)}
               where tenant_id = ${tenantId} and ${beyond} order by ${order} limit ${chunkSize}) r`.execute(tx);
    const isLast = rows.length < chunkSize;
    return { lines: rows.map(({ line }) => line), last: isLast ? null : (rows.at(-1)?.key ?? null) };
  },
};

interface Line {
  readonly line: string;
  readonly key: readonly string[];
}
