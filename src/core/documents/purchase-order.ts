import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { Address } from './party.ts';

/** Progress of an order in the PSA; only submitted orders sync (domain reference 9.1). */
export type PurchaseOrderStatus = 'new' | 'submitted' | 'partly_received' | 'received' | 'canceled' | 'other';

/** The head of a PSA purchase order, as a list query returns it. */
export interface PurchaseOrderHead {
  readonly id: number;
  /** The PSA company that supplies the goods. */
  readonly vendorId: number;
  /** The PSA company that receives the goods; null for stock. */
  readonly forCompanyId: number | null;
  /** The PSA's own number; empty without one. */
  readonly number: string;
  /** The PSA's field for our reference; empty before the first sync. */
  readonly externalNumber: string;
  readonly status: PurchaseOrderStatus;
  readonly createdAt: Instant;
  readonly createdOn: CalendarDate;
  readonly submittedOn: CalendarDate | null;
  readonly expectedOn: CalendarDate | null;
  /** Freight in the vendor's currency. */
  readonly freight: Decimal;
  /** Freight in the tenant's own currency. */
  readonly internalFreight: Decimal;
  readonly paymentTermId: number | null;
  readonly memo: string | null;
  readonly shipToName: string | null;
  /** Delivery address; all parts null when the order has none. */
  readonly shipTo: Address;
}

export interface PurchaseOrderLine {
  readonly id: number;
  /** Null for a line of a charge without a product. */
  readonly productId: number | null;
  /** The contract of the line; absent where the PSA returns none. */
  readonly contractId?: number | null;
  readonly quantity: Decimal;
  /** Unit cost in the vendor's currency; null when the API user cannot see it. */
  readonly unitCost: Decimal | null;
  /** Unit cost in the tenant's own currency. */
  readonly internalUnitCost: Decimal | null;
  readonly memo: string | null;
}

/** Goods received for one line of a PSA purchase order. */
export interface Receipt {
  readonly lineId: number;
  readonly on: CalendarDate;
  readonly quantity: Decimal;
}

/** A PSA purchase order with its lines, in ascending id. */
export interface PurchaseOrder extends PurchaseOrderHead {
  readonly lines: readonly PurchaseOrderLine[];
}
