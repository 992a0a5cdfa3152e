import type { PaymentChange, PaymentState } from '../documents/payment.ts';
import type { CalendarDate } from '../values/dates.ts';

/** Paid states of invoices. */
export interface PaymentStateStore {
  /** Lists the known paid state of each of these invoices. */
  listPaymentStates(psaIds: readonly number[]): Promise<readonly PaymentState[]>;
  /**
   * Lists invoices whose paid state is not processed yet (`due`), and processed ones to watch (`watched`): one of our
   * payments pays them because a user set a paid date in the PSA on or after this day.
   */
  listOpenPayments(
    watchedFrom: CalendarDate,
  ): Promise<{ readonly due: readonly number[]; readonly watched: readonly number[] }>;
  /**
   * Returns the number of the last gap in the records (a database restore or a pause of all workers) if the client's
   * paid dates were not checked since; null otherwise.
   */
  readGap(): Promise<number | null>;
  /** Records that all paid dates were checked after the gap with this number. */
  settleGap(gap: number): Promise<void>;
  /** Changes only the given fields of each invoice. */
  savePaymentStates(changes: readonly PaymentChange[]): Promise<void>;
}
