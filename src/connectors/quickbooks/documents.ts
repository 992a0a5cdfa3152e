import { z } from 'zod';
import type {
  AccountingDocument,
  AccountingDocumentType,
  AccountingLine,
} from '#core/documents/accounting-document.ts';
import type { ReportPeriod } from '#core/documents/accounting-report.ts';
import type { SalesReference } from '#core/documents/sales-state.ts';
import { fingerprintOf, type Fingerprint } from '#core/reconciliation/fingerprint.ts';
import { calendarDate, instant, isCalendarDate, type Instant } from '#core/values/dates.ts';
import { decimal, negate, zero } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { QuickbooksApi } from './api.ts';
import { faultOfItem, isRecord, wrongShape, type JsonRecord } from './errors.ts';
import {
  equalText,
  type FirstRows,
  idLists,
  pageSize,
  pageStatement,
  select,
  type Unreadable,
  type unreadableIds,
} from './query.ts';
import { isVoided, toTaxes } from './translate.ts';
import { idText, listOf, number, qboTaxLine, readShape, reference, text } from './wire.ts';

const lineDetail = z
  .object({
    ItemRef: reference,
    ItemAccountRef: reference,
    AccountRef: reference,
    DiscountAccountRef: reference,
    ClassRef: reference,
    TaxCodeRef: reference,
    CustomerRef: reference,
    Entity: z.object({ EntityRef: reference }).nullish(),
    PostingType: text,
    Qty: number.nullish(),
    UnitPrice: number.nullish(),
  })
  .partial();

const orderLink = z.object({ TxnId: idText, TxnType: z.string(), TxnLineId: idText.nullish() });
const qboLine = z.object({
  Id: idText.nullish(),
  DetailType: text,
  Description: text,
  Amount: number.nullish(),
  LinkedTxn: listOf(orderLink),
  SalesItemLineDetail: lineDetail.nullish(),
  ItemBasedExpenseLineDetail: lineDetail.nullish(),
  AccountBasedExpenseLineDetail: lineDetail.nullish(),
  JournalEntryLineDetail: lineDetail.nullish(),
  DiscountLineDetail: lineDetail.nullish(),
  GroupLineDetail: z.object({ Line: z.array(z.unknown()).nullish() }).nullish(),
});
type QboLine = z.infer<typeof qboLine>;

const day = z.string().transform((value) => value.slice(0, 10));
const qboDocument = z.object({
  Id: idText,
  DocNumber: text,
  PaymentRefNum: text,
  TxnDate: day,
  DueDate: day.nullish(),
  CustomerRef: reference,
  VendorRef: reference,
  CurrencyRef: reference,
  ExchangeRate: number.nullish(),
  TotalAmt: number.nullish(),
  Balance: number.nullish(),
  RemainingCredit: number.nullish(),
  UnappliedAmt: number.nullish(),
  DepositToAccountRef: reference,
  APAccountRef: reference,
  ARAccountRef: reference,
  DepartmentRef: reference,
  ClassRef: reference,
  POStatus: text,
  PrivateNote: text,
  TxnTaxDetail: z
    .object({
      TotalTax: number.nullish(),
      TxnTaxCodeRef: reference,
      TaxLine: listOf(qboTaxLine),
    })
    .nullish(),
  LinkedTxn: listOf(z.object({ TxnId: idText, TxnType: z.string() })),
  Line: listOf(qboLine),
  MetaData: z.object({ LastUpdatedTime: z.string(), LastModifiedByRef: reference }),
});

/** A request body: the same members, most of them absent. */
const qboBody = z.object({
  DocNumber: text,
  TxnDate: day,
  DueDate: day.nullish(),
  CustomerRef: reference,
  VendorRef: reference,
  CurrencyRef: reference,
  ExchangeRate: number.nullish(),
  APAccountRef: reference,
  ARAccountRef: reference,
  DepartmentRef: reference,
  ClassRef: reference,
  TxnTaxDetail: z.object({ TxnTaxCodeRef: reference }).nullish(),
  Line: z.array(qboLine).min(1),
});

