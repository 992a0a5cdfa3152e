import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { Address } from './party.ts';

/** How far an order has come; only submitted ones are synced (domain reference 9.1). */
export type PurchaseOrderStatus = 'new' | 'submitted' | 'partly_received' | 'received' | 'canceled' | 'other';

/** The head of a PSA purchase order, as a list query returns it. */
export interface PurchaseOrderHead {
  readonly id: number;
  /** The PSA company that the goods come from. */
  readonly vendorId: number;
  /** The PSA company that the goods are for; null for stock. */
  readonly forCompanyId: number | null;
  /** The PSA's own number; empty when there is none. */
  readonly number: string;
  /** The PSA's field for our reference; empty while there is none. */
  readonly externalNumber: string;
  readonly status: PurchaseOrderStatus;
  readonly createdAt: Instant;
  readonly createdOn: CalendarDate;
  readonly submittedOn: CalendarDate | null;
  readonly expectedOn: CalendarDate | null;
  /** Freight in the vendor's currency. */
  readonly freight: Decimal;
  /** The same in the tenant's own currency. */
  readonly internalFreight: Decimal;
  readonly paymentTermId: number | null;
  readonly memo: string | null;
  readonly shipToName: string | null;
  /** Delivery address; all parts null when the order names no place. */
  readonly shipTo: Address;
}

/** One line of a purchase order. */
export interface PurchaseOrderLine {
  readonly id: number;
  /** Null for a line that comes from a charge without a product. */
  readonly productId: number | null;
  /** The contract that it is bought for; absent where the PSA names none. */
  readonly contractId?: number | null;
  readonly quantity: Decimal;
  /** Cost of one in the vendor's currency; null when the PSA does not let us see it. */
  readonly unitCost: Decimal | null;
  /** The same in the tenant's own currency. */
  readonly internalUnitCost: Decimal | null;
  readonly memo: string | null;
}

/** A PSA purchase order with its lines, in ascending id. */
export interface PurchaseOrder extends PurchaseOrderHead {
  readonly lines: readonly PurchaseOrderLine[];
}
