import type { AccountingPreferences } from '../documents/reference-data.ts';
import { problem } from '../problems.ts';
import type { Settings } from '../settings/definitions.ts';
import { addDays, type CalendarDate } from '../values/dates.ts';
import type { DecisionLog } from './decision-log.ts';

export interface DateFacts {
  readonly settings: Pick<Settings, 'closed_period_policy'>;
  readonly preferences: Pick<AccountingPreferences, 'closedThrough'>;
  readonly psaLabel: string;
}

/**
 * Chooses the date of a document (domain reference 5.8).
 *
 * Invariant: no document is dated in a closed period.
 *
 * @returns the date, and the private note's text about a moved date; null if the date was not moved
 */
export function choosePostingDate(
  wanted: CalendarDate,
  { settings, preferences: { closedThrough }, psaLabel }: DateFacts,
  log: DecisionLog,
): { readonly on: CalendarDate; readonly note: string | null } {
  if (closedThrough === null || wanted > closedThrough) return { on: wanted, note: null };
  const on = addDays(closedThrough, 1);
  if (settings.closed_period_policy === 'hold') log.refuse(problem('PERIOD_CLOSED', { psa: psaLabel, closedThrough }));
  else log.warn(problem('DATE_MOVED', { from: wanted, to: on, closedThrough }));
  return { on, note: `Original date ${wanted} (books closed through ${closedThrough})` };
}