/** Converts a QuickBooks document to a core document. */
export function toAccountingDocument(type: string, row: JsonRecord): AccountingDocument {
  const wire = readShape(`read ${type}`, qboDocument, row);
  const party = wire.CustomerRef ?? wire.VendorRef;
  return {
    type,
    id: wire.Id,
    number: wire.DocNumber ?? wire.PaymentRefNum,
    party: { id: party?.value ?? '', name: party?.name ?? null },
    datedOn: calendarDate(wire.TxnDate),
    dueOn: toDueDay(wire.DueDate),
    locationId: wire.DepartmentRef?.value ?? null,
    ...controlAccountOf(wire),
    ...(type === 'Payment' ? { depositAccountId: wire.DepositToAccountRef?.value ?? null } : {}),
    currency: wire.CurrencyRef?.value ?? null,
    exchangeRate: wire.ExchangeRate ?? decimal('1'),
    total: wire.TotalAmt ?? zero,
    tax: wire.TxnTaxDetail?.TotalTax ?? zero,
    ...toTaxes(wire.TxnTaxDetail?.TaxLine ?? []),
    taxCodeId: wire.TxnTaxDetail?.TxnTaxCodeRef?.value ?? null,
    balance: wire.UnappliedAmt ?? (type === 'CreditMemo' ? wire.RemainingCredit : undefined) ?? wire.Balance ?? zero,
    isVoided: isVoided(wire),
    isOpen: wire.POStatus === null ? null : wire.POStatus === 'Open',
    privateNote: wire.PrivateNote,
    changedAt: instant(wire.MetaData.LastUpdatedTime),
    changedBy: wire.MetaData.LastModifiedByRef?.name ?? null,
    links: wire.LinkedTxn.map(({ TxnId, TxnType }) => ({ type: TxnType, id: TxnId })),
    // Lines of a payment only show what it was applied to; they move no money.
    lines:
      type === 'Payment'
        ? []
        : wire.Line.flatMap((line) => toLines(line, wire.ClassRef?.value, type === 'PurchaseOrder')),
    ...(type === 'Payment' && { covers: wire.Line.flatMap(toCovers) }),
  };
}

/** Returns what a line of a payment is applied to. */
const toCovers = ({ Amount, LinkedTxn }: QboLine): NonNullable<AccountingDocument['covers']> =>
  LinkedTxn.map(({ TxnId, TxnType }) => ({ type: TxnType, id: TxnId, amount: Amount ?? zero }));

/** A record that is created together with the document has no id in the body yet. */
const known = (id: string | null | undefined): string | null => (isThere(id) && /^\d+$/.test(id) ? id : null);
const idIn = (one: { readonly value: string } | null): string | null => known(one?.value);

/**
 * Returns the fingerprint of a stored body; null if it is not the body of a document. Only a response shows which values
 * are empty, the taxes and the accounts of items.
 */
export function bodyFingerprint(type: string, body: JsonObject): Fingerprint | null {
  const isResponse = body['MetaData'] !== undefined && qboDocument.safeParse(body).success;
  return isResponse ? fingerprintOf(toAccountingDocument(type, body)) : sentFingerprint(body);
}

function sentFingerprint(body: JsonObject): Fingerprint | null {
  const read = qboBody.safeParse(body);
  if (!read.success || !isCalendarDate(read.data.TxnDate)) return null;
  const { DocNumber, TxnDate, DueDate, CustomerRef, VendorRef, CurrencyRef, ExchangeRate } = read.data;
  const { DepartmentRef, ClassRef, Line } = read.data;
  return {
    datedOn: TxnDate,
    dueOn: toDueDay(DueDate),
    partyId: idIn(CustomerRef ?? VendorRef),
    number: DocNumber,
    currency: CurrencyRef?.value ?? null,
    ...(isThere(ExchangeRate) && { exchangeRate: ExchangeRate }),
    ...(isThere(DepartmentRef) && { locationId: DepartmentRef.value }),
    ...controlAccountOf(read.data),
    taxCodeId: read.data.TxnTaxDetail?.TxnTaxCodeRef?.value ?? null,
    lines: Line.flatMap((line) => toLines(line, ClassRef?.value)).map(
      ({ itemId, accountId, classId, taxCode, quantity, amount }) => ({
        itemId: known(itemId),
        accountId: known(accountId),
        classId,
        taxCode,
        quantity,
        amount,
      }),
    ),
  };
}

