import type { ExpenseReport } from '../documents/expense-report.ts';
import type { Invoice } from '../documents/invoice.ts';
import type { PurchaseOrder } from '../documents/purchase-order.ts';
import { absolute, plus, times, zero, type Decimal } from '../values/decimal.ts';
import { textOrNull } from '../values/text.ts';
import type { MappingNamespace } from './mapping.ts';

/**
 * Amount and number of documents of one PSA record: amounts without tax in the PSA's own currency, credits counted as
 * positive.
 */
export interface Usage {
  readonly amount: Decimal;
  /** The part of the amount on documents that are not synced yet. */
  readonly waiting: Decimal;
  readonly documents: number;
}

/** Usage by namespace, then by the record's id. */
export type UsageTable = Readonly<Partial<Record<MappingNamespace, Readonly<Record<string, Usage>>>>>;

/** Number of past days that usage covers. */
export const usageDays = 90;

/** Totals the usage of each record that can be mapped, so that screens list the most important mappings first. */
export function usageOf(documents: {
  readonly invoices: readonly Invoice[];
  readonly purchaseOrders: readonly PurchaseOrder[];
  readonly expenseReports: readonly ExpenseReport[];
}): UsageTable {
  const table: Partial<Record<MappingNamespace, Record<string, Usage>>> = {};
  const add = (
    namespace: MappingNamespace,
    id: number | string | null,
    amount: Decimal,
    isWaiting: boolean,
    isNew: boolean,
  ) => {
    if (id === null) return;
    const own = (table[namespace] ??= {});
    const before = own[id] ?? { amount: zero, waiting: zero, documents: 0 };
    own[id] = {
      amount: plus(before.amount, absolute(amount)),
      waiting: isWaiting ? plus(before.waiting, absolute(amount)) : before.waiting,
      documents: before.documents + (isNew ? 1 : 0),
    };
  };
  /** Returns a function that is true the first time a document refers to a record. */
  const once = () => {
    const seen = new Set<string>();
    return (key: string): boolean => !seen.has(key) && seen.add(key) !== null;
  };
  for (const invoice of documents.invoices) {
    if (invoice.isVoided) continue;
    const isFirst = once();
    const isWaiting = invoice.exportedAt === null;
    const region = textOrNull(invoice.taxRegionName);
    for (const line of invoice.lines) {
      const { internalAmount: amount } = line;
      add('Customer', invoice.companyId, amount, isWaiting, isFirst('company'));
      add('ItemBilling', line.billingCodeId, amount, isWaiting, isFirst(`code ${line.billingCodeId}`));
      add('LineOfBusiness', line.lineOfBusinessId, amount, isWaiting, isFirst(`line ${line.lineOfBusinessId}`));
      add('Location', line.lineOfBusinessId, amount, isWaiting, isFirst(`location ${line.lineOfBusinessId}`));
      add('TaxRegion', region, amount, isWaiting, isFirst('region'));
    }
  }
  for (const order of documents.purchaseOrders) {
    const isFirst = once();
    const isWaiting = order.externalNumber === '';
    for (const line of order.lines) {
      const amount = times(line.quantity, line.internalUnitCost ?? zero);
      add('Vendor', order.vendorId, amount, isWaiting, isFirst('vendor'));
      add('ItemPurchasing', line.productId, amount, isWaiting, isFirst(`product ${line.productId}`));
    }
  }
  for (const report of documents.expenseReports) {
    const isFirst = once();
    for (const item of report.items) {
      add('Employee', report.submitterId, item.amount, report.reference === '', isFirst('employee'));
      const namespace = item.isBillable ? 'ExpenseCategoryBillable' : 'ExpenseCategoryNonBillable';
      add(namespace, item.categoryId, item.amount, report.reference === '', isFirst(`${namespace} ${item.categoryId}`));
    }
  }
  return table;
}
