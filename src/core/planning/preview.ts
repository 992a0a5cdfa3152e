import type { Problem } from '../problems.ts';
import { negate, type Decimal } from '../values/decimal.ts';
import type { LedgerEffect } from './ledger-effect.ts';
import type { DocumentView } from './plan-view.ts';

/** Hashes of a plan. They show whether another plan posts the same, without storing the plan. */
export interface PlanPrint {
  readonly document: string;
  /** Hash of each shared record that the plan creates first, by list and name. */
  readonly records: Readonly<Record<string, string>>;
}

/** A planned document in readable form, stored with the log entry of a test and with the posted document. */
export interface Preview {
  /** Compared with the plan that is sent after a review; absent for posted documents. */
  readonly print?: PlanPrint;
  /** ISO 4217 code for documents that name no currency. */
  readonly homeCurrency: string;
  readonly view: DocumentView;
  readonly effect: LedgerEffect;
  readonly warnings: readonly Problem[];
}

/**
 * Returns whether a fresh plan posts the same as the reviewed one. The fresh plan may create fewer records, because
 * some may exist by now. It may not create a record that the reviewed plan did not show.
 */
export const isSamePrint = (seen: PlanPrint | undefined, fresh: PlanPrint): boolean =>
  seen !== undefined &&
  seen.document === fresh.document &&
  Object.entries(fresh.records).every(([key, record]) => seen.records[key] === record);

/**
 * Returns the signed amount of a planned document in QuickBooks, with its currency (ISO 4217). A company file with one
 * currency always uses that currency.
 */
export const amountInQuickBooks = ({
  view: { form, total, currency },
  homeCurrency,
}: Pick<Preview, 'view' | 'homeCurrency'>): { readonly amount: Decimal; readonly currency: string } => ({
  amount: form === 'credit_memo' ? negate(total) : total,
  currency: currency ?? homeCurrency,
});
