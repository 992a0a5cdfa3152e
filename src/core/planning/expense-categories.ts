import type { ExpenseReport, ExpenseReportHead } from '../documents/expense-report.ts';
import type { Instant } from '../values/dates.ts';
import { syncedReportReference } from './eligibility.ts';
import { categoryNamespace, reimbursed } from './plan-expense-report.ts';

/** A category of expenses. Billable and non-billable ones are separate categories. */
export interface ExpenseCategory {
  readonly namespace: ReturnType<typeof categoryNamespace>;
  readonly id: string;
  readonly name: string;
  /** Submission time of the newest report with this category. */
  readonly submittedAt: Instant;
}

/** Returns whether a report waits to be synced. A refused report still waits. */
export const waitsForSync = (report: ExpenseReportHead): boolean =>
  report.status === 'approved' && report.submittedAt !== null && syncedReportReference(report) === null;

/** Returns the categories of all reimbursed expenses on waiting reports, by name. */
export function waitingCategories(reports: readonly ExpenseReport[]): readonly ExpenseCategory[] {
  const found = new Map<string, ExpenseCategory>();
  for (const report of reports.filter(waitsForSync))
    for (const item of reimbursed(report)) {
      const namespace = categoryNamespace(item);
      const [id, submittedAt] = [String(item.categoryId), report.submittedAt];
      const before = found.get(`${namespace} ${id}`);
      if (submittedAt !== null && (before === undefined || before.submittedAt < submittedAt))
        found.set(`${namespace} ${id}`, { namespace, id, name: item.categoryName, submittedAt });
    }
  return [...found.values()].sort(
    (a, b) => a.name.localeCompare(b.name, 'en') || a.namespace.localeCompare(b.namespace),
  );
}
