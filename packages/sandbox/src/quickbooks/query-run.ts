import type { Company } from './company.ts';
import { type Doc, docAt, isDoc, listAt, refAt, textAt } from './doc.ts';
import { type EntityKind, findKind } from './entities.ts';
import { fault } from './faults.ts';
import { type Condition, parseQuery, type Query } from './query-parse.ts';
import { derivedNumber, renderFound } from './render.ts';
import { type Field, findField, membersOf } from './schema.ts';
import { compareIds, type Entry, type Table } from './table.ts';
import { isDate, parseInstant } from './times.ts';
import { selectsEmail, checkReadable } from './unreadable.ts';

type Value = string | number | boolean | undefined;

/** How one member of an entity is read and compared. */
interface Member {
  readonly path: string;
  readonly compares: 'text' | 'number' | 'instant' | 'boolean' | 'id';
  readonly of: (entry: Entry) => Value;
}

const largestPage = 1000;

function memberOf(company: Company, kind: EntityKind, typed: string): Member {
  const found = findMember(company, kind, typed);
  if (found === undefined) throw fault.queryInvalid(`Property ${typed} not found for Entity ${kind.name}`);
  const { path } = found;
  const isOpen =
    kind.filters.has(path) || (company.behaviour.get('query_undocumented_filters') && kind.moreFilters.has(path));
  if (!isOpen) throw fault.queryInvalid(`property '${typed}' is not queryable`);
  return found;
}

function findMember(company: Company, kind: EntityKind, typed: string): Member | undefined {
  const lower = typed.toLowerCase();
  if (kind.name === 'Attachable' && lower.startsWith('attachableref.entityref.')) {
    const part = lower.endsWith('.type') ? 'type' : 'value';
    const path = part === 'type' ? 'AttachableRef.EntityRef.Type' : 'AttachableRef.EntityRef.value';
    return {
      path,
      compares: 'text',
      of: ({ body }) => textAt(docAt(listAt(body, 'AttachableRef')[0], 'EntityRef'), part),
    };
  }
  const found = findField(kind.name, typed);
  if (found === undefined) return undefined;
  const { field, path } = found;
  if (path === 'Id') return { path, compares: 'id', of: ({ id }) => id };
  if (path === 'MetaData.CreateTime') return { path, compares: 'instant', of: ({ createdAt }) => createdAt };
  if (path === 'MetaData.LastUpdatedTime') return { path, compares: 'instant', of: ({ updatedAt }) => updatedAt };
  if (path === 'Active') return { path, compares: 'boolean', of: ({ body }) => body['Active'] !== false };
  if (path === 'Balance' && kind.kind === 'list')
    return { path, compares: 'number', of: (entry) => derivedNumber(company, kind, entry, 'Balance') };
  if (path === 'CurrentBalance')
    return { path, compares: 'number', of: (entry) => derivedNumber(company, kind, entry, 'CurrentBalance') };
  return { path, compares: comparesAs(field), of: ({ body }) => valueAt(body, field) };
}

function comparesAs({ type }: Field): Member['compares'] {
  if (type === 'n' || type === 'i') return 'number';
  if (type === 'b') return 'boolean';
  return type === 't' ? 'instant' : 'text';
}

