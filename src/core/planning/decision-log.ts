import { ofDocument, type Problem, type ProblemDocument } from '../problems.ts';
import { note, type Note } from '../transcript.ts';
import type { ItemMatch, PartyMatch, Plan } from './plan.ts';

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
  warn(...warnings: readonly Problem[]): void {
    this.warnings.push(...ofDocument(warnings, this.document));
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
