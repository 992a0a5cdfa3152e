import type { UnreadableRecord } from '#core/documents/accounting-change.ts';
import type { SalesReference } from '#core/documents/sales-state.ts';
import { ServiceError } from '#core/service-error.ts';
import { chunked } from '#core/in-parallel.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { RateLimits } from '../rate-limiter.ts';
import type { QuickbooksApi } from './api.ts';
import { isRecord, type JsonRecord, wrongShape } from './errors.ts';

export type Unreadable = UnreadableRecord;

/** Returns true if one record makes QuickBooks refuse the whole answer. */
export const isUnreadable = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.about.vendorCode === '4002';

/** Replaces QuickBooks' text of the refusal by the record and the fix. */
const naming = ({ about }: ServiceError, record: Unreadable): ServiceError =>
  new ServiceError({
    ...about,
    detail: `QuickBooks cannot read ${nameOf(record)}. Open it in QuickBooks, correct its email address, and save it.`,
  });

/** `Invoice 1042 (id 9177)`. */
const nameOf = ({ type, id, number }: Unreadable): string => {
  const words = type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  const name = number === null ? words : `${words} ${number}`;
  return id === null ? `one ${name}` : `${name} (id ${id})`;
};

/** Maximum unreadable records to find in one answer; with more, something else is wrong. */
const maxUnreadable = 20;

/** One page of a query: a statement without its position and size. */
interface Page {
  readonly type: string;
  readonly from: number;
  readonly size: number;
  readonly read: (from: number, size: number) => Promise<readonly JsonRecord[]>;
  /** Finds the id and number of the record at a position, without the members that may be unreadable. */
  readonly identify: (position: number) => Promise<JsonRecord | undefined>;
  /** Receives each unreadable record; without it the page fails with the name of the first one. */
  readonly onUnreadable: ((record: Unreadable) => void) | undefined;
}

/**
 * Reads a page. If one record makes QuickBooks refuse the page, the page is halved until that record is found; the
 * others are returned. The unreadable record remains as a row with an id only, so that positions stay correct; a
 * customer or vendor remains without its email address.
 *
 * @throws ServiceError as {@link Page.read}; 4002 with the record's name if there is no receiver.
 */
async function readAround(page: Page): Promise<readonly JsonRecord[]> {
  let found = 0;
  async function part(from: number, size: number): Promise<readonly JsonRecord[]> {
    try {
      return await page.read(from, size);
    } catch (error) {
      if (!isUnreadable(error)) throw error;
      if (size > 1) {
        const half = Math.ceil(size / 2);
        const first = await part(from, half);
        return first.length < half ? first : [...first, ...(await part(from + half, size - half))];
      }
      const row = await page.identify(from).catch(() => undefined);
      const number = textOf(row?.['DocNumber']) ?? textOf(row?.['DisplayName']);
      const record = { type: page.type, id: textOf(row?.['Id']), number };
      found += 1;
      // A customer or vendor is used without its email address; leaving it out would create it again.
      if (row?.['DisplayName'] !== undefined && found <= maxUnreadable) {
        page.onUnreadable?.(record);
        return [row];
      }
      if (page.onUnreadable === undefined || found > maxUnreadable) throw naming(error, record);
      page.onUnreadable(record);
      return [{ Id: record.id ?? `unreadable at ${from}`, [unreadableMark]: true }];
    }
  }
  return part(page.from, page.size);
}

const unreadableMark = ' unreadable';

/** Returns the rows without placeholders of unreadable records. */
const readable = (rows: readonly JsonRecord[]): JsonRecord[] => rows.filter((row) => row[unreadableMark] === undefined);

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

/**
 * Reads the change feed. If one record makes QuickBooks refuse it, the entities are halved until the refused ones are
 * found; the feeds of the others are returned.
 */
export async function readFeed(
  api: QuickbooksApi,
  operation: string,
  entities: readonly string[],
  changedSince: string,
): Promise<{ readonly answers: readonly JsonRecord[]; readonly refused: readonly string[] }> {
  try {
    const query = { entities: entities.join(','), changedSince };
    return { answers: [await api.read({ operation, path: 'cdc', query })], refused: [] };
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    if (entities.length === 1) return { answers: [], refused: entities };
    const half = Math.ceil(entities.length / 2);
    const [first, second] = [
      await readFeed(api, operation, entities.slice(0, half), changedSince),
      await readFeed(api, operation, entities.slice(half), changedSince),
    ];
    return { answers: [...first.answers, ...second.answers], refused: [...first.refused, ...second.refused] };
  }
}

/** Members of a query that identifies a record without reading what may be unreadable. */
const identifyingMembers: Readonly<Record<string, string>> = {
  Invoice: 'Id, DocNumber',
  CreditMemo: 'Id, DocNumber',
  PurchaseOrder: 'Id, DocNumber',
  Bill: 'Id, DocNumber',
  Vendor: 'Id, DisplayName, CompanyName, Active',
  Customer: 'Id, DisplayName, FullyQualifiedName, CompanyName, Active',
};
const identifying = (entity: string): string => identifyingMembers[entity] ?? 'Id';

const firstRow = (answer: JsonRecord, entity: string): JsonRecord | undefined => {
  const response = answer['QueryResponse'];
  const rows: unknown = isRecord(response) ? response[entity] : undefined;
  return Array.isArray(rows) && isRecord(rows[0]) ? rows[0] : undefined;
};

/** Seconds until an unreadable record is read again; doubles each time, up to a day. */
const firstWaitSeconds = 3_600;
const maxWaitSeconds = 86_400;
/** Maximum remembered records; with more, something else is wrong. */
const maxRemembered = 1_000;
type Waiting = Map<string, { readonly until: Instant; readonly seconds: number }>;
/** By the process's limits, of which an application has one. */
const waitingOf = new WeakMap<RateLimits, Waiting>();

/**
 * Returns the ids to read, without those that QuickBooks recently could not read, and a handler for those that it
 * cannot read now. Each process remembers them separately.
 *
 * @param onUnreadable receives both; without it nothing is left out, and the query fails with the name of the record
 */
export function unreadableIds(
  { rateLimits, realmId }: { readonly rateLimits: RateLimits; readonly realmId: string },
  type: string,
  wanted: readonly SalesReference[],
  now: Instant,
  onUnreadable: ((record: SalesReference) => void) | undefined,
): { readonly ids: readonly string[]; readonly options: { readonly onUnreadable?: (record: Unreadable) => void } } {
  const ids = wanted.map(({ id }) => id);
  if (onUnreadable === undefined) return { ids, options: {} };
  const waiting: Waiting = waitingOf.get(rateLimits) ?? new Map();
  waitingOf.set(rateLimits, waiting);
  const keyOf = (id: string) => `${realmId} ${type} ${id}`;
  const isWaiting = (id: string) => (waiting.get(keyOf(id))?.until ?? now) > now;
  for (const id of ids.filter(isWaiting)) onUnreadable({ type, id });
  return {
    ids: ids.filter((id) => !isWaiting(id)),
    options: {
      onUnreadable({ id }) {
        if (id === null) return;
        const seconds = Math.min((waiting.get(keyOf(id))?.seconds ?? firstWaitSeconds / 2) * 2, maxWaitSeconds);
        if (waiting.size >= maxRemembered) waiting.clear();
        waiting.set(keyOf(id), { until: addSeconds(now, seconds), seconds });
        onUnreadable({ type, id });
      },
    },
  };
}

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

interface SelectOptions {
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
