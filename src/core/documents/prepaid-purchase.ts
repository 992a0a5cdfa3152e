import type { CalendarDate } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';
import type { PrepaidUnit } from './reference-data.ts';

/** A block of hours, a retainer or tickets that a client bought, as the PSA has it now. */
export interface PrepaidPurchase {
  readonly id: number;
  readonly contractId: number;
  readonly unit: PrepaidUnit;
  readonly purchasedOn: CalendarDate | null;
  /** First day of work that it pays for; null: not limited. */
  readonly startsOn: CalendarDate | null;
  /** Last day of work that it pays for; null: not limited. */
  readonly endsOn: CalendarDate | null;
  /** False: the PSA uses it for no more work. */
  readonly isActive: boolean;
  /** Price, in the client's currency. */
  readonly amount: Decimal;
  /** Part of the price that is not used, by the PSA; never negative. */
  readonly left: Decimal;
}

/** Returns whether a purchase pays for work of this day. The first and the last day count. */
export const isValidOn = ({ startsOn, endsOn }: Pick<PrepaidPurchase, 'startsOn' | 'endsOn'>, on: CalendarDate) =>
  (startsOn === null || startsOn <= on) && (endsOn === null || on <= endsOn);
