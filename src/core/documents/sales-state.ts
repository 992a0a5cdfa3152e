import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { JsonObject } from '../values/json.ts';

/** The current state of an invoice or credit memo in QuickBooks. Amounts are in the document's currency. */
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
  /** Open amount of an invoice, or unapplied amount of a credit memo. */
  readonly balance: Decimal;
  /** ISO 4217; null when QuickBooks uses a single currency. */
  readonly currency: string | null;
  /** Home units per unit of the currency; absent where QuickBooks returns none. */
  readonly exchangeRate?: Decimal;
  readonly isVoided: boolean;
  /** The document was emailed to the customer. */
  readonly isMailed: boolean;
  readonly privateNote: string | null;
  readonly changedAt: Instant;
  /** Payments, credits and journal entries that were applied to the document. */
  readonly applied: readonly SalesReference[];
  /** The document exactly as QuickBooks returned it. */
  readonly document: JsonObject;
}

/** A payment or credit that was applied to a document. */
export interface AppliedPayment extends SalesReference {
  readonly datedOn: CalendarDate;
  /** Part of a payment that is not applied to any document; 0 for other types. */
  readonly unapplied: Decimal;
  /** No money was received: a credit memo, or the payment of 0 through which QuickBooks applies one. */
  readonly isCredit: boolean;
}

/** Reference to a QuickBooks record. */
export interface SalesReference {
  readonly type: string;
  readonly id: string;
}
