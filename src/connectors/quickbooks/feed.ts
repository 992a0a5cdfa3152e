import type { ListChanges } from '#core/documents/accounting-change.ts';
import type { AppliedPayment, SalesReference, SalesState } from '#core/documents/sales-state.ts';
import { chunked, inParallel } from '#core/in-parallel.ts';
import type { TouchedDocument } from '#core/ports/accounting-month.ts';
import type { CdcReading, NotedDocument, NumberedDocument } from '#core/ports/accounting.ts';
import type { Logger } from '#core/ports/logger.ts';
import { isPlanLimit, ServiceError } from '#core/service-error.ts';
import { calendarDate, type CalendarDate, type Instant } from '#core/values/dates.ts';
import { isZero, zero } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { z } from 'zod';
import type { RateLimits } from '../rate-limiter.ts';
import type { QuickbooksApi } from './api.ts';
import { isRecord, type JsonRecord, wrongShape } from './errors.ts';
import type { ListSource } from './lists.ts';
import { idLists, quote, readFeed, select, type Unreadable, unreadableIds, valuesPerQuery } from './query.ts';
import { readListRecords } from './read-lists.ts';
import { toSalesState } from './translate.ts';
import {
  qboChanged,
  qboChanges,
  qboDated,
  qboNoted,
  qboPayment,
  type QboPayment,
  qboRecord,
  qboSales,
  qboTouched,
  readShape,
} from './wire.ts';

/** Maximum objects in one answer of the change feed (quickbooks reference 2.8). */
const maxChanges = 1_000;
/** Documents whose changes the feed reports; the other entities are lists. */
const documents = ['Invoice', 'CreditMemo', 'Payment'] as const;
const purchases = { Bill: 'bill', PurchaseOrder: 'purchase_order' } as const;
const purchaseEntities = ['Bill', 'PurchaseOrder'] as const;
const isDocument = (entity: string): boolean => [...documents, ...purchaseEntities].some((one) => one === entity);
const operation = 'read changes';

/**
 * Reads the change feed. Entities whose feed cannot be read because of one record are queried instead, without that
 * record; lists are then reported as unknown. Deleted documents of such an entity are found by their invoices [Q65].
 * The feed may report a record as deleted that was only changed [Q93], so such list records and payments are read.
 *
 * @param now the present, for an answer without a time
 */
