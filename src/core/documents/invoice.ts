import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';

/**
 * Kind of work or product on an invoice line, as in the item settings (domain reference 4); `other` has no naming
 * convention.
 */
export type BillingKind =
  | 'labor'
  | 'ticket_purchase'
  | 'service'
  | 'subscription'
  | 'charge'
  | 'expense'
  | 'block_purchase'
  | 'milestone'
  | 'retainer_purchase'
  | 'contract_setup_fee'
  | 'other';

/** The head of a PSA invoice, as a list query returns it. Empty text and 0 in the response are null here. */
export interface InvoiceHead {
  readonly id: number;
  readonly companyId: number;
  /** Number as stored in the PSA, including a sentinel; empty without one. */
  readonly number: string;
  readonly invoicedOn: CalendarDate;
  readonly createdAt: Instant;
  readonly dueOn: CalendarDate | null;
  /** Tax included, in the customer's currency when the PSA's multi-currency module is on. */
  readonly total: Decimal;
  readonly tax: Decimal;
  readonly isVoided: boolean;
  readonly voidedAt: Instant | null;
  /** The PSA's “web service date”: when an integration exported the invoice. */
  readonly exportedAt: Instant | null;
  readonly paidOn: CalendarDate | null;
  readonly paymentTermId: number | null;
  readonly taxRegionName: string | null;
  /** The external service that the PSA lets calculate the tax, so that its own is not final. Undefined if there is none. */
  readonly taxedBy?: string;
  /** The PSA's number for the state of an invoice whose tax another service calculates. Undefined if unknown. */
  readonly taxState?: number;
  readonly orderNumber: string | null;
  readonly comments: string | null;
}

export interface InvoiceLine {
  readonly id: number;
  readonly sortOrder: number | null;
  readonly kind: BillingKind;
  readonly itemName: string | null;
  readonly description: string | null;
  /** The text as the PSA prints it; replaces name and description when present. */
  readonly fullDescription: string | null;
  readonly groupDescription: string | null;
  readonly servedOn: CalendarDate | null;
  readonly quantity: Decimal;
  /** Undiscounted unit price, in the customer's currency. */
  readonly rate: Decimal;
  /** Undiscounted amount; not what is charged. */
  readonly extendedPrice: Decimal;
  /** Amount charged without tax, in the customer's currency (`totalAmount`). */
  readonly amount: Decimal;
  /** The same amount in the tenant's own currency (`internalCurrencyTotalAmount`). */
  readonly internalAmount: Decimal;
  /** Undiscounted unit price, in the tenant's own currency. */
  readonly internalRate: Decimal;
  /** In the customer's currency. */
  readonly tax: Decimal;
  /** The same tax in the tenant's own currency (`internalCurrencyTaxDollars`). */
  readonly internalTax: Decimal;
  readonly taxCategoryId: number | null;
  readonly billingCodeId: number | null;
  readonly roleId: number | null;
  readonly contractId: number | null;
  /** Block of hours that the line sells or uses. Null or undefined if unknown. */
  readonly blockId?: number | null;
  readonly ticketId?: number | null;
  readonly productId: number | null;
  /** Id of the line of business (`organizationalLevelAssociationID`). */
  readonly lineOfBusinessId: number | null;
  /** The company that received the work, if the PSA returns it: a child company whose parent is billed. */
  readonly companyId?: number | null;
  /** Name by which its item is chosen: for a credit, the name of the credited line. Undefined means its own name. */
  readonly namedLike?: string | null;
}

/** A PSA invoice with its lines, in print order (`sortOrderID`, then id). */
export interface Invoice extends InvoiceHead {
  readonly lines: readonly InvoiceLine[];
}
