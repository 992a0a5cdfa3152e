import type { AccountingDocument } from './documents/accounting-document.ts';
import type { Kind, Mode, Trigger } from './kinds.ts';
import type { Command, Plan } from './planning/plan.ts';
import type { Problem, ProblemDocument } from './problems.ts';
import type { LogLevel, TranscriptLine } from './transcript.ts';
import type { Instant } from './values/dates.ts';
import { assert } from './values/assert.ts';
import type { Decimal } from './values/decimal.ts';
import type { JsonObject } from './values/json.ts';

/**
 * QuickBooks' response to one command: enough to refer to the record, verify it and write its number back to the PSA.
 */
export interface Posted {
  readonly type: string;
  readonly id: string;
  readonly syncToken: string | null;
  readonly number: string | null;
  /** Total in QuickBooks' answer, document currency; null for records without one. */
  readonly total: Decimal | null;
  readonly tax: Decimal | null;
  /** Tax by rate; absent when the document has none, and where it was not stored. */
  readonly taxes?: NonNullable<AccountingDocument['taxes']>;
  readonly subtotal: Decimal | null;
  /** Amounts of its lines, in order; absent where they were not stored. */
  readonly lines?: readonly Decimal[];
  /** Home units per unit of the document's currency; absent where QuickBooks returns none. */
  readonly exchangeRate?: Decimal;
  readonly dueOn: string | null;
  readonly name: string | null;
  /** The document exactly as QuickBooks returned it, for the log. */
  readonly document: JsonObject;
}

/** Fields of every attempt, in each state. */
export interface AttemptBase {
  readonly id: string;
  readonly jobId: string | null;
  readonly kind: Kind;
  readonly psaId: number;
  readonly mode: Mode;
  readonly force: boolean;
  /** Updates the existing QuickBooks document to match the PSA. Undefined means no. */
  readonly revises?: boolean;
  readonly trigger: Trigger;
  readonly logLevel: LogLevel;
  /** Increases when a person asks for a second or changed document, or when the first one is gone from QuickBooks. */
  readonly generation: number;
  /** Increases after a definite rejection, when nothing was created; part of the request id. */
  readonly revision: number;
  readonly startedAt: Instant;
  readonly transcript: readonly TranscriptLine[];
  readonly warnings: readonly Problem[];
  /** Document of the attempt, for lists; absent until it was read, and in attempts of earlier versions. */
  readonly about?: ProblemDocument;
  /** Earliest time to resume an unfinished attempt; null: immediately. */
  readonly notBefore: Instant | null;
}

/** An attempt with a plan that may be sent or was sent. */
export interface UnderWay {
  readonly plan: Plan;
  /**
   * Text for the PSA's status field if QuickBooks rejects the document; computed with the plan from the field's current
   * text.
   */
  readonly mark: string | null;
  /**
   * Only for kinds whose PSA field shows a running sync: the text to write before the first send, and the text to
   * restore.
   */
  readonly running?: RunningMark;
  /** QuickBooks' responses, one per answered command, in order. */
  readonly posted: readonly Posted[];
  /** The batch in which the next command was sent; absent when it is sent alone or was not sent yet. */
  readonly batch?: BatchPlace | null;
  /**
   * Time at which the newest command was sent; null while the next one was not sent. Remains set after the last
   * response.
   */
  readonly sentAt: Instant | null;
  /** How many times QuickBooks rejected a command because the record had changed since it was read. */
  readonly staleTries?: number;
  /** The document already existed in QuickBooks and was missing in the ledger: it was found, not created. */
  readonly isAdopted?: boolean;
  /** Time at which QuickBooks was last asked to email the customer; absent before, and where no email is wanted. */
  readonly mailAskedAt?: Instant;
  /** How many times an internal error stopped the attempt while its outcome in QuickBooks was unknown. */
  readonly defects?: number;
}

/** Position of a command in a batch that it shares with commands of other documents. */
export interface BatchPlace {
  /** Idempotency key of the call, from the commands in it and their order. */
  readonly id: string;
  /** Name of the command within the call. */
  readonly item: string;
}

/** Status text of a document in the PSA while it syncs; every final state overwrites it. */
export interface RunningMark {
  readonly mark: string;
  /** Text to restore when the document ends without success and without an error text. */
  readonly before: string;
}

/**
 * State of one document's sync. Each state is saved before the next step begins, so another worker can resume after a
 * crash.
 *
 * - `planning`: nothing was sent yet
 * - `posting`: the next command may be sent
 * - `unsure`: a send was interrupted and may have arrived; the attempt searches for the record before it sends again
 * - `posted`: the document is in QuickBooks, the PSA is not updated yet
 * - `refusing`: a person must act, the PSA is not updated yet; `mark` is the text for its status field
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
  /** The document waits for approval: nothing was posted. Undefined if it does not. */
  readonly awaitsApproval?: true;
  /** The paid date in the PSA was set (true) or removed (false). Undefined means neither. */
  readonly markedPaid?: boolean;
}

type State = Attempt['state'];

/**
 * The transition table: the states that each state may lead to. A state may lead to itself to save progress: the time
 * of a send, a response, or the earliest time to resume.
 */
export const transitions: Readonly<Record<State, readonly State[]>> = {
  planning: ['planning', 'posting', 'refusing', 'done', 'simulated', 'skipped', 'refused', 'postponed'],
  // Back to `planning` when the plan was discarded and certainly nothing of it was created.
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

/** Placeholder for responses that have not arrived, where only their number matters. */
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
