import type { PaymentChange, PaymentState } from '../documents/payment.ts';
import type { CalendarDate } from '../values/dates.ts';

/** How far invoices are paid. */
export interface PaymentStateStore {
  /** Known paid state of each of these invoices. */
  listPaymentStates(psaIds: readonly number[]): Promise<readonly PaymentState[]>;
  /**
   * Invoices whose paid state is not settled; and settled ones that a payment of ours stands for, whose paid date in the
   * PSA a person set on that day or later, to be watched.
   */
  listOpenPayments(
    watchedFrom: CalendarDate,
  ): Promise<{ readonly due: readonly number[]; readonly watched: readonly number[] }>;
  /**
   * Number of the last time of which our records know nothing (the database was restored, or nothing ran), when the paid
   * dates of this client were not looked through since; null: they were.
   */
  readGap(): Promise<number | null>;
  /** Notes that all paid dates were looked through after the gap of this number. */
  settleGap(gap: number): Promise<void>;
  /** Changes what is given of each, and nothing else. */
  savePaymentStates(changes: readonly PaymentChange[]): Promise<void>;
}
