/**
 * Why a store cannot be used. `unreachable`: it does not answer. `full`: its disk has no room left. `read_only`: a
 * failover or its operator lets it save nothing. `mismatch`: it lacks a table, column or function of this program.
 */
export type StoreTrouble = 'unreachable' | 'full' | 'read_only' | 'mismatch';

/** Thrown by a store that cannot be used now, whatever was asked of it; no document is at fault. */
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
