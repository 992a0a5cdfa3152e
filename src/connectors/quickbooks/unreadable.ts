import type { UnreadableRecord } from '#core/documents/accounting-change.ts';
import type { SalesReference } from '#core/documents/sales-state.ts';
import { ServiceError } from '#core/service-error.ts';
import { addSeconds, type Instant } from '#core/values/dates.ts';
import type { RateLimits } from '../rate-limiter.ts';
import type { QuickbooksApi } from './api.ts';
import { isRecord, type JsonRecord } from './errors.ts';

export type Unreadable = UnreadableRecord;

/** Returns true if one record makes QuickBooks refuse the whole answer. */
export const isUnreadable = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.about.vendorCode === '4002';

/** Replaces QuickBooks' text of the refusal by the record and the fix. */
export const naming = ({ about }: ServiceError, record: Unreadable): ServiceError =>
  new ServiceError({
    ...about,
    detail: `QuickBooks cannot read ${nameOf(record)}. Open it in QuickBooks, correct its email address, and save it.`,
  });

/** `Invoice 1042 (id 9177)`. */
export const nameOf = ({ type, id, number }: Unreadable): string => {
  const words = type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  const name = number === null ? words : `${words} ${number}`;
  return id === null ? `one ${name}` : `${name} (id ${id})`;
};

/** Maximum unreadable records to find in one answer; with more, something else is wrong. */
const maxUnreadable = 20;

/** One page of a query: a statement without its position and size. */
export interface Page {
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
export async function readAround(page: Page): Promise<readonly JsonRecord[]> {
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
export const readable = (rows: readonly JsonRecord[]): JsonRecord[] =>
  rows.filter((row) => row[unreadableMark] === undefined);

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
export const identifying = (entity: string): string => identifyingMembers[entity] ?? 'Id';

export const firstRow = (answer: JsonRecord, entity: string): JsonRecord | undefined => {
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
