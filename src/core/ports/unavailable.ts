/**
 * Why a store cannot be used. `unreachable`: it does not respond. `full`: its disk is full. `read_only`: a failover or
 * its operator blocks writes. `mismatch`: it lacks a table, column or function that this version needs.
 */
export type StoreTrouble = 'unreachable' | 'full' | 'read_only' | 'mismatch';

/** Thrown by a store that cannot be used now; no document is at fault. */
export class StoreUnavailable extends Error {
  readonly trouble: StoreTrouble;

  constructor(
    message: string,
    { cause, trouble = 'unreachable' }: { readonly cause?: unknown; readonly trouble?: StoreTrouble } = {},
  ) {
    super(message, { cause });
    this.name = 'StoreUnavailable';
    this.trouble = trouble;
  }
}
