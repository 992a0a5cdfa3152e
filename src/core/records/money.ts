import type { Kind } from '../kinds.ts';
import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';

/** Invoices dated on one day, in one currency. Credit memos are negative; voided invoices are left out. */
export interface DayOfInvoices {
  readonly on: CalendarDate;
  /** Null if unknown. */
  readonly currency: string | null;
  readonly invoices: number;
  /** Total in the PSA. */
  readonly invoiced: Decimal;
  readonly postedInvoices: number;
  /** Total of the posted ones in QuickBooks. */
  readonly posted: Decimal;
}

export interface HourOfAttempts {
  readonly kind: Kind;
  /** Start of the hour. */
  readonly at: Instant;
  readonly succeeded: number;
  readonly failed: number;
  /** On hold: neither posted nor failed. */
  readonly held: number;
}