/** Returns the account of the payable or receivable, where QuickBooks has one per document. */
function controlAccountOf({
  APAccountRef: payable,
  ARAccountRef: receivable,
}: Pick<z.output<typeof qboBody>, 'APAccountRef' | 'ARAccountRef'>): Pick<AccountingDocument, 'controlAccountId'> {
  const account = payable ?? receivable;
  return isThere(account) ? { controlAccountId: account.value } : {};
}

const isThere = <T>(value: T | null | undefined): value is T => value !== null && value !== undefined;
const toDueDay = (text: string | null | undefined) => (isThere(text) && isCalendarDate(text) ? text : null);

/**
 * Returns lines that move money, each with its own class or the document's; a bundle is replaced by its lines.
 *
 * @param hasIds whether other documents refer to the lines
 */
function toLines(line: QboLine, documentClassId: string | undefined, hasIds = false): AccountingLine[] {
  if (isThere(line.GroupLineDetail))
    return (line.GroupLineDetail.Line ?? []).flatMap((part) =>
      toLines(readShape('read a bundle', qboLine, part), documentClassId),
    );
  const detail =
    line.SalesItemLineDetail ??
    line.ItemBasedExpenseLineDetail ??
    line.AccountBasedExpenseLineDetail ??
    line.JournalEntryLineDetail ??
    line.DiscountLineDetail;
  if (!isThere(detail) || !isThere(line.Amount)) return [];
  const orderLines = line.LinkedTxn.flatMap(({ TxnId, TxnType, TxnLineId = null }) =>
    TxnType === 'PurchaseOrder' ? [{ orderId: TxnId, lineId: TxnLineId }] : [],
  );
  const isTaken = isThere(line.DiscountLineDetail) || detail.PostingType === 'Credit';
  return [
    {
      description: line.Description,
      itemId: detail.ItemRef?.value ?? null,
      accountId: (detail.AccountRef ?? detail.DiscountAccountRef)?.value ?? null,
      ...(isThere(line.DiscountLineDetail) && { isDiscount: true }),
      ...(isThere(detail.ItemAccountRef) && { itemAccountId: detail.ItemAccountRef.value }),
      classId: detail.ClassRef?.value ?? documentClassId ?? null,
      taxCode: detail.TaxCodeRef?.value ?? null,
      quantity: detail.Qty ?? null,
      unitPrice: detail.UnitPrice ?? null,
      amount: isTaken ? negate(line.Amount) : line.Amount,
      partyId: (detail.CustomerRef ?? detail.Entity?.EntityRef)?.value ?? null,
      ...(hasIds && isThere(line.Id) && { id: line.Id }),
      ...(orderLines.length === 0 ? {} : { orderLines }),
    },
  ];
}

/**
 * Lists documents of several types that are dated in a period. One batch reads the first page of each type, and the
 * first three pages of invoices. If those pages are full, further pages of a type are read one by one.
 */
export async function listDocuments(
  api: QuickbooksApi,
  { from, through }: ReportPeriod,
  types: readonly AccountingDocumentType[],
  customerId?: string,
): Promise<AccountingDocument[]> {
  return listWhere(api, types, [
    `TxnDate >= '${from}'`,
    `TxnDate <= '${through}'`,
    ...(customerId === undefined ? [] : [equalText('CustomerRef', customerId)]),
  ]);
}

/** Lists documents of several types that were changed since a time, in the same way. */
export const listChangedDocuments = (
  api: QuickbooksApi,
  since: Instant,
  types: readonly AccountingDocumentType[],
  onUnreadable?: (record: Unreadable) => void,
): Promise<AccountingDocument[]> => listWhere(api, types, [`MetaData.LastUpdatedTime >= '${since}'`], onUnreadable);

