import type { CalendarDate, Instant } from '../values/dates.ts';
import type { Decimal } from '../values/decimal.ts';

/** Progress of a report in the PSA; only approved reports sync (domain reference 10.1). */
export type ExpenseReportStatus =
  | 'in_progress'
  | 'awaiting_approval'
  | 'approved'
  | 'rejected'
  | 'paid'
  | 'transferred'
  | 'other';

/** The head of a PSA expense report, as a list query returns it. Its amounts are in the tenant's own currency. */
export interface ExpenseReportHead {
  readonly id: number;
  readonly name: string;
  readonly status: ExpenseReportStatus;
  /** The PSA resource who submitted the expenses. */
  readonly submitterId: number;
  readonly submittedAt: Instant | null;
  readonly submittedOn: CalendarDate | null;
  readonly approvedOn: CalendarDate | null;
  readonly weekEndingOn: CalendarDate | null;
  readonly departmentNumber: string | null;
  readonly lineOfBusinessId?: number | null;
  /** Amount owed according to the PSA; null when it returns none. */
  readonly amountDue: Decimal | null;
  readonly cashAdvance: Decimal;
  /** PSA id of the currency in which the employee is reimbursed; null: the tenant's own. */
  readonly paidBackCurrencyId: number | null;
  /** Amount owed in that currency; null when the PSA returns none. */
  readonly paidBackAmountDue: Decimal | null;
  /** The PSA's field for our reference or a sentinel; empty before the first sync. */
  readonly reference: string;
}

/** Returns whether the PSA no longer owes the employee the report's amount. */
export const isWithdrawnReport = ({ status }: Pick<ExpenseReportHead, 'status'>): boolean =>
  status === 'rejected' || status === 'in_progress' || status === 'awaiting_approval';

/** The employee who submitted a report. */
export interface Submitter {
  readonly firstName: string | null;
  readonly lastName: string | null;
}

export interface ExpenseItem {
  readonly id: number;
  readonly spentOn: CalendarDate;
  readonly categoryId: number;
  /** The category's label, or its number when the PSA no longer lists it. */
  readonly categoryName: string;
  readonly description: string | null;
  readonly isBillable: boolean;
  readonly isReimbursable: boolean;
  readonly isRejected: boolean;
  /** The PSA company of the expense; null for the tenant's own. */
  readonly companyId: number | null;
  /** Amount that is reimbursed to the employee. */
  readonly amount: Decimal;
}

/** A PSA expense report with its items, in ascending id. */
export interface ExpenseReport extends ExpenseReportHead {
  /** Null when the PSA does not return the submitter. */
  readonly submitter: Submitter | null;
  readonly items: readonly ExpenseItem[];
}
