import type { AttemptBase, Posted } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import type { Plan } from '#core/planning/plan.ts';
import type { Posting } from '#core/ports/store.ts';
import type { Problem } from '#core/problems.ts';
import type { Note } from '#core/transcript.ts';
import type { Instant } from '#core/values/dates.ts';
import type { Decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { Run, Shared } from '../run.ts';

/** What is to be done about one document. */
export type Decision =
  | { readonly outcome: 'plan'; readonly plan: Plan; readonly mark: string }
  | {
      readonly outcome: 'skip';
      readonly message: string;
      readonly isRemembered: boolean;
      readonly notes: readonly Note[];
    }
  /** The books have it, the PSA does not say so: only the reference is written (domain reference 5.4 point 3). */
  | { readonly outcome: 'relink'; readonly posting: Posting; readonly notes: readonly Note[] }
  | {
      readonly outcome: 'refuse';
      readonly problems: readonly Problem[];
      readonly notes: readonly Note[];
      /** What the PSA's status field gets; null when nothing is written there. */
      readonly mark: string | null;
    };

/** What one kind of document adds to the shared road. */
export interface KindFlow<Facts> {
  readonly kind: Kind;
  /** How a document is called in a sentence, e.g. `Invoice 48213`. */
  name(psaId: number): string;
  /** PSA ids that are eligible now, ascending. */
  findCandidates(run: Run, shared: Shared, force: boolean): Promise<readonly number[]>;
  /** Everything to decide on these documents, in the fewest calls. Documents that do not exist have no entry. */
  gather(run: Run, shared: Shared, psaIds: readonly number[]): Promise<ReadonlyMap<number, Facts>>;
  decide(run: Run, shared: Shared, facts: Facts, attempt: AttemptBase, posting: Posting | null): Decision;
  psaTotal(facts: Facts): Decimal | null;
  /** Compares the answer with what was expected; warnings only. */
  verify(
    run: Run,
    plan: Plan,
    posted: Posted,
  ): { readonly warnings: readonly Problem[]; readonly notes: readonly Note[] };
  /** Tells the PSA where the document went: the same value however often. */
  writeBack(run: Run, psaId: number, reference: WrittenReference): Promise<void>;
  /** Puts the mark of a failure into the PSA's status field. */
  writeMark(run: Run, psaId: number, mark: string): Promise<void>;
  successMessage(psaId: number, plan: Plan, reference: WrittenReference): string;
  testMessage(psaId: number, plan: Plan): string;
  /** Named fields of `last_*_info`. */
  info(psaId: number, posted: Posted): JsonObject;
}

/** What the PSA is told. */
export interface WrittenReference {
  /** The number the document carries in the books, or its id when it has none. */
  readonly number: string;
  readonly at: Instant;
}
