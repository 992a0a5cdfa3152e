import type { LastOutcome } from '../ports/closes.ts';
import type { Instant } from '../values/dates.ts';
import type { MissingClass } from './difference-classes.ts';

/** Facts of a document that is not in the books. */
export interface MissingFacts {
  readonly createdAt: Instant;
  /** Outcome of its last run; null when there was none. */
  readonly outcome: LastOutcome | null;
  /** The oldest moment that a run considers, without the sync start date. */
  readonly window: Instant;
  /** The same with the sync start date; equal to `window` when that does not count. */
  readonly startsAt: Instant;
  /** The document is in a state in which it is sent. */
  readonly isSendable: boolean;
}

/** Why a document is not in the books: what a run said of it comes before what kept it from being run at all. */
export function missingClass({ createdAt, outcome, window, startsAt, isSendable }: MissingFacts): MissingClass {
  if (outcome === 'failed') return 'missing_error';
  if (outcome === 'held') return 'missing_held';
  if (outcome === 'awaits_approval') return 'missing_awaits_approval';
  if (!isSendable) return 'missing_not_posting';
  if (createdAt < startsAt && startsAt > window) return 'missing_before_start';
  if (createdAt < window) return 'missing_outside_age';
  return outcome === 'tested' ? 'missing_test_only' : 'missing_not_taken_up';
}
