import { type SubmittableKind } from '#core/kinds.ts';
import type { clearableEntities } from '#contract/psa.ts';
import { type SyncStatus, syncStatusOf } from '#core/sync-status.ts';

/** One row of a sync screen, read from the PSA's own answer; what is missing there is null here. */
export interface PsaDocument {
  readonly id: number;
  readonly status: SyncStatus;
  /** Invoice number, order number or the name of a report. */
  readonly name: string | null;
  /** Our reference as the PSA holds it: external number or reference number; of invoices the number itself. */
  readonly reference: string | null;
  /** Decimal text; null where the PSA's list does not say it. */
  readonly total: string | null;
  /** When it was created, of a report when it was submitted; a text with or without a time. */
  readonly madeAt: string | null;
  /** Invoices: when they were exported. */
  readonly syncedAt: string | null;
  /** Invoices: the day on which they were paid. */
  readonly paidOn: string | null;
  readonly memo: string | null;
}

/** The PSA's name for the documents of each kind, and the fields of them that the screen reads. */
export const psaEntities = {
  invoice: {
    entity: 'Invoices',
    fields: ['id', 'invoiceNumber', 'webServiceDate', 'invoiceTotal', 'createDateTime', 'paidDate', 'isVoided'],
  },
  purchase_order: {
    entity: 'PurchaseOrders',
    fields: ['id', 'purchaseOrderNumber', 'externalPONumber', 'createDateTime', 'generalMemo', 'status'],
  },
  expense_report: {
    entity: 'ExpenseReports',
    fields: ['id', 'name', 'quickBooksReferenceNumber', 'submitDate', 'status', 'amountDue'],
  },
} as const satisfies Record<
  SubmittableKind,
  { readonly entity: (typeof clearableEntities)[number]; readonly fields: readonly string[] }
>;

/** Reads one row of the PSA's answer; null for what has no id. */
export function readPsaDocument(
  kind: SubmittableKind,
  row: Readonly<Record<string, unknown>>,
  usesPsaNumber: boolean,
): PsaDocument | null {
  const id = Number(row['id']);
  if (!Number.isInteger(id)) return null;
  const reference = asText(row[referenceFields[kind]]);
  const exportedAt = asText(row['webServiceDate']);
  return {
    id,
    status: syncStatusOf(kind, { reference, exportedAt }, { usesPsaNumber }),
    name: asText(row[nameFields[kind]]),
    reference,
    total: asText(row['invoiceTotal']) ?? asText(row['amountDue']),
    madeAt: asText(row['createDateTime']) ?? asText(row['submitDate']),
    syncedAt: exportedAt,
    paidOn: asText(row['paidDate']),
    memo: asText(row['generalMemo']),
  };
}

const nameFields = { invoice: 'invoiceNumber', purchase_order: 'purchaseOrderNumber', expense_report: 'name' } as const;
const referenceFields = {
  invoice: 'invoiceNumber',
  purchase_order: 'externalPONumber',
  expense_report: 'quickBooksReferenceNumber',
} as const;

const asText = (value: unknown): string | null =>
  typeof value === 'number' || (typeof value === 'string' && value !== '') ? String(value) : null;
