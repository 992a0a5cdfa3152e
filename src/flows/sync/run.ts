import type { Attempt, Ended, In, Posted } from '#core/attempt.ts';
import type { Kind } from '#core/kinds.ts';
import type { Preview } from '#core/planning/preview.ts';
import type { ServiceError } from '#core/service-error.ts';
import type { Accounting, SameOrigin, Wanted } from '#core/ports/accounting.ts';
import type { Move } from '#core/ports/attempts.ts';
import type { Lease } from '#core/ports/leases.ts';
import type { Psa } from '#core/ports/psa.ts';
import type { TenantSession } from '#core/ports/tenant-sessions.ts';
import type { Tenant } from '#core/tenant.ts';
import type { Note } from '#core/transcript.ts';
import type { TenantContext } from '../context.ts';

/** A step of an attempt: where it stands, where it goes, and what its transcript says of it. */
export interface Step extends Move {
  /** Appended to the transcript of `from`; this is the only place where a transcript grows. */
  readonly notes?: readonly Note[];
}

/** A command that may be sent: the attempt as it is saved, and as it will be once it is sent. */
export interface Ready extends Step {
  readonly to: In<'posting'>;
}

/** State in which an attempt has ended. */
export type EndedState = 'done' | 'simulated' | 'skipped' | 'refused' | 'postponed';

/** Next state of an attempt, with the notes and effects that are saved with it. */
export interface Transition extends Step {
  /** A service cannot be used at all: the run ends once the document has gone as far as it can. */
  readonly stop?: ServiceError;
}

/** End of an attempt. Its log entry, its ledger row and the job's result are saved with it. */
export interface Ending extends Omit<Transition, 'to'> {
  readonly state: EndedState;
  readonly ended: Ended;
  /** The transcript says already what stands against the document. */
  readonly areProblemsNoted?: boolean;
  /** Preview of the plan for its log entry. */
  readonly preview?: Preview;
  /** Saved together with the ends of other documents, as soon as those have come. */
  readonly isGathered?: boolean;
}

/** Result of a state that sends nothing: a transition or an end that is to be saved; `deferred` leaves it as it was. */
export type Settled = Transition | Ending | 'deferred';

/**
 * Result of one step of a document. Nothing of it is saved yet; `send` is a command that is ready, and it is saved as
 * sent before it leaves.
 */
export type StepResult = Settled | { readonly send: Ready };

/** A worker's tools for one tenant: both services, the lease, and when to stop. */
export interface Run {
  readonly context: TenantContext;
  readonly lease: Lease;
  /** State of the tenant when the session began. */
  readonly session: TenantSession;
  readonly tenant: Tenant;
  readonly psa: Psa;
  readonly accounting: Accounting;
  /** Aborted when the lease is lost or the process is asked to stop: nothing new begins. */
  readonly signal: AbortSignal;
  /**
   * Asked before anything is sent.
   *
   * @throws LeaseLost when the lease is over by our own clock, and somebody else has taken it.
   */
  readonly proveHeld: () => Promise<void>;
  /** Moves an attempt to its next state; steps of one moment share a transaction. */
  readonly advance: (step: Step) => Promise<Attempt>;
  /** The same for a document whose PSA was updated: while updates of others run, the steps gather for a moment. */
  readonly advanceGathered: (step: Step) => Promise<Attempt>;
  /** Moves attempts to their next states: all of them in one transaction, or none. */
  readonly advanceAll: (steps: readonly Step[]) => Promise<readonly Attempt[]>;
  /** Kinds that stopped in this session, and why: nothing more of them is sent. */
  readonly stoppedKinds: Map<Kind, ServiceError>;
  /**
   * Resolves once documents that the ledger forgot in a restore were looked for in this session. Costs nothing where there
   * was no gap.
   *
   * @throws Stop when a service cannot be used: whoever asks waits for a later session.
   */
  readonly afterForgotten: () => Promise<void>;
  /** Looks in the books for what a command would have made; searches of one moment are as few queries as possible. */
  readonly find: (wanted: Wanted & { readonly of: Attempt }) => Promise<Posted | null>;
  /** Looks in the books for a document of the same source; searches of one moment are as few queries as possible. */
  readonly findByOrigin: (wanted: SameOrigin & { readonly of: Attempt }) => Promise<Posted | null>;
  /** Makes a call that changes the PSA, once fewer than its limit run. */
  readonly limitPsaWrites: <T>(call: () => Promise<T>) => Promise<T>;
}
