export interface Page {
  /** Page number, starting at 1. */
  readonly page: number;
  /** Rows of a page, at most 200. */
  readonly pageSize: number;
}
