import type { Attempt, Ended, In, Posted } from '#core/attempt.ts';
import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { SalesReference } from '#core/documents/sales-state.ts';
import type { Kind } from '#core/kinds.ts';
import type { Preview } from '#core/planning/preview.ts';
import type { Problem } from '#core/problems.ts';
import type { ServiceError } from '#core/service-error.ts';
import type { Accounting, SameOrigin, Wanted } from '#core/ports/accounting.ts';
import type { Move } from '#core/records/attempts.ts';
import type { Lease } from '#core/records/leases.ts';
import type { Psa } from '#core/ports/psa.ts';
import type { TenantSession } from '#core/records/tenant-sessions.ts';
import type { Tenant } from '#core/tenant.ts';
import type { Note } from '#core/transcript.ts';
import type { Instant } from '#core/values/dates.ts';
import type { TenantContext } from '../context.ts';

/** Thrown when a problem found in one document affects all documents of its kind (treatment `stops_run`). */
export class RunStopped extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.name = 'RunStopped';
    this.problem = problem;
  }
}

/** Reason that ends a run before its last document. */
export type Stop = ServiceError | RunStopped;

/** A step of an attempt: its present state, its next state, and notes for its transcript. */
export interface Step extends Move {
  /** Appended to the transcript of `from`. Transcripts grow only through this. */
  readonly notes?: readonly Note[];
}

/** A command that may be sent: the attempt as saved, and as it will be once sent. */
export interface Ready extends Step {
  readonly to: In<'posting'>;
}

/** State in which an attempt has ended. */
export type EndedState = 'done' | 'simulated' | 'skipped' | 'refused' | 'postponed';

/** Next state of an attempt, with the notes and effects to save with it. */
export interface Transition extends Step {
  /** A service cannot be used at all, or a problem affects all documents: nothing more is sent. */
  readonly stop?: Stop;
}

/** End of an attempt. Its log entry, ledger row and job result are saved with it. */
export interface Ending extends Omit<Transition, 'to'> {
  readonly state: EndedState;
  readonly ended: Ended;
  /** The transcript already contains the document's problems. */
  readonly areProblemsNoted?: boolean;
  /** Preview of the plan for its log entry. */
  readonly preview?: Preview;
}

/** Result of a state that sends nothing: a transition or end to save; `deferred` leaves the attempt unchanged. */
export type Settled = Transition | Ending | 'deferred';

/**
 * Result of one step of a document, not saved yet. `send` is a command that is ready; it is saved as sent before it is
 * sent.
 */
export type StepResult = Settled | { readonly send: Ready };

/** A worker's tools for one tenant: both services, the lease, and the stop signal. */
export interface Run {
  readonly context: TenantContext;
  readonly lease: Lease;
  /** State of the tenant when the session began. */
  readonly session: TenantSession;
  /** When the session began. */
  readonly openedAt: Instant;
  readonly tenant: Tenant;
  readonly psa: Psa;
  readonly accounting: Accounting;
  /** Aborted when the lease is lost or the process is asked to stop; nothing new is started. */
  readonly signal: AbortSignal;
  /**
   * Called before anything is sent.
   *
   * @throws LeaseLost when the lease has expired by our own clock and another worker has taken it.
   */
  readonly proveHeld: () => Promise<void>;
  /** Kinds that stopped in this session, with the cause; nothing more of them is sent. */
  readonly stoppedKinds: Map<Kind, ServiceError>;
  /**
   * Resolves once this session has searched for documents lost in a restore. Costs nothing if none were lost.
   *
   * @throws Stop when a service cannot be used; the caller's work waits for a later session.
   */
  readonly afterAdoption: () => Promise<void>;
  /** Searches QuickBooks for the result of a command; combines concurrent searches into as few queries as possible. */
  readonly find: (wanted: Wanted & { readonly of: Attempt }) => Promise<Posted | null>;
  /**
   * Searches QuickBooks for a document of the same source; combines concurrent searches into as few queries as
   * possible.
   */
  readonly findByOrigin: (wanted: SameOrigin & { readonly of: Attempt }) => Promise<Posted | null>;
  /**
   * Reads a document in QuickBooks; combines concurrent reads into as few queries as possible.
   *
   * @returns null if the document was deleted.
   * @throws ServiceError `QBO_UNREADABLE` for a document that QuickBooks cannot return; the others are read.
   */
  readonly readDocument: (reference: SalesReference) => Promise<AccountingDocument | null>;
  /** Makes a call that changes the PSA when the limit of parallel calls allows it. */
  readonly limitPsaWrites: <T>(call: () => Promise<T>) => Promise<T>;
}
