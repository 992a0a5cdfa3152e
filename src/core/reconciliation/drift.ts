import type { InvoiceHead } from '../documents/invoice.ts';
import { asBilled } from '../documents/billed-sum.ts';
import type { SalesState } from '../documents/sales-state.ts';
import { problem, type Problem } from '../problems.ts';
import { compareFingerprints, type Fingerprint } from './fingerprint.ts';
import { ofType } from './signed.ts';
import { nameOfSales } from '../planning/messages.ts';
import { dateIn, dayText, isCalendarDate } from '../values/dates.ts';
import {
  absolute,
  compare,
  decimal,
  equals,
  format,
  isDecimal,
  isNegative,
  isZero,
  minus,
  plus,
  sum,
  type Decimal,
} from '../values/decimal.ts';

/**
 * Ways in which the two sides of a document that was posted can come apart (domain reference 15):
 *
 * - `missing_in_books`, `voided_in_books`: deleted or voided there, and not in the PSA
 * - `changed_in_books`, `changed_in_psa`: its total is another one since
 * - `renumbered_in_books`: it has another number since
 * - `edited_in_books`: something else of it was changed there, at the same total: see {@link editsOf}
 * - `total_differs`: the books came to another total when it was posted, and still do
 * - `not_mailed`: the customer was to get it by mail, and did not
 * - `received_in_psa`, `canceled_in_psa`: what became of an order there; neither is sent
 */
export const driftKinds = [
  'missing_in_books',
  'voided_in_books',
  'changed_in_books',
  'changed_in_psa',
  'renumbered_in_books',
  'edited_in_books',
  'total_differs',
  'not_mailed',
  'received_in_psa',
  'canceled_in_psa',
] as const;
export type DriftKind = (typeof driftKinds)[number];

/** One way in which both sides have come apart, and what to do about it. */
export interface Drift {
  readonly kind: DriftKind;
  readonly problem: Problem;
}

/** A document that bills a difference of an invoice and is not voided. */
export interface BilledDifference {
  readonly document: SalesState;
  /** Its total when it was posted; null: unknown. */
  readonly total: Decimal | null;
  /** The difference to Autotask when it was posted, signed; null: unknown. */
  readonly psaTotal: Decimal | null;
}

/** A posting, and both sides of it as they are now. */
export interface DriftFacts {
  readonly link: {
    readonly id: string;
    readonly number: string | null;
    /** Total as the books answered it then. */
    readonly total: Decimal | null;
    /** Total as the PSA said it then. */
    readonly psaTotal: Decimal | null;
  };
  readonly invoice: Pick<InvoiceHead, 'id' | 'total' | 'isVoided'>;
  /** Null when it is gone. */
  readonly document: SalesState | null;
  /** Documents that bill its differences, the oldest first; absent: none. */
  readonly differences?: readonly BilledDifference[];
  /** Changes in QuickBooks that change no total; absent: none are known. */
  readonly edits?: readonly Edit[];
  readonly psaLabel: string;
  /** Time zone in which days are told; absent: UTC. */
  readonly timeZone?: string;
}

/** Both sides of one amount, in the catalogue's words. */
const changed = (at: string, said: { psa: string; what: string; number: string }, before: Decimal, now: Decimal) =>
  problem('CHANGED_SINCE', { ...said, at, before: format(before), now: format(now) });

/**
 * Drift of an invoice and its document since it was posted. One that is voided in the PSA is the business of voids, and
 * has none.
 */
export function driftOf(facts: DriftFacts): readonly Drift[] {
  const { link, invoice, document, differences = [], edits = [], psaLabel: psa, timeZone } = facts;
  const number = document?.number ?? link.number ?? link.id;
  // The PSA's invoice below zero is a credit memo in the books.
  const what = isNegative(link.psaTotal ?? invoice.total) ? 'Credit memo' : 'Invoice';
  const said = { psa, what, number };
  if (invoice.isVoided) return [];
  if (document === null) return [{ kind: 'missing_in_books', problem: problem('MISSING_IN_BOOKS', said) }];
  const wasMoney = link.total === null || !isZero(link.total);
  if (document.isVoided || (isZero(document.total) && wasMoney))
    return [
      {
        kind: 'voided_in_books',
        problem: problem('VOIDED_IN_BOOKS', { ...said, on: dateIn(document.changedAt, timeZone ?? 'UTC') }),
      },
    ];
  const found: Drift[] = [];
  // When both sides have the same total again, the change was already made or billed.
  const isPutRight = isSameTotal(document, differences, invoice.total);
  const inBooks = isPutRight ? null : changedInBooks(said, link, document, differences);
  if (inBooks !== null) found.push({ kind: 'changed_in_books', problem: inBooks });
  const psaTotal = psaTotalThen(link, document, differences);
  if (psaTotal !== null && !equals(invoice.total, psaTotal) && !isPutRight)
    found.push({ kind: 'changed_in_psa', problem: changed(psa, said, psaTotal, invoice.total) });
  if (link.number !== null && document.number !== null && document.number !== link.number)
    found.push({
      kind: 'renumbered_in_books',
      problem: problem('RENUMBERED_IN_BOOKS', { ...said, number: link.number, now: document.number }),
    });
  // Another total says that amounts were changed.
  const isAsPosted = link.total === null || equals(document.total, link.total);
  const edited = edits.filter(({ field }) => isAsPosted || !amountFields.has(field));
  if (edited.length > 0)
    found.push({
      kind: 'edited_in_books',
      problem: problem('EDITED_IN_BOOKS', { ...said, changes: changesText(edited) }),
    });
  return found;
}

