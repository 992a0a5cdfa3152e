import { inParallel } from '#core/in-parallel.ts';
import { chunked } from '#core/values/chunked.ts';
import type { AutotaskApi } from './api.ts';
import { isRecord, wrongShape, type JsonRecord } from './errors.ts';

/** One condition of a query; all conditions must match (autotask reference section 4). */
export interface Condition {
  readonly op: string;
  readonly field: string;
  readonly value?: unknown;
}

/** A condition or a group: `or` needs one match, `and` needs all (autotask reference section 4). */
export type Filter = Condition | { readonly op: 'and' | 'or'; readonly items: readonly Filter[] };

/** Rows per page, and values per list (autotask reference section 3). */
const pageSize = 500;

export interface QueryOptions {
  readonly operation: string;
  readonly filter: readonly Filter[];
  /** Columns to return; all if absent. */
  readonly fields?: readonly string[];
}

/**
 * Reads all rows of a query, in ascending id. Pages by `id gt last`, as the vendor recommends. It never follows a
 * next-page address, and rows added or removed between two pages cannot hide other rows.
 */
export async function queryAll(api: AutotaskApi, entity: string, options: QueryOptions): Promise<JsonRecord[]> {
  const rows: JsonRecord[] = [];
  let lastId: number | undefined;
  for (;;) {
    const after: Condition = lastId === undefined ? { op: 'gte', field: 'id', value: 0 } : idAfter(lastId);
    const page = await queryPage(api, entity, { ...options, filter: [...options.filter, after] });
    for (const row of page.rows) {
      const id = Number(row.id);
      if (!Number.isSafeInteger(id)) throw wrongShape(options.operation, `a row of ${entity} without an id`);
      // A server that returns the same page again would cause an endless loop.
      if (lastId !== undefined && id <= lastId) throw wrongShape(options.operation, `${entity} not in order of id`);
      lastId = id;
      rows.push(row);
    }
    if (page.isLast) return rows;
  }
}

/** Reads the rows whose field has one of these values, with few calls; in ascending id. */
export async function queryIn(
  api: AutotaskApi,
  entity: string,
  field: string,
  values: readonly number[],
  options: QueryOptions,
): Promise<JsonRecord[]> {
  const found = await inParallel(
    chunked([...new Set(values)], pageSize).map((chunk) => {
      const [first] = chunk;
      const condition = chunk.length === 1 ? { op: 'eq', field, value: first } : { op: 'in', field, value: chunk };
      return queryAll(api, entity, { ...options, filter: [condition, ...options.filter] });
    }),
  );
  return found.flat().sort((a, b) => Number(a.id) - Number(b.id));
}

/** Reads one page of at most 500 rows. */
async function queryPage(api: AutotaskApi, entity: string, { operation, filter, fields }: QueryOptions) {
  const answer = await api.call({
    operation,
    method: 'POST',
    path: `${entity}/query`,
    body: { filter, ...(fields !== undefined && { IncludeFields: fields }), MaxRecords: pageSize },
  });
  const { items, pageDetails } = answer;
  if (!Array.isArray(items) || !items.every((item) => isRecord(item)))
    throw wrongShape(operation, `no rows of ${entity}`);
  const saysLast = isRecord(pageDetails) && pageDetails.nextPageUrl === null;
  return { rows: items, isLast: saysLast || items.length < pageSize };
}

const idAfter = (id: number): Condition => ({ op: 'gt', field: 'id', value: id });
