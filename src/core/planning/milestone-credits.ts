import type { InvoiceLine } from '../documents/invoice.ts';
import {
  compare,
  decimal,
  divide,
  equals,
  isNegative,
  isPositive,
  minus,
  negate,
  round2,
  smaller,
  sum,
  times,
  zero,
  type Decimal,
} from '../values/decimal.ts';

/** A credit and a milestone whose account it reverses. */
export interface MilestoneCredit {
  readonly credit: InvoiceLine;
  readonly milestone: InvoiceLine;
}

/** A credit that may belong to milestones with different billing codes. */
export interface UnclearCredit {
  readonly credit: InvoiceLine;
  readonly milestones: readonly InvoiceLine[];
}

/** A milestone and the part of it that is not credited yet. */
interface Open {
  readonly milestone: InvoiceLine;
  rest: Decimal;
}

/** Milestones of one invoice whose sums are compared with a credit; more are not told apart. */
const maxSummed = 10;

/**
 * Finds credits of milestones.
 *
 * Autotask has no negative milestones, so users enter a service adjustment, whose billing code leads to another
 * account. A negative service line credits milestones of its contract (or without one of the two contracts), unless
 * the invoice charges a service with the same billing code:
 *
 * - one milestone of the invoice, or several whose sum it is
 * - otherwise milestones of the contract on other invoices, unless one of these charges the service
 *
 * It takes the billing code of the milestone, one line for each. If the milestones that it may credit have different
 * billing codes, it is unclear.
 *
 * @param amountOf returns the amount of a line in the currency of the document
 * @param others lines of the same contracts on other invoices
 * @returns the lines, where each credit has the kind and billing code of its milestone
 */
export function creditMilestones(
  lines: readonly InvoiceLine[],
  amountOf: (line: InvoiceLine) => Decimal,
  others: readonly InvoiceLine[] = [],
): {
  readonly lines: readonly InvoiceLine[];
  readonly credits: readonly MilestoneCredit[];
  readonly unclear: readonly UnclearCredit[];
} {
  const all = milestonesOf(lines, amountOf);
  const elsewhere = milestonesOf(others, amountOf);
  const credits: MilestoneCredit[] = [];
  const unclear: UnclearCredit[] = [];
  const changed = lines.flatMap((credit): readonly InvoiceLine[] => {
    const owed = negate(amountOf(credit));
    if (!mayCreditMilestone(credit, lines, amountOf)) return [credit];
    const here = all.filter(({ milestone, rest }) => isPositive(rest) && isSameContract(milestone, credit));
    const there =
      credit.contractId === null || isCharged(credit, others, amountOf)
        ? []
        : elsewhere.filter(({ milestone }) => milestone.contractId === credit.contractId);
    const found = choose(owed, here, there);
    if (found === null) return [credit];
    if (!found.isClear) {
      unclear.push({ credit, milestones: found.of.map(({ milestone }) => milestone) });
      return [credit];
    }
    return partsOf(credit, owed, found.of).map(({ line, milestone }) => {
      credits.push({ credit: line, milestone });
      return { ...line, kind: milestone.kind, billingCodeId: milestone.billingCodeId };
    });
  });
  return { lines: changed, credits, unclear };
}

/** Returns the contracts whose other invoices may have the milestone that a line of this invoice credits. */
export const contractsOfCredits = (lines: readonly InvoiceLine[]): readonly number[] =>
  lines.flatMap((line) => (mayCreditMilestone(line, lines, ({ amount }) => amount) ? (line.contractId ?? []) : []));

const milestonesOf = (lines: readonly InvoiceLine[], amountOf: (line: InvoiceLine) => Decimal): readonly Open[] =>
  lines.flatMap((milestone) =>
    milestone.kind === 'milestone' && isPositive(amountOf(milestone)) ? [{ milestone, rest: amountOf(milestone) }] : [],
  );

const mayCreditMilestone = (
  line: InvoiceLine,
  lines: readonly InvoiceLine[],
  amountOf: (line: InvoiceLine) => Decimal,
): boolean => line.kind === 'service' && isNegative(amountOf(line)) && !isCharged(line, lines, amountOf);

