import { ofDocument, type Problem, type ProblemDocument } from '../problems.ts';
import { note, type Note } from '../transcript.ts';
import type { ItemMatch, PartyMatch } from './plan.ts';

/** Collector of a decision: notes in order, warnings, matches, and everything that stands against the document. */
export class DecisionLog {
  readonly notes: Note[] = [];
  readonly warnings: Problem[] = [];
  readonly problems: Problem[] = [];
  readonly matches: PartyMatch[] = [];
  readonly itemMatches: ItemMatch[] = [];

  private readonly document: ProblemDocument;

  /** @param document what every warning and problem is said of. */
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
  /** Notes an item that was found by name or number, once. */
  matchItem(match: ItemMatch | undefined): void {
    if (match !== undefined && this.itemMatches.every(({ name }) => name !== match.name)) this.itemMatches.push(match);
  }
  /** Notes how a company was found; only what was found by a name is to be learned. */
  match(by: 'mapping' | 'name' | 'company name', match: PartyMatch): void {
    if (by !== 'mapping') this.matches.push(match);
  }
}
