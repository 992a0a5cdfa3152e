import type { Posted } from '../attempt.ts';
import type { Invoice } from '../documents/invoice.ts';
import type { AccountingLists, PsaReferenceData } from '../documents/reference-data.ts';
import { problem, type Problem, withInactiveAccount } from '../problems.ts';
import { isAccountFor } from '../settings/definition.ts';
import type { Settings } from '../settings/definitions.ts';
import { note, type Note } from '../transcript.ts';
import {
  absolute,
  compare,
  decimal,
  type Decimal,
  equals,
  format,
  isNegative,
  isPositive,
  isZero,
  minus,
  negate,
  plus,
  round2,
  signed,
  sum,
  times,
  zero,
} from '../values/decimal.ts';
import type { PsaMenus } from '../ports/psa.ts';
import { chooseOwnItem, itemReference } from './choose-item.ts';
import { sentRate } from './currency.ts';
import type { DecisionLog } from './decision.ts';
import type { DecidedLine } from './document-lines.ts';
import { lastCommand, type NewItem, type Plan } from './plan.ts';
import { indexAccounting } from './reference-index.ts';
import { differentAgencies, type LineTaxFacts, taxTolerance, untaxedLineCode } from './tax.ts';

const halfCent = decimal('0.005');

/**
 * Returns the differences that a total can have from these amounts, each rounded to cents (domain reference 6.12): from
 * the sum of what amounts lose by rounding up to the sum of what others gain. Both are 0 for amounts of whole cents.
 */
export function roundingRange(amounts: readonly Decimal[]): { readonly least: Decimal; readonly most: Decimal } {
  const lost = amounts.map((amount) => minus(amount, round2(amount)));
  return {
    least: round2(sum(lost.filter((one) => isNegative(one)))),
    most: round2(sum(lost.filter((one) => isPositive(one)))),
  };
}

/** Returns whether a total differs from the sum of these rounded amounts only by their rounding. */
export function isRoundingOf(difference: Decimal, amounts: readonly Decimal[]): boolean {
  const { least, most } = roundingRange(amounts);
  const cents = round2(difference);
  return compare(cents, least) >= 0 && compare(cents, most) <= 0;
}

/** Returns the largest difference from rounding this many amounts to cents: half a cent each. */
export const roundingOf = (count: number): Decimal => times(halfCent, decimal(count));

/** Name of the QuickBooks item for rounding differences. */
const roundingItemName = 'Rounding difference';

interface ControlFacts {
  readonly invoice: Invoice;
  readonly psa: Pick<PsaReferenceData, 'modules'>;
  readonly psaLabel: string;
  readonly psaMenus: PsaMenus;
}

/**
 * Compares header and lines before anything is sent (domain reference 6.12). Refuses lines that differ by more than
 * their rounding.
 *
 * @returns the header amount minus the rounded lines, to the cent; 0 if they agree or are refused
 */
export function checkControlTotal({ invoice, psa, psaLabel, psaMenus }: ControlFacts, log: DecisionLog): Decimal {
  if (invoice.lines.length === 0) return zero;
  // If the PSA uses several currencies, the header is in the customer's currency.
  const amounts = invoice.lines.map((line) => (psa.modules.multiCurrency ? line.amount : line.internalAmount));
  const lines = sum(amounts.map((amount) => round2(amount)));
  const header = minus(invoice.total, invoice.tax);
  const missing = minus(header, lines);
  const equation = `${format(lines)} ${isZero(missing) ? '=' : '<>'} ${format(invoice.total)} - ${format(invoice.tax)}`;
  log.note('info', `Control total ${equation}`);
  if (isRoundingOf(missing, amounts)) return round2(missing);
  log.refuse(
    problem('CONTROL_TOTAL', { psa: psaLabel, menus: psaMenus, lines: format(lines), invoice: format(header) }),
  );
  return zero;
}

interface RoundingFacts {
  readonly settings: Pick<
    Settings,
    'inv_create_item_automatically' | 'inv_default_income_account' | 'inv_rounding_account'
  >;
  readonly accounting: AccountingLists;
  readonly taxes: LineTaxFacts;
  /** New items that the lines need. A new item for rounding differences is added. */
  readonly newItems: NewItem[];
  /** Position of the first new item among the commands. */
  readonly firstCommand: number;
  /** The class of the line, if all lines share one. */
  readonly classId: string | null;
}

