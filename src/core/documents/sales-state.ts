import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';

/** An invoice or a credit memo as the books hold it now. Amounts are in the document's own currency. */
export interface SalesState {
  readonly type: string;
  readonly id: string;
  readonly syncToken: string;
  readonly number: string | null;
  readonly customer: { readonly id: string; readonly name: string | null };
  readonly datedOn: CalendarDate;
  /** Tax included. */
  readonly total: Decimal;
  readonly tax: Decimal;
  /** Amount still open of an invoice, or not yet applied of a credit memo. */
  readonly balance: Decimal;
  /** ISO 4217; null when the books keep one currency only. */
  readonly currency: string | null;
  readonly isVoided: boolean;
  /** The document was mailed to the customer. */
  readonly isMailed: boolean;
  readonly privateNote: string | null;
  readonly changedAt: Instant;
  /** Payments, credits and journal entries that were applied to it. */
  readonly applied: readonly SalesReference[];
  /** The document exactly as the books answered it. */
  readonly document: JsonObject;
}

/** A payment or credit that was applied to a document. */
export interface AppliedPayment extends SalesReference {
  readonly datedOn: CalendarDate;
  /** Part of a payment that stands for no document yet; 0 for anything else. */
  readonly unapplied: Decimal;
  /** No money came in: a credit memo, or the payment of 0 that QuickBooks applies one by. */
  readonly isCredit: boolean;
}

/** Names a record of the books. */
export interface SalesReference {
  readonly type: string;
  readonly id: string;
}
