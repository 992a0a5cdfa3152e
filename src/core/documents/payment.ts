import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';

/** How far an invoice is paid, as both sides have shown it so far. */
export interface PaymentState {
  /** The invoice in the PSA. */
  readonly psaId: number;
  /** What the books showed as open when they were last looked at; null before. */
  readonly balance: Decimal | null;
  /** The books have shown it as fully paid once. */
  readonly wasPaid: boolean;
  /** The paid date that we wrote into the PSA; null when the date there is not ours. */
  readonly writtenOn: CalendarDate | null;
  /**
   * A paid date that a person set in the PSA: when it was first seen, and what was open in the books then. Kept while a
   * payment of ours stands for it.
   */
  readonly seen: { readonly on: CalendarDate; readonly at: Instant; readonly balance: Decimal } | null;
  /** The books have changed, and what follows from it is not settled yet. */
  readonly isDue: boolean;
}

export type PaymentChange = Partial<PaymentState> & Pick<PaymentState, 'psaId'>;

export const unknownPayment = (psaId: number): PaymentState => ({
  psaId,
  balance: null,
  wasPaid: false,
  writtenOn: null,
  seen: null,
  isDue: false,
});
