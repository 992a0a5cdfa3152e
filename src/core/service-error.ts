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

/** States of a QuickBooks company in which it takes no document, though our access is valid (fault row A8). */
const companyStates: ReadonlySet<string> = new Set([
  'QBO_SUBSCRIPTION',
  'QBO_PERMISSION',
  'QBO_COMPANY_DELETED',
  'QBO_COMPANY_UNAVAILABLE',
]);

/** Whether the connection as a whole is unusable until its state in the service changes, though our access is valid. */
export const needsAction = ({ next, code }: Pick<ServiceFailure, 'next' | 'code'>): boolean =>
  next === 'stop_run' && companyStates.has(code);

/** Whether such a state ends without anyone's doing, so that it is worth asking again soon. */
export const endsWithoutAction = ({ code }: Pick<ServiceFailure, 'code'>): boolean =>
  code === 'QBO_COMPANY_UNAVAILABLE';

/** Whether QuickBooks refuses one kind of document to this company, because of its plan. */
export const isPlanLimit = ({ code }: Pick<ServiceFailure, 'code'>): boolean => code === 'QBO_PLAN';

/** Whether Intuit blocks the reads of the application for the rest of the month; writes go on. */
export const isReadBlock = (error: unknown): boolean =>
  error instanceof ServiceError && error.about.code === 'QBO_READS_BLOCKED';

/**
 * What is used instead of a read that posting can do without, while Intuit blocks the reads of the application.
 *
 * @throws every other failure of the read.
 */
export const unlessReadsAreBlocked = <T, Otherwise>(read: Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> =>
  read.catch((error: unknown) => {
    if (isReadBlock(error)) return otherwise;
    throw error;
  });

/** Whether a failure stops one kind of document, and the others go on. */
export const stopsOneKind = (failure: Pick<ServiceFailure, 'code'>): boolean =>
  isPlanLimit(failure) || failure.code === 'PSA_NOT_STORED' || failure.code === 'QBO_READS_BLOCKED';

/** Thrown by connectors, and by nothing else, when an outside service did not do what was asked. */
export class ServiceError extends Error {
  readonly about: ServiceFailure;

  constructor(about: ServiceFailure, options?: { cause?: unknown }) {
    super(`${about.operation}: ${about.detail}`, options);
    this.name = 'ServiceError';
    this.about = about;
  }
}
