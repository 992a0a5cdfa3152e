import type { Posted } from '../attempt.ts';
import { problem, type Problem } from '../problems.ts';
import { note, type Note } from '../transcript.ts';
import {
  absolute,
  compare,
  equals,
  format,
  minus,
  plus,
  round2,
  signed,
  times,
  type Decimal,
} from '../values/decimal.ts';
import { differentAgencies, taxTolerance } from './credit-tax.ts';
import { sentRate } from './exchange-rate.ts';
import { lastCommand, type Plan } from './plan.ts';

/** Findings from QuickBooks' response. */
export interface Verified {
  readonly warnings: readonly Problem[];
  readonly notes: readonly Note[];
  /**
   * Problems that a person must check although the document was posted. The success message names them, and no email is
   * sent.
   */
  readonly attention: readonly Problem[];
}

/**
 * Compares QuickBooks' response with the plan (domain reference 6.13). The document already exists, so all findings are
 * warnings. A void has no amounts to compare, and a payment only its exchange rate.
 *
 * @param psaLabel the PSA's label, e.g. `Autotask`
 */
export function verify(plan: Plan, posted: Posted, psaLabel: string): Verified {
  const done = plan.commands.at(-1)?.do;
  if (done === 'void') return { warnings: [], attention: [], notes: [] };
  return done === 'create_payment' ? verifyPayment(plan, posted) : verifyDocument(plan, posted, psaLabel);
}

function verifyDocument(plan: Plan, posted: Posted, psaLabel: string): Verified {
  const { expected } = plan;
  const warnings: Problem[] = [];
  const attention: Problem[] = [];
  if (posted.subtotal !== null && !equals(posted.subtotal, expected.subtotal)) {
    const found = problem('SUBTOTAL_MISMATCH', {
      books: format(posted.subtotal),
      ours: format(expected.subtotal),
      lines: differentLines(plan, posted),
    });
    warnings.push(found);
    attention.push(found);
  }
  const credit = creditDifference(plan, posted);
  if (credit !== null) {
    warnings.push(credit);
    attention.push(credit);
  }
  if (expected.takesBack === undefined && posted.tax !== null) {
    const difference = minus(posted.tax, expected.tax);
    if (compare(absolute(difference), taxTolerance) > 0) {
      const isRounding = compare(absolute(difference), expected.taxRounding ?? taxTolerance) <= 0;
      const found = problem('TAX_DIFFERS', {
        psa: psaLabel,
        books: format(posted.tax),
        ours: format(expected.tax),
        difference: signed(difference),
        isRounding,
      });
      warnings.push(found);
      const limit = expected.taxHoldOver ?? null;
      if (!isRounding && limit !== null && compare(absolute(difference), limit) > 0) attention.push(found);
    }
  }
  const rate = rateDifference(plan, posted);
  if (rate !== null) {
    warnings.push(rate);
    attention.push(rate);
  }
  const computed = expected.booksTax ?? null;
  if (computed !== null && posted.tax !== null && compare(absolute(minus(posted.tax, computed)), taxTolerance) > 0)
    warnings.push(problem('TAX_NOT_AS_COMPUTED', { books: format(posted.tax), ours: format(computed) }));
  if (expected.dueOn !== null && posted.dueOn !== null && posted.dueOn !== expected.dueOn)
    warnings.push(problem('DUE_DATE_DIFFERS', { psa: psaLabel, books: posted.dueOn, ours: expected.dueOn }));
  return { warnings, attention, notes: totalNotes(plan, posted, psaLabel) };
}

function verifyPayment(plan: Plan, posted: Posted): Verified {
  const rate = rateDifference(plan, posted);
  const found = rate === null ? [] : [rate];
  return { warnings: found, attention: found, notes: [] };
}

/**
 * Returns the problem that a credit memo has another tax than the invoice that it reverses, in total or by rate; null
 * if the tax is the same.
 */
function creditDifference(
  { expected: { takesBack: number, tax: ours, taxes } }: Plan,
  { tax: books, taxes: credited = [] }: Posted,
): Problem | null {
  if (number === undefined || books === null) return null;
  const isOver = compare(absolute(minus(books, ours)), taxTolerance) > 0;
  const agencies =
    isOver || taxes === undefined || credited.length === 0
      ? ''
      : differentAgencies(credited, { tax: ours, taxes }, new Map());
  if (!isOver && agencies === '') return null;
  return problem('CREDIT_TAX_DIFFERS', {
    number,
    books: format(books),
    ours: format(ours),
    difference: signed(minus(books, ours)),
    agencies,
  });
}

/**
 * Returns the problem that QuickBooks used another exchange rate than the one that was sent; null if it is the same.
 */
function rateDifference(plan: Plan, { exchangeRate: books, total }: Posted): Problem | null {
  const ours = sentRate(plan);
  if (ours === null || books === undefined || equals(books, ours)) return null;
  const homeText =
    total === null
      ? ''
      : `, so that ${format(total)} is worth ${format(round2(times(total, books)))} and not ${format(round2(times(total, ours)))}`;
  return problem('EXCHANGE_RATE_DIFFERS', { books, ours, worth: homeText });
}

/** Returns the lines whose amount in the response differs: `line 2: 10.00 was sent, QuickBooks has 0.00`. */
function differentLines(plan: Plan, { lines: answered }: Posted): string {
  if (answered === undefined || answered.length === 0) return '';
  const sent = linesOf(plan);
  return Array.from({ length: Math.max(sent.length, answered.length) }, (_, at): string[] => {
    const [ours, books] = [sent[at]?.amount, answered[at]];
    if (ours !== undefined && books !== undefined && equals(ours, books)) return [];
    const shown = (amount: Decimal | undefined) => (amount === undefined ? 'nothing' : format(amount));
    return [`line ${at + 1}: ${shown(ours)} was sent, QuickBooks has ${shown(books)}`];
  })
    .flat()
    .join('; ');
}

function linesOf(plan: Plan): readonly { readonly amount: Decimal }[] {
  const command = lastCommand(plan);
  if ('document' in command) return command.document.lines;
  if ('order' in command) return command.order.lines;
  return 'bill' in command ? command.bill.lines : [];
}

function totalNotes({ expected }: Plan, { total, tax }: Posted, psaLabel: string): readonly Note[] {
  if (total === null) return [];
  const totals = `QuickBooks total ${format(total)}${tax === null ? '' : `, tax ${format(tax)}`}`;
  const ours = plus(expected.subtotal, expected.tax);
  const comparison = equals(total, ours) ? `equal to ${psaLabel}` : `${psaLabel} says ${format(ours)}`;
  return [note('info', `${totals}: ${comparison}`)];
}
