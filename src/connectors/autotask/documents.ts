import type { Invoice, InvoiceHead } from '#core/documents/invoice.ts';
import { inParallel } from '#core/in-parallel.ts';
import { employeeNameOf } from '#core/planning/choose-party.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { InvoiceChange, InvoiceSearch, Psa } from '#core/ports/psa.ts';
import { addDays, type CalendarDate } from '#core/values/dates.ts';
import { type AutotaskApi, type Condition, type Filter, queryAll, queryIn, type WriteFields } from './api.ts';
import type { JsonRecord } from './errors.ts';
import { orEmpty } from './reference-data.ts';
import {
  approvedReport,
  submittedOrders,
  toBillingLabels,
  toCategoryNames,
  toDate,
  toExpenseItem,
  toExpenseReport,
  toExpenseReportHead,
  toInvoice,
  toInvoiceHead,
  toInvoiceLine,
  toPurchaseOrder,
  toPurchaseOrderHead,
} from './translate.ts';
import {
  atBillingItem,
  atCharge,
  atExpenseItem,
  atExpenseReport,
  atInvoice,
  atPurchaseOrder,
  atPurchaseOrderItem,
  atReceipt,
  atResource,
  type Fields,
  readRows,
} from './wire.ts';

interface InvoiceAccess {
  readonly api: AutotaskApi;
  readonly logger: Logger;
  readonly fields: (entity: string) => Promise<Fields>;
  /** IANA name of the time zone in which the PSA dates its documents. */
  readonly timeZone: string;
}

/** Returns the heads of the invoices that one of the searches wants; the ids of the first search apply to all. */
export async function findInvoices(
  { api, timeZone }: InvoiceAccess,
  searches: readonly InvoiceSearch[],
): Promise<InvoiceHead[]> {
  const query = { operation: 'find invoices', filter: anyFilter(searches) };
  const ids = searches[0]?.ids;
  const rows =
    ids === undefined ? await queryAll(api, 'Invoices', query) : await queryIn(api, 'Invoices', 'id', ids, query);
  return readRows(query.operation, atInvoice, rows).map((row) => toInvoiceHead(row, timeZone));
}

/** Returns products by charge: charges reference the product sold, and billing items reference only the charge. */
async function productsByCharge(
  sources: InvoiceAccess,
  entity: string,
  chargeIds: readonly (number | null)[],
): Promise<Map<number, number>> {
  const ids = chargeIds.filter((id) => id !== null);
  if (ids.length === 0) return new Map();
  const operation = `read ${entity}`;
  const columns = { operation, filter: [], fields: ['id', 'productID'] };
  const rows = await orEmpty(sources, entity, () => queryIn(sources.api, entity, 'id', ids, columns));
  return new Map(
    readRows(operation, atCharge, rows).flatMap(({ id, productID }) => (productID === null ? [] : [[id, productID]])),
  );
}

/** Returns invoices with their lines. */
export async function readInvoices(sources: InvoiceAccess, ids: readonly number[]): Promise<Invoice[]> {
  if (ids.length === 0) return [];
  const { api, fields, timeZone } = sources;
  const operation = 'read invoices';
  const [heads, items, billingFields] = await inParallel([
    queryIn(api, 'Invoices', 'id', ids, { operation, filter: [] }),
    queryIn(api, 'BillingItems', 'invoiceID', ids, { operation: 'read invoice lines', filter: [] }),
    fields('BillingItems'),
  ]);
  const wire = readRows('read invoice lines', atBillingItem, items);
  const labels = toBillingLabels(billingFields.list);
  const [ticket, project, contract] = await inParallel([
    productsByCharge(
      sources,
      'TicketCharges',
      wire.map((item) => item.ticketChargeID),
    ),
    productsByCharge(
      sources,
      'ProjectCharges',
      wire.map((item) => item.projectChargeID),
    ),
    productsByCharge(
      sources,
      'ContractCharges',
      wire.map((item) => item.contractChargeID),
    ),
  ]);
  const lines = Map.groupBy(wire, (item) => item.invoiceID);
  return readRows(operation, atInvoice, heads).map((head) => {
    const own = lines.get(head.id) ?? [];
    const translated = own.map((item) => toInvoiceLine(item, labels, { ticket, project, contract }, timeZone));
    return toInvoice(head, translated, timeZone);
  });
}

/** Lines that are only read for their contract need no products. */
const noProducts = { ticket: new Map(), project: new Map(), contract: new Map() };

/** Returns the invoices of contracts, with the lines of these contracts only. */
export async function readContractInvoices(
  { api, fields, timeZone }: InvoiceAccess,
  contractIds: readonly number[],
): Promise<Invoice[]> {
  if (contractIds.length === 0) return [];
  const operation = 'read invoices of contracts';
  const filter = [{ op: 'gt', field: 'invoiceID', value: 0 }];
  const [items, billingFields] = await inParallel([
    queryIn(api, 'BillingItems', 'contractID', contractIds, { operation, filter }),
    fields('BillingItems'),
  ]);
  const labels = toBillingLabels(billingFields.list);
  const lines = Map.groupBy(readRows(operation, atBillingItem, items), (item) => item.invoiceID);
  const heads =
    lines.size === 0
      ? []
      : await queryIn(api, 'Invoices', 'id', [...lines.keys()], {
          operation,
          filter: searchFilter({ voided: false }),
        });
  return readRows(operation, atInvoice, heads).map((head) => {
    const own = lines.get(head.id) ?? [];
    const translated = own.map((item) => toInvoiceLine(item, labels, noProducts, timeZone));
    return toInvoice(head, translated, timeZone);
  });
}

