import type { AppliedPayment, SalesReference, SalesState } from '#core/documents/sales-state.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { NumberedDocument } from '#core/ports/accounting.ts';
import { chunked } from '#core/values/chunked.ts';
import { calendarDate, type CalendarDate, type Instant } from '#core/values/dates.ts';
import { isZero, zero } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { RateLimits } from '../rate-limiter.ts';
import type { QuickbooksApi } from './api.ts';
import type { JsonRecord } from './errors.ts';
import { paidInvoices } from './feed.ts';
import { idLists, quote, select, valuesPerQuery } from './query.ts';
import { toSalesState } from './translate.ts';
import { unreadableIds, type Unreadable } from './unreadable.ts';
import { qboDated, qboPayment, qboRecord, qboSales, readShape } from './wire.ts';

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
    for (const row of await select(api, type, { operation, where }))
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
      const readable = (await select(api, type, { operation, where, onUnreadable })).map((row) => {
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
