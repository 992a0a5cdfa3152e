/** Thrown by a store that cannot be reached: nothing can be said of what was asked, and nothing can be saved now. */
export class StoreUnavailable extends Error {
  /** The store is there, and has no room left to save anything. */
  readonly isFull: boolean;

  constructor(
    message: string,
    { cause, isFull = false }: { readonly cause?: unknown; readonly isFull?: boolean } = {},
  ) {
    super(message, { cause });
    this.name = 'StoreUnavailable';
    this.isFull = isFull;
  }
}
