import type { Problem } from '../problems.ts';
import { negate, type Decimal } from '../values/decimal.ts';
import type { LedgerEffect } from './ledger-effect.ts';
import type { DocumentView } from './plan-view.ts';

/** Hashes of a plan that tell whether another plan posts the same, without holding it. */
export interface PlanPrint {
  readonly document: string;
  /** Hash of each record that is made first, by list and name. */
  readonly records: Readonly<Record<string, string>>;
}

/** A planned document as a person reads it: kept with the log entry of a test, and of what was posted. */
export interface Preview {
  /** By which a review is compared with what is sent later; absent of what was posted, which nothing is compared with. */
  readonly print?: PlanPrint;
  /** ISO 4217; of a document that names no currency. */
  readonly homeCurrency: string;
  readonly view: DocumentView;
  readonly effect: LedgerEffect;
  readonly warnings: readonly Problem[];
}

/**
 * Whether a fresh plan posts what was looked at. A record that is there by now need not be made; one that nobody has seen
 * may not be.
 */
export const isSamePrint = (seen: PlanPrint | undefined, fresh: PlanPrint): boolean =>
  seen !== undefined &&
  seen.document === fresh.document &&
  Object.entries(fresh.records).every(([key, record]) => seen.records[key] === record);

/**
 * Amount of a planned document in the books, signed, and its currency (ISO 4217): books with one currency alone use
 * theirs, whatever the PSA's head says.
 */
export const worthInBooks = ({
  view: { form, total, currency },
  homeCurrency,
}: Pick<Preview, 'view' | 'homeCurrency'>): { readonly amount: Decimal; readonly currency: string } => ({
  amount: form === 'credit_memo' ? negate(total) : total,
  currency: currency ?? homeCurrency,
});
