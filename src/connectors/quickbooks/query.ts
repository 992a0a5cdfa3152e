import { chunked } from '#core/values/chunked.ts';
import type { QuickbooksApi } from './api.ts';
import { isRecord, wrongShape, type JsonRecord } from './errors.ts';
import { firstRow, identifying, readable, readAround, type Unreadable } from './unreadable.ts';

/** Rows per page (quickbooks reference 2.6). */
const pageSize = 1_000;

/**
 * Sets a text between quotes for the query language: the only place where text enters a statement. An apostrophe is
 * escaped with a backslash; that is all the language knows.
 *
 * @returns null when the text holds a character that the language cannot carry; use {@link like} then.
 */
export function quote(text: string): string | null {
  return unquotable.test(text) ? null : `'${text.replaceAll("'", String.raw`\'`)}'`;
}

/**
 * A pattern for `LIKE`: what cannot be quoted becomes the wildcard, so the answer may hold more than was asked for and
 * must be compared once more.
 */
export function like(text: string, where: 'anywhere' | 'whole'): string {
  const pattern = text.replace(new RegExp(`[${unquotableSet}%]+`, 'gu'), '%').replaceAll("'", String.raw`\'`);
  return where === 'anywhere' ? `'%${pattern}%'` : `'${pattern}'`;
}

/**
 * Characters that a statement cannot hold: a backslash would escape the closing quote, control characters and
 * typographic quotes and dashes are lexical errors (quickbooks reference 2.6).
 */
const unquotableSet = String.raw`\\\p{Cc}\p{Cs}\p{Zl}\p{Zp}‘’‚‛“”„‟‐-―…`;
const unquotable = new RegExp(`[${unquotableSet}]`, 'u');

/** A condition on a text that needs comparing again: it may match more than the text itself. */
export function equalText(field: string, text: string): string {
  const quoted = quote(text);
  return quoted === null ? `${field} LIKE ${like(text, 'whole')}` : `${field} = ${quoted}`;
}

export interface SelectOptions {
  readonly operation: string;
  /** Conditions, all required together, made with {@link quote}, {@link like} and {@link equalText}. */
  readonly where?: readonly string[];
  /** Most rows, in one page; all rows when absent. */
  readonly limit?: number;
  readonly orderBy?: string;
  /** The first page by id, when it was read already together with others. */
  readonly first?: readonly JsonRecord[];
  /** Receives records that QuickBooks cannot answer; without it the list is refused with the name of the first one. */
  readonly onUnreadable?: ((record: Unreadable) => void) | undefined;
}

/** How often a list that changes while it is read is begun anew. */
const readingTries = 3;

/**
 * Reads rows of an entity, all pages, in a fixed order. Pages are counted by position, so a row that goes away between
 * two of them would move another one to where nobody looks: each page begins with the last row of the one before, and
 * when that is no longer there the reading begins anew (fault row D16).
 *
 * @throws ServiceError with outcome unknown when the list never stands still, or the service repeats itself.
 */
export async function select(api: QuickbooksApi, entity: string, options: SelectOptions): Promise<JsonRecord[]> {
  const { first, ...anew } = options;
  if (first !== undefined && first.length < pageSize) return [...first];
  for (let turn = 1; turn <= readingTries; turn += 1) {
    const rows = await readThrough(api, entity, turn === 1 ? options : anew);
    if (rows !== null) return readable(rows);
  }
  throw wrongShape(options.operation, `QuickBooks answered ${entity} in another order each time.`);
}

/** Reads all rows; null when they moved while they were read. */
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
  if (!isRecord(response)) throw wrongShape(operation, 'QuickBooks answered no result of the query.');
  const page = response[entity] ?? [];
  if (!Array.isArray(page) || !page.every((row) => isRecord(row)))
    throw wrongShape(operation, `QuickBooks answered no rows of ${entity}.`);
  return page;
}

/** Values per list, so that a statement stays well below what a request may hold. */
export const valuesPerQuery = 500;

/** Conditions that together name all of these ids, each for one query. */
export function idLists(wanted: readonly string[]): readonly string[] {
  const ids = [...new Set(wanted.flatMap((id) => quote(id) ?? []))];
  return chunked(ids, valuesPerQuery).map((chunk) => `Id IN (${chunk.join(', ')})`);
}
