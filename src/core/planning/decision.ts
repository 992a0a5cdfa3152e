import { treatmentOf, type Problem, type Treatment } from '../problems.ts';
import type { Note } from '../transcript.ts';
import type { Plan } from './plan.ts';
import type { DecisionLog } from './decision-log.ts';

/**
 * Decision on a document.
 *
 * - `plan`: send it; warnings are part of the plan
 * - `skip`: there is nothing to do, which is fine; a skip with `isLoggedOnce` is logged only once
 * - `refuse`: lists all problems. `treatment` is the strictest one of the problems: `person`, `held` (waits, listed as
 *   on hold) or `stops_run`. `mark` is written to the PSA's reference field; null writes nothing
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

/** Returns the decision to skip a document, with the notes so far. */
export const skipped = <Reason extends string>(
  reason: Reason,
  message: string,
  isLoggedOnce: boolean,
  { notes }: DecisionLog,
): DocumentDecision<Reason> => ({ outcome: 'skip', reason, message, isLoggedOnce, notes });

/**
 * Returns the decision to refuse a document for all problems in its log.
 *
 * @param mark value of the PSA's field if a person must act
 * @param unmarked value of the field otherwise; null leaves it unchanged
 */
export function refusal<Reason extends string>(
  { problems, notes }: DecisionLog,
  mark: string,
  unmarked: string | null = null,
): DocumentDecision<Reason> {
  const treatment = treatmentOf(problems);
  return { outcome: 'refuse', treatment, problems, mark: treatment === 'person' ? mark : unmarked, notes };
}
