import type { JsonObject } from '#core/values/json.ts';

/**
 * Index into the documents that exist when the step is played; counted round, so that every number means one, and from
 * the newest when it is negative.
 */
export type Pick = number;

/** The requests affected by a fault, as a regular expression over their paths. */
export type Target = { readonly service: 'psa' | 'books'; readonly path: string };

/** The fault of a request. */
export type Strike =
  | { readonly reset: 'before' | 'after' }
  | { readonly reset: 'late'; readonly apply_after_seconds: number }
  | { readonly status: number; readonly apply?: true }
  | { readonly truncate: number };

export type AskedKind = 'invoices' | 'purchase-orders' | 'expense-reports' | 'payments' | 'voids';

/** One thing that happens: to the time, to a worker, on the wire, or by a person's hand. */
export type Step =
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'work'; readonly worker: 'a' | 'b' }
  /** A worker crashes at the n-th named effect of its turn. */
  | {
      readonly do: 'die';
      readonly worker: 'a' | 'b';
      readonly effect: number;
      readonly moment: 'before' | 'after';
      /** Regular expression for the names that count; all of them by default. */
      readonly at?: string;
    }
  /** A worker is paused at the n-th named effect of its turn until another holds its tenant, then resumes. */
  | {
      readonly do: 'stand_still';
      readonly worker: 'a' | 'b';
      readonly effect: number;
      readonly moment: 'before' | 'after';
      /** Regular expression for the names that count; all of them by default. */
      readonly at?: string;
    }
  | { readonly do: 'strike'; readonly at: Target; readonly skip: number; readonly times: number; readonly by: Strike }
  | {
      readonly do: 'bill';
      readonly company: Pick;
      readonly cents: readonly number[];
      readonly isTaxed: boolean;
      readonly isCredit?: true;
    }
  | { readonly do: 'order' | 'report'; readonly cents: number }
  | { readonly do: 'void_in_psa' | 'change_in_psa' | 'note_paid' | 'take_paid_back'; readonly invoice: Pick }
  | { readonly do: 'pay' | 'pay_part' | 'bounce' | 'void_in_books' | 'delete_in_books'; readonly invoice: Pick }
  | { readonly do: 'change_in_books'; readonly invoice: Pick }
  | { readonly do: 'clear' | 'sync' | 'sync_again'; readonly invoice: Pick }
  /** A user tests a document, and later posts exactly the reviewed result. */
  | { readonly do: 'test' | 'post_reviewed'; readonly invoice: Pick }
  /** A posted document is updated to match the PSA, or the difference is billed. */
  | { readonly do: 'update_books' | 'bill_difference'; readonly invoice: Pick }
  /** A user deletes a document that bills a difference. */
  | { readonly do: 'delete_difference'; readonly invoice: Pick; readonly which: Pick }
  | { readonly do: 'sync_all'; readonly kind: AskedKind }
  | { readonly do: 'delete_order' | 'delete_report'; readonly which: Pick }
  /** A purchase order or an expense report is synced by hand, another document of it is asked for, or its status cleared. */
  | { readonly do: 'sync_purchase' | 'sync_purchase_again' | 'clear_purchase'; readonly which: Pick }
  /** A user changes a setting; all settings are restored at the end. */
  | { readonly do: 'set'; readonly change: JsonObject }
  /** A user approves all documents that wait for approval. */
  | { readonly do: 'approve' }
  /** The clock of one service is ahead of all others. */
  | { readonly do: 'skew'; readonly service: 'psa' | 'books'; readonly seconds: number }
  /** The PSA's database is saved, and later restored: invoice ids are reused. */
  | { readonly do: 'backup_psa' | 'restore_psa' }
  /** QuickBooks ends our access, or a person does; a person connects again. */
  | { readonly do: 'revoke' | 'disconnect' | 'reconnect' }
  /** Every connection to the database is cut. */
  | { readonly do: 'cut_database' }
  /** Our database is saved, and later restored: changes in between are lost. */
  | { readonly do: 'backup' | 'restore' };

/** A step as a line of a report. */
export const stepText = (step: Step): string => JSON.stringify(step);
