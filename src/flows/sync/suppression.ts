import { createHash } from 'node:crypto';
import { originOf } from '#core/documents/origin.ts';
import type { BooksReferenceData } from '#core/documents/reference-data.ts';
import { canonicalPlan } from '#core/planning/canonical-plan.ts';
import { sentenceOf, type Problem } from '#core/problems.ts';
import { dateIn } from '#core/values/dates.ts';
import type { Plan } from '#core/planning/plan.ts';
import type { Decision, Searcher } from './kinds/kind.ts';

/**
 * Suppression of a document that the PSA shows no mark of, so that the schedule says the same of it only once: a reason
 * code, and a fingerprint of everything that was said. Another reason, amount or day makes another text.
 *
 * @param reason code without blanks, e.g. `zero_balance` or `PERIOD_CLOSED`.
 */
const suppression = (reason: string, said: string): string => `${reason} ${digest(said)}`;

/** SHA-256 of a text, in base64url. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The reason code of a suppression; undefined when there is none. */
export const reasonOf = (kept: string | undefined): string | undefined => kept?.split(' ', 1)[0];

/** Suppression of a document that somebody has to mend, or that is held. */
export const suppressionOfProblems = (problems: readonly Problem[]): string =>
  suppression(problems.map(({ code }) => code).join('+'), sentenceOf(problems));

/**
 * Suppression of a document that the books refused: it is not sent again as it was on the same day; that a plan was
 * made at another hour is nothing new. It holds the very commands with their ids, unlike that of a draft: a record that
 * was made meanwhile is a reason to try again.
 */
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

/** Suppression of a document whose plan waits for approval, or was rejected: the same while it posts the same. */
export const suppressionOfDraft = (plan: Plan, books: BooksReferenceData): string =>
  suppression('draft', canonicalText(plan, books));

/** Fingerprint of a plan, by which its draft is known: the same for plans that post the same. */
export const fingerprintOfPlan = (plan: Plan, books: BooksReferenceData): string => digest(canonicalText(plan, books));

function canonicalText(plan: Plan, books: BooksReferenceData): string {
  const { document, records } = canonicalPlan(plan, books);
  return JSON.stringify([document, ...[...records].toSorted(([a], [b]) => a.localeCompare(b, 'en'))]);
}

/** Suppression of a document that nothing has to be done for. */
export const suppressionOfSkip = ({ reason, message }: Extract<Decision, { outcome: 'skip' }>): string =>
  suppression(reason, message);

/** The suppression that carrying out a decision would leave; null: none. */
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

/** Suppression of a document that a defect of ours has stopped: the same defect is told of once. */
export const suppressionOfDefect = (error: unknown): string =>
  suppression(defectReason, error instanceof Error ? `${error.name} ${error.message}` : String(error));

const defectReason = 'DEFECT';
