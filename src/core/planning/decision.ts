import { ofDocument, type Problem, type ProblemDocument, type Treatment, treatmentOf } from '../problems.ts';
import { note, type Note } from '../transcript.ts';
import type { ItemMatch, PartyMatch, Plan } from './plan.ts';

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
      /** Undefined if there is none. */
      readonly warnings?: readonly Problem[];
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
  warnings: readonly Problem[] = [],
): DocumentDecision<Reason> => ({
  outcome: 'skip',
  reason,
  message,
  isLoggedOnce,
  notes,
  ...(warnings.length > 0 && { warnings }),
});

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

/** Collects the notes, warnings, matches and problems of a decision. */
export class DecisionLog {
  readonly notes: Note[] = [];
  readonly warnings: Problem[] = [];
  readonly problems: Problem[] = [];
  readonly matches: PartyMatch[] = [];
  readonly itemMatches: ItemMatch[] = [];

  private readonly document: ProblemDocument;

  /** @param document the document that every warning and problem refers to */
  constructor(document: ProblemDocument) {
    this.document = document;
  }

  note(level: Note['level'], text: string): void {
    this.notes.push(note(level, text));
  }
  append(notes: readonly Note[]): void {
    this.notes.push(...notes);
  }
  /** Adds warnings, each once. */
  warn(...warnings: readonly Problem[]): void {
    const isNew = ({ code, message }: Problem) =>
      this.warnings.every((known) => known.code !== code || known.message !== message);
    for (const problem of ofDocument(warnings, this.document)) if (isNew(problem)) this.warnings.push(problem);
  }
  refuse(...problems: readonly Problem[]): void {
    this.problems.push(...ofDocument(problems, this.document));
  }
  /** Adds an item that was found by name or number, once per name. */
  matchItem(match: ItemMatch | undefined): void {
    if (match !== undefined && this.itemMatches.every(({ name }) => name !== match.name)) this.itemMatches.push(match);
  }
  /** Adds how a company was found. Only matches by name are saved as mappings. */
  match(by: 'mapping' | 'name' | 'company name', match: PartyMatch): void {
    if (by !== 'mapping') this.matches.push(match);
  }
  /** Returns what a plan contains of this log. */
  forPlan(): Pick<Plan, 'notes' | 'warnings' | 'matches' | 'itemMatches'> {
    const { notes, warnings, matches, itemMatches } = this;
    return { notes, warnings, matches, ...(itemMatches.length > 0 && { itemMatches }) };
  }
}
