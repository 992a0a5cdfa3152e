import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { SalesReference } from './sales-state.ts';

/** Types of QuickBooks documents that month-end close compares. */
export const accountingDocumentTypes = [
  'Invoice',
  'CreditMemo',
  'SalesReceipt',
  'RefundReceipt',
  'JournalEntry',
  'Payment',
  'Bill',
  'PurchaseOrder',
] as const;
export type AccountingDocumentType = (typeof accountingDocumentTypes)[number];

/**
 * The current state of a QuickBooks document with its lines. Amounts are in the document's currency, with the
 * document's sign.
 */
export interface AccountingDocument {
  readonly type: string;
  readonly id: string;
  readonly number: string | null;
  /** The customer or vendor; an empty id when the document has none. */
  readonly party: { readonly id: string; readonly name: string | null };
  readonly datedOn: CalendarDate;
  readonly dueOn: CalendarDate | null;
  /** ISO 4217; null when QuickBooks uses a single currency. */
  readonly currency: string | null;
  readonly locationId?: string | null;
  /** Account of the payable or receivable; null or absent where QuickBooks returns none. */
  readonly controlAccountId?: string | null;
  /** Account that received a payment; null when the payment has none. */
  readonly depositAccountId?: string | null;
  /** Home currency units per unit of the document's currency; 1 without a rate. */
  readonly exchangeRate: Decimal;
  /** Tax included. */
  readonly total: Decimal;
  readonly tax: Decimal;
  /** Tax by rate; absent when the document has none. */
  readonly taxes?: readonly { readonly rateId: string; readonly amount: Decimal }[];
  /** The sales tax code of the whole document; absent when it has none. */
  readonly taxCodeId?: string | null;
  /** Open amount; of a credit memo or payment, the amount not applied yet. */
  readonly balance: Decimal;
  readonly isVoided: boolean;
  /** Whether a purchase order is still open; null for any other document. */
  readonly isOpen: boolean | null;
  readonly privateNote: string | null;
  readonly changedAt: Instant;
  /** Name of the last editor; null where the service returns only an id. */
  readonly changedBy: string | null;
  /** Linked payments, credits, deposits and journal entries. */
  readonly links: readonly SalesReference[];
  readonly lines: readonly AccountingLine[];
  /** Documents that a payment is applied to, with the amounts; absent on other documents. */
  readonly covers?: readonly (SalesReference & { readonly amount: Decimal })[];
}

/** One line with an amount; subtotals and comment lines are left out. */
export interface AccountingLine {
  readonly description: string | null;
  readonly itemId: string | null;
  /** Account of an account-based line or of a journal entry line. */
  readonly accountId: string | null;
  /** Income account of the item when the line was posted; absent where QuickBooks returns none. */
  readonly itemAccountId?: string;
  readonly classId: string | null;
  readonly taxCode: string | null;
  readonly quantity: Decimal | null;
  readonly unitPrice: Decimal | null;
  /** A discount of the whole document; absent on other lines. */
  readonly isDiscount?: true;
  /** A discount is negative; so is a credit of a journal entry. */
  readonly amount: Decimal;
  /** Customer or vendor of a journal entry line. */
  readonly partyId: string | null;
  /** Id within a purchase order; absent on other documents. */
  readonly id?: string;
  /** Purchase orders that a bill line is linked to; `lineId` is null if it is linked to no line of the order. */
  readonly orderLines?: readonly { readonly orderId: string; readonly lineId: string | null }[];
}
