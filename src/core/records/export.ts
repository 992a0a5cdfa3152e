/** One file of an export. */
export interface ExportTable {
  readonly name: string;
  /** Contents of the table, in one sentence. */
  readonly about: string;
  readonly columns: readonly string[];
  /** Columns that identify a row, in sort order. */
  readonly key: readonly string[];
}
