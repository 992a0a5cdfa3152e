import { sentenceOfUnreadable, type UnreadableRecord } from '#core/documents/accounting-change.ts';
import type { SalesReference } from '#core/documents/sales-state.ts';
import { ServiceError, type ServiceFailure } from '#core/service-error.ts';
import { chunked } from '#core/in-parallel.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { RateLimits } from '../rate-limiter.ts';
import { noteUnexpected } from '../unexpected.ts';
import type { QuickbooksApi } from './api.ts';
import { incompleteList, isRecord, type JsonRecord, wrongShape } from './errors.ts';
import { oncePer } from '#core/values/once-per.ts';

export type Unreadable = UnreadableRecord;

/** Returns true if one record makes QuickBooks refuse the whole answer. */
export const isUnreadable = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.about.vendorCode === '4002';

/** Returns true if QuickBooks cannot carry out a query, for example because a member cannot be filtered or sorted. */
export const isRefusedQuery = (error: unknown): boolean =>
  error instanceof ServiceError && error.about.vendorCode === '4001';

/** Adds the record and the fix to QuickBooks' text of the refusal. */
const naming = (error: ServiceError, record: Unreadable): ServiceError =>
  unreadableRecord(error.about.operation, record, error.about);

/**
 * Returns the error of documents that may be this record, which QuickBooks cannot return.
 *
 * @param about the refusal, whose text is shown
 */
