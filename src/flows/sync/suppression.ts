import { createHash } from 'node:crypto';
import { originOf } from '#core/documents/origin.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { canonicalPlan } from '#core/planning/canonical-plan.ts';
import { sentenceOf, type Problem } from '#core/problems.ts';
import { dateIn } from '#core/values/dates.ts';
import type { Plan } from '#core/planning/plan.ts';
import type { Decision, Searcher } from './kinds/kind.ts';

/**
 * Returns the suppression of a document that the PSA shows no status of, so that the schedule logs the same result only
 * once: a reason code and a fingerprint of the message. It changes with the reason, amount or date.
 *
 * @param reason code without spaces, for example `zero_balance` or `PERIOD_CLOSED`.
 */
const suppression = (reason: string, message: string): string => `${reason} ${digest(message)}`;

/** Returns the SHA-256 of a text, in base64url. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Returns the reason code of a suppression; undefined if there is none. */
export const reasonOf = (suppressed: string | undefined): string | undefined => suppressed?.split(' ', 1)[0];

/** Returns the suppression of a document that a user has to fix, or that is held. */
export const suppressionOfProblems = (problems: readonly Problem[]): string =>
  suppression(problems.map(({ code }) => code).join('+'), sentenceOf(problems));

/**
 * Returns the suppression of a document that QuickBooks rejected, so that it is not sent unchanged again on the same
 * day. The time of planning does not matter. Unlike a draft's, it includes the ids in the commands: a record created
 * meanwhile is a reason to retry.
 */
export const suppressionOfPlan = (
  run: { readonly context: Pick<Searcher['context'], 'clock'>; readonly tenant: Pick<Searcher['tenant'], 'timeZone'> },
  plan: Pick<Plan, 'commands'>,
): string =>
  suppression(
    'planned',
    `${dateIn(run.context.clock.now(), run.tenant.timeZone)} ${JSON.stringify(plan.commands, timeless)}`,
  );

/** A private note contains its time, so only its origin is used. */
const timeless = (key: string, value: unknown): unknown =>
  key === 'privateNote' && typeof value === 'string' ? originOf(value) : value;

/**
 * Returns the suppression of a document whose plan waits for approval or was rejected; equal for plans that post the
 * same.
 */
export const suppressionOfDraft = (plan: Plan, accounting: AccountingLists): string =>
  suppression('draft', canonicalText(plan, accounting));

/** Returns the fingerprint that identifies a plan's draft; equal for plans that post the same. */
export const fingerprintOfPlan = (plan: Plan, accounting: AccountingLists): string =>
  digest(canonicalText(plan, accounting));

function canonicalText(plan: Plan, accounting: AccountingLists): string {
  const { document, records } = canonicalPlan(plan, accounting);
  return JSON.stringify([document, ...[...records].toSorted(([a], [b]) => a.localeCompare(b, 'en'))]);
}

/** Returns the suppression of a skipped document. */
export const suppressionOfSkip = ({ reason, message }: Extract<Decision, { outcome: 'skip' }>): string =>
  suppression(reason, message);

/** Returns the suppression that carrying out a decision would store; null if none. */
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

/** Returns the suppression of a document that a bug stopped, so that the same bug is logged once. */
export const suppressionOfDefect = (error: unknown): string =>
  suppression(defectReason, error instanceof Error ? `${error.name} ${error.message}` : String(error));

const defectReason = 'DEFECT';
