import type { AccountingDocument } from '../documents/accounting-document.ts';
import type { CalendarDate } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { DifferenceClass, MissingClass } from './difference-classes.ts';
import type { Fingerprint, FingerprintChange, FingerprintLine } from './fingerprint.ts';
import type { Month } from './month.ts';

/** Kinds of documents in the proof of a month; voids are classes of invoices. */
export const closeKinds = ['invoice', 'purchase_order', 'expense_report', 'payment'] as const;
export type CloseKind = (typeof closeKinds)[number];

/**
 * A document of the PSA. Amounts have the sign of what the customer owes. A voided document has its amounts from before
 * the void.
 */
export interface PsaDocument {
  readonly id: number;
  /** Month of this bill, if a report has a bill per month; absent for a document that is posted whole. */
  readonly part?: string;
  readonly number: string;
  readonly party: { readonly id: number; readonly name: string };
  readonly datedOn: CalendarDate;
  readonly dueOn: CalendarDate | null;
  readonly currency: string;
  readonly total: Decimal;
  readonly tax: Decimal;
  /** Its tax region; absent or empty if it has none. */
  readonly taxRegion?: string | null;
  /** Sum of its lines without tax; null if they were not read. */
  readonly linesNet: Decimal | null;
  /** Whether its lines and its total differ only by what the lines lose by rounding. Undefined if they are equal. */
  readonly linesAddUp?: boolean;
  readonly isVoided: boolean;
  /** Whether the PSA shows it as paid; absent for kinds without a paid state, such as orders. */
  readonly isPaid?: boolean;
  /** Paid date in the PSA. */
  readonly paidOn?: CalendarDate | null;
  /**
   * Whether the payment sync can post its payment in QuickBooks, and set its paid date in the PSA; absent if payments are
   * not synced, so that paid states may differ.
   */
  readonly paymentSync?: { readonly toAccounting: boolean; readonly toPsa: boolean };
  /** Whether it is put on hold while QuickBooks is closed for its date; absent if this does not apply. */
  readonly isHeldWhenClosed?: boolean;
  /** Whether its company is mapped to no customer. Undefined means no. A posted one had another company. */
  readonly isCustomerUnmapped?: boolean;
  /** Whether it is posted although its total is 0, as a bill whose advance equals its expenses. Undefined means no. */
  readonly isPostedAtZero?: boolean;
  /** Whether its number is the one of its QuickBooks document once it is posted. Undefined means no. */
  readonly isNumberWritten?: boolean;
  /** Whether a void in QuickBooks would make the customer's prepaid balance negative. Undefined means no. */
  readonly isPrepaidUsed?: boolean;
  /** Id of the QuickBooks customer or vendor that its party is mapped to; null: not mapped. */
  readonly mappedPartyId: string | null;
  /** Sub-customers of that customer. A document for one of them also matches, because the parent pays for it. */
  readonly childPartyIds?: readonly string[];
  /** The reason, in case it is not in QuickBooks. */
  readonly ifMissing: MissingClass;
}

/** A posted document as it was at that time. The oldest comes first; the last one of a source counts. */
export interface PostedDocument {
  readonly psaId: number;
  readonly part?: string;
  /** True for a bill of a split report that QuickBooks no longer has. */
  readonly isGone?: boolean;
  readonly type: string;
  readonly id: string;
  readonly number: string | null;
  /** Total in QuickBooks at that time, unsigned. */
  readonly total: Decimal | null;
  readonly tax: Decimal | null;
  /** Total in the PSA at that time. */
  readonly psaTotal: Decimal | null;
  readonly psaTax: Decimal | null;
  readonly fingerprint: Fingerprint | null;
  /** Whether QuickBooks computed the due date from a term. Undefined means true if the fingerprint has no due date. */
  readonly isDueByTerm?: boolean;
}

export interface CompletenessFacts {
  readonly kind: CloseKind;
  readonly month: Month;
  /** PSA documents dated in the month, and those of other months whose QuickBooks document is dated in it. */
  readonly sources: readonly PsaDocument[];
  readonly postings: readonly PostedDocument[];
  /** QuickBooks documents dated in the month, and those of other months that belong to a source of this month. */
  readonly documents: readonly AccountingDocument[];
  /** Documents that Tallybridge posted in addition to those of the sources, each once. */
  readonly extras: readonly ExtraDocument[];
  /** Customers or vendors that the kind's parties are mapped to. */
  readonly mappedPartyIds: ReadonlySet<string>;
  /**
   * Ids of the sources of documents in our ledger, by {@link keyOf} of the document: those among `documents`, and those of
   * sources that notes of documents name. Undefined if there are none.
   */
  readonly recorded?: ReadonlyMap<string, number>;
  readonly homeCurrency: string;
  readonly psaLabel: string;
  /** The last day of the month, or today if it has not ended: paid states are compared on it. Undefined means today. */
  readonly asOf?: CalendarDate;
  /**
   * Keys of the documents that QuickBooks' aging report lists as open on that day; absent if the report does not identify
   * each document, or was not read.
   */
  readonly openKeys?: ReadonlySet<string>;
}

export interface Finding {
  readonly class: DifferenceClass;
  /** Amount by which it makes QuickBooks higher than the PSA; 0 if it changes no total. */
  readonly amount: Decimal;
}

/** One document of the month in one currency, with both sides. */
export interface DocumentRow {
  readonly kind: CloseKind;
  readonly currency: string;
  readonly psa: PsaDocument | null;
  readonly accounting: AccountingDocument | null;
  /** The PSA's amount in this month and this currency. */
  readonly psaAmount: Decimal;
  readonly accountingAmount: Decimal;
  /** QuickBooks minus PSA. */
  readonly difference: Decimal;
  /** Each class at most once; empty if both sides agree. */
  readonly findings: readonly Finding[];
  /** The difference minus its findings. */
  readonly unexplained: Decimal;
  readonly changes: readonly FingerprintChange[];
  /** The extra document that the row is about; its source has its own row. Undefined if there is none. */
  readonly extra?: ExtraOfRow;
  /** The PSA's lines as they were posted; absent if it was not posted, or the request did not include its lines. */
  readonly posted?: readonly FingerprintLine[];
}

/** Totals of one kind in one currency; `psaTotal` plus the classes plus `unexplained` is `accountingTotal`. */
export interface Bridge {
  readonly kind: CloseKind;
  readonly currency: string;
  readonly psaCount: number;
  readonly psaTotal: Decimal;
  readonly accountingCount: number;
  readonly accountingTotal: Decimal;
  readonly accountingTax: Decimal;
  readonly difference: Decimal;
  readonly explained: Decimal;
  readonly unexplained: Decimal;
  readonly matched: number;
  readonly classes: readonly { readonly class: DifferenceClass; readonly count: number; readonly amount: Decimal }[];
}

/** What a document that Tallybridge posted in addition to an invoice does. */
export type ExtraRole = 'reversal' | 'difference';

/**
 * A document that Tallybridge posted in addition to the document of an invoice: a credit memo that reverses it after it
 * was voided in a later month, or a document that bills a difference.
 */
export interface ExtraDocument {
  readonly role: ExtraRole;
  readonly psaId: number;
  readonly type: string;
  readonly id: string;
  /** As it was posted; absent for one that only its note identifies. */
  readonly posted?: PostedDocument;
}

/** Part of a row about an extra document. */
export interface ExtraOfRow extends Pick<ExtraDocument, 'role' | 'psaId' | 'type' | 'id'> {
  readonly number: string | null;
  readonly party: string;
  /** Whether the sync can create the document again. */
  readonly canRepeat: boolean;
}
