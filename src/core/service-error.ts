/** The caller's next step after an outside service failed; nobody reads a message to find out. */
export type Next = 'try_again' | 'reconnect' | 'refuse' | 'stop_run';

/**
 * Why a write was refused, where the caller can do something about it by itself: `stale` the record has changed since it
 * was read; `duplicate_number` and `duplicate_name` another record has the number or the name, perhaps our own of a call
 * whose answer was lost; `unsupported` the service does no such thing with a record of its kind.
 */
export type RefusalCause = 'stale' | 'duplicate_number' | 'duplicate_name' | 'unsupported';

/**
 * Facts of a call that failed. `outcome` is the one that everything rests on: after `not_applied` the call may simply
 * be repeated; after `unknown` it may have been carried out, and a write must be looked for before it is sent again
 * (reliability reference 1.2).
 */
export interface ServiceFailure {
  readonly service: 'psa' | 'accounting';
  /** The call's purpose, for people and logs, e.g. `create invoice`. */
  readonly operation: string;
  readonly outcome: 'not_applied' | 'unknown';
  readonly next: Next;
  /** A code of the error catalogue (domain reference 13), e.g. `QBO_THROTTLED`. */
  readonly code: string;
  /** Absent when the caller can do nothing about it by itself. */
  readonly cause?: RefusalCause;
  /** The service's own words, safe to show; no secret ever stands here. */
  readonly detail: string;
  /** The service's own code, e.g. `6140`, when there is one; for people and logs, nothing is decided by it. */
  readonly vendorCode?: string;
  /** The HTTP status, when an answer came. */
  readonly status?: number;
  /** How long the service asked us to wait, in milliseconds. */
  readonly waitMs?: number;
  /** The service's trace id (`intuit_tid`), for support. */
  readonly traceId?: string;
}

/**
 * Whether somebody has to do something in the service before it serves us again, though our access itself is good: its
 * subscription has ended, or whoever connected lost a right (fault row A8).
 */
export const needsAction = ({ next, code }: Pick<ServiceFailure, 'next' | 'code'>): boolean =>
  next === 'stop_run' && (code === 'QBO_SUBSCRIPTION' || code === 'QBO_PERMISSION');

/** Thrown by connectors, and by nothing else, when an outside service did not do what was asked. */
export class ServiceError extends Error {
  readonly about: ServiceFailure;

  constructor(about: ServiceFailure, options?: { cause?: unknown }) {
    super(`${about.operation}: ${about.detail}`, options);
    this.name = 'ServiceError';
    this.about = about;
  }
}
