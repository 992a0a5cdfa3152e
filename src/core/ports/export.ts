/** Export of all that is kept of a tenant, for it to take along. */
export interface ExportStore {
  /** Tables of an export: every one with rows of the tenant, without columns that are secret. */
  listExportTables(): Promise<readonly ExportTable[]>;
  /**
   * A portion of the rows of one of these tables, each as JSON text.
   *
   * @param last where the portion before ended; null for the first one.
   * @returns the rows, and where this portion ends; null after the last one.
   */
  exportRows(
    table: ExportTable,
    last: readonly string[] | null,
  ): Promise<{ readonly lines: readonly string[]; readonly last: readonly string[] | null }>;
}

/** One file of an export. */
export interface ExportTable {
  readonly name: string;
  /** Contents of the table, one sentence. */
  readonly about: string;
  readonly columns: readonly string[];
  /** Columns by which its rows are told apart, in the order in which they are read. */
  readonly key: readonly string[];
}
