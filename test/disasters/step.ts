import type { JsonObject } from '#core/values/json.ts';

/** Index into the documents that exist when the step runs, modulo their number; negative counts from the newest. */
export type Pick = number;

/** The requests affected by a fault, as a regular expression over their paths. */
export type Target = { readonly service: 'psa' | 'accounting'; readonly path: string };

/** The fault of a request. */
export type Fault =
  | { readonly reset: 'before' | 'after' }
  | { readonly reset: 'late'; readonly apply_after_seconds: number }
  | { readonly status: number; readonly apply?: true }
  | { readonly truncate: number };

export type SyncKind = 'invoices' | 'purchase-orders' | 'expense-reports' | 'payments' | 'voids';

/** One event: time, a worker, a fault, or a user action. */
export type Step =
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'work'; readonly worker: 'a' | 'b' }
  /** A worker crashes at the n-th named effect of its turn. */
  | {
      readonly do: 'crash';
      readonly worker: 'a' | 'b';
      readonly effect: number;
      readonly moment: 'before' | 'after';
      /** Regular expression that selects effects; default: all. */
      readonly at?: string;
    }
  /** A worker is paused at the n-th named effect of its turn until another holds its tenant, then resumes. */
  | {
      readonly do: 'freeze';
      readonly worker: 'a' | 'b';
      readonly effect: number;
      readonly moment: 'before' | 'after';
      /** Regular expression that selects effects; default: all. */
      readonly at?: string;
    }
  | { readonly do: 'fault'; readonly at: Target; readonly skip: number; readonly times: number; readonly by: Fault }
  | {
      readonly do: 'bill';
      readonly company: Pick;
      readonly cents: readonly number[];
      readonly isTaxed: boolean;
      readonly isCredit?: true;
    }
  | { readonly do: 'order' | 'report'; readonly cents: number }
  | {
      readonly do: 'void_in_autotask' | 'change_in_autotask' | 'set_paid_date' | 'remove_paid_date';
      readonly invoice: Pick;
    }
  | {
      readonly do: 'pay' | 'pay_part' | 'bounce' | 'void_in_quickbooks' | 'delete_in_quickbooks';
      readonly invoice: Pick;
    }
  | { readonly do: 'change_in_quickbooks'; readonly invoice: Pick }
  | { readonly do: 'clear' | 'sync' | 'sync_again'; readonly invoice: Pick }
  /** A user tests a document, and later posts exactly the reviewed result. */
  | { readonly do: 'test' | 'post_reviewed'; readonly invoice: Pick }
  /** A posted document is updated to match the PSA, or the difference is billed. */
  | { readonly do: 'update_in_quickbooks' | 'bill_difference'; readonly invoice: Pick }
  /** A user deletes a document that bills a difference. */
  | { readonly do: 'delete_difference'; readonly invoice: Pick; readonly which: Pick }
  | { readonly do: 'sync_all'; readonly kind: SyncKind }
  | { readonly do: 'delete_order' | 'delete_report'; readonly which: Pick }
  /** A purchase order or expense report is synced manually, forced, or its status is cleared. */
  | { readonly do: 'sync_purchase' | 'sync_purchase_again' | 'clear_purchase'; readonly which: Pick }
  /** A user changes a setting; all settings are restored at the end. */
  | { readonly do: 'set'; readonly change: JsonObject }
  /** A user approves all documents that wait for approval. */
  | { readonly do: 'approve' }
  /** The clock of one service is ahead of all others. */
  | { readonly do: 'skew'; readonly service: 'psa' | 'accounting'; readonly seconds: number }
  /** Autotask's database is backed up, and later restored; invoice ids are reused. */
  | { readonly do: 'backup_psa' | 'restore_psa' }
  /** QuickBooks revokes the access, or a user disconnects; a user reconnects. */
  | { readonly do: 'revoke' | 'disconnect' | 'reconnect' }
  /** Every connection to the database is cut. */
  | { readonly do: 'cut_database' }
  /** The product's database is backed up, and later restored; later changes are lost. */
  | { readonly do: 'backup' | 'restore' };

/** Formats a step for a report. */
export const stepText = (step: Step): string => JSON.stringify(step);
