import type { LastOutcome } from '../records/closes.ts';
import type { Instant } from '../values/dates.ts';
import type { MissingClass } from './difference-classes.ts';

/** Facts about a document that is not in QuickBooks. */
export interface MissingFacts {
  readonly createdAt: Instant;
  /** Outcome of its last run; null: it was never run. */
  readonly outcome: LastOutcome | null;
  /** Start of the window that a run considers, without the sync start date. */
  readonly window: Instant;
  /** The same with the sync start date; equal to `window` if that date does not apply. */
  readonly startsAt: Instant;
  /** Whether the document is in a state that is synced. */
  readonly isSendable: boolean;
}

/** Returns why a document is not in QuickBooks. The outcome of a run wins over reasons why it was not run. */
export function missingClass({ createdAt, outcome, window, startsAt, isSendable }: MissingFacts): MissingClass {
  if (outcome === 'failed') return 'missing_error';
  if (outcome === 'held') return 'missing_held';
  if (outcome === 'awaits_approval') return 'missing_awaits_approval';
  if (!isSendable) return 'missing_not_posting';
  if (createdAt < startsAt && startsAt > window) return 'missing_before_start';
  if (createdAt < window) return 'missing_outside_age';
  return outcome === 'tested' ? 'missing_test_only' : 'missing_not_taken_up';
}
