import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { SalesReference } from './sales-state.ts';

/** Types of the books' documents that a month is proved with. */
export const booksDocumentTypes = [
  'Invoice',
  'CreditMemo',
  'SalesReceipt',
  'RefundReceipt',
  'JournalEntry',
  'Payment',
  'Bill',
  'PurchaseOrder',
] as const;
export type BooksDocumentType = (typeof booksDocumentTypes)[number];

/** A document of the books with its lines, as it stands now. Amounts are in its own currency and have its own sign. */
export interface BooksDocument {
  readonly type: string;
  readonly id: string;
  readonly number: string | null;
  /** The customer, or the vendor; an empty id when it names none. */
  readonly party: { readonly id: string; readonly name: string | null };
  readonly datedOn: CalendarDate;
  readonly dueOn: CalendarDate | null;
  /** ISO 4217; null when the books keep one currency only. */
  readonly currency: string | null;
  readonly locationId?: string | null;
  /** Account that the money of a payment went to; null when it names none. */
  readonly depositAccountId?: string | null;
  /** Home currency for one of its own; 1 without a rate. */
  readonly exchangeRate: Decimal;
  /** Tax included. */
  readonly total: Decimal;
  readonly tax: Decimal;
  /** Tax by rate; absent where the document has none. */
  readonly taxes?: readonly { readonly rateId: string; readonly amount: Decimal }[];
  /** The sales tax code of the whole document; absent where it has none. */
  readonly taxCodeId?: string | null;
  /** Amount still open, or not yet applied of a credit memo or payment. */
  readonly balance: Decimal;
  readonly isVoided: boolean;
  /** Whether a purchase order is still open; null for any other document. */
  readonly isOpen: boolean | null;
  readonly privateNote: string | null;
  readonly changedAt: Instant;
  /** Name of the last editor; null where the service tells only an id. */
  readonly changedBy: string | null;
  /** Payments, credits, deposits and journal entries that it is linked with. */
  readonly links: readonly SalesReference[];
  readonly lines: readonly BooksLine[];
}

/** One line that moves money; subtotals and remarks are none. */
export interface BooksLine {
  readonly description: string | null;
  readonly itemId: string | null;
  /** Account of a line by account, or of a journal entry. */
  readonly accountId: string | null;
  readonly classId: string | null;
  readonly taxCode: string | null;
  readonly quantity: Decimal | null;
  readonly unitPrice: Decimal | null;
  /** A discount is negative; a credit of a journal entry too. */
  readonly amount: Decimal;
  /** Customer or vendor of a journal entry's line. */
  readonly partyId: string | null;
  /** Purchase orders that a bill's line takes over. */
  readonly orderIds?: readonly string[];
}