export async function readChanges(
  of: { readonly api: QuickbooksApi; readonly logger: Logger; readonly lists: readonly ListSource[] },
  since: Instant,
  now: Instant,
): Promise<CdcReading> {
  const { api, logger } = of;
  const entities = [...documents, ...of.lists.map(({ entity }) => entity)];
  const { answers, refused } = await readFeedOfPlan(api, entities, since);
  const feeds = answers.map((answer) => readShape(operation, qboChanges, answer));
  const unreadable: Unreadable[] = [];
  const query = (entity: string) =>
    select(api, entity, {
      operation,
      where: [`MetaData.LastUpdatedTime >= '${since}'`],
      onUnreadable: (record) => unreadable.push(record),
      isDecisive: isDocument(entity),
    });
  const queried = new Map<string, readonly JsonRecord[]>();
  for (const entity of refused) {
    const rows = await query(entity);
    if (isDocument(entity)) queried.set(entity, rows);
  }
  const rowsOf = (entity: string) => queried.get(entity) ?? feeds.flatMap((feed) => rowsIn(feed.CDCResponse, entity));
  const invoices = ['Invoice', 'CreditMemo'].flatMap((entity) =>
    rowsOf(entity).map((row) => readShape(operation, qboChanged, row)),
  );
  const payments = rowsOf('Payment').map((row) => readShape(operation, qboPayment, row));
  // A payment that was only changed may be reported as deleted, without the invoices that it is applied to.
  const applied = await listPaidInvoices(api, idsOf(payments.filter(isCalledDeleted)));
  // A record that cannot be read now is read again later.
  const unreadableOf = (...types: readonly string[]) =>
    unreadable.flatMap(({ type, id }) => (id !== null && types.includes(type) ? [id] : []));
  const touched = new Set([
    ...invoices.map(({ Id }) => Id),
    ...payments.flatMap((payment) => [payment.Id, ...paidInvoices(payment)]),
    ...[...applied.values()].flat(),
    ...unreadableOf('Invoice', 'CreditMemo', 'Payment'),
  ]);
  const changes = of.lists.flatMap((source) =>
    rowsOf(source.entity).map((row) => ({ source, row, wire: readShape(operation, qboChanged, row) })),
  );
  const touchedPurchases = new Map(
    purchaseEntities.map((entity) => [entity, new Set([...idsOf(rowsOf(entity)), ...unreadableOf(entity)])]),
  );
  // A full answer is truncated; a query has pages.
  const isFull = feeds.some(({ CDCResponse }) => sizeOf(CDCResponse) >= maxChanges);
  if (isFull) {
    for (const entity of ['Invoice', 'CreditMemo']) for (const id of idsOf(await query(entity))) touched.add(id);
    for (const [entity, ids] of touchedPurchases) for (const id of idsOf(await query(entity))) ids.add(id);
  }
  for (const record of unreadable) logger.warn({ ...record }, 'QuickBooks cannot read a record');
  // A list with unknown changes is read completely.
  const isListUnknown = isFull || refused.some((entity) => !isDocument(entity));
  return {
    // The parts were read one after the other, so the next reading begins at the time of the earliest.
    cursor: feeds.flatMap(({ time }) => time ?? []).toSorted()[0] ?? now,
    newestAt:
      [...invoices, ...payments, ...changes.map(({ wire }) => wire)]
        .flatMap(({ MetaData }) => MetaData?.LastUpdatedTime ?? [])
        .toSorted()
        .at(-1) ?? null,
    touchedInvoices: [...touched],
    touchedPurchases: [...touchedPurchases].flatMap(([entity, ids]) =>
      [...ids].map((id) => ({ record: purchases[entity], id })),
    ),
    unreadable,
    noted: [...documents, ...purchaseEntities].flatMap((type) => rowsOf(type).flatMap((row) => withNote(type, row))),
    lists: isListUnknown ? null : await confirmed(of, changes),
  };
}

function withNote(type: string, row: JsonRecord): readonly NotedDocument[] {
  const { Id: id, status, PrivateNote: privateNote, MetaData } = readShape(operation, qboNoted, row);
  const createdAt = MetaData?.CreateTime ?? null;
  return status === 'Deleted' || privateNote === null || createdAt === null
    ? []
    : [{ type, id, privateNote, createdAt }];
}

/** Transactions that change receivables, payables or what a month-end close compares. */
const sideOfSales = [
  'Invoice',
  'CreditMemo',
  'SalesReceipt',
  'RefundReceipt',
  'JournalEntry',
  'Payment',
  'Deposit',
  'Purchase',
  'Transfer',
] as const;
const sideOfPurchases = [...purchaseEntities, 'BillPayment', 'VendorCredit'] as const;

/** Lists the transactions of the change feed; null if the feed is truncated or cannot be read as a whole. */
export async function listTouched(api: QuickbooksApi, since: Instant): Promise<readonly TouchedDocument[] | null> {
  const { answers, refused } = await readFeedOfPlan(api, sideOfSales, since, sideOfPurchases);
  if (refused.length > 0) return null;
  const feeds = answers.map((answer) => readShape(operation, qboChanges, answer));
  if (feeds.some(({ CDCResponse }) => sizeOf(CDCResponse) >= maxChanges)) return null;
  return [...sideOfSales, ...sideOfPurchases].flatMap((type) =>
    feeds
      .flatMap((feed) => rowsIn(feed.CDCResponse, type))
      .map((row) => {
        const { Id, status, TxnDate, MetaData } = readShape(operation, qboTouched, row);
        const day = status === 'Deleted' ? null : (TxnDate?.slice(0, 10) ?? null);
        return {
          type,
          id: Id,
          datedOn: day === null ? null : calendarDate(day),
          createdAt: MetaData?.CreateTime ?? null,
        };
      }),
  );
}

