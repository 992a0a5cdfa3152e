import { createHash } from 'node:crypto';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { canonicalPlan } from '#core/planning/canonical-plan.ts';
import { ledgerEffect } from '#core/planning/ledger-effect.ts';
import type { Plan } from '#core/planning/plan.ts';
import { viewOf, type ViewedDocument } from '#core/planning/plan-view.ts';
import type { PlanPrint, Preview } from '#core/planning/preview.ts';

/** Returns a plan as users see it. */
export const previewOf = (plan: Plan, accounting: AccountingLists, about: ViewedDocument): Preview => ({
  homeCurrency: accounting.preferences.homeCurrency,
  view: viewOf(plan, accounting, about),
  effect: ledgerEffect(plan, accounting, about),
  warnings: plan.warnings,
});

/** Returns a plan as users see it, with fingerprints to compare it with another plan. */
export const reviewablePreviewOf = (
  plan: Plan,
  accounting: AccountingLists,
  about: ViewedDocument,
): Preview & { readonly print: PlanPrint } => ({
  ...previewOf(plan, accounting, about),
  print: printOf(plan, accounting),
});

/** Returns equal fingerprints for plans that post the same. */
function printOf(plan: Plan, accounting: AccountingLists): PlanPrint {
  const { document, records } = canonicalPlan(plan, accounting);
  return {
    document: digest(document),
    records: Object.fromEntries([...records].map(([key, record]) => [key, digest(record)])),
  };
}

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
