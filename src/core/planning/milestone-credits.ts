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

/** A credit that may belong to milestones with different items. */
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

/** Another invoice of the contracts whose milestones an invoice may credit. */
export interface ContractInvoice {
  readonly lines: readonly InvoiceLine[];
  /** Its credits come before those of this invoice: it is posted, or it was created earlier. */
  readonly isBefore: boolean;
}

export interface CreditFacts {
  /** Returns the amount of a line in the currency of the document. */
  readonly amountOf: (line: InvoiceLine) => Decimal;
  /** Identifies the item of a milestone; milestones with the same item need no distinction. */
  readonly itemOf: (milestone: InvoiceLine) => string;
  /** Other invoices of the same contracts; those before this one in their order. */
  readonly others?: readonly ContractInvoice[];
}

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
 * It takes the item of the milestone, one line for each. If the milestones that it may credit have different items, it
 * is unclear. What credits on earlier invoices reverse is not credited again.
 *
 * @returns the lines, where each credit has the kind, billing code and item name of its milestone
 */
export function creditMilestones(
  lines: readonly InvoiceLine[],
  { amountOf, itemOf, others = [] }: CreditFacts,
): {
  readonly lines: readonly InvoiceLine[];
  readonly credits: readonly MilestoneCredit[];
  readonly unclear: readonly UnclearCredit[];
} {
  const own = { lines, open: milestonesOf(lines, amountOf) };
  const elsewhere = others.map((invoice) => ({ ...invoice, open: milestonesOf(invoice.lines, amountOf) }));
  const all = [own, ...elsewhere];
  const assign = (to: (typeof all)[number]) => {
    const rest = all.filter((one) => one !== to);
    return assignCredits(
      to,
      { open: rest.flatMap(({ open }) => open), lines: rest.flatMap((one) => one.lines) },
      amountOf,
      itemOf,
    );
  };
  // Reduces what is left of the milestones.
  for (const other of elsewhere) if (other.isBefore) assign(other);
  return assign(own);
}

interface Pool {
  readonly lines: readonly InvoiceLine[];
  readonly open: readonly Open[];
}

function assignCredits(
  { lines, open }: Pool,
  others: Pool,
  amountOf: (line: InvoiceLine) => Decimal,
  itemOf: (milestone: InvoiceLine) => string,
): ReturnType<typeof creditMilestones> {
  const credits: MilestoneCredit[] = [];
  const unclear: UnclearCredit[] = [];
  const changed = lines.flatMap((credit): readonly InvoiceLine[] => {
    const owed = negate(amountOf(credit));
    if (!mayCreditMilestone(credit, lines, amountOf)) return [credit];
    const isLeft = ({ rest }: Open) => isPositive(rest);
    const here = open.filter((one) => isLeft(one) && isSameContract(one.milestone, credit));
    const there =
      credit.contractId === null || isCharged(credit, others.lines, amountOf)
        ? []
        : others.open.filter((one) => isLeft(one) && one.milestone.contractId === credit.contractId);
    const found = choose(owed, here, there, itemOf);
    if (found === null) return [credit];
    if (!found.isClear) {
      unclear.push({ credit, milestones: found.of.map(({ milestone }) => milestone) });
      return [credit];
    }
    return partsOf(credit, owed, found.of, itemOf).map(({ line, milestone }) => {
      credits.push({ credit: line, milestone });
      const { kind, billingCodeId, itemName } = milestone;
      return { ...line, kind, billingCodeId, namedLike: itemName };
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
  /** False: the milestones have different items, and any of them may be meant. */
  readonly isClear: boolean;
}

/** Returns the milestones that a credit reverses, the first one first; null: none. */
function choose(
  owed: Decimal,
  here: readonly Open[],
  there: readonly Open[],
  itemOf: (milestone: InvoiceLine) => string,
): Choice | null {
  const isOneItem = (of: readonly Open[]) => new Set(of.map(({ milestone }) => itemOf(milestone))).size === 1;
  const isExact = ({ rest }: Open) => equals(rest, owed);
  const isEnough = ({ rest }: Open) => compare(rest, owed) >= 0;
  for (const fits of [isExact, isEnough]) {
    const fitting = here.filter(fits);
    if (fitting.length > 0) return { of: fitting, isClear: isOneItem(fitting) };
  }
  const together = summing(owed, here);
  if (together !== null) return { of: together, isClear: true };
  if (compare(sum(here.map(({ rest }) => rest)), owed) > 0) return { of: here, isClear: isOneItem(here) };
  if (there.length === 0) return null;
  const exact = there.filter(isExact);
  if (exact.length > 0 && isOneItem(exact)) return { of: exact.slice(0, 1), isClear: true };
  const known = [...here, ...there];
  const isCovered = compare(sum(known.map(({ rest }) => rest)), owed) >= 0;
  return { of: known, isClear: isCovered && isOneItem(known) };
}

/** Returns the only milestones whose sum is the credit; null if there are none, or several such sets. */
function summing(owed: Decimal, here: readonly Open[]): readonly Open[] | null {
  if (here.length > maxSummed) return null;
  let sets: readonly (readonly Open[])[] = [[]];
  for (const one of here) sets = [...sets, ...sets.map((set) => [...set, one])];
  const [found, ...further] = sets.filter((set) => equals(sum(set.map(({ rest }) => rest)), owed));
  return found !== undefined && further.length === 0 ? found : null;
}

/** Divides a credit among its milestones and reduces what is left of them. Milestones of one item share one line. */
function partsOf(
  credit: InvoiceLine,
  owed: Decimal,
  of: readonly Open[],
  itemOf: (milestone: InvoiceLine) => string,
): readonly { readonly line: InvoiceLine; readonly milestone: InvoiceLine }[] {
  const byItem = [...Map.groupBy(of, ({ milestone }) => itemOf(milestone)).values()];
  let left = owed;
  const taken = byItem.flatMap((alike) => {
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
  const amounts = taken.map(({ amount }) => amount);
  const [taxes, internalTaxes] = [shares(credit.tax, amounts), shares(credit.internalTax, amounts)];
  return taken.map(({ milestone, amount }, at) => ({
    line: { ...partOf(credit, amount), tax: taxes[at] ?? zero, internalTax: internalTaxes[at] ?? zero },
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

function partOf(credit: InvoiceLine, amount: Decimal): InvoiceLine {
  const price = negate(amount);
  return {
    ...credit,
    quantity: decimal(1),
    rate: price,
    internalRate: price,
    extendedPrice: price,
    amount: price,
    internalAmount: price,
  };
}

const isSameContract = (line: InvoiceLine, other: InvoiceLine): boolean =>
  line.contractId === null || other.contractId === null || line.contractId === other.contractId;
