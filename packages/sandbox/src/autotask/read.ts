/** Queries, counts and pages (autotask reference section 4). */
import type { SandboxAnswer, SandboxRequest } from '../kit/definition.ts';
import { json, Refused, verbNotSupported } from './answers.ts';
import { isShifted, toWire } from './metadata.ts';
import { compileQuery, QueryRefused, type CompiledQuery, type QueryRules } from './query.ts';
import type { EntityType } from './schema.ts';
import type { Row, Table } from './table.ts';
import { present, tableOf, visibility, type World } from './world.ts';

/** The start of a page: after an id in ascending order, or before one in descending order. */
interface Cursor {
  readonly pageSize: number;
  readonly after?: number;
  readonly before?: number;
}

function rulesOf({ behaviour }: World, type: EntityType): QueryRules {
  return {
    shown: isShifted(behaviour, type) ? (field, value) => toWire(behaviour, type, field, value) : undefined,
    emptyFilterIsRefused: behaviour.get('empty_filter_refused'),
    operatorsIgnoreCase: behaviour.get('operator_case_ignored'),
    emptyTextExists: behaviour.get('empty_text_exists'),
    noteqFindsNull: behaviour.get('noteq_finds_null'),
    booleansMayBeNumbers: behaviour.get('boolean_filter_takes_numbers'),
    includeFieldsAddsId: behaviour.get('include_fields_adds_id'),
  };
}

/** Returns a parameter of the query string, with its name in any letter case; null when it is missing. */
export function parameter(request: Pick<SandboxRequest, 'params'>, name: string): string | null {
  for (const [key, value] of request.params) if (key.toLowerCase() === name) return value;
  return null;
}

/** Parses the JSON of a request. Throws Refused. */
export function parseBody(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Refused('The request is not valid JSON.');
  }
}

function queryOf(world: World, type: EntityType, request: SandboxRequest): CompiledQuery {
  const text = request.method === 'GET' ? (parameter(request, 'search') ?? '') : request.text();
  if (text.trim() === '') throw new Refused('The query has no filter.');
  try {
    return compileQuery(type, parseBody(text), rulesOf(world, type));
  } catch (error) {
    throw error instanceof QueryRefused ? new Refused(error.message) : error;
  }
}

/** Returns the matching records by ascending id (descending before a cursor), at most `limit`. */
export function select(
  table: Table,
  query: Pick<CompiledQuery, 'matches' | 'constraints'>,
  isVisible: ((row: Row) => boolean) | undefined,
  cursor: Pick<Cursor, 'after' | 'before'>,
  limit: number,
): Row[] {
  const found: Row[] = [];
  const take = (row: Row): boolean => {
    if (query.matches(row) && (isVisible === undefined || isVisible(row))) found.push(row);
    return found.length < limit;
  };
  const ids = table.candidates(query.constraints);
  if (ids === undefined) {
    for (const row of table.rows(cursor)) if (!take(row)) break;
    return found;
  }
  const { after = -Infinity, before = Infinity } = cursor;
  const ordered = ids
    .filter((id) => id > after && id < before)
    .sort((a, b) => (cursor.before === undefined ? a - b : b - a));
  for (const id of ordered) {
    const row = table.get(id);
    if (row !== undefined && !take(row)) break;
  }
  return found;
}

function linkTo(request: SandboxRequest, type: EntityType, cursor: Cursor): string {
  const paging = JSON.stringify({
    pageSize: cursor.pageSize,
    previousIds: cursor.before === undefined ? [] : [cursor.before],
    nextIds: cursor.after === undefined ? [] : [cursor.after],
  });
  const search = parameter(request, 'search');
  // The link of a POST query has no search: the client sends the same body again.
  const tail = request.method === 'GET' && search !== null ? `&search=${encodeURIComponent(search)}` : '';
  return `${request.baseUrl}/ATServicesRest/V1.0/${type.name}/query/next?paging=${encodeURIComponent(paging)}${tail}`;
}

