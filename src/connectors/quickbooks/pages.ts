import type { Kind } from '#core/kinds.ts';
import type { JsonObject } from '#core/values/json.ts';

/** Applications for people, by the host of the API that serves the same companies. */
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
  // Lists purchase orders, too.
  purchase_order: 'expenses',
  expense_report: 'bills',
};

/** Address of the page on which QuickBooks lists the documents of a kind; null for hosts other than QuickBooks' own. */
export function quickbooksListPage(apiUrl: string, kind: Kind): string | null {
  const application = applications[new URL(apiUrl).host];
  return application === undefined ? null : `${application}/app/${listPaths[kind]}`;
}

/** The type of a document that a log entry keeps; a credit memo tells itself by what is left of it. */
export function typeOfKept(kind: Kind, document: JsonObject): string {
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
 * Address of the page on which QuickBooks shows a document to people. The person has to be signed in there, to the same
 * company.
 *
 * @param apiUrl where the API is; null is answered for hosts other than QuickBooks' own
 */
export function quickbooksPage(apiUrl: string, kind: Kind, document: JsonObject): string | null {
  const application = applications[new URL(apiUrl).host];
  const path = paths[typeOfKept(kind, document)];
  const id = document['Id'];
  if (application === undefined || path === undefined || typeof id !== 'string') return null;
  return `${application}/app/${path}?txnId=${encodeURIComponent(id)}`;
}
