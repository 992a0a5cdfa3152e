import { createHash } from 'node:crypto';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { canonicalPlan } from '#core/planning/canonical-plan.ts';
import { ledgerEffect } from '#core/planning/ledger-effect.ts';
import type { Plan } from '#core/planning/plan.ts';
import { viewOf, type ViewedDocument } from '#core/planning/plan-view.ts';
import type { PlanPrint, Preview } from '#core/planning/preview.ts';

/** Returns a plan as users see it. */
export const previewOf = (plan: Plan, books: AccountingLists, about: ViewedDocument): Preview => ({
  homeCurrency: books.preferences.homeCurrency,
  view: viewOf(plan, books, about),
  effect: ledgerEffect(plan, books, about),
  warnings: plan.warnings,
});

/** Returns a plan as users see it, with fingerprints to compare it with another plan. */
export const reviewablePreviewOf = (
  plan: Plan,
  books: AccountingLists,
  about: ViewedDocument,
): Preview & { readonly print: PlanPrint } => ({ ...previewOf(plan, books, about), print: printOf(plan, books) });

/** Returns equal fingerprints for plans that post the same. */
function printOf(plan: Plan, books: AccountingLists): PlanPrint {
  const { document, records } = canonicalPlan(plan, books);
  return {
    document: digest(document),
    records: Object.fromEntries([...records].map(([key, record]) => [key, digest(record)])),
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