async function listWhere(
  api: QuickbooksApi,
  types: readonly AccountingDocumentType[],
  where: readonly string[],
  onUnreadable?: (record: Unreadable) => void,
): Promise<AccountingDocument[]> {
  const operation = 'list documents';
  const pages = await firstPages(
    api,
    operation,
    types.map((type) => ({ type, where, pages: type === 'Invoice' ? 3 : 1 })),
  );
  const found: AccountingDocument[] = [];
  for (const type of types) {
    const reading = { operation: `list ${type}`, where, first: pages(type), onUnreadable, isDecisive: true };
    const rows = await select(api, type, reading);
    found.push(...rows.map((row) => toAccountingDocument(type, row)));
  }
  return found;
}

/**
 * Reads the first pages of several lists in one call. As in {@link select}, each page begins with the last row of the
 * previous one. If it does not, rows moved in the meantime, and only the earlier pages are used.
 */
export async function firstPages(
  api: QuickbooksApi,
  operation: string,
  lists: readonly { readonly type: string; readonly where: readonly string[]; readonly pages: number }[],
): Promise<(type: string) => FirstRows | undefined> {
  const nameOf = (type: string, page: number) => (page === 0 ? type : `${type} ${page + 1}`);
  const queries = lists.flatMap(({ type, where, pages }) =>
    Array.from({ length: pages }, (_, page) => ({
      bId: nameOf(type, page),
      Query: pageStatement(type, where, { position: page * (pageSize - 1) + 1 }),
    })),
  );
  const answer = await api.read({
    operation,
    path: 'batch',
    body: JSON.stringify({ BatchItemRequest: queries }),
    items: queries.length,
  });
  const listed = answer['BatchItemResponse'];
  if (!Array.isArray(listed)) throw wrongShape(operation, 'QuickBooks returned no items of the batch.');
  const items = new Map(listed.filter((item: unknown) => isRecord(item)).map((item) => [String(item['bId']), item]));
  return (type) => {
    const count = lists.find((one) => one.type === type)?.pages ?? 0;
    let rows: readonly JsonRecord[] = [];
    for (let page = 0; page < count; page += 1) {
      const next = pageOf(operation, type, items.get(nameOf(type, page)));
      if (next === null && page === 0) return undefined;
      if (next === null || (page > 0 && next[0]?.['Id'] !== rows.at(-1)?.['Id'])) break;
      rows = [...rows, ...(page === 0 ? next : next.slice(1))];
      if (next.length < pageSize) return isDistinct(rows) ? { rows, isWhole: true } : undefined;
    }
    return { rows, isWhole: false };
  };
}

const isDistinct = (rows: readonly JsonRecord[]): boolean => new Set(rows.map(({ Id }) => Id)).size === rows.length;

/** Returns the rows of a page; null if QuickBooks refused its query, which is then made again without the others. */
function pageOf(operation: string, type: string, item: JsonRecord | undefined): readonly JsonRecord[] | null {
  if (item === undefined) throw wrongShape(operation, `QuickBooks omitted ${type} from its response to the batch.`);
  const fault = faultOfItem(operation, item);
  if (fault?.about.next === 'refuse') return null;
  if (fault !== null) throw fault;
  const response = item['QueryResponse'];
  const rows: unknown = isRecord(response) ? (response[type] ?? []) : undefined;
  if (!Array.isArray(rows) || !rows.every((row) => isRecord(row)))
    throw wrongShape(operation, `QuickBooks returned no rows of ${type}.`);
  return rows;
}

/**
 * Returns documents by reference; deleted ones are left out.
 *
 * @param around returns the ids of a type to read now, and what to do with unreadable ones
 */
export async function readDocuments(
  api: QuickbooksApi,
  references: readonly SalesReference[],
  around: (type: string, wanted: readonly SalesReference[]) => ReturnType<typeof unreadableIds>,
): Promise<AccountingDocument[]> {
  const found: AccountingDocument[] = [];
  for (const [type, wanted] of Map.groupBy(references, (one) => one.type)) {
    const operation = `read ${type}`;
    const { ids, options } = around(type, wanted);
    for (const where of idLists(ids))
      for (const row of await select(api, type, { operation, where: [where], ...options }))
        found.push(toAccountingDocument(type, row));
  }
  return found;
}
