import type { LedgerEntry } from '../documents/accounting-report.ts';
import { type CalendarDate, monthsBetween } from '../values/dates.ts';
import {
  absolute,
  type Decimal,
  equals,
  isNegative,
  isPositive,
  minus,
  plus,
  smaller,
  sum,
  zero,
} from '../values/decimal.ts';

/** Money of one block, retainer or ticket purchase that no work has used, in the home currency. */
export interface UnusedPrepaid {
  /** Name of the contract. */
  readonly contract: string;
  /** The customer, as the general ledger names it; null: the ledger names none. */
  readonly customer: string | null;
  /** Last day of the purchase; null: not limited, or unknown. */
  readonly endsOn: CalendarDate | null;
  readonly left: Decimal;
}

/** Prepaid money whose purchase has ended. */
export interface ExpiredPrepaid {
  readonly contract: string;
  readonly customer: string | null;
  readonly endedOn: CalendarDate;
  /** Whole months since the end. */
  readonly months: number;
  readonly left: Decimal;
  /** False during the grace period: no entry to income is proposed yet. */
  readonly isDue: boolean;
}

interface Facts {
  readonly unused: readonly UnusedPrepaid[];
  /** All entries of the account for prepaid money; a positive amount increases the liability. */
  readonly entries: readonly LedgerEntry[];
  /** Those of them that no posted invoice explains, such as journal entries. */
  readonly others: readonly LedgerEntry[];
  readonly asOf: CalendarDate;
  readonly graceMonths: number;
}

/**
 * Returns the expired prepaid money that QuickBooks still owes, oldest first. Entries by hand, such as an earlier entry
 * to income, reduce it, and it is never more than what the account has for the customer beside purchases that have not
 * ended. So a proposed entry never brings the account into debit.
 */
export function expiredPrepaid({ unused, entries, others, asOf, graceMonths }: Facts): readonly ExpiredPrepaid[] {
  const expired = unused
    .flatMap((one) => (one.endsOn !== null && one.endsOn <= asOf ? [{ ...one, endedOn: one.endsOn }] : []))
    .sort((a, b) => (a.endedOn < b.endedOn ? -1 : a.endedOn > b.endedOn ? 1 : 0));
  takeEntries(expired, others);
  const valid = unused.filter(({ endsOn }) => endsOn === null || endsOn > asOf);
  const inAccount = new Map<string | null, Decimal>();
  for (const { customer } of expired) {
    const own = entries.filter(({ partyName }) => partyName === customer).map(({ amount }) => amount);
    const needed = valid.filter((one) => one.customer === customer).map(({ left }) => left);
    inAccount.set(customer, minus(sum(own), sum(needed)));
  }
  return expired.flatMap(({ contract, customer, endedOn, left: computed }) => {
    const available = inAccount.get(customer) ?? zero;
    const left = smaller(computed, available);
    if (!isPositive(left)) return [];
    inAccount.set(customer, minus(available, left));
    const months = monthsBetween(endedOn, asOf);
    return [{ contract, customer, endedOn, months, left, isDue: months >= graceMonths }];
  });
}

interface Reducible {
  readonly customer: string | null;
  readonly endedOn: CalendarDate;
  left: Decimal;
}

/**
 * Takes entries by hand off the expired money: first from a purchase with exactly this amount, then from the oldest. An
 * entry without a customer may belong to any. An entry in the other direction gives back what was taken.
 */
function takeEntries(expired: readonly Reducible[], others: readonly LedgerEntry[]): void {
  const taken: { readonly from: Reducible; amount: Decimal; readonly party: string | null }[] = [];
  for (const { amount, datedOn, partyName } of others.toSorted((a, b) => compareDays(a.datedOn, b.datedOn))) {
    if (isPositive(amount)) {
      let back = amount;
      for (const one of taken.toReversed()) {
        if (one.party !== partyName) continue;
        const part = smaller(back, one.amount);
        one.amount = minus(one.amount, part);
        one.from.left = plus(one.from.left, part);
        back = minus(back, part);
      }
    }
    if (!isNegative(amount)) continue;
    let rest = absolute(amount);
    const ended = expired.filter(
      ({ customer, endedOn }) =>
        (partyName === null || partyName === customer) && (datedOn === null || endedOn <= datedOn),
    );
    const exact = ended.filter(({ left }) => equals(left, rest));
    for (const from of exact.length > 0 ? exact : ended) {
      const part = smaller(rest, from.left);
      if (!isPositive(part)) continue;
      from.left = minus(from.left, part);
      rest = minus(rest, part);
      taken.push({ from, amount: part, party: partyName });
    }
  }
}

const compareDays = (a: CalendarDate | null, b: CalendarDate | null): number =>
  (a ?? '') < (b ?? '') ? -1 : (a ?? '') > (b ?? '') ? 1 : 0;
