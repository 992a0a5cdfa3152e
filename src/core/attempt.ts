import type { Kind, Mode, Trigger } from './kinds.ts';
import type { Command, Plan } from './planning/plan.ts';
import type { Problem, ProblemDocument } from './problems.ts';
import type { LogLevel, TranscriptLine } from './transcript.ts';
import type { Instant } from './values/dates.ts';
import { assert } from './values/assert.ts';
import type { Decimal } from './values/decimal.ts';
import type { JsonObject } from './values/json.ts';

/** The books' answer to one command: enough to refer to the record, verify it and write its number back. */
export interface Posted {
  readonly type: string;
  readonly id: string;
  readonly syncToken: string | null;
  readonly number: string | null;
  /** Total in QuickBooks' answer, document currency; null for records without one. */
  readonly total: Decimal | null;
  readonly tax: Decimal | null;
  readonly subtotal: Decimal | null;
  /** Amounts of its lines, in their order; absent where they were not kept. */
  readonly lines?: readonly Decimal[];
  /** Home units per unit of the document's currency; absent where QuickBooks returns none. */
  readonly exchangeRate?: Decimal;
  readonly dueOn: string | null;
  readonly name: string | null;
  /** The document exactly as QuickBooks returned it, for the log. */
  readonly document: JsonObject;
}

/** Fields of every attempt, whatever its state. */
export interface AttemptBase {
  readonly id: string;
  readonly jobId: string | null;
  readonly kind: Kind;
  readonly psaId: number;
  readonly mode: Mode;
  readonly force: boolean;
  /** The document that stands in the books is to be changed to what the PSA says; absent: no. */
  readonly revises?: boolean;
  readonly trigger: Trigger;
  readonly logLevel: LogLevel;
  /** Rises when a person asks for a second document or a changed one, or the first one is gone from the books. */
  readonly generation: number;
  /** Rises after a definite refusal, when it is certain that nothing was made; part of the request id. */
  readonly revision: number;
  readonly startedAt: Instant;
  readonly transcript: readonly TranscriptLine[];
  readonly warnings: readonly Problem[];
  /** Document of the attempt, for lists: known once it was read; absent before, and in attempts of earlier versions. */
  readonly about?: ProblemDocument;
  /** An unfinished attempt is not looked at before this moment; null: at once. */
  readonly notBefore: Instant | null;
}

/** An attempt that has a plan which may be, or has been, sent. */
export interface UnderWay {
  readonly plan: Plan;
  /** Text for the PSA's status field should the books refuse; decided with the plan, from what stood there. */
  readonly mark: string | null;
  /** Only of kinds whose PSA field tells that they run: what it gets before the first send, and what stood there. */
  readonly running?: RunningMark;
  /** Answers of the books, one per answered command, in order. */
  readonly posted: readonly Posted[];
  /** The shared call in which the next command was sent; absent when it travels alone, or nothing of it has left. */
  readonly batch?: BatchPlace | null;
  /**
   * Moment at which the newest command was sent; null while nothing of the next one has left. Kept once all are
   * answered.
   */
  readonly sentAt: Instant | null;
  /** How often the books refused a command of it because the record had changed since it was read. */
  readonly staleTries?: number;
  /** The books had the document already, and the ledger did not know: it was found, not made. */
  readonly isAdopted?: boolean;
  /** Moment at which the mail to the customer was last asked for; absent while none was, and where none is wanted. */
  readonly mailAskedAt?: Instant;
  /** How often a defect of ours has stopped it while it was not certain what the books have. */
  readonly defects?: number;
}

/** Position of a command in a call that it shares with commands of other documents. */
export interface BatchPlace {
  /** Idempotency key of the call, from the commands in it and their order. */
  readonly id: string;
  /** Name of the command within the call. */
  readonly item: string;
}

/** The word that a document carries in the PSA while it runs; every ending overwrites it. */
export interface RunningMark {
  readonly mark: string;
  /** Text that the field gets back when the document ends without success and without a mark. */
  readonly before: string;
}

/**
 * The life of one document's sync. Every state is saved before the next step begins, so a dead worker leaves a row
 * that says what is still to do.
 *
 * - `planning`: nothing was sent yet
 * - `posting`: the next command may be sent
 * - `unsure`: a send was cut short, the command may have arrived; looked for before it is ever sent again
 * - `posted`: the books have it, the PSA has not been told
 * - `refusing`: a person must act, the PSA has not been told: `mark` is the text that its status field gets
 * - `done`, `simulated`, `skipped`, `refused`, `postponed`: ended, with a log row
 */
export type Attempt =
  | (AttemptBase & { readonly state: 'planning' })
  | (AttemptBase & UnderWay & { readonly state: 'posting' })
  | (AttemptBase & UnderWay & { readonly state: 'unsure' })
  | (AttemptBase & UnderWay & { readonly state: 'posted' })
  | (AttemptBase & { readonly state: 'refusing'; readonly problems: readonly Problem[]; readonly mark: string })
  | (AttemptBase & Ended & { readonly state: 'done' | 'simulated' | 'skipped' | 'refused' | 'postponed' });

/** End of an attempt; `document` is what the log shows. */
export interface Ended {
  readonly success: boolean;
  readonly message: string;
  readonly problems: readonly Problem[];
  readonly document: JsonObject | null;
  /** The document waits for approval: nothing was posted. Absent: it does not. */
  readonly awaitsApproval?: true;
}

type State = Attempt['state'];

/**
 * The transition table: the states that each state may lead to. A state that leads to itself is saved again, e.g. with
 * the moment of a send, an answer, or the moment before which it is not looked at.
 */
export const transitions: Readonly<Record<State, readonly State[]>> = {
  planning: ['planning', 'posting', 'refusing', 'done', 'simulated', 'skipped', 'refused', 'postponed'],
  // Back to `planning` when the plan was dropped, and it is certain that nothing of it was made.
  posting: ['planning', 'posting', 'unsure', 'posted', 'refusing', 'skipped', 'refused', 'postponed'],
  unsure: ['unsure', 'posting', 'posted', 'refusing', 'refused'],
  posted: ['posted', 'refusing', 'done', 'refused'],
  refusing: ['refused'],
  done: [],
  simulated: [],
  skipped: [],
  refused: [],
  postponed: [],
};

export type In<State extends Attempt['state']> = Extract<Attempt, { state: State }>;

export const endedStates = ['done', 'simulated', 'skipped', 'refused', 'postponed'] as const;

export const hasEnded = (attempt: Attempt): attempt is In<(typeof endedStates)[number]> =>
  (endedStates as readonly string[]).includes(attempt.state);

/** The first command of a plan that has no answer yet. */
export function nextCommand(attempt: Attempt & UnderWay): Command {
  const command = attempt.plan.commands[attempt.posted.length];
  assert(command !== undefined, 'a plan has a command for every send');
  return command;
}

/** Stands for answers that are not there yet, where only their number counts. */
export const unanswered: Posted = {
  type: '',
  id: '',
  syncToken: null,
  number: null,
  total: null,
  tax: null,
  subtotal: null,
  dueOn: null,
  name: null,
  document: {},
};
