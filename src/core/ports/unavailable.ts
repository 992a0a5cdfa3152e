/** Thrown by a store that cannot be reached: nothing can be said of what was asked, and nothing can be saved now. */
export class StoreUnavailable extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'StoreUnavailable';
  }
}