const idsOf = (rows: readonly JsonRecord[]) => rows.map((row) => readShape(operation, qboChanged, row).Id);

const isCalledDeleted = ({ status }: { readonly status: string | null }): boolean => status === 'Deleted';

/** A list record of the feed. */
interface Change {
  readonly source: ListSource;
  readonly row: JsonRecord;
  readonly wire: z.infer<typeof qboChanged>;
}

/** Returns the changes of list records; those that the feed calls deleted are read by id. */
async function confirmed(
  sources: Parameters<typeof readListRecords>[0],
  changes: readonly Change[],
): Promise<ListChanges> {
  const found = changes.flatMap(({ source, row, wire }) => (isCalledDeleted(wire) ? [] : [source.toRow(row)]));
  const called = changes.filter(({ wire }) => isCalledDeleted(wire));
  if (called.length === 0) return { found, gone: [] };
  const read = await readListRecords(
    sources,
    called.map(({ source, wire }) => ({ record: source.record, id: wire.Id })),
  );
  return { found: [...found, ...read.found], gone: read.gone };
}

/** Reads the feed; without purchases if the QuickBooks plan has none. */
const readFeedOfPlan = (
  api: QuickbooksApi,
  entities: readonly string[],
  since: Instant,
  ofPurchases: readonly string[] = purchaseEntities,
) =>
  readFeed(api, operation, [...entities, ...ofPurchases], since).catch((error: unknown) => {
    if (!(error instanceof ServiceError && isPlanLimit(error.about))) throw error;
    return readFeed(api, operation, entities, since);
  });

type Blocks = z.infer<typeof qboChanges>['CDCResponse'];

const blocksOf = (response: Blocks) => response.flatMap(({ QueryResponse }) => QueryResponse);

function rowsIn(response: Blocks, entity: string): readonly JsonRecord[] {
  return blocksOf(response).flatMap((block) => {
    const rows: unknown = block[entity] ?? [];
    if (!Array.isArray(rows) || !rows.every((row) => isRecord(row)))
      throw wrongShape(operation, `QuickBooks returned no rows of ${entity}.`);
    return rows;
  });
}

const sizeOf = (response: Blocks): number =>
  blocksOf(response)
    .flatMap((block) => Object.values(block))
    .reduce<number>((count, value) => count + (Array.isArray(value) ? value.length : 0), 0);

/** Returns the invoices and credit memos that a payment is applied to; a deleted payment has none. */
const paidInvoices = ({ Line }: QboPayment): readonly string[] =>
  Line.flatMap(({ LinkedTxn }) =>
    LinkedTxn.flatMap(({ TxnId, TxnType }) => (TxnType === 'Invoice' || TxnType === 'CreditMemo' ? [TxnId] : [])),
  );

interface Sources {
  readonly api: QuickbooksApi;
  readonly rateLimits: RateLimits;
  readonly realmId: string;
  readonly now: () => Instant;
}

/** Document types that share a numbering. */
const sharedNumbering = { sales: ['Invoice', 'CreditMemo'], purchase_orders: ['PurchaseOrder'] } as const;

/** Returns sales documents. */
export async function readSales(
  sources: Sources,
  references: readonly SalesReference[],
  onUnreadable?: (record: SalesReference) => void,
): Promise<SalesState[]> {
  const found: SalesState[] = [];
  for (const [type, wanted] of Map.groupBy(references, (one) => one.type)) {
    const operation = `read ${type}`;
    const { ids, options: reading } = unreadableIds(sources, type, wanted, sources.now(), onUnreadable);
    for (const where of idLists(ids)) {
      for (const row of await select(sources.api, type, { operation, where: [where], ...reading }))
        found.push(toSalesState(type, readShape(operation, qboSales, row), toJson(row)));
    }
  }
  return found;
}

