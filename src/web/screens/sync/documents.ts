import { type SubmittableKind } from '#core/kinds.ts';
import type { clearableEntities } from '#contract/psa.ts';
import { type SyncStatus, syncStatusOf } from '#core/sync-status.ts';
import { asText } from '../../data/json.ts';

/** One row of a sync screen, parsed from the PSA’s response. Missing fields are null. */
export interface PsaDocument {
  readonly id: number;
  readonly status: SyncStatus;
  /** Invoice number, order number, or report name. */
  readonly name: string | null;
  /** Our reference in the PSA: external PO number, reference number, or invoice number. */
  readonly reference: string | null;
  /** Decimal text. */
  readonly total: string | null;
  /** When it was created, or for a report, submitted; with or without a time. */
  readonly createdAt: string | null;
  /** Invoices: when the invoice was exported. */
  readonly syncedAt: string | null;
  /** Invoices: when the invoice was paid. */
  readonly paidOn: string | null;
  readonly memo: string | null;
  /** Invoices: the date, with or without a time. */
  readonly invoicedAt: string | null;
}

/** The PSA’s entity of each kind, and the fields that the screen uses. */
export const psaEntities = {
  invoice: {
    entity: 'Invoices',
    fields: [
      'id',
      'invoiceNumber',
      'webServiceDate',
      'invoiceTotal',
      'createDateTime',
      'paidDate',
      'isVoided',
      'invoiceDateTime',
    ],
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

/** Parses one row of the PSA’s response; returns null if it has no id. */
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
    createdAt: asText(row['createDateTime']) ?? asText(row['submitDate']),
    syncedAt: exportedAt,
    paidOn: asText(row['paidDate']),
    memo: asText(row['generalMemo']),
    invoicedAt: asText(row['invoiceDateTime']),
  };
}

const nameFields = { invoice: 'invoiceNumber', purchase_order: 'purchaseOrderNumber', expense_report: 'name' } as const;
const referenceFields = {
  invoice: 'invoiceNumber',
  purchase_order: 'externalPONumber',
  expense_report: 'quickBooksReferenceNumber',
} as const;
