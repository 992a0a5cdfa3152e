import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { chunked, inParallel } from '#core/in-parallel.ts';
import { ServiceError } from '#core/service-error.ts';
import type { PsaCredentials } from '#core/tenant.ts';
import { epochMs, type Instant } from '#core/values/dates.ts';
import { type Egress, withRetry } from '../http-client.ts';
import { createRateLimiter, createSharedCache, type RateLimits } from '../rate-limiter.ts';
import { type ApiCall, sendSigned, withSignInBreaker, withZoneDiscovery, type ZoneFinder } from './calls.ts';
import { isRecord, type JsonRecord, notStored, wrongShape } from './errors.ts';
import { withQuotaThrottle, withRateLimit } from './rate-limit.ts';

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

interface QueryOptions {
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

export interface AutotaskApi {
  /** Makes a call that may be repeated: a read, or a write of a fixed value. */
  call(call: ApiCall): Promise<JsonRecord>;
  databaseId(): Promise<string>;
}

interface ApiOptions {
  readonly credentials: PsaCredentials;
  readonly integrationCode: string;
  readonly zones: ZoneFinder;
  readonly rateLimits: RateLimits;
  readonly egress: Egress;
  readonly timeoutMs: number;
  /** Calls end a pause that the service requested. */
  readonly endsPause?: boolean | undefined;
  readonly sleep?: ((ms: number) => Promise<unknown>) | undefined;
}

/** Creates the API as one function. A call passes these layers from first to last; each is a separate file. */
export function autotaskApi(options: ApiOptions): AutotaskApi {
  const { zones, rateLimits, egress, sleep = delay } = options;
  const nowMs = () => epochMs(egress.now());
  const limiter = createRateLimiter(rateLimits, { nowMs, sleep, endsPause: options.endsPause });
  const call = withRetry(
    sleep,
    withQuotaThrottle(
      { zones, rateLimits, now: egress.now, sleep },
      withSignInBreaker(
        withZoneDiscovery(zones, withRateLimit(rateLimits, limiter, sendSigned(options), egress.stopping)),
      ),
    ),
  );
  return { call, databaseId: async () => (await zones.find()).databaseId };
}

/** A record to write to. */
interface Written {
  readonly entity: 'Invoices' | 'PurchaseOrders' | 'ExpenseReports';
  readonly noun: string;
  readonly id: number;
}

type Fields = Readonly<Record<string, string | null>>;

/** Writes fields of one record; may be repeated. */
export type WriteFields = (record: Written, fields: Fields) => Promise<void>;

/** Kinds of writes that were verified; a year means the life of the process. */
const proven = createSharedCache<true>(365 * 86_400);

/**
 * Creates the function that writes fields. Writes are sent to the collection, with the id in the body (autotask
 * reference section 6). The first write of each kind with the same credentials is read back and compared, because
 * Autotask may accept a value without storing it [A23]. So is a write that was answered with an error, because Autotask
 * may have stored it [A11].
 *
 * @returns a function that throws ServiceError `PSA_NOT_STORED` if a value was accepted but not stored
 */
export const recordWriter =
  (of: {
    readonly api: AutotaskApi;
    readonly credentials: PsaCredentials;
    readonly rateLimits: RateLimits;
    readonly now: () => Instant;
  }): WriteFields =>
  async (record, fields) => {
    const { api } = of;
    const { entity, noun, id } = record;
    const operation = `write to the ${noun}`;
    const body = { id, ...fields };
    let answer: JsonRecord;
    try {
      answer = await api.call({ operation, method: 'PATCH', path: entity, body, document: `${noun} ${id}` });
    } catch (error) {
      if (mayBeStored(error) && (await isStored(api, record, fields))) return;
      throw error;
    }
    if (answer.itemId !== undefined && Number(answer.itemId) !== id) throw wrongShape(operation, `another ${noun}`);
    const key = `${await api.databaseId()} ${fingerprintOf(of.credentials)} ${entity} ${kindOf(fields)}`;
    await proven.get(of.rateLimits, key, of.now, () => readBack(api, record, fields)).catch(unlessNotStored);
  };

/** An API user that is connected again may have other rights. */
const fingerprintOf = ({ userName, secret }: PsaCredentials): string =>
  createHash('sha256').update(`${userName}\0${secret}`).digest('base64url');

/** Returns the field names, with cleared fields marked: a null is a different kind of write than a value. */
const kindOf = (fields: Fields): string =>
  Object.entries(fields)
    .map(([name, value]) => (value === null || value === '' ? `${name} cleared` : name))
    .sort()
    .join(', ');

/** Returns true if Autotask answered with an error about the write; other errors are about the connection or limits. */
const mayBeStored = (error: unknown): boolean =>
  error instanceof ServiceError &&
  error.about.status !== undefined &&
  (error.about.next === 'refuse' || error.about.outcome === 'unknown');

/**
 * Returns whether Autotask shows all values of a write; false if this API user may not read them.
 *
 * @throws ServiceError if Autotask cannot be read now.
 */
async function isStored(api: AutotaskApi, record: Written, fields: Fields): Promise<boolean> {
  try {
    const item = await readRecord(api, record);
    return (
      isRecord(item) &&
      item['id'] === record.id &&
      Object.entries(fields).every(([name, sent]) => item[name] !== undefined && isSame(sent, item[name]))
    );
  } catch (error) {
    if (error instanceof ServiceError && error.about.next === 'refuse') return false;
    throw error;
  }
}

async function readRecord(api: AutotaskApi, { entity, noun, id }: Written): Promise<unknown> {
  const operation = `read the ${noun} back`;
  return (await api.call({ operation, method: 'GET', path: `${entity}/${id}`, document: `${noun} ${id}` })).item;
}

async function readBack(api: AutotaskApi, record: Written, fields: Fields): Promise<true> {
  const { noun, id } = record;
  const item = await readRecord(api, record);
  // A record or field that this API user may write but not read cannot be verified.
  if (!isRecord(item) || item['id'] !== id) return true;
  const shown = Object.entries(fields).filter(([name]) => item[name] !== undefined);
  const different = shown.find(([name, sent]) => !isSame(sent, item[name]));
  if (different === undefined) return true;
  const [name, sent] = different;
  throw notStored(`write to the ${noun}`, { noun, id, name, sent });
}

/** Compares a sent value with the stored one: texts without outer spaces, dates as moments. */
function isSame(sent: string | null, stored: unknown): boolean {
  const [ours, theirs] = [(sent ?? '').trim(), typeof stored === 'string' ? stored.trim() : ''];
  if (ours === theirs) return true;
  if (!isDateTime(ours) || !isDateTime(theirs)) return false;
  // Date-times may lack a zone, and are compared to the second.
  return Math.abs(timeOf(ours) - timeOf(theirs)) < 1_000;
}

const isDateTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT/.test(text);
const timeOf = (text: string): number => Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);

/** Ignores a failed read-back: a later write verifies this kind. */
function unlessNotStored(error: unknown): void {
  if (!(error instanceof ServiceError) || error.about.code === 'PSA_NOT_STORED') throw error;
}
