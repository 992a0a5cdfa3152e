import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';

/** How far an invoice is paid, as both sides have shown it so far. */
export interface PaymentState {
  /** The invoice in the PSA. */
  readonly psaId: number;
  /** Open balance when the books were last looked at; null before. */
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
  /**
   * A paid date that was first seen after a time of which our records know nothing: it may be one that we wrote, so that it
   * is paid only when a person asks. Null: there is none.
   */
  readonly heldOn: CalendarDate | null;
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
  heldOn: null,
  isDue: false,
});
