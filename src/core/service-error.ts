/** What the caller does after an external service failed. Code decides by this value, never by a message. */
export type Next = 'try_again' | 'reconnect' | 'refuse' | 'stop_run';

/**
 * Why a write was rejected, where the caller can resolve it automatically: `stale` the record changed since it was
 * read; `duplicate_number` and `duplicate_name` another record has the number or name, possibly our own from a call
 * whose response was lost; `bad_email` it does not accept an email address; `unsupported` the service does not support
 * the operation for this kind of record.
 */
export type RefusalCause = 'stale' | 'duplicate_number' | 'duplicate_name' | 'bad_email' | 'unsupported';

/**
 * Facts of a failed call. `outcome` is the most important one: after `not_applied` the call may be repeated; after
 * `unknown` it may have been carried out, and the caller must search for the record before it sends a write again
 * (reliability reference 1.2).
 */
export interface ServiceFailure {
  readonly service: 'psa' | 'accounting';
  /** Purpose of the call, for people and logs, e.g. `create invoice`. */
  readonly operation: string;
  readonly outcome: 'not_applied' | 'unknown';
  readonly next: Next;
  /** A code of the error catalogue (domain reference 13), e.g. `QBO_THROTTLED`. */
  readonly code: string;
  /** Absent when the caller cannot resolve the failure automatically. */
  readonly cause?: RefusalCause;
  /** The service's message, safe to show: it never contains a secret. */
  readonly detail: string;
  /** The service's own code, e.g. `6140`, if any; for people and logs only. */
  readonly vendorCode?: string;
  /** The HTTP status, if a response arrived. */
  readonly status?: number;
  /** Milliseconds that the service asked us to wait. */
  readonly waitMs?: number;
  /** The service's trace id (`intuit_tid`), for support. */
  readonly traceId?: string;
}

/** States of a QuickBooks company in which it accepts no documents although our access is valid (fault row A8). */
const companyStates: ReadonlySet<string> = new Set([
  'QBO_SUBSCRIPTION',
  'QBO_PERMISSION',
  'QBO_COMPANY_DELETED',
  'QBO_COMPANY_UNAVAILABLE',
]);

/** Whether the connection is unusable until its state in the service changes, although our access is valid. */
export const needsAction = ({ next, code }: Pick<ServiceFailure, 'next' | 'code'>): boolean =>
  next === 'stop_run' && companyStates.has(code);

/** Whether this state can end without a user's action, so that an early retry is useful. */
export const endsWithoutAction = ({ code }: Pick<ServiceFailure, 'code'>): boolean =>
  code === 'QBO_COMPANY_UNAVAILABLE';

/** Whether the company's QuickBooks plan excludes one kind of document. */
export const isPlanLimit = ({ code }: Pick<ServiceFailure, 'code'>): boolean => code === 'QBO_PLAN';

/** Whether a service refused to return data that syncs and screens need. */
export const isReadRefusal = ({ code }: Pick<ServiceFailure, 'code'>): boolean => code.endsWith('_READ_REFUSED');

/** Whether Intuit blocks the application's reads for the rest of the month; writes still work. */
export const isReadBlock = (error: unknown): boolean =>
  error instanceof ServiceError && error.about.code === 'QBO_READS_BLOCKED';

/** Whether the service has a record but cannot return it [Q75]; only documents that may be this record are affected. */
export const isUnreadableRecord = (error: unknown): error is ServiceError =>
  error instanceof ServiceError && error.about.code === 'QBO_UNREADABLE';

/**
 * Returns a fallback for an optional read while Intuit blocks the application's reads.
 *
 * @throws every other failure of the read.
 */
export const unlessReadsAreBlocked = <T, Otherwise>(read: Promise<T>, otherwise: Otherwise): Promise<T | Otherwise> =>
  read.catch((error: unknown) => {
    if (isReadBlock(error)) return otherwise;
    throw error;
  });

/** Whether a failure stops one kind of document while the others continue. */
export const stopsOneKind = (failure: Pick<ServiceFailure, 'code'>): boolean =>
  isPlanLimit(failure) ||
  isReadRefusal(failure) ||
  failure.code === 'PSA_NOT_STORED' ||
  failure.code === 'QBO_READS_BLOCKED';

/** Thrown only by connectors, when an external service did not do what was asked. */
export class ServiceError extends Error {
  readonly about: ServiceFailure;

  constructor(about: ServiceFailure, options?: { cause?: unknown }) {
    super(`${about.operation}: ${about.detail}`, options);
    this.name = 'ServiceError';
    this.about = about;
  }
}