/** Returns the sales documents of a period. */
export async function listSales(
  api: QuickbooksApi,
  { from, through }: { readonly from: CalendarDate; readonly through: CalendarDate },
) {
  const found: SalesState[] = [];
  const where = [`TxnDate >= '${from}'`, `TxnDate <= '${through}'`];
  for (const type of sharedNumbering.sales) {
    const operation = `list ${type}`;
    for (const row of await select(api, type, { operation, where, isDecisive: true }))
      found.push(toSalesState(type, readShape(operation, qboSales, row), toJson(row)));
  }
  return found;
}

/** Returns the invoices that payments are applied to. */
export async function listPaidInvoices(
  api: QuickbooksApi,
  paymentIds: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const operation = 'read Payment';
  const found = new Map<string, readonly string[]>();
  for (const where of idLists(paymentIds))
    for (const row of await select(api, 'Payment', { operation, where: [where], onUnreadable: () => undefined })) {
      const payment = readShape(operation, qboPayment, row);
      found.set(payment.Id, paidInvoices(payment));
    }
  return found;
}

/** Returns the date and the unapplied amount of payments and credits. */
export async function readDates(
  sources: Sources,
  references: readonly SalesReference[],
  onUnreadable?: (record: SalesReference) => void,
) {
  const found: AppliedPayment[] = [];
  for (const [type, wanted] of Map.groupBy(references, (one) => one.type)) {
    const operation = `read ${type}`;
    const { ids, options: reading } = unreadableIds(sources, type, wanted, sources.now(), onUnreadable);
    for (const where of idLists(ids)) {
      for (const row of await select(sources.api, type, { operation, where: [where], ...reading })) {
        const { Id, TxnDate, UnappliedAmt, TotalAmt } = readShape(operation, qboDated, row);
        const isCredit = type === 'CreditMemo' || (type === 'Payment' && isZero(TotalAmt ?? zero));
        found.push({ type, id: Id, datedOn: calendarDate(TxnDate), unapplied: UnappliedAmt ?? zero, isCredit });
      }
    }
  }
  return found;
}

/** Returns the documents that use one of the numbers. */
export async function findNumbered(
  api: QuickbooksApi,
  numbers: readonly string[],
  among: keyof typeof sharedNumbering = 'sales',
): Promise<NumberedDocument[]> {
  const operation = 'find documents by number';
  const quoted = [...new Set(numbers)].flatMap((number) => quote(number) ?? []);
  const searches = chunked(quoted, valuesPerQuery).flatMap((values) =>
    sharedNumbering[among].map(async (type): Promise<NumberedDocument[]> => {
      const where = [`DocNumber IN (${values.join(', ')})`];
      // A number is taken even if QuickBooks cannot read its document.
      const unreadable: NumberedDocument[] = [];
      const onUnreadable = ({ id, number }: Unreadable) =>
        unreadable.push({ type, id: id ?? '', number: number ?? '', customerName: '', privateNote: null });
      const readable = (await select(api, type, { operation, where, onUnreadable, isDecisive: true })).map((row) => {
        const wire = readShape(operation, qboRecord, row);
        return {
          type,
          id: wire.Id,
          number: wire.DocNumber ?? '',
          customerName: (wire.CustomerRef ?? wire.VendorRef)?.name ?? '',
          privateNote: wire.PrivateNote,
        };
      });
      return [...readable, ...unreadable];
    }),
  );
  return (await inParallel(searches)).flat();
}

// A row parsed from JSON is JSON.
const toJson = (row: JsonRecord): JsonObject => row as JsonObject;
