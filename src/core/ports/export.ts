/** Export of all stored data of a tenant. */
export interface ExportStore {
  /** Lists the tables of an export: every table with rows of the tenant, without secret columns. */
  listExportTables(): Promise<readonly ExportTable[]>;
  /**
   * Reads a batch of rows of one table, each as JSON text.
   *
   * @param last end of the previous batch; null for the first one.
   * @returns the rows and the end of this batch; null after the last one.
   */
  exportRows(
    table: ExportTable,
    last: readonly string[] | null,
  ): Promise<{ readonly lines: readonly string[]; readonly last: readonly string[] | null }>;
}

/** One file of an export. */
export interface ExportTable {
  readonly name: string;
  /** Contents of the table, in one sentence. */
  readonly about: string;
  readonly columns: readonly string[];
  /** Columns that identify a row, in sort order. */
  readonly key: readonly string[];
}