const isCharged = (
  { billingCodeId }: InvoiceLine,
  lines: readonly InvoiceLine[],
  amountOf: (line: InvoiceLine) => Decimal,
): boolean =>
  lines.some((line) => line.kind === 'service' && line.billingCodeId === billingCodeId && isPositive(amountOf(line)));

interface Choice {
  readonly of: readonly Open[];
  /** False: the milestones have different billing codes, and any of them may be meant. */
  readonly isClear: boolean;
}

/** Returns the milestones that a credit reverses, the first one first; null: none. */
function choose(owed: Decimal, here: readonly Open[], there: readonly Open[]): Choice | null {
  const isExact = ({ rest }: Open) => equals(rest, owed);
  const isEnough = ({ rest }: Open) => compare(rest, owed) >= 0;
  for (const fits of [isExact, isEnough]) {
    const fitting = here.filter(fits);
    if (fitting.length > 0) return { of: fitting, isClear: hasOneCode(fitting) };
  }
  const together = summing(owed, here);
  if (together !== null) return { of: together, isClear: true };
  if (compare(sum(here.map(({ rest }) => rest)), owed) > 0) return { of: here, isClear: hasOneCode(here) };
  if (there.length === 0) return null;
  const exact = there.filter(isExact);
  if (exact.length > 0 && hasOneCode(exact)) return { of: exact.slice(0, 1), isClear: true };
  const known = [...here, ...there];
  const isCovered = compare(sum(known.map(({ rest }) => rest)), owed) >= 0;
  return { of: known, isClear: isCovered && hasOneCode(known) };
}

const hasOneCode = (of: readonly Open[]): boolean =>
  new Set(of.map(({ milestone }) => milestone.billingCodeId)).size === 1;

/** Returns the only milestones whose sum is the credit; null if there are none, or several such sets. */
function summing(owed: Decimal, here: readonly Open[]): readonly Open[] | null {
  if (here.length > maxSummed) return null;
  let sets: readonly (readonly Open[])[] = [[]];
  for (const one of here) sets = [...sets, ...sets.map((set) => [...set, one])];
  const [found, ...further] = sets.filter((set) => equals(sum(set.map(({ rest }) => rest)), owed));
  return found !== undefined && further.length === 0 ? found : null;
}

/** Divides a credit among its milestones and reduces what is left of them. Milestones of one code share one line. */
function partsOf(
  credit: InvoiceLine,
  owed: Decimal,
  of: readonly Open[],
): readonly { readonly line: InvoiceLine; readonly milestone: InvoiceLine }[] {
  const byCode = [...Map.groupBy(of, ({ milestone }) => milestone.billingCodeId).values()];
  let left = owed;
  const taken = byCode.flatMap((alike) => {
    const before = left;
    for (const one of alike) {
      const part = smaller(one.rest, left);
      one.rest = minus(one.rest, part);
      left = minus(left, part);
    }
    const [first] = alike;
    return first === undefined ? [] : [{ milestone: first.milestone, amount: minus(before, left) }];
  });
  const [only] = taken;
  if (taken.length === 1 && only !== undefined) return [{ line: credit, milestone: only.milestone }];
  const taxes = shares(
    credit.tax,
    taken.map(({ amount }) => amount),
  );
  return taken.map(({ milestone, amount }, at) => ({
    line: partOf(credit, amount, taxes[at] ?? zero),
    milestone,
  }));
}

/** Divides tax in proportion to amounts; the first share takes the cents that rounding leaves. */
function shares(tax: Decimal, amounts: readonly Decimal[]): readonly Decimal[] {
  const total = sum(amounts);
  const rounded = amounts.slice(1).map((amount) => round2(times(tax, divide(amount, total, ratioPlaces))));
  return [minus(tax, sum(rounded)), ...rounded];
}

const ratioPlaces = 10;

function partOf(credit: InvoiceLine, amount: Decimal, tax: Decimal): InvoiceLine {
  const price = negate(amount);
  return {
    ...credit,
    quantity: decimal(1),
    rate: price,
    internalRate: price,
    extendedPrice: price,
    amount: price,
    internalAmount: price,
    tax,
  };
}

const isSameContract = (one: InvoiceLine, other: InvoiceLine): boolean =>
  one.contractId === null || other.contractId === null || one.contractId === other.contractId;
