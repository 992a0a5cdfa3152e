/** Why a user's request was rejected; the API maps each kind to one HTTP status. */
export type RefusalKind =
  | 'invalid' //       400 the request makes no sense
  | 'unauthorized' //  401 log in first
  | 'forbidden' //     403 logged in, but not for this
  | 'not_found' //     404 does not exist, or belongs to another client: the same response
  | 'conflict' //      409 not in this state
  | 'unprocessable' // 422 the fields named do not fit
  | 'too_slow' //      408 the request did not arrive in time
  | 'too_large' //     413 the request is too large
  | 'misdirected' //   421 sent to another host
  | 'throttled' //     429 too many tries
  | 'overloaded' //    503 too much at once; try again in a moment
  | 'maintenance'; //  503 the operator turned maintenance on

export interface FieldError {
  readonly key: string;
  readonly error: string;
}

/** Thrown by flows for errors that a user can fix; its message is shown unchanged. */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  /** Machine code, e.g. `not_connected`. */
  readonly code: string;
  readonly errors: readonly FieldError[];

  constructor(kind: RefusalKind, code: string, message: string, errors: readonly FieldError[] = []) {
    super(message);
    this.name = 'Refusal';
    this.kind = kind;
    this.code = code;
    this.errors = errors;
  }
}

/** Rejects a sync of a program whose earlier syncs still wait. */
export const tooManyJobs = (limit: number, of: string): Refusal =>
  new Refusal(
    'throttled',
    'rate_limited',
    `${limit} syncs of ${of} wait or run. Wait until one of them ends, or send more documents in one call.`,
  );

/**
 * Rejects a connection, because a company can belong to only one subscription at a time (fault row A9).
 *
 * @param name of the company; empty when unknown.
 */
export const companyTaken = (name: string): Refusal =>
  new Refusal(
    'conflict',
    'company_taken',
    `${name === '' ? 'This company' : `“${name}”`} is connected to another subscription already. Disconnect it there first.`,
  );
