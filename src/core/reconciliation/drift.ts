import type { InvoiceHead } from '../documents/invoice.ts';
import type { SalesState } from '../documents/sales-state.ts';
import { problem, type Problem } from '../problems.ts';
import { dateIn } from '../values/dates.ts';
import { absolute, compare, equals, format, isNegative, isZero, minus, type Decimal } from '../values/decimal.ts';

/**
 * Ways in which the two sides of a document that was posted can come apart (domain reference 15):
 *
 * - `missing_in_books`, `voided_in_books`: deleted or voided there, and not in the PSA
 * - `changed_in_books`, `changed_in_psa`: its total is another one since
 * - `renumbered_in_books`: it has another number since
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
export function driftOf({ link, invoice, document, psaLabel: psa, timeZone }: DriftFacts): readonly Drift[] {
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
  // A person who brought the books to the PSA's total has put right what differed, and changed nothing that counts.
  const isPutRight = equals(document.total, absolute(invoice.total));
  if (link.total !== null && !equals(document.total, link.total) && !isPutRight)
    found.push({
      kind: 'changed_in_books',
      problem: changed('QuickBooks', said, link.total, document.total),
    });
  if (link.psaTotal !== null && !equals(invoice.total, link.psaTotal))
    found.push({ kind: 'changed_in_psa', problem: changed(psa, said, link.psaTotal, invoice.total) });
  if (link.number !== null && document.number !== null && document.number !== link.number)
    found.push({
      kind: 'renumbered_in_books',
      problem: problem('RENUMBERED_IN_BOOKS', { ...said, number: link.number, now: document.number }),
    });
  return found;
}

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
