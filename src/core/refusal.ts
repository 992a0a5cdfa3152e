/** Why a request of a person was not carried out; the API turns each into one HTTP status. */
export type RefusalKind =
  | 'invalid' //       400 the request makes no sense
  | 'unauthorized' //  401 log in first
  | 'forbidden' //     403 logged in, but not for this
  | 'not_found' //     404 does not exist, or belongs to somebody else: the same answer
  | 'conflict' //      409 not in this state
  | 'unprocessable' // 422 the fields named do not fit
  | 'too_slow' //      408 the request did not arrive in time
  | 'too_large' //     413 the request is too large
  | 'misdirected' //   421 sent to another host
  | 'throttled' //     429 too many tries
  | 'overloaded'; //   503 too much at once; try again in a moment

export interface FieldError {
  readonly key: string;
  readonly error: string;
}

/** Thrown by flows for what a person can mend; its message is shown as it stands. */
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

/**
 * A company at the other side belongs to one subscription at a time (fault row A9).
 *
 * @param name of the company; empty when it is not known.
 */
export const companyTaken = (name: string): Refusal =>
  new Refusal(
    'conflict',
    'company_taken',
    `${name === '' ? 'This company' : `“${name}”`} is connected to another subscription already. Disconnect it there first.`,
  );