export function unreadableRecord(operation: string, record: Unreadable, about?: ServiceFailure): ServiceError {
  const sentence = sentenceOfUnreadable(record);
  return new ServiceError({
    service: 'accounting',
    vendorCode: '4002',
    ...about,
    operation,
    outcome: 'not_applied',
    next: 'refuse',
    code: 'QBO_UNREADABLE',
    detail: about === undefined ? sentence : `${sentence} (QuickBooks: ${about.detail})`,
  });
}

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
 * record of a list remains with the members that syncs need, for example a customer without its email address.
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
      const row = await page.identify(from).catch((cause: unknown) => {
        // The reason is not the record if it is refused without its email address as well.
        if (isUnreadable(cause)) throw error;
        return undefined;
      });
      const name = textOf(row?.['DisplayName']) ?? textOf(row?.['FullyQualifiedName']) ?? textOf(row?.['Name']);
      const number = textOf(row?.['DocNumber']) ?? name;
      const record = { type: page.type, id: textOf(row?.['Id']), number };
      found += 1;
      // A record of a list is used without its other members; leaving it out would create it again.
      if (row !== undefined && name !== null && found <= maxUnreadable) {
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
  Account: 'Id, Name, FullyQualifiedName, Classification, AccountSubType, CurrencyRef, Active',
  Class: 'Id, Name, FullyQualifiedName, Active',
  Department: 'Id, Name, FullyQualifiedName, Active',
  Item: 'Id, Name, FullyQualifiedName, Type, Sku, IncomeAccountRef, ExpenseAccountRef, Active',
  Term: 'Id, Name, Active',
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
const waitingOf = oncePer<RateLimits, Waiting>(() => new Map());

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
  const waiting = waitingOf(rateLimits);
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
export const pageSize = 1_000;

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
export function like(text: string): string {
  const pattern = text.replace(new RegExp(`[${unquotableSet}%]+`, 'gu'), '%').replaceAll("'", String.raw`\'`);
  return `'${pattern}'`;
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
  return quoted === null ? `${field} LIKE ${like(text)}` : `${field} = ${quoted}`;
}

interface SelectOptions {
  readonly operation: string;
  /** Conditions that must all match, made with {@link quote}, {@link like} and {@link equalText}. */
  readonly where?: readonly string[];
  /** The first rows by creation, if they were already read together with others. */
  readonly first?: FirstRows | undefined;
  /**
   * Members that are enough if QuickBooks cannot return a whole page: its rows then have these members only, and
   * {@link isPartial} tells them apart.
   */
  readonly members?: string;
  /** Receives records that QuickBooks cannot return; without it the list fails with the name of the first one. */
  readonly onUnreadable?: ((record: Unreadable) => void) | undefined;
  /** Rows per page; default is the maximum. */
  readonly size?: number;
  /** Decisions about money depend on the list, so it fails if rows are missing; default: the operator is told only. */
  readonly isDecisive?: boolean;
}

/** Rows that a batch read, which may be only the beginning of the list. */
export interface FirstRows {
  readonly rows: readonly JsonRecord[];
  readonly isWhole: boolean;
}

/** Sorting by creation is not documented for these; they rarely have more than one page. */
const unsortedEntities: ReadonlySet<string> = new Set(['Term', 'TaxCode', 'TaxRate', 'TaxAgency']);
const createdAt = 'MetaData.CreateTime';

/** Returns the statement of one page. Pages are sorted by creation: QuickBooks does not sort by `Id` [Q32]. */
export const pageStatement = (
  entity: string,
  where: readonly string[],
  { members = '*', isSorted = !unsortedEntities.has(entity), position = 1, size = pageSize }: Partial<Cut> = {},
): string =>
  [
    `SELECT ${members} FROM ${entity}`,
    ...(where.length > 0 ? [`WHERE ${where.join(' AND ')}`] : []),
    ...(isSorted ? [`ORDERBY ${createdAt}`] : []),
    `STARTPOSITION ${position} MAXRESULTS ${size}`,
  ].join(' ');

/** Notes a page that is not in the order that its statement names [Q32]. */
function noteOrder(operation: string, statement: string, page: readonly JsonRecord[]): void {
  if (!statement.includes(` ORDERBY ${createdAt}`)) return;
  const times = page.map(({ MetaData }) => Date.parse(isRecord(MetaData) ? String(MetaData['CreateTime']) : ''));
  if (times.some((at, index) => index > 0 && at < (times[index - 1] ?? at)))
    noteUnexpected({ service: 'accounting', kind: 'not_sorted', fact: 'Q32', name: createdAt, operation }, page);
}

interface Cut {
  readonly members: string;
  readonly isSorted: boolean;
  readonly position: number;
  readonly size: number;
}

/** Maximum readings of a list that changes while it is read, and of rows with the same creation time. */
const maxReadings = 3;

/**
 * Reads all rows of an entity. A page begins at the creation time at which the previous one ended, so rows that are
 * created, changed or deleted meanwhile move no other row past a page. A list with several pages is compared with
 * QuickBooks' count and read again if rows are missing. After {@link maxReadings} readings all rows found are returned
 * (fault row D16); if there are still fewer than counted before and after the last reading, the operator is told.
 *
 * @throws ServiceError if QuickBooks refuses the query or does not respond, or if rows of a decisive list are missing.
 */
export async function select(api: QuickbooksApi, entity: string, options: SelectOptions): Promise<JsonRecord[]> {
  const { first, size = pageSize } = options;
  // The pages of a batch were read at the same time, so they are not counted.
  const isKnown = first?.isWhole === true && (first.rows.length < size || latestCreation(first.rows) !== null);
  if (isKnown) return [...first.rows];
  const list = listOf(api, entity, options);
  const found = new Map<unknown, JsonRecord>();
  /** Records may be created and deleted between a count and a reading. */
  let [before, counted] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let turn = 1; turn <= maxReadings; turn += 1) {
    const { rows, isOnePage, isSteady, lastAt } = await readThrough(list, turn === 1 ? first : undefined);
    if (isOnePage) return readable([...rows.values()]);
    // Later records are not counted: they may be newer than the reading.
    [before, counted] = [counted, await list.count(lastAt === null ? [] : [`${createdAt} <= '${lastAt}'`])];
    if (isSteady && rows.size >= counted) return readable([...rows.values()]);
    for (const [id, row] of rows) found.set(id, row);
  }
  const total = Math.min(before, counted);
  if (found.size < total) {
    const { operation, isDecisive = false } = options;
    const of = { service: 'accounting', kind: 'incomplete_list', fact: 'Q32' } as const;
    noteUnexpected({ ...of, name: `count of ${entity}`, operation }, undefined);
    const what = `${entity.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()}s`;
    if (isDecisive) throw incompleteList(operation, what, total, found.size);
  }
  return readable([...found.values()]);
}

/** A list whose pages can be read. */
interface List {
  readonly operation: string;
  readonly isSorted: boolean;
  /** Rows per page. */
  readonly size: number;
  /** Reads a page of the rows that match additional conditions. */
  readonly page: (more: readonly string[], position: number, isSorted: boolean) => Promise<ListPage>;
  readonly count: (more: readonly string[]) => Promise<number>;
}