/** Returns a filter that matches every row that one of the searches wants. */
function anyFilter(searches: readonly InvoiceSearch[]): readonly Filter[] {
  const filters = searches.map(searchFilter);
  const [only] = filters;
  if (filters.length === 1 && only !== undefined) return only;
  return [{ op: 'or', items: filters.map((items) => ({ op: 'and', items })) }];
}

function searchFilter(search: InvoiceSearch): Filter[] {
  return [
    ...(search.voided === undefined ? [] : [{ op: search.voided ? 'eq' : 'noteq', field: 'isVoided', value: true }]),
    ...(search.createdFrom === undefined ? [] : [{ op: 'gte', field: 'createDateTime', value: search.createdFrom }]),
    ...(search.voidedFrom === undefined ? [] : [{ op: 'gte', field: 'voidedDate', value: search.voidedFrom }]),
    ...(search.paidFrom === undefined
      ? []
      : [{ op: 'gte', field: 'paidDate', value: `${search.paidFrom}T00:00:00.000Z` }]),
    ...(search.dated === undefined ? [] : datedWithin(search.dated)),
    ...(search.unpaidThrough === undefined
      ? []
      : [unpaidAt(search.unpaidThrough), ...datedWithin({ through: search.unpaidThrough })]),
    ...(search.notExported === true ? [{ op: 'notExist', field: 'webServiceDate' }] : []),
    ...(search.exportedFrom === undefined ? [] : [{ op: 'gte', field: 'webServiceDate', value: search.exportedFrom }]),
  ];
}

const unpaidAt = (day: CalendarDate): Filter => ({
  op: 'or',
  items: [
    { op: 'notExist', field: 'paidDate' },
    { op: 'gte', field: 'paidDate', value: `${addDays(day, 1)}T00:00:00.000Z` },
  ],
});

/**
 * A timestamp may fall on the previous or next day in another time zone, so the range includes one more day on each
 * side.
 */
const datedWithin = ({ from, through }: { from?: CalendarDate; through: CalendarDate }): Condition[] => [
  ...(from === undefined ? [] : [{ op: 'gte', field: 'invoiceDateTime', value: `${addDays(from, -1)}T00:00:00.000Z` }]),
  { op: 'lte', field: 'invoiceDateTime', value: `${addDays(through, 1)}T23:59:59.999Z` },
];

/** Returns the fields of a change. Texts are cleared by `''`, dates by null (autotask reference section 6). */
export const toWrittenFields = (change: InvoiceChange) => ({
  ...(change.number !== undefined && { invoiceNumber: change.number }),
  ...(change.exportedAt !== undefined && { webServiceDate: change.exportedAt }),
  ...(change.paidOn !== undefined && { paidDate: change.paidOn === null ? null : `${change.paidOn}T00:00:00.000Z` }),
});

interface PurchasingAccess {
  readonly write: WriteFields;
  readonly api: AutotaskApi;
  readonly logger: Logger;
  /** IANA name of the time zone in which the PSA dates its documents. */
  readonly timeZone: string;
}

/** Returns the functions that find, read and write purchase orders. */
export function purchaseOrders(
  sources: PurchasingAccess,
): Pick<Psa, 'findPurchaseOrders' | 'readPurchaseOrders' | 'readReceipts' | 'writePurchaseOrder'> {
  const { api, timeZone } = sources;
  return {
    async findPurchaseOrders({ ids, createdFrom }) {
      const operation = 'find purchase orders';
      const heads = (rows: readonly JsonRecord[]) =>
        readRows(operation, atPurchaseOrder, rows).map((row) => toPurchaseOrderHead(row, timeZone));
      if (ids !== undefined) return heads(await queryIn(api, 'PurchaseOrders', 'id', ids, { operation, filter: [] }));
      const filter: Condition[] = [
        { op: 'in', field: 'status', value: submittedOrders },
        ...(createdFrom === undefined ? [] : [{ op: 'gte', field: 'createDateTime', value: createdFrom }]),
      ];
      // Without the procurement module there are no orders; some tenants answer with an error instead of an empty list.
      return heads(
        await orEmpty(sources, 'PurchaseOrders', () => queryAll(api, 'PurchaseOrders', { operation, filter })),
      );
    },

    async readPurchaseOrders(ids) {
      if (ids.length === 0) return [];
      const [orderOperation, lineOperation] = ['read purchase orders', 'read purchase order lines'];
      const [heads, items] = await inParallel([
        queryIn(api, 'PurchaseOrders', 'id', ids, { operation: orderOperation, filter: [] }),
        queryIn(api, 'PurchaseOrderItems', 'orderID', ids, { operation: lineOperation, filter: [] }),
      ]);
      const lines = Map.groupBy(readRows(lineOperation, atPurchaseOrderItem, items), ({ orderID }) => orderID);
      return readRows(orderOperation, atPurchaseOrder, heads).map((head) =>
        toPurchaseOrder(head, lines.get(head.id) ?? [], timeZone),
      );
    },

    async readReceipts(orderLineIds) {
      if (orderLineIds.length === 0) return [];
      const operation = 'read receipts';
      const rows = await orEmpty(sources, 'PurchaseOrderItemReceiving', () =>
        queryIn(api, 'PurchaseOrderItemReceiving', 'purchaseOrderItemID', orderLineIds, { operation, filter: [] }),
      );
      return readRows(operation, atReceipt, rows).flatMap(
        ({ purchaseOrderItemID, quantityNowReceiving, receiveDate }) => {
          const on = toDate(receiveDate, timeZone);
          return on === null ? [] : [{ lineId: purchaseOrderItemID, on, quantity: quantityNowReceiving }];
        },
      );
    },

    writePurchaseOrder: (id, { externalNumber }) =>
      sources.write({ entity: 'PurchaseOrders', noun: 'purchase order', id }, { externalPONumber: externalNumber }),
  };
}

