import { csvRow } from '#core/values/csv.ts';

/** Returns a table as the text of a CSV file, with its heads in the first record. */
export const toCsv = <Row>(
  columns: readonly (readonly [head: string, cell: (row: Row) => string | null, ...rest: unknown[]])[],
  rows: readonly Row[],
): string =>
  [columns.map(([head]) => head), ...rows.map((row) => columns.map(([, cell]) => cell(row)))].map(csvRow).join('');

/** Returns the text of a CSV file as a file. Without the mark at its start, Excel misreads all but English letters. */
export const csvBlob = (text: string): Blob => new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' });
