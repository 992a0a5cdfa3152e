import type { Attempt, In, Posted } from '#core/attempt.ts';
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

/** What one worker holds while it works for one tenant: both services, the lease, and when to stop. */
export interface Run {
  readonly context: TenantContext;
  readonly lease: Lease;
  /** What was known when the session began. */
  readonly turn: TenantSession;
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
  /** The same for a document that the PSA was told of: while it is told of others, their steps gather for a moment. */
  readonly advanceTold: (step: Step) => Promise<Attempt>;
  /** Moves attempts to their next states: all of them in one transaction, or none. */
  readonly advanceAll: (steps: readonly Step[]) => Promise<readonly Attempt[]>;
  /** Looks in the books for what a command would have made; searches of one moment are as few queries as possible. */
  readonly find: (wanted: Wanted & { readonly of: Attempt }) => Promise<Posted | null>;
  /** Looks in the books for a document of the same source; searches of one moment are as few queries as possible. */
  readonly findByOrigin: (wanted: SameOrigin & { readonly of: Attempt }) => Promise<Posted | null>;
  /** Makes a call that changes the PSA, once fewer than its limit run. */
  readonly inTurn: <T>(call: () => Promise<T>) => Promise<T>;
}
