/**
 * Why a store cannot be used. `unreachable`: it does not respond. `full`: its disk is full. `read_only`: a failover or
 * its operator blocks writes. `mismatch`: it lacks a table, column or function that this version needs.
 */
export type StoreFailure = 'unreachable' | 'full' | 'read_only' | 'mismatch';

/** Thrown by a store that cannot be used now; no document is at fault. */
export class StoreUnavailable extends Error {
  readonly failure: StoreFailure;

  constructor(
    message: string,
    { cause, failure = 'unreachable' }: { readonly cause?: unknown; readonly failure?: StoreFailure } = {},
  ) {
    super(message, { cause });
    this.name = 'StoreUnavailable';
    this.failure = failure;
  }
}
