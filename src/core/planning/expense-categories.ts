import type { ExpenseReport, ExpenseReportHead } from '../documents/expense-report.ts';
import type { Instant } from '../values/dates.ts';
import { syncedReportReference } from './eligibility.ts';
import { categoryNamespace, reimbursed } from './plan-expense-report.ts';

/** A category that expenses stand on; billable and not billable ones are told apart. */
export interface ExpenseCategory {
  readonly namespace: ReturnType<typeof categoryNamespace>;
  readonly id: string;
  readonly name: string;
  /** Submission of the newest of its reports. */
  readonly submittedAt: Instant;
}

/** Whether a report waits to be synced; one that was refused still does. */
export const waitsForSync = (report: ExpenseReportHead): boolean =>
  report.status === 'approved' && report.submittedAt !== null && syncedReportReference(report) === null;

/** The categories of everything that is reimbursed on the reports that wait, by name. */
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
