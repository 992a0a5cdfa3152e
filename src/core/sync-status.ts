import type { Kind, SubmittableKind } from './kinds.ts';

/**
 * Status of a document by the text fields of the PSA (domain reference 5.2, screens reference 2.4). The PSA has no
 * status field for us, so a reference or a sentinel carries it; screens and rules read it here, and only here.
 */
export const syncStatuses = {
  not_synced: 'Not Synced',
  syncing: 'Syncing',
  synced: 'Synced',
  error: 'Error',
} as const;

export type SyncStatus = keyof typeof syncStatuses;

/** Name of the field that carries the status of a kind, for transcripts (domain reference 5.2). */
const fieldNames: Readonly<Record<Kind, string>> = {
  invoice: 'invoice number',
  purchase_order: 'external PO number',
  expense_report: 'QuickBooks reference number',
  payment: 'paid date',
  void: 'status',
  difference: 'total',
};
export const statusFieldOf = (kind: Kind): string => `PSA ${fieldNames[kind]}`;

export const errorSentinel = 'ERROR';
export const inProcessSentinel = 'IN PROCESS';

/** Status fields of one document in the PSA; empty text, null and absence mean the same. */
export interface StatusFields {
  /** Invoice number, external purchase order number or QuickBooks reference number. */
  readonly reference: string | null | undefined;
  /** Invoices: the web service date, in any form. */
  readonly exportedAt?: string | null | undefined;
}

export interface StatusRules {
  /** Invoices: the PSA's own number is used (`inv_numbering_option`), so a number alone says nothing. */
  readonly usesPsaNumber: boolean;
  /** An attempt of ours is under way for the document. */
  readonly isBusy?: boolean;
}

const sentinel = /(?:\s*(?:IN PROCESS|ERROR))+$/;

/** A reference as it was before a sentinel was put behind it; empty when there was nothing else. */
export const withoutSentinel = (reference: string): string => reference.trim().replace(sentinel, '').trim();

/** True when a failure or a run has left its word behind the reference. */
export const hasSentinel = (reference: string): boolean => sentinel.test(reference.trim());

/** The status to show for a document. */
export function syncStatusOf(kind: SubmittableKind, fields: StatusFields, rules: StatusRules): SyncStatus {
  if (rules.isBusy === true) return 'syncing';
  const reference = (fields.reference ?? '').trim();
  // Orders carry no running mark: whatever stands there but the sentinel is a reference.
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
 * Text that “Clear Sync Status” writes into the reference field (domain reference 13). With the PSA's own numbers the
 * sync date is emptied as well.
 */
export function clearedReference(kind: SubmittableKind, reference: string, usesPsaNumber: boolean): string {
  return kind === 'invoice' && usesPsaNumber ? withoutSentinel(reference) : '';
}

/** Longest invoice number that the PSA holds. */
const maxReferenceLength = 100;

/**
 * Mark that the reference field gets after a failure that a person must mend.
 *
 * A document that carries a good reference already (a second posting was asked for and failed) keeps it: the first
 * one is still in the books. So does a number that leaves no room for the sentinel.
 */
export function errorMark(kind: SubmittableKind, fields: StatusFields, usesPsaNumber: boolean): string {
  const reference = (fields.reference ?? '').trim();
  if (syncStatusOf(kind, fields, { usesPsaNumber }) === 'synced') return reference;
  const number = kind === 'invoice' && usesPsaNumber ? withoutSentinel(reference) : '';
  if (number === '') return errorSentinel;
  const marked = `${number} ${errorSentinel}`;
  return marked.length > maxReferenceLength ? number : marked;
}
