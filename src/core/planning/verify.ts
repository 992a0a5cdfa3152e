import type { Posted } from '../attempt.ts';
import { problem, type Problem } from '../problems.ts';
import { note, type Note } from '../transcript.ts';
import { absolute, compare, decimal, equals, format, isPositive, minus, plus } from '../values/decimal.ts';
import type { Plan } from './plan.ts';

/** Tax may differ by a cent without anyone asking why. */
const taxTolerance = decimal('0.01');

/**
 * Compares what the books answered with what the plan expected (domain reference 6.13). The document exists, so
 * everything found is a warning.
 *
 * @param psaLabel the PSA's label, e.g. `Autotask`
 */
export function verify(
  plan: Plan,
  posted: Posted,
  psaLabel: string,
): { readonly warnings: readonly Problem[]; readonly notes: readonly Note[] } {
  const { expected } = plan;
  const warnings: Problem[] = [];
  if (posted.subtotal !== null && !equals(posted.subtotal, expected.subtotal))
    warnings.push(problem('SUBTOTAL_MISMATCH', { books: format(posted.subtotal), ours: format(expected.subtotal) }));
  // Amounts of another currency say nothing about each other.
  const isComparable = !plan.warnings.some(({ code }) => code === 'CURRENCY_IGNORED');
  if (isComparable && posted.tax !== null) {
    const difference = minus(posted.tax, expected.tax);
    if (compare(absolute(difference), taxTolerance) > 0)
      warnings.push(
        problem('TAX_DIFFERS', {
          psa: psaLabel,
          books: format(posted.tax),
          ours: format(expected.tax),
          difference: `${isPositive(difference) ? '+' : ''}${format(difference)}`,
        }),
      );
  }
  if (expected.dueOn !== null && posted.dueOn !== null && posted.dueOn !== expected.dueOn)
    warnings.push(problem('DUE_DATE_DIFFERS', { psa: psaLabel, books: posted.dueOn, ours: expected.dueOn }));
  return { warnings, notes: totalNotes(plan, posted, isComparable, psaLabel) };
}

function totalNotes(
  { expected }: Plan,
  { total, tax }: Posted,
  isComparable: boolean,
  psaLabel: string,
): readonly Note[] {
  if (total === null) return [];
  const told = `QuickBooks total ${format(total)}${tax === null ? '' : `, tax ${format(tax)}`}`;
  if (!isComparable) return [note('info', `${told}; ${psaLabel} has its tax in another currency`)];
  const ours = plus(expected.subtotal, expected.tax);
  const comparison = equals(total, ours) ? `equal to ${psaLabel}` : `${psaLabel} says ${format(ours)}`;
  return [note('info', `${told}: ${comparison}`)];
}