function page(
  world: World,
  type: EntityType,
  request: SandboxRequest,
  query: CompiledQuery,
  cursor: Cursor,
): SandboxAnswer {
  const isVisible = visibility(world, type);
  const table = tableOf(world, type.name);
  const found = select(table, query, isVisible, cursor, cursor.pageSize + 1);
  const goesBack = cursor.before !== undefined;
  const rows = found.slice(0, cursor.pageSize);
  if (goesBack) rows.reverse();
  const hasMore = found.length > cursor.pageSize;
  const canLink =
    query.columns === undefined || query.columns.includes('id') || world.behaviour.get('pages_without_id');
  const [first, last] = [rows[0], rows.at(-1)];
  const hasNext = goesBack || hasMore;
  const hasPrevious = goesBack ? hasMore : cursor.after !== undefined;
  const { pageSize } = cursor;
  return json({
    items: rows.map((row) => present(world, type, row, query.columns, query.userDefinedColumns)),
    pageDetails: {
      count: rows.length,
      requestCount: pageSize,
      prevPageUrl:
        canLink && hasPrevious && first !== undefined ? linkTo(request, type, { pageSize, before: first.id }) : null,
      nextPageUrl:
        canLink && hasNext && last !== undefined ? linkTo(request, type, { pageSize, after: last.id }) : null,
    },
  });
}

/** `{Entity}/query`. */
export function query(world: World, type: EntityType, request: SandboxRequest): SandboxAnswer {
  const compiled = queryOf(world, type, request);
  return page(world, type, request, compiled, { pageSize: compiled.pageSize });
}

/** `{Entity}/query/count`. */
export function count(world: World, type: EntityType, request: SandboxRequest): SandboxAnswer {
  const compiled = queryOf(world, type, request);
  const rows = select(tableOf(world, type.name), compiled, visibility(world, type), {}, Infinity);
  return json({ queryCount: rows.length });
}

function cursorOf(request: SandboxRequest): Cursor {
  const broken = new Refused('The paging information is not valid.');
  const paging = parseBody(parameter(request, 'paging') ?? '');
  if (typeof paging !== 'object' || paging === null || !('pageSize' in paging)) throw broken;
  const { pageSize } = paging;
  const only = (list: unknown): number | undefined =>
    Array.isArray(list) && typeof list[0] === 'number' ? list[0] : undefined;
  const after = 'nextIds' in paging ? only(paging.nextIds) : undefined;
  const before = 'previousIds' in paging ? only(paging.previousIds) : undefined;
  if (typeof pageSize !== 'number' || !(pageSize >= 1 && pageSize <= 500)) throw broken;
  if (after !== undefined) return { pageSize, after };
  if (before !== undefined) return { pageSize, before };
  throw broken;
}

/** `{Entity}/query/next`: accepts only the verb that the link was created for. */
export function nextPage(world: World, type: EntityType, request: SandboxRequest): SandboxAnswer {
  const wasMadeByGet = parameter(request, 'search') !== null;
  if (request.method === 'GET' && !wasMadeByGet) {
    if (world.behaviour.get('post_link_with_get') === 'refused') return verbNotSupported('GET');
    return json({ items: [], pageDetails: { count: 0, requestCount: 500, prevPageUrl: null, nextPageUrl: null } });
  }
  if (request.method === 'POST' && wasMadeByGet) return verbNotSupported('POST');
  const cursor = cursorOf(request);
  return page(world, type, request, queryOf(world, type, request), cursor);
}

/** `GET /{Parent}/{id}/{Child}`: all children, unfiltered. */
export function children(world: World, type: EntityType, field: string, parentId: number): SandboxAnswer {
  const isVisible = visibility(world, type);
  const rows = tableOf(world, type.name)
    .where(field, parentId)
    .filter((row) => isVisible === undefined || isVisible(row));
  return json({
    items: rows.map((row) => present(world, type, row)),
    pageDetails: { count: rows.length, requestCount: 500, prevPageUrl: null, nextPageUrl: null },
  });
}
