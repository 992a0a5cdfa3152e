import { chunked } from '#core/values/chunked.ts';
import type { QuickbooksApi } from './api.ts';
import { isRecord, wrongShape, type JsonRecord } from './errors.ts';
import { firstRow, identifying, readable, readAround, type Unreadable } from './unreadable.ts';

/** Rows per page (quickbooks reference 2.6). */
const pageSize = 1_000;

/**
 * Quotes a text for the query language: the only place where text enters a statement. An apostrophe is escaped with a
 * backslash, which is the only escape that the language supports.
 *
 * @returns null if the text contains an unsupported character; use {@link like} then.
 */
export function quote(text: string): string | null {
  return unquotable.test(text) ? null : `'${text.replaceAll("'", String.raw`\'`)}'`;
}

/**
 * Returns a pattern for `LIKE`. Characters that cannot be quoted become wildcards, so the answer may contain extra rows
 * and must be compared again.
 */
export function like(text: string, where: 'anywhere' | 'whole'): string {
  const pattern = text.replace(new RegExp(`[${unquotableSet}%]+`, 'gu'), '%').replaceAll("'", String.raw`\'`);
  return where === 'anywhere' ? `'%${pattern}%'` : `'${pattern}'`;
}

/**
 * Characters that a statement cannot contain: a backslash would escape the closing quote; control characters and
 * typographic quotes and dashes are lexical errors (quickbooks reference 2.6).
 */
const unquotableSet = String.raw`\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}‘’‚‛“”„‟‐-―…`;
const unquotable = new RegExp(`[${unquotableSet}]`, 'u');

/** Returns a condition on a text whose results must be compared again: it may match other texts. */
export function equalText(field: string, text: string): string {
  const quoted = quote(text);
  return quoted === null ? `${field} LIKE ${like(text, 'whole')}` : `${field} = ${quoted}`;
}

export interface SelectOptions {
  readonly operation: string;
  /** Conditions that must all match, made with {@link quote}, {@link like} and {@link equalText}. */
  readonly where?: readonly string[];
  /** Maximum rows, in one page; all rows if absent. */
  readonly limit?: number;
  readonly orderBy?: string;
  /** The first page by id, if it was already read together with others. */
  readonly first?: readonly JsonRecord[];
  /** Receives records that QuickBooks cannot return; without it the list fails with the name of the first one. */
  readonly onUnreadable?: ((record: Unreadable) => void) | undefined;
}

/** Maximum attempts to read a list that changes during the reading. */
const readingTries = 3;

/**
 * Reads all pages of an entity's rows, in a fixed order. Pages are counted by position, so a row deleted between two
 * pages would hide another row. Therefore each page begins with the last row of the previous one; if that row is
 * missing, the reading starts again (fault row D16).
 *
 * @throws ServiceError with outcome unknown if the list keeps changing, or the service repeats itself.
 */
export async function select(api: QuickbooksApi, entity: string, options: SelectOptions): Promise<JsonRecord[]> {
  const { first, ...again } = options;
  if (first !== undefined && first.length < pageSize) return [...first];
  for (let turn = 1; turn <= readingTries; turn += 1) {
    const rows = await readThrough(api, entity, turn === 1 ? options : again);
    if (rows !== null) return readable(rows);
  }
  throw wrongShape(options.operation, `QuickBooks returned ${entity} in a different order each time.`);
}

/** Reads all rows; returns null if they moved during the reading. */
async function readThrough(api: QuickbooksApi, entity: string, options: SelectOptions): Promise<JsonRecord[] | null> {
  const { operation, where = [], limit, orderBy = 'Id', first = [], onUnreadable } = options;
  const statement = (members: string, from: number, count: number) =>
    [
      `SELECT ${members} FROM ${entity}`,
      ...(where.length > 0 ? [`WHERE ${where.join(' AND ')}`] : []),
      `ORDERBY ${orderBy} STARTPOSITION ${from} MAXRESULTS ${count}`,
    ].join(' ');
  const rows: JsonRecord[] = [...first];
  const seen = new Set<unknown>(first.map(({ Id }) => Id));
  const size = Math.min(limit ?? pageSize, pageSize);
  for (;;) {
    const last = rows.at(-1);
    const page = await readAround({
      type: entity,
      from: Math.max(rows.length, 1),
      size,
      read: (from, count) => selectPage(api, entity, operation, statement('*', from, count)),
      identify: async (position) =>
        firstRow(
          await api.read({ operation, path: 'query', statement: statement(identifying(entity), position, 1) }),
          entity,
        ),
      onUnreadable,
    });
    if (last !== undefined && page[0]?.Id !== last.Id) return null;
    for (const row of last === undefined ? page : page.slice(1)) {
      if (seen.has(row.Id)) return null;
      seen.add(row.Id);
      rows.push(row);
    }
    if (page.length < size || limit !== undefined) return rows;
  }
}

async function selectPage(api: QuickbooksApi, entity: string, operation: string, statement: string) {
  const answer = await api.read({ operation, path: 'query', statement });
  const response = answer.QueryResponse;
  if (!isRecord(response)) throw wrongShape(operation, 'QuickBooks returned no result of the query.');
  const page = response[entity] ?? [];
  if (!Array.isArray(page) || !page.every((row) => isRecord(row)))
    throw wrongShape(operation, `QuickBooks returned no rows of ${entity}.`);
  return page;
}

/** Values per list, so that a statement stays well below the maximum request size. */
export const valuesPerQuery = 500;

/** Returns conditions that together contain all of these ids, one per query. */
export function idLists(wanted: readonly string[]): readonly string[] {
  const ids = [...new Set(wanted.flatMap((id) => quote(id) ?? []))];
  return chunked(ids, valuesPerQuery).map((chunk) => `Id IN (${chunk.join(', ')})`);
}
