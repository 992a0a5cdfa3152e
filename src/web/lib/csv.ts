/**
 * A table as comma-separated values (RFC 4180). A text that a spreadsheet would run as a formula is kept a text; amounts
 * stay numbers.
 */
export function toCsv<Row>(
  columns: readonly (readonly [head: string, cell: (row: Row) => string | null])[],
  rows: readonly Row[],
): string {
  const lines = [
    columns.map(([head]) => quoted(head)),
    ...rows.map((row) => columns.map(([, cell]) => quoted(cell(row) ?? ''))),
  ];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

const amountPattern = /^-?\d+(\.\d+)?$/;

function quoted(text: string): string {
  const kept = /^[=+\-@\t\r]/.test(text) && !amountPattern.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(kept) ? `"${kept.replaceAll('"', '""')}"` : kept;
}
