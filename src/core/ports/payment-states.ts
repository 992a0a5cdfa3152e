import type { PaymentChange, PaymentState } from '../documents/payment.ts';
import type { CalendarDate } from '../values/dates.ts';

/** How far invoices are paid. */
export interface PaymentStateStore {
  /** What is known of the paid state of these invoices. */
  listPaymentStates(psaIds: readonly number[]): Promise<readonly PaymentState[]>;
  /**
   * Invoices whose paid state is not settled; and settled ones that a payment of ours stands for, whose paid date in the
   * PSA a person set on that day or later, to be watched.
   */
  listOpenPayments(
    watchedFrom: CalendarDate,
  ): Promise<{ readonly due: readonly number[]; readonly watched: readonly number[] }>;
  /** Changes what is given of each, and nothing else. */
  savePaymentStates(changes: readonly PaymentChange[]): Promise<void>;
}