function valueAt(body: Doc, { name, type }: Field): Value {
  if (type === 'ReferenceType') return refAt(body, name);
  if (type === 'EmailAddress') return textAt(docAt(body, name), 'Address');
  const value = body[name];
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** Converts a typed value for comparison with the member. */
function operand({ compares, path }: Member, value: string | boolean): Exclude<Value, undefined> {
  const wrong = (what: string) => fault.queryInvalid(`value '${String(value)}' is not ${what} for property '${path}'`);
  if (compares === 'boolean') {
    if (typeof value === 'string') throw wrong('true or false');
    return value;
  }
  if (typeof value === 'boolean') throw wrong('a text');
  if (compares === 'number') {
    if (value.trim() === '' || Number.isNaN(Number(value))) throw wrong('a number');
    return Number(value);
  }
  if (compares === 'instant') {
    const instant = parseInstant(value);
    if (instant === undefined) throw wrong('a date and time');
    return instant;
  }
  if (path.endsWith('Date') && !isDate(value.slice(0, 10))) throw wrong('a date');
  return value;
}

function pattern(text: string, ignoresCase: boolean): RegExp {
  const source = text
    .split('%')
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
    .join('[^]*');
  return new RegExp(`^${source}$`, ignoresCase ? 'i' : '');
}

type Test = (entry: Entry) => boolean;

function test(company: Company, kind: EntityKind, condition: Condition): Test {
  const member = memberOf(company, kind, condition.field);
  const { operator } = condition;
  if (member.compares === 'id' && operator !== '=' && operator !== 'IN')
    throw fault.queryInvalid(`operator ${operator} is not supported for property 'Id'`);
  if (operator === 'LIKE') {
    const [value] = condition.values;
    if (member.compares !== 'text' || typeof value !== 'string')
      throw fault.queryInvalid(`operator LIKE is not supported for property '${member.path}'`);
    const like = pattern(value, company.behaviour.get('query_like') === 'ignores-case');
    return (entry) => like.test(String(member.of(entry) ?? ''));
  }
  const operands = condition.values.map((value) => operand(member, value));
  if (operator === '=' || operator === 'IN') {
    const wanted = new Set<Value>(operands);
    return (entry) => wanted.has(member.of(entry));
  }
  if (member.compares === 'boolean') throw fault.queryInvalid(`operator ${operator} is not supported for booleans`);
  const [bound] = operands;
  return (entry) => {
    const value = member.of(entry);
    if (value === undefined || bound === undefined) return false;
    if (operator === '<') return value < bound;
    if (operator === '>') return value > bound;
    return operator === '<=' ? value <= bound : value >= bound;
  };
}

/**
 * Returns a small set of records that contains all matches, by id, by an index, or by time; undefined for all records.
 */
function candidates(table: Table, query: Query): Iterable<Entry> | undefined {
  const equal = query.where.filter(({ operator }) => operator === '=' || operator === 'IN');
  const texts = ({ values }: Condition) => values.filter((value) => typeof value === 'string');
  for (const condition of equal)
    if (condition.field.toLowerCase() === 'id') return new Set(texts(condition).flatMap((id) => table.get(id) ?? []));
  for (const condition of equal) {
    const member = findField(table.kind.name, condition.field)?.path;
    if (member !== undefined && table.hasIndex(member)) {
      const sets = texts(condition).map((value) => table.find(member, value));
      return sets.length === 1 ? sets[0] : new Set(sets.flatMap((set) => [...set]));
    }
  }
  let from: number | undefined;
  let until: number | undefined;
  for (const { field, operator, values } of query.where) {
    if (field.toLowerCase() !== 'metadata.lastupdatedtime' || typeof values[0] !== 'string') continue;
    const at = parseInstant(values[0]);
    if (at === undefined) continue;
    if (operator === '>' || operator === '>=') from = Math.max(from ?? at, at);
    if (operator === '<' || operator === '<=') until = Math.min(until ?? at, at);
  }
  return from === undefined && until === undefined ? undefined : table.changed(from ?? 0, until);
}

function compareValues(a: Value, b: Value): number {
  if (a === b) return 0;
  if (a === undefined) return -1;
  if (b === undefined) return 1;
  if (typeof a === 'string' && typeof b === 'string') {
    const [lowA, lowB] = [a.toLowerCase(), b.toLowerCase()];
    return lowA < lowB ? -1 : lowA > lowB ? 1 : a < b ? -1 : 1;
  }
  return a < b ? -1 : 1;
}

/** Returns the members to sort by. */
function sortKeys(company: Company, kind: EntityKind, orderBy: Query['orderBy']) {
  const byId = company.behaviour.get('query_order_by_id');
  return orderBy.flatMap(({ field, isDescending }) => {
    const member = memberOf(company, kind, field);
    if (member.compares === 'id' && byId === 'ignored') return [];
    if ((member.compares === 'id' && byId === 'refused') || kind.unsortable.has(member.path))
      throw fault.queryInvalid(`property '${field}' is not sortable`);
    return [{ member, isDescending }];
  });
}

/** Compares by the sort keys; equal records are in the default order, which changes when one of them changes. */
function sorter(kind: EntityKind, keys: ReturnType<typeof sortKeys>): (a: Entry, b: Entry) => number {
  return (a, b) => {
    for (const { member, isDescending } of keys) {
      const order = member.compares === 'id' ? compareIds(a.id, b.id) : compareValues(member.of(a), member.of(b));
      if (order !== 0) return isDescending ? -order : order;
    }
    return kind.orderedBy === undefined ? b.updatedAt - a.updatedAt || compareIds(b.id, a.id) : compareIds(a.id, b.id);
  };
}

/** Returns the records in the service's default order (recorded 2026). */
function inDefaultOrder(company: Company, kind: EntityKind, entries: Iterable<Entry>): Entry[] {
  const { orderedBy } = kind;
  if (orderedBy === undefined) return [...entries].sort((a, b) => b.updatedAt - a.updatedAt || compareIds(b.id, a.id));
  const member = findMember(company, kind, orderedBy);
  return [...entries].sort((a, b) => compareValues(member?.of(a), member?.of(b)) || compareIds(a.id, b.id));
}

function* matching(entries: Iterable<Entry>, tests: readonly Test[]): Generator<Entry> {
  for (const entry of entries) if (tests.every((holds) => holds(entry))) yield entry;
}

function firstOf(entries: Iterable<Entry>, skip: number, count: number): Entry[] {
  const page: Entry[] = [];
  let at = 0;
  if (count === 0) return page;
  for (const entry of entries) {
    if (at >= skip) page.push(entry);
    at += 1;
    if (page.length >= count) break;
  }
  return page;
}

function selection(company: Company, kind: EntityKind, fields: readonly string[]): (doc: Doc) => Doc {
  const paths = fields.map((typed) => {
    const found = findField(kind.name, typed);
    if (found === undefined) throw fault.queryInvalid(`Property ${typed} not found for Entity ${kind.name}`);
    const isPlain =
      membersOf(found.field.type) === undefined ||
      found.field.type === 'ReferenceType' ||
      found.field.type === 'EmailAddress';
    if (!isPlain || found.field.isList || found.path === 'InvoiceLink')
      throw fault.queryInvalid(`property '${typed}' is not queryable`);
    return found.path.split('.');
  });
  const always = company.behaviour.get('query_projection') === 'with-id' ? ['Id', 'SyncToken', 'MetaData'] : [];
  return (doc) => {
    const picked: Doc = { domain: 'QBO', sparse: true };
    for (const member of always) picked[member] = doc[member];
    for (const path of paths) {
      let source: unknown = doc;
      for (const part of path) source = isDoc(source) ? source[part] : undefined;
      const [head = '', ...rest] = path;
      if (source === undefined) continue;
      if (rest.length === 0) picked[head] = doc[head];
      else picked[head] = { ...docAt(picked, head), [rest.join('.')]: docAt(doc, head)[rest.join('.')] };
    }
    return picked;
  };
}

/**
 * Runs one statement against a company.
 *
 * @returns the QueryResponse member
 * @throws ServiceFault 4000 or 4001
 */
export function runQuery(company: Company, statement: string): Doc {
  const query = parseQuery(statement);
  const kind = findKind(query.entity);
  if (kind === undefined || !kind.operations.has('query'))
    throw fault.queryInvalid(`Entity ${query.entity} is not supported or not found`);
  const table = company.table(kind.name);
  const tests = query.where.map((condition) => test(company, kind, condition));
  const start = query.startPosition ?? 1;
  const count = query.maxResults ?? company.behaviour.get('query_default_maxresults');
  for (const value of [start, count])
    if (value < 1) throw fault.queryInvalid(`value ${value} is too small. Min allowed value is 1`);
  if (count > largestPage) throw fault.queryInvalid(`value ${count} is too large. Max allowed value is ${largestPage}`);
  const filtersByActive = query.where.some(({ field }) => field.toLowerCase() === 'active');
  if (kind.kind === 'list' && !filtersByActive) tests.push(({ body }) => body['Active'] !== false);
  const select =
    query.select === 'all' || query.select === 'count' ? undefined : selection(company, kind, query.select);

  const narrowed = candidates(table, query);
  if (query.select === 'count') {
    let total = 0;
    if (narrowed === undefined && tests.length === 0) total = table.size;
    else for (const _ of matching(narrowed ?? table.all(), tests)) total += 1;
    return { totalCount: total };
  }
  const page = pageOf(company, table, query, tests, narrowed, start - 1, count);
  if (page.length === 0) return {};
  if (query.select === 'all' || selectsEmail(query.select))
    for (const entry of page) checkReadable(company, kind, entry);
  const docs = page.map((entry) => renderFound(company, kind, entry));
  const response: Doc = { [kind.name]: select === undefined ? docs : docs.map(select) };
  if (kind.name !== 'Preferences') response['startPosition'] = start;
  response['maxResults'] = docs.length;
  if (kind.hasTotalCount) response['totalCount'] = docs.length;
  return response;
}

function pageOf(
  company: Company,
  table: Table,
  query: Query,
  tests: readonly Test[],
  narrowed: Iterable<Entry> | undefined,
  skip: number,
  count: number,
): Entry[] {
  const { kind } = table;
  const keys = sortKeys(company, kind, query.orderBy);
  const [order, ...more] = keys;
  if (order === undefined) {
    if (narrowed === undefined && kind.orderedBy === undefined)
      return firstOf(matching(table.latestFirst(), tests), skip, count);
    return inDefaultOrder(company, kind, matching(narrowed ?? table.all(), tests)).slice(skip, skip + count);
  }
  const sorted = sorter(kind, keys);
  if (more.length === 0 && narrowed === undefined && order.member.compares === 'id') {
    const byId = table.byId();
    return firstOf(matching(order.isDescending ? byId.toReversed() : byId, tests), skip, count);
  }
  const isByCreation = order.member.path === 'MetaData.CreateTime' && !order.isDescending;
  if (more.length === 0 && narrowed === undefined && isByCreation)
    return firstOf(matching(table.created(createdFrom(query), sorted), tests), skip, count);
  return [...matching(narrowed ?? table.all(), tests)].sort(sorted).slice(skip, skip + count);
}

/** Returns the earliest creation time that a query asks for, in milliseconds. */
const createdFrom = ({ where }: Query): number =>
  Math.max(
    0,
    ...where.flatMap(({ field, operator, values: [value] }) =>
      field.toLowerCase() === 'metadata.createtime' && operator.startsWith('>') && typeof value === 'string'
        ? (parseInstant(value) ?? 0)
        : 0,
    ),
  );
