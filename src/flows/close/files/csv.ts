/** One record of a CSV file (RFC 4180); null is an empty field. */
export const csvRow = (fields: readonly (string | number | null)[]): string =>
  `${fields.map((field) => csvField(field)).join(',')}\r\n`;

function csvField(field: string | number | null): string {
  const text = field === null ? '' : String(field);
  // A spreadsheet would take these for a formula; amounts begin so and are none.
  const isFormula = typeof field === 'string' && /^[=+@\t\r]|^-(?![\d.]+$)/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
