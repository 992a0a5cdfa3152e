import { strToU8, zipSync } from 'fflate';

type Cell = string | null;
type Column<Row> = readonly [head: string, cell: (row: Row) => Cell, as?: 'text' | 'number' | 'amount'];

const spreadsheet = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

/** Places of the formats in {@link styles}. */
const formats = { text: 0, number: 0, amount: 2 } as const;
const headFormat = 1;
const styles = `${head}<styleSheet xmlns="${main}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="4" applyNumberFormat="1"/></cellXfs></styleSheet>`;

const files = {
  '[Content_Types].xml': `${head}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${spreadsheet}.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`,
  '_rels/.rels': `${head}<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${head}<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="List" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${head}<Relationships xmlns="${relations}"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': styles,
};

const maxWidth = 60;
/** Numbers with more digits lose digits in a spreadsheet, so they are texts. */
const numberPattern = /^-?\d{1,13}(\.\d{1,4})?$/;
/** Characters that XML cannot contain. */
// oxlint-disable-next-line no-control-regex
const forbidden = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g;

/**
 * Returns a table as an Excel workbook with one sheet. Texts are strings, which no spreadsheet runs as a formula. The
 * content security policy allows no workers, so the file is compressed here.
 */
export function workbookBlob<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Blob {
  const sheet = strToU8(sheetXml(columns, rows));
  const parts = Object.entries(files).map(([path, text]) => [path, strToU8(text)] as const);
  const bytes = zipSync({ ...Object.fromEntries(parts), 'xl/worksheets/sheet1.xml': sheet });
  return new Blob([new Uint8Array(bytes)], { type: spreadsheet });
}

/** Returns the sheet of a table. Its first row stays visible. */
function sheetXml<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const table = rows.map((row) => columns.map(([, cell]) => cell(row)));
  const widths = columns.map(([name], at) =>
    Math.min(maxWidth, 2 + table.reduce((max, cells) => Math.max(max, cells[at]?.length ?? 0), name.length)),
  );
  const cols = widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`);
  const lines = [
    rowXml(columns.map(([name]) => textCell(name, headFormat))),
    ...table.map((cells) => rowXml(cells.map((cell, at) => cellXml(cell, columns[at]?.[2] ?? 'text')))),
  ];
  return `${head}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${cols.join('')}</cols><sheetData>${lines.join('')}</sheetData></worksheet>`;
}

const rowXml = (cells: readonly string[]): string => `<row>${cells.join('')}</row>`;

function cellXml(cell: Cell, as: keyof typeof formats): string {
  if (cell === null || cell === '') return '<c/>';
  if (as !== 'text' && numberPattern.test(cell)) return `<c s="${formats[as]}"><v>${cell}</v></c>`;
  return textCell(cell, formats.text);
}

const textCell = (text: string, format: number): string =>
  `<c s="${format}" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;

const escaped = (text: string): string =>
  text.replace(forbidden, '').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
