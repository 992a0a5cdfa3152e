import { amountAt } from './amounts.ts';
import type { Doc } from './doc.ts';
import { addDays, dayOfMonth, daysBetween } from './times.ts';

/**
 * Returns a document's due date by its term (quickbooks reference 5.12). A standard term counts days. A date-driven
 * term is due on a day of the month. When the document is later than that day, or closer to it than `DueNextMonthDays`,
 * it is due on the same day of the next month.
 *
 * @param txnDate calendar date of the document
 */
export function dueDate(txnDate: string, term: Doc): string {
  const dueDays = amountAt(term, 'DueDays')?.toNumber();
  if (dueDays !== undefined) return addDays(txnDate, dueDays);
  const day = amountAt(term, 'DayOfMonthDue')?.toNumber() ?? 31;
  const grace = amountAt(term, 'DueNextMonthDays')?.toNumber() ?? 0;
  const thisMonth = dayOfMonth(txnDate, day, 0);
  const left = daysBetween(txnDate, thisMonth);
  return left < 0 || left < grace ? dayOfMonth(txnDate, day, 1) : thisMonth;
}
