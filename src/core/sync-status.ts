import type { Kind, SubmittableKind } from './kinds.ts';

/**
 * Status of a document from the PSA's text fields (domain reference 5.2, screens reference 2.4). The PSA has no field
 * for our sync status, so a reference or a sentinel carries it. All screens and rules read the status here.
 */
export const syncStatuses = {
  not_synced: 'Not Synced',
  syncing: 'Syncing',
  synced: 'Synced',
  error: 'Error',
} as const;

export type SyncStatus = keyof typeof syncStatuses;

/** Name of the PSA field that carries the status of each kind, for transcripts (domain reference 5.2). */
const fieldNames: Readonly<Record<Kind, string>> = {
  invoice: 'invoice number',
  purchase_order: 'external PO number',
  expense_report: 'QuickBooks reference number',
  payment: 'paid date',
  void: 'status',
  difference: 'total',
};
export const statusFieldOf = (kind: Kind): string => `PSA ${fieldNames[kind]}`;

/**
 * Returns the reference of a QuickBooks document for the PSA: its number, or its id without one. The number of an expense
 * report's bill is ours and tells the PSA nothing new, so its id identifies the bill.
 */
export const referenceOf = (
  kind: Kind,
  { number, id }: { readonly number: string | null; readonly id: string },
): string => (kind === 'expense_report' ? id : (number ?? id));

export const errorSentinel = 'ERROR';
export const inProcessSentinel = 'IN PROCESS';

/** Status fields of one document in the PSA; empty text, null and absent are the same. */
export interface StatusFields {
  /** Invoice number, external purchase order number or QuickBooks reference number. */
  readonly reference: string | null | undefined;
  /** Invoices: the web service date, in any format. */
  readonly exportedAt?: string | null | undefined;
}

export interface StatusRules {
  /** Invoices: the PSA's own number is used (`inv_numbering_option`), so a number alone does not mean synced. */
  readonly usesPsaNumber: boolean;
  /** An attempt for the document is running. */
  readonly isBusy?: boolean;
}

/** Removes the sentinels from the end of a reference; empty when there was no other text. */
export function withoutSentinel(reference: string): string {
  let text = reference.trim();
  for (;;) {
    const sentinel = [inProcessSentinel, errorSentinel].find((one) => text.endsWith(one));
    if (sentinel === undefined) return text;
    text = text.slice(0, -sentinel.length).trimEnd();
  }
}

/** Whether a failure or a running sync added a sentinel to the reference. */
export const hasSentinel = (reference: string): boolean => withoutSentinel(reference) !== reference.trim();

/** Returns the status to show for a document. */
export function syncStatusOf(kind: SubmittableKind, fields: StatusFields, rules: StatusRules): SyncStatus {
  if (rules.isBusy === true) return 'syncing';
  const reference = (fields.reference ?? '').trim();
  // Purchase orders have no running text: any text except the error sentinel is a reference.
  if (kind === 'purchase_order') {
    if (reference === errorSentinel) return 'error';
    return reference === '' ? 'not_synced' : 'synced';
  }
  if (kind === 'expense_report') {
    if (reference === errorSentinel) return 'error';
    if (reference === inProcessSentinel) return 'syncing';
    return reference === '' ? 'not_synced' : 'synced';
  }
  if (reference.endsWith(errorSentinel)) return 'error';
  if (rules.usesPsaNumber && (fields.exportedAt ?? '') !== '') return 'synced';
  if (reference.endsWith(inProcessSentinel)) return 'syncing';
  return rules.usesPsaNumber || reference === '' ? 'not_synced' : 'synced';
}

/**
 * Returns the text that “Clear Sync Status” writes into the reference field (domain reference 13). With the PSA's own
 * numbers the sync date is cleared as well.
 */
export function clearedReference(kind: SubmittableKind, reference: string, usesPsaNumber: boolean): string {
  return kind === 'invoice' && usesPsaNumber ? withoutSentinel(reference) : '';
}

/** Maximum length of an invoice number in the PSA. */
const maxReferenceLength = 100;

/**
 * Returns the text for the reference field after a failure that a person must fix. A valid reference remains unchanged
 * (a second posting failed and the first document is still in QuickBooks). So does a number that leaves no room for the
 * sentinel.
 */
export function errorMark(kind: SubmittableKind, fields: StatusFields, usesPsaNumber: boolean): string {
  const reference = (fields.reference ?? '').trim();
  if (syncStatusOf(kind, fields, { usesPsaNumber }) === 'synced') return reference;
  const number = kind === 'invoice' && usesPsaNumber ? withoutSentinel(reference) : '';
  if (number === '') return errorSentinel;
  const marked = `${number} ${errorSentinel}`;
  return marked.length > maxReferenceLength ? number : marked;
}