interface ListPage {
  readonly rows: readonly JsonRecord[];
  /** Time of the first answer. */
  readonly at: string | null;
  /** Whether one answer contained the whole page. */
  readonly isOneAnswer: boolean;
}

function listOf(api: QuickbooksApi, entity: string, options: SelectOptions): List {
  const { operation, where = [], members, onUnreadable, size = pageSize } = options;
  const reported = new Set<string | null>();
  const report = (record: Unreadable): void => {
    if (record.id !== null && reported.has(record.id)) return;
    reported.add(record.id);
    onUnreadable?.(record);
  };
  const ask = (statement: string) => api.read({ operation, path: 'query', statement });
  return {
    operation,
    size,
    isSorted: !unsortedEntities.has(entity),
    async page(more, from, isSorted) {
      const times: (string | null)[] = [];
      const statement = (selected: string, position: number, count: number) =>
        pageStatement(entity, [...where, ...more], { members: selected, isSorted, position, size: count });
      const rows = await readAround({
        type: entity,
        from,
        size,
        async read(position, count) {
          const read = async (selected: string) => {
            const asked = statement(selected, position, count);
            const answer = await ask(asked);
            times.push(textOf(answer['time']));
            const found = rowsOf(operation, entity, answer);
            noteOrder(operation, asked, found);
            return found;
          };
          return read('*').catch((error: unknown) => {
            if (members === undefined || !isUnreadable(error)) throw error;
            return selectPartly(() => read(members), error);
          });
        },
        identify: async (position) => firstRow(await ask(statement(identifying(entity), position, 1)), entity),
        onUnreadable: onUnreadable === undefined ? undefined : report,
      });
      return { rows, at: times[0] ?? null, isOneAnswer: times.length === 1 && rows.length < size };
    },
    async count(more) {
      const conditions = [...where, ...more];
      const filter = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
      const response = (await ask(`SELECT COUNT(*) FROM ${entity}${filter}`))['QueryResponse'];
      const total = isRecord(response) ? Number(response['totalCount'] ?? 0) : Number.NaN;
      if (Number.isNaN(total)) throw wrongShape(operation, `QuickBooks returned no count of ${entity}.`);
      return total;
    },
  };
}

const partialMark = ' partial';

/** Returns whether a row has only the members that were asked for because the whole row may be unreadable. */
export const isPartial = (row: JsonRecord): boolean => row[partialMark] === true;

/** Returns rows without the members that may be unreadable; if that is refused, the first error counts. */
async function selectPartly(read: () => Promise<readonly JsonRecord[]>, error: ServiceError) {
  try {
    return (await read()).map((row): JsonRecord => ({ ...row, [partialMark]: true }));
  } catch (second) {
    if (second instanceof ServiceError && (second.about.next === 'refuse' || isUnreadable(second))) throw error;
    throw isRefusedQuery(second) ? error : second;
  }
}

interface Reading {
  /** Rows by id; may contain rows that were deleted meanwhile. */
  readonly rows: ReadonlyMap<unknown, JsonRecord>;
  readonly isOnePage: boolean;
  /** False if rows moved past a page. */
  readonly isSteady: boolean;
  /** The latest creation time; null if the rows are not sorted by it. */
  readonly lastAt: string | null;
}

