export interface Page {
  /** Counted from 1. */
  readonly page: number;
  /** At most 200. */
  readonly pageSize: number;
}