/** Returns the functions that find, read and write expense reports, with items and submitter. */
export function expenseReports(
  sources: PurchasingAccess & { readonly fields: (entity: string) => Promise<Fields> },
): Pick<
  Psa,
  'findExpenseReports' | 'readExpenseReports' | 'readReimbursedExpenses' | 'readEmployeeNames' | 'writeExpenseReport'
> {
  const { api, timeZone } = sources;
  /** Reads employees, whether active or not. */
  const readPeople = async (ids: readonly number[]) => {
    const operation = 'read resources';
    const fields = ['id', 'firstName', 'lastName'];
    const rows = await orEmpty(sources, 'Resources', () =>
      queryIn(api, 'Resources', 'id', ids, { operation, filter: [], fields }),
    );
    return readRows(operation, atResource, rows);
  };
  return {
    async findExpenseReports({ ids, submittedFrom }) {
      const operation = 'find expense reports';
      const heads = (rows: readonly JsonRecord[]) =>
        readRows(operation, atExpenseReport, rows).map((row) => toExpenseReportHead(row, timeZone));
      if (ids !== undefined) return heads(await queryIn(api, 'ExpenseReports', 'id', ids, { operation, filter: [] }));
      const filter: Condition[] = [
        { op: 'eq', field: 'status', value: approvedReport },
        ...(submittedFrom === undefined ? [] : [{ op: 'gte', field: 'submitDate', value: submittedFrom }]),
      ];
      return heads(await queryAll(api, 'ExpenseReports', { operation, filter }));
    },

    async readExpenseReports(ids) {
      if (ids.length === 0) return [];
      const operation = { reports: 'read expense reports', items: 'read expense items' };
      const [heads, itemRows, itemFields] = await inParallel([
        queryIn(api, 'ExpenseReports', 'id', ids, { operation: operation.reports, filter: [] }),
        queryIn(api, 'ExpenseItems', 'expenseReportID', ids, { operation: operation.items, filter: [] }),
        sources.fields('ExpenseItems'),
      ]);
      const reports = readRows(operation.reports, atExpenseReport, heads);
      const submitterIds = reports.map(({ submitterID }) => submitterID);
      const submitters = new Map((await readPeople(submitterIds)).map((one) => [one.id, one]));
      const items = Map.groupBy(readRows(operation.items, atExpenseItem, itemRows), (item) => item.expenseReportID);
      const categories = toCategoryNames(itemFields.list);
      return reports.map((head) => {
        const submitter = submitters.get(head.submitterID) ?? null;
        return toExpenseReport(head, items.get(head.id) ?? [], { submitter, categories }, timeZone);
      });
    },

    async readEmployeeNames(ids) {
      const people = ids.length === 0 ? [] : await readPeople(ids);
      return people.flatMap(({ id, ...person }) => {
        const name = employeeNameOf(person);
        return name === '' ? [] : [{ id, name }];
      });
    },

    async readReimbursedExpenses(reportIds) {
      if (reportIds.length === 0) return [];
      const operation = 'read expense items';
      const rows = await queryIn(api, 'ExpenseItems', 'expenseReportID', reportIds, { operation, filter: [] });
      return readRows(operation, atExpenseItem, rows).flatMap((item) => {
        const { spentOn, amount, isReimbursable, isRejected } = toExpenseItem(item, new Map(), timeZone);
        return isReimbursable && !isRejected ? [{ reportId: item.expenseReportID, spentOn, amount }] : [];
      });
    },

    writeExpenseReport: (id, { reference }) =>
      sources.write({ entity: 'ExpenseReports', noun: 'expense report', id }, { quickBooksReferenceNumber: reference }),
  };
}