/** Reads all rows once, after the first ones if they are known. */
async function readThrough(list: List, first: FirstRows | undefined): Promise<Reading> {
  const rows = new Map<unknown, JsonRecord>();
  const add = (page: readonly JsonRecord[]) => {
    for (const row of page) rows.set(row['Id'], row);
  };
  let lastAt: string | null = null;
  let isOnePage = true;
  let isSteady = true;
  if (first !== undefined && list.isSorted) {
    lastAt = latestCreation(first.rows);
    if (lastAt !== null) add(first.rows);
    isOnePage = lastAt === null;
  }
  while (list.isSorted) {
    const page = await pageOrUnsorted(list, lastAt === null ? [] : [`${createdAt} >= '${lastAt}'`]);
    if (page === null) break;
    add(page.rows);
    isOnePage &&= page.isOneAnswer;
    const nextAt = latestCreation(page.rows);
    if (page.rows.length < list.size) return { rows, isOnePage, isSteady, lastAt: nextAt ?? lastAt };
    // Without its order or its condition, a page does not say where the next one begins.
    if (nextAt === null || (lastAt !== null && Date.parse(nextAt) < Date.parse(lastAt))) break;
    if (lastAt === null || Date.parse(nextAt) > Date.parse(lastAt)) lastAt = nextAt;
    else {
      // More records than a page were created at the same time, for example by an import.
      const end = secondAfter(lastAt);
      const together = await readByPosition(list, [`${createdAt} >= '${lastAt}'`, `${createdAt} < '${end}'`], true);
      add(together.rows);
      isSteady &&= together.isSteady;
      lastAt = end;
    }
  }
  const unsorted = await readByPosition(list, [], false);
  add(unsorted.rows);
  return { rows, isOnePage: unsorted.isOnePage, isSteady: unsorted.isSteady, lastAt: null };
}

/** Reads a sorted page; null if QuickBooks refuses to sort the entity. */
async function pageOrUnsorted(list: List, more: readonly string[]) {
  try {
    return await list.page(more, 1, true);
  } catch (error) {
    if (isRefusedQuery(error)) return null;
    throw error;
  }
}

/**
 * Reads rows page by page by their position. Each page begins with the last row of the previous one; if it does not,
 * rows moved, and the reading begins again. Rows that were changed meanwhile are read at the end, because a change can
 * move a row to a page that was already read.
 */
async function readByPosition(
  list: List,
  where: readonly string[],
  isSorted: boolean,
): Promise<Pick<Reading, 'isOnePage' | 'isSteady'> & { readonly rows: readonly JsonRecord[] }> {
  const rows: JsonRecord[] = [];
  let startedAt: string | null = null;
  for (let turn = 1; ; turn += 1) {
    const seen = new Set<unknown>();
    let isSteady = true;
    let last: JsonRecord | undefined;
    let page: ListPage;
    let position = 1;
    for (; ; position += list.size - 1) {
      page = await list.page(where, position, isSorted);
      startedAt ??= page.at;
      rows.push(...page.rows);
      const [overlap, ...others] = page.rows;
      const isNext = last === undefined || overlap?.['Id'] === last['Id'];
      isSteady &&= isNext && !others.some(({ Id }) => seen.has(Id));
      if (page.rows.length === list.size && page.rows.every(({ Id }) => seen.has(Id)))
        throw wrongShape(list.operation, 'QuickBooks returned the same page again.');
      for (const { Id } of page.rows) seen.add(Id);
      last = page.rows.at(-1);
      // The last turn reads to the end in any case.
      if (page.rows.length < list.size || (!isSteady && turn < maxReadings)) break;
    }
    if (!isSteady && turn < maxReadings) continue;
    const isOnePage = position === 1 && page.isOneAnswer;
    if (!isOnePage && startedAt !== null) {
      const changed = [...where, `MetaData.LastUpdatedTime >= '${startedAt.replace(/\.\d+/, '')}'`];
      rows.push(...(await list.page(changed, 1, isSorted).catch(noneIfRefused)).rows);
    }
    return { rows, isOnePage, isSteady };
  }
}

function noneIfRefused(error: unknown): ListPage {
  if (isRefusedQuery(error)) return { rows: [], at: null, isOneAnswer: true };
  throw error;
}

/** Returns the latest creation time of rows that are sorted by it; null if they are not. */
function latestCreation(rows: readonly JsonRecord[]): string | null {
  let latest: string | null = null;
  for (const { MetaData: metaData } of rows) {
    const at = isRecord(metaData) ? textOf(metaData['CreateTime']) : null;
    if (at === null) continue;
    if (latest !== null && Date.parse(at) < Date.parse(latest)) return null;
    latest = at;
  }
  return latest;
}

/** Times have no fractions in answers, but may have some in QuickBooks. */
const secondAfter = (time: string): string => new Date(Date.parse(time) + 1_000).toISOString().replace('.000', '');

/** Returns the rows in the answer to a query. */
function rowsOf(operation: string, entity: string, answer: JsonRecord): readonly JsonRecord[] {
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