/**
 * Returns the line for the difference between rounded lines and the invoice's total, so receivables equal the billed
 * amount. The line is untaxed and has a separate item.
 *
 * @returns null if the item cannot be used, or does not exist and may not be created; this refuses the document
 */
export function roundingLine(missing: Decimal, facts: RoundingFacts, log: DecisionLog): DecidedLine | null {
  const { settings, accounting, newItems, firstCommand, classId } = facts;
  const index = indexAccounting(accounting);
  const taxCode = untaxedLineCode(facts.taxes, log);
  const accountId = settings.inv_rounding_account ?? settings.inv_default_income_account;
  const account = accounting.accounts.find(({ id }) => id === accountId);
  const mayMake = settings.inv_create_item_automatically && account !== undefined && isAccountFor('rounding', account);
  const choice = chooseOwnItem(roundingItemName, mayMake ? account.id : null, index);
  if (choice.is === 'missing' || choice.is === 'refused') {
    log.refuse(
      choice.is === 'refused'
        ? choice.problem
        : withInactiveAccount(
            problem('ROUNDING_ITEM_REQUIRED', { difference: signed(missing), name: roundingItemName }),
            accountId,
            accounting,
          ),
    );
    return null;
  }
  log.warn(problem('ROUNDING', { difference: signed(negate(missing)), isMadeUp: true }));
  return {
    amount: missing,
    quantity: decimal(1),
    rate: missing,
    description: roundingItemName,
    groupDescription: roundingItemName,
    item: itemReference(choice, newItems, firstCommand),
    itemName: roundingItemName,
    servedOn: null,
    classId,
    taxCode,
    isCovered: false,
    entries: 1,
  };
}

/** Findings from QuickBooks' response. */
interface Verified {
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
      accounting: format(posted.subtotal),
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
        accounting: format(posted.tax),
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
  const computed = expected.accountingTax ?? null;
  if (computed !== null && posted.tax !== null && compare(absolute(minus(posted.tax, computed)), taxTolerance) > 0)
    warnings.push(problem('TAX_NOT_AS_COMPUTED', { accounting: format(posted.tax), ours: format(computed) }));
  if (expected.dueOn !== null && posted.dueOn !== null && posted.dueOn !== expected.dueOn)
    warnings.push(problem('DUE_DATE_DIFFERS', { psa: psaLabel, accounting: posted.dueOn, ours: expected.dueOn }));
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
  { tax: accounting, taxes: credited = [] }: Posted,
): Problem | null {
  if (number === undefined || accounting === null) return null;
  const isOver = compare(absolute(minus(accounting, ours)), taxTolerance) > 0;
  const agencies =
    isOver || taxes === undefined || credited.length === 0
      ? ''
      : differentAgencies(credited, { tax: ours, taxes }, new Map());
  if (!isOver && agencies === '') return null;
  return problem('CREDIT_TAX_DIFFERS', {
    number,
    accounting: format(accounting),
    ours: format(ours),
    difference: signed(minus(accounting, ours)),
    agencies,
  });
}

/**
 * Returns the problem that QuickBooks used another exchange rate than the one that was sent; null if it is the same.
 */
function rateDifference(plan: Plan, { exchangeRate: accounting, total }: Posted): Problem | null {
  const ours = sentRate(plan);
  if (ours === null || accounting === undefined || equals(accounting, ours)) return null;
  const homeText =
    total === null
      ? ''
      : `, so that ${format(total)} is worth ${format(round2(times(total, accounting)))} and not ${format(round2(times(total, ours)))}`;
  return problem('EXCHANGE_RATE_DIFFERS', { accounting, ours, worth: homeText });
}

/** Returns the lines whose amount in the response differs: `line 2: 10.00 was sent, QuickBooks has 0.00`. */
function differentLines(plan: Plan, { lines: answered }: Posted): string {
  if (answered === undefined || answered.length === 0) return '';
  const sent = linesOf(plan);
  return Array.from({ length: Math.max(sent.length, answered.length) }, (_, at): string[] => {
    const [ours, accounting] = [sent[at]?.amount, answered[at]];
    if (ours !== undefined && accounting !== undefined && equals(ours, accounting)) return [];
    const shown = (amount: Decimal | undefined) => (amount === undefined ? 'nothing' : format(amount));
    return [`line ${at + 1}: ${shown(ours)} was sent, QuickBooks has ${shown(accounting)}`];
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
