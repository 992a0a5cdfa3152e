import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';

/** Paid state of an invoice, as last seen on both sides. */
export interface PaymentState {
  /** The invoice in the PSA. */
  readonly psaId: number;
  /** Open balance when QuickBooks was last read; null before. */
  readonly balance: Decimal | null;
  /** QuickBooks has shown the invoice as fully paid at least once. */
  readonly wasPaid: boolean;
  /** The paid date that we wrote into the PSA; null when the current date there is not ours. */
  readonly writtenOn: CalendarDate | null;
  /**
   * A paid date that a user set in the PSA: the date, when we first saw it, and the open balance in QuickBooks at that
   * time. Stored while one of our payments corresponds to it.
   */
  readonly seen: { readonly on: CalendarDate; readonly at: Instant; readonly balance: Decimal } | null;
  /**
   * A paid date first seen after a restore lost records: we may have written it, so it is only posted as a payment when
   * a user asks. Null: none.
   */
  readonly heldOn: CalendarDate | null;
  /** QuickBooks changed, and the change is not processed yet. */
  readonly isDue: boolean;
}

/** Reason code of a payment that needs nothing. */
export const agreedReason = 'both_sides_agree';

export type PaymentChange = Partial<PaymentState> & Pick<PaymentState, 'psaId'>;

export const unknownPayment = (psaId: number): PaymentState => ({
  psaId,
  balance: null,
  wasPaid: false,
  writtenOn: null,
  seen: null,
  heldOn: null,
  isDue: false,
});
