import type { Kind } from '#core/kinds.ts';
import type { JsonObject } from '#core/values/json.ts';

/** Web applications by the host of the API for the same companies. */
const applications: Readonly<Record<string, string>> = {
  'quickbooks.api.intuit.com': 'https://app.qbo.intuit.com',
  'sandbox-quickbooks.api.intuit.com': 'https://app.sandbox.qbo.intuit.com',
};
const paths: Readonly<Record<string, string>> = {
  Invoice: 'invoice',
  CreditMemo: 'creditmemo',
  PurchaseOrder: 'purchaseorder',
  Bill: 'bill',
};

const listPaths: Readonly<Record<Kind, string>> = {
  invoice: 'invoices',
  payment: 'invoices',
  void: 'invoices',
  difference: 'sales',
  // Also lists purchase orders.
  purchase_order: 'expenses',
  expense_report: 'bills',
};

/**
 * Returns the URL of the page where QuickBooks lists documents of a kind; null for hosts other than QuickBooks' own.
 */
export function quickbooksListPage(apiUrl: string, kind: Kind): string | null {
  const application = applications[new URL(apiUrl).host];
  return application === undefined ? null : `${application}/app/${listPaths[kind]}`;
}

/** Returns the type of a document stored with a log entry; a credit memo is recognized by its remaining credit. */
export function typeOfStored(kind: Kind, document: JsonObject): string {
  switch (kind) {
    case 'purchase_order':
      return 'PurchaseOrder';
    case 'expense_report':
      return 'Bill';
    case 'invoice':
    case 'payment':
    case 'void':
    case 'difference':
      return document['RemainingCredit'] === undefined ? 'Invoice' : 'CreditMemo';
    default:
      return kind satisfies never;
  }
}

/**
 * Returns the URL of the page where QuickBooks shows a document. The user must be signed in there, to the same company.
 *
 * @param apiUrl the API's address; for hosts other than QuickBooks' own, the result is null
 */
export function quickbooksPage(apiUrl: string, kind: Kind, document: JsonObject): string | null {
  const application = applications[new URL(apiUrl).host];
  const path = paths[typeOfStored(kind, document)];
  const id = document['Id'];
  if (application === undefined || path === undefined || typeof id !== 'string') return null;
  return `${application}/app/${path}?txnId=${encodeURIComponent(id)}`;
}
