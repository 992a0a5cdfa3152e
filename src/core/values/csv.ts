/**
 * Returns one record of a CSV file (RFC 4180). Texts are quoted, numbers and amounts are not, null is an empty field.
 * No spreadsheet runs a text as a formula, with any separator.
 */
export const csvRow = (fields: readonly (string | number | null)[]): string =>
  `${fields.map((field) => csvField(field)).join(',')}\r\n`;

function csvField(field: string | number | null): string {
  if (field === null || field === '') return '';
  if (typeof field === 'number' || amountPattern.test(field)) return String(field);
  return `"${asText(field).replaceAll('"', '""')}"`;
}

const amountPattern = /^-?\d+(\.\d+)?$/;
/** Characters that begin a formula, in the wide form of East Asian keyboards too. */
const formulaStarts: ReadonlySet<string> = new Set('=+-@＝＋－＠');
/** Characters that a spreadsheet may take for the end of a cell or of a record. */
const separators: ReadonlySet<string> = new Set(',;|\t\r\n');
/** Characters before a formula that a spreadsheet may ignore at the start of a cell. */
const ignored: ReadonlySet<string> = new Set(' "');
const mark = "'";

/** Puts an apostrophe before each character that would begin a formula at the start of a cell. */
function asText(text: string): string {
  let marked = /^[\t\r\n]/.test(text) ? mark : '';
  let isStart = true;
  for (const character of text) {
    if (isStart && formulaStarts.has(character)) marked += mark;
    marked += character;
    isStart = separators.has(character) || (isStart && ignored.has(character));
  }
  return marked;
}

/** Returns a text as it was before {@link csvRow} marked its formulas. */
export function withoutFormulaMarks(text: string): string {
  const characters = Array.from(text);
  let plain = '';
  let isStart = true;
  characters.forEach((character, index) => {
    const next = characters[index + 1] ?? '';
    const isMarked = formulaStarts.has(next) || (index === 0 && /[\t\r\n]/.test(next));
    if (isStart && character === mark && isMarked) return;
    plain += character;
    isStart = separators.has(character) || (isStart && ignored.has(character));
  });
  return plain;
}