/** Whether an invoice and its difference documents add up to the PSA's total. */
function isSameTotal(document: SalesState, differences: readonly BilledDifference[], psaTotal: Decimal): boolean {
  if (differences.length === 0) return equals(document.total, absolute(psaTotal));
  const billed = asBilled(
    document,
    differences.map((one) => one.document),
  );
  return equals(ofType(document.type, billed.total), psaTotal);
}

/** The problem of the first document whose total in QuickBooks changed since it was posted; null: none did. */
function changedInBooks(
  said: Parameters<typeof changed>[1],
  link: DriftFacts['link'],
  document: SalesState,
  differences: readonly BilledDifference[],
): Problem | null {
  const billed = differences.map((one) => ({
    before: one.total,
    now: one.document.total,
    said: { ...said, what: nameOfSales(one.document.type), number: one.document.number ?? one.document.id },
  }));
  const all = [{ before: link.total, now: document.total, said }, ...billed];
  for (const { before, now, said: of } of all)
    if (before !== null && !equals(now, before)) return changed('QuickBooks', of, before, now);
  return null;
}

/** Total of the invoice in the PSA when it, or the newest of its differences, was posted; null: unknown. */
function psaTotalThen(
  { total, psaTotal }: DriftFacts['link'],
  document: SalesState,
  differences: readonly BilledDifference[],
): Decimal | null {
  const last = differences.at(-1);
  if (last === undefined) return psaTotal;
  const before = differences.slice(0, -1).map((one) => ofType(one.document.type, one.total ?? one.document.total));
  const posted = plus(ofType(document.type, total ?? document.total), sum(before));
  return plus(posted, last.psaTotal ?? ofType(last.document.type, last.document.total));
}

/** Members of a document whose change in QuickBooks is reported; classes may be set there by hand. */
const editFields = ['customer', 'date', 'due', 'currency', 'rate', 'lines', 'item', 'account', 'amount'] as const;
type EditField = (typeof editFields)[number];
const amountFields: ReadonlySet<EditField> = new Set(['lines', 'item', 'account', 'amount']);
const isEditField = (field: string): field is EditField => editFields.some((one) => one === field);

const fieldNames: Readonly<Record<EditField, string>> = {
  customer: 'customer',
  date: 'date',
  due: 'due date',
  currency: 'currency',
  rate: 'exchange rate',
  lines: 'number of lines',
  item: 'item',
  account: 'account',
  amount: 'amount',
};
/** Changes of one document that its sentence lists. */
const maxListed = 6;

/** `customer Acme Dental → Birch Legal; line 2, amount 100.00 → 40.00`. */
function changesText(edits: readonly Edit[]): string {
  const listed = edits.slice(0, maxListed).map(({ field, line, before, after }) => {
    const place = line === null ? '' : `line ${line}, `;
    return `${place}${fieldNames[field]} ${valueText(field, before)} → ${valueText(field, after)}`;
  });
  const left = edits.length - listed.length;
  return [...listed, ...(left > 0 ? [`and ${left} more`] : [])].join('; ');
}

function valueText(field: EditField, value: string): string {
  if ((field === 'date' || field === 'due') && isCalendarDate(value)) return dayText(value);
  return field === 'amount' && isDecimal(value) ? format(decimal(value)) : value;
}

/** One member of a document that was changed in QuickBooks, with names instead of ids. */
export interface Edit {
  readonly field: EditField;
  /** Counted from 1; null for the document itself. */
  readonly line: number | null;
  readonly before: string;
  readonly after: string;
}

/**
 * Changes of a document in QuickBooks since it was posted, apart from its total and number, which are compared by
 * themselves.
 *
 * @param nameOf name of a customer, item or account by its id; the id where it is not known
 */
export const editsOf = (
  posted: Fingerprint,
  now: Fingerprint,
  nameOf: (of: 'customer' | 'item' | 'account', id: string) => string,
): readonly Edit[] =>
  compareFingerprints(posted, now).flatMap(({ field, line, before, after }) => {
    if (!isEditField(field)) return [];
    const isNamed = field === 'customer' || field === 'item' || field === 'account';
    const shown = (value: string | null) => (value === null ? 'none' : isNamed ? nameOf(field, value) : value);
    return [{ field, line, before: shown(before), after: shown(after) }];
  });

/**
 * Marks of the day of posting that still hold: a total that was corrected since, or a mail that a person sent since,
 * settles them.
 *
 * @param marked what the ledger says of it so far
 * @param limit differences up to it are settled as well
 */
export function standingMarks(
  marked: readonly DriftKind[],
  { invoice, document }: Pick<DriftFacts, 'invoice' | 'document'>,
  limit: Decimal,
): readonly DriftKind[] {
  if (document === null || document.isVoided || invoice.isVoided) return [];
  const difference = absolute(minus(document.total, absolute(invoice.total)));
  return marked.filter(
    (kind) =>
      (kind === 'total_differs' && compare(difference, limit) > 0) || (kind === 'not_mailed' && !document.isMailed),
  );
}

/** Nothing more can be said of a document that is not there. */
export const isGone = ({ kind }: Drift): boolean => kind === 'missing_in_books' || kind === 'voided_in_books';
