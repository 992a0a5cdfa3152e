import type { Problem } from '../problems.ts';
import { note, type Note } from '../transcript.ts';
import type { PartyMatch } from './plan.ts';

/** Collects what a plan decides: notes in order, warnings, matches, and everything that stands against the document. */
export class Story {
  readonly notes: Note[] = [];
  readonly warnings: Problem[] = [];
  readonly problems: Problem[] = [];
  readonly matches: PartyMatch[] = [];

  tell(level: Note['level'], text: string): void {
    this.notes.push(note(level, text));
  }
  tellAll(notes: readonly Note[]): void {
    this.notes.push(...notes);
  }
  warn(...warnings: readonly Problem[]): void {
    this.warnings.push(...warnings);
  }
  refuse(...problems: readonly Problem[]): void {
    this.problems.push(...problems);
  }
  /** Notes how a company was found; only what was found by a name is to be learned. */
  match(by: 'mapping' | 'name' | 'company name', match: PartyMatch): void {
    if (by !== 'mapping') this.matches.push(match);
  }
}
