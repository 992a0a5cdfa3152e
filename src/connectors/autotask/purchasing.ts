import { inParallel } from '#core/in-parallel.ts';
import { employeeNameOf } from '#core/planning/choose-party.ts';
import type { Logger } from '#core/ports/logger.ts';
import type { Psa } from '#core/ports/psa.ts';
import type { AutotaskApi } from './api.ts';
import type { JsonRecord } from './errors.ts';
import type { Fields } from './fields.ts';
import { queryAll, queryIn, type Condition } from './query.ts';
import { orEmpty } from './reference-data.ts';
import {
  approvedReport,
  submittedOrders,
  toCategoryNames,
  toExpenseItem,
  toExpenseReport,
  toExpenseReportHead,
  toPurchaseOrder,
  toPurchaseOrderHead,
} from './translate-purchasing.ts';
import { toDate } from './translate.ts';
import {
  atExpenseItem,
  atExpenseReport,
  atPurchaseOrder,
  atPurchaseOrderItem,
  atReceipt,
  atResource,
  readRows,
} from './wire.ts';
import type { WriteFields } from './write.ts';

interface Sources {
  readonly write: WriteFields;
  readonly api: AutotaskApi;
  readonly logger: Logger;
  /** IANA name of the time zone in which the PSA dates its documents. */
  readonly timeZone: string;
}

/** Returns the functions that find, read and write purchase orders. */
export function purchaseOrders(
  sources: Sources,
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
  sources: Sources & { readonly fields: (entity: string) => Promise<Fields> },
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
