import type { InvoiceLine } from '../documents/invoice.ts';
import { compare, equals, isNegative, isPositive, negate, plus, type Decimal } from '../values/decimal.ts';

/** A credit and the milestone whose account it reverses. */
export interface MilestoneCredit {
  readonly credit: InvoiceLine;
  readonly milestone: InvoiceLine;
}

/**
 * Finds credits of milestones.
 *
 * Autotask has no negative milestones, so users enter a service adjustment, whose billing code leads to another
 * account. A negative service line credits a milestone if all of these hold:
 *
 * - the milestone is on the same invoice and is large enough
 * - both have the same contract, unless one has none
 * - the invoice charges no service with the same billing code that the credit could belong to instead
 *
 * @param amountOf returns the amount of a line in the currency of the document
 * @returns the lines, where each credit has the kind and billing code of its milestone
 */
export function creditMilestones(
  lines: readonly InvoiceLine[],
  amountOf: (line: InvoiceLine) => Decimal,
): { readonly lines: readonly InvoiceLine[]; readonly credits: readonly MilestoneCredit[] } {
  const left = new Map(lines.filter(({ kind }) => kind === 'milestone').map((line) => [line, amountOf(line)] as const));
  const isCharged = (code: number | null) =>
    lines.some((line) => line.kind === 'service' && line.billingCodeId === code && isPositive(amountOf(line)));
  const credits: MilestoneCredit[] = [];
  const changed = lines.map((line) => {
    const amount = amountOf(line);
    if (line.kind !== 'service' || !isNegative(amount) || isCharged(line.billingCodeId)) return line;
    const fitting = [...left].filter(
      ([milestone, rest]) => isSameContract(milestone, line) && compare(rest, negate(amount)) >= 0,
    );
    const [milestone, rest] = fitting.find(([, one]) => equals(one, negate(amount))) ?? fitting[0] ?? [];
    if (milestone === undefined || rest === undefined) return line;
    left.set(milestone, plus(rest, amount));
    credits.push({ credit: line, milestone });
    return { ...line, kind: milestone.kind, billingCodeId: milestone.billingCodeId };
  });
  return { lines: changed, credits };
}

const isSameContract = (one: InvoiceLine, other: InvoiceLine): boolean =>
  one.contractId === null || other.contractId === null || one.contractId === other.contractId;
