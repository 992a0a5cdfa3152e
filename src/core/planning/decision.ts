import { treatmentOf, type Problem, type Treatment } from '../problems.ts';
import type { Note } from '../transcript.ts';
import type { Plan } from './plan.ts';
import type { DecisionLog } from './decision-log.ts';

/**
 * Decision on a document.
 *
 * - `plan`: send it; warnings are inside
 * - `skip`: nothing to do, and that is fine; `isLoggedOnce` ones are logged once only
 * - `refuse`: everything that stands against it, collected. `treatment` is the strongest of the problems: `person`,
 *   `held` (waits, shown in the held list) or `stops_run`. `mark` is what the PSA's reference field gets, null when
 *   nothing is written there
 */
export type DocumentDecision<Reason extends string> =
  | { readonly outcome: 'plan'; readonly plan: Plan }
  | {
      readonly outcome: 'skip';
      readonly reason: Reason;
      readonly message: string;
      readonly isLoggedOnce: boolean;
      readonly notes: readonly Note[];
    }
  | {
      readonly outcome: 'refuse';
      readonly treatment: Treatment;
      readonly problems: readonly Problem[];
      readonly mark: string | null;
      readonly notes: readonly Note[];
    };

/** Leaves a document alone, with everything that was told on the way. */
export const skipped = <Reason extends string>(
  reason: Reason,
  message: string,
  isLoggedOnce: boolean,
  { notes }: DecisionLog,
): DocumentDecision<Reason> => ({ outcome: 'skip', reason, message, isLoggedOnce, notes });

/**
 * Refuses a document for all the problems of its log.
 *
 * @param mark what the PSA's field gets when a person must act
 * @param unmarked what it gets otherwise; null leaves it alone
 */
export function refusal<Reason extends string>(
  { problems, notes }: DecisionLog,
  mark: string,
  unmarked: string | null = null,
): DocumentDecision<Reason> {
  const treatment = treatmentOf(problems);
  return { outcome: 'refuse', treatment, problems, mark: treatment === 'person' ? mark : unmarked, notes };
}
