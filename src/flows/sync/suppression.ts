import { createHash } from 'node:crypto';
import { originOf } from '#core/documents/origin.ts';
import { sentenceOf, type Problem } from '#core/problems.ts';
import { dateIn } from '#core/values/dates.ts';
import type { Plan } from '#core/planning/plan.ts';
import type { Decision, Searcher } from './kinds/kind.ts';

/**
 * What is kept of a document that the PSA shows no mark of, so that the schedule says the same of it only once: a reason
 * code, and a fingerprint of everything that was said. Another reason, amount or day makes another text.
 *
 * @param reason code without blanks, e.g. `zero_balance` or `PERIOD_CLOSED`.
 */
const suppression = (reason: string, said: string): string =>
  `${reason} ${createHash('sha256').update(said).digest('base64url')}`;

/** The reason code of a suppression; undefined when there is none. */
export const reasonOf = (kept: string | undefined): string | undefined => kept?.split(' ', 1)[0];

/** For a document that somebody has to mend, or that is held. */
export const suppressionOfProblems = (problems: readonly Problem[]): string =>
  suppression(problems.map(({ code }) => code).join('+'), sentenceOf(problems));

/** What the books refused is not sent again as it was on the same day; that a plan was made at another hour is nothing new. */
export const suppressionOfPlan = (
  run: { readonly context: Pick<Searcher['context'], 'clock'>; readonly tenant: Pick<Searcher['tenant'], 'timeZone'> },
  plan: Pick<Plan, 'commands'>,
): string =>
  suppression(
    'planned',
    `${dateIn(run.context.clock.now(), run.tenant.timeZone)} ${JSON.stringify(plan.commands, timeless)}`,
  );

/** A private note tells when it was made; its origin stands for it. */
const timeless = (key: string, value: unknown): unknown =>
  key === 'privateNote' && typeof value === 'string' ? originOf(value) : value;

/** For a document that nothing has to be done for. */
export const suppressionOfSkip = ({ reason, message }: Extract<Decision, { outcome: 'skip' }>): string =>
  suppression(reason, message);

/** What would be kept of a decision once it was carried out; null: nothing. */
export function suppressionOf(run: Searcher, decision: Decision): string | null {
  switch (decision.outcome) {
    case 'skip':
      return suppressionOfSkip(decision);
    case 'refuse':
      return suppressionOfProblems(decision.problems);
    case 'plan':
      return suppressionOfPlan(run, decision.plan);
    default:
      return null;
  }
}

/** For a document that a defect of ours has stopped: the same defect is told of once. */
export const suppressionOfDefect = (error: unknown): string =>
  suppression(defectReason, error instanceof Error ? `${error.name} ${error.message}` : String(error));

const defectReason = 'DEFECT';
