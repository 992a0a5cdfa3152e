import writeXlsxFile, { type Cell, type CellObject, type Row } from 'write-excel-file/node';
import { checklistOf } from '#core/reconciliation/checklist.ts';
import { openPointsOf } from '#core/reconciliation/undecided.ts';
import { exceptionsOf, kindLabels, rowKey, type CloseChange, type Signature } from '#core/reconciliation/close.ts';
import { differenceClasses } from '#core/reconciliation/difference-classes.ts';
import { holds } from '#core/reconciliation/tie-out.ts';
import type { CloseContent } from '#core/records/closes.ts';
import { equals, sum, zero, type Decimal } from '#core/values/decimal.ts';
import type { Decisions } from './tables.ts';

/** Contents of a file: a proof with its signatures and decisions. */
export interface FileFacts {
  readonly close: CloseContent;
  readonly signatures: readonly Signature[];
  readonly decisions: Decisions;
  readonly changes: readonly CloseChange[];
  /** Time zone of the client, for the printed page. Tables use UTC. */
  readonly timeZone: string;
}

const money = '#,##0.00;[Red]-#,##0.00';
const bold = { fontWeight: 'bold' } as const;
const head = { ...bold, backgroundColor: '#E6EDF2' } as const;

const textCell = (value: string | null, style: Partial<CellObject> = {}): Cell =>
  value === null || value === '' ? null : { type: String, value, ...style };
/** Spreadsheets use binary floating point, which keeps all digits of amounts in cents below 90 trillion. */
const amountCell = (value: Decimal | null, style: Partial<CellObject> = {}): Cell =>
  value === null ? null : { type: Number, value: Number(value), format: money, ...style };
const formulaCell = (formula: string, style: Partial<CellObject> = {}): Cell => ({
  type: 'Formula',
  value: formula,
  format: money,
  ...style,
});
const heads = (...labels: readonly string[]): Row => labels.map((label) => textCell(label, head));
/** Spreadsheets sum cents inexactly, so sums are rounded. */
const rounded = (formula: string): string => `ROUND(${formula},2)`;

/**
 * Returns the workbook of a proof: sheets A to E as on the screen, plus the sheets Rows and Findings with the numbers.
 * Every total is a live formula.
 */
export async function workbookOf(facts: FileFacts): Promise<Buffer> {
  const sheets = [
    { sheet: 'A Completeness', data: completeness(facts), columns: widths(52, 10, 18, 18, 18) },
    { sheet: 'B Tie-outs', data: tieOuts(facts), columns: widths(60, 20, 20, 20, 40) },
    { sheet: 'C Exceptions', data: exceptions(facts), columns: widths(26, 40, 10, 18, 30, 10, 18, 24, 14, 60) },
    { sheet: 'D Changes', data: changes(facts), columns: widths(40, 10, 18, 18, 18, 18, 90) },
    { sheet: 'E Sign-off', data: signOff(facts), columns: widths(40, 40, 28, 60) },
    { sheet: 'Rows', data: rows(facts), columns: widths(20, 10, 16, 30, 12, 10, 16, 14, 14, 16, 12, 18, 18, 16) },
    { sheet: 'Findings', data: findings(facts), columns: widths(44, 20, 10, 30, 18) },
  ].map((sheet) => ({ ...sheet, stickyRowsCount: 1 }));
  return writeXlsxFile(sheets).toBuffer();
}

const widths = (...all: readonly number[]) => all.map((width) => ({ width }));

/** Columns of the sheet Rows that formulas refer to. */
const rowSheet = { kind: 'A', currency: 'F', psa: 'L', accounting: 'M' } as const;
/** Returns a reference to a column of a data sheet, from its second row to its last. */
const columnOf = (sheet: 'Rows' | 'Findings', count: number) => (column: string) =>
  `${sheet}!$${column}$2:$${column}$${Math.max(count, 1) + 1}`;

function completeness({ close }: FileFacts): Row[] {
  const data: Row[] = [heads('Row', 'Count', close.setup.psaLabel, 'QuickBooks', 'Difference')];
  const inRows = columnOf('Rows', close.proof.rows.length);
  const inFindings = columnOf('Findings', close.proof.rows.flatMap((row) => row.findings).length);
  for (const bridge of close.proof.bridges) {
    const name = bridge.kind;
    const where = (column: string) =>
      rounded(
        `SUMIFS(${inRows(column)},${inRows(rowSheet.kind)},"${name}",${inRows(rowSheet.currency)},"${bridge.currency}")`,
      );
    data.push([textCell(`${kindLabels[bridge.kind]}, ${bridge.currency}`, bold)]);
    const first = data.length + 1;
    data.push([
      textCell(`Dated in the month, ${close.setup.psaLabel}`),
      { type: Number, value: bridge.psaCount },
      formulaCell(where(rowSheet.psa)),
    ]);
    for (const { class: of, count } of bridge.classes)
      data.push([
        textCell(`${differenceClasses[of].moves ? '+ ' : ''}${differenceClasses[of].label}`),
        { type: Number, value: count },
        null,
        null,
        formulaCell(
          rounded(
            `SUMIFS(${inFindings('E')},${inFindings('B')},"${name}",${inFindings('C')},"${bridge.currency}",${inFindings('D')},"${of}")`,
          ),
        ),
      ]);
    const end = data.length;
    const total = end + 1;
    data.push([
      textCell('Dated in the month, QuickBooks', bold),
      { type: Number, value: bridge.accountingCount },
      formulaCell(`C${first}`, bold),
      formulaCell(where(rowSheet.accounting), bold),
      formulaCell(rounded(`D${total}-C${total}`), bold),
    ]);
    data.push([
      textCell('Explained'),
      null,
      null,
      null,
      formulaCell(end > first ? rounded(`SUM(E${first + 1}:E${end})`) : '0'),
    ]);
    data.push([textCell('Unexplained', bold), null, null, null, formulaCell(rounded(`E${total}-E${total + 1}`), bold)]);
    data.push([]);
  }
  return data;
}

function tieOuts({ close }: FileFacts): Row[] {
  const data: Row[] = [heads('Tie-out', 'Left', 'Right', 'Difference', 'Note')];
  for (const tieOut of close.proof.tieOuts) {
    const own = tieOut.rows.flatMap(({ left }) => left ?? []);
    const other = tieOut.rows.flatMap(({ right }) => right ?? []);
    const line = data.length + 1;
    const [from, to] = [line + 1, line + tieOut.rows.length];
    const isSummed = (parts: readonly Decimal[], whole: Decimal) =>
      parts.length > 0 && equals(parts.length === 0 ? zero : sum(parts), whole);
    data.push([
      textCell(`${tieOut.label}: ${tieOut.leftLabel} / ${tieOut.rightLabel}`, bold),
      isSummed(own, tieOut.left) ? formulaCell(rounded(`SUM(B${from}:B${to})`), bold) : amountCell(tieOut.left, bold),
      isSummed(other, tieOut.right)
        ? formulaCell(rounded(`SUM(C${from}:C${to})`), bold)
        : amountCell(tieOut.right, bold),
      formulaCell(rounded(`B${line}-C${line}`), bold),
      textCell(tieOut.mustBeZero ? (holds(tieOut) ? 'agrees' : 'must be 0.00') : 'for information'),
    ]);
    for (const { label, left, right, note } of tieOut.rows)
      data.push([textCell(`    ${label}`), amountCell(left), amountCell(right), null, textCell(note ?? null)]);
  }
  return data;
}

function exceptions({ close, decisions }: FileFacts): Row[] {
  const all = exceptionsOf(close.proof);
  const data: Row[] = [
    heads('Kind', 'Class', 'PSA id', 'Number', 'Customer or vendor', 'Currency', 'Amount', 'Since', 'By', 'Decision'),
    ...all.map((exception): Row => {
      const decided = decisions.get(exception.key);
      return [
        textCell(kindLabels[exception.kind]),
        textCell(exception.class === 'unexplained' ? 'Unexplained' : differenceClasses[exception.class].label),
        exception.psaId === null ? null : { type: Number, value: exception.psaId },
        textCell(exception.number),
        textCell(exception.party),
        textCell(exception.currency),
        amountCell(exception.amount),
        textCell(exception.since),
        textCell(exception.by),
        textCell(
          decided === undefined ? null : `${decided.decision}: ${decided.reason} (${decided.by}, ${decided.at})`,
        ),
      ];
    }),
  ];
  const end = data.length;
  for (const currency of [...new Set(all.map((exception) => exception.currency))].sort())
    data.push([
      textCell('Sum', bold),
      null,
      null,
      null,
      null,
      textCell(currency, bold),
      formulaCell(rounded(`SUMIFS(G2:G${end},F2:F${end},"${currency}")`), bold),
    ]);
  return data;
}

const changes = ({ changes: all }: FileFacts): Row[] => [
  heads('Document', 'Currency', 'PSA before', 'QuickBooks before', 'PSA after', 'QuickBooks after', 'What changed'),
  ...all.map(({ label, currency, before, after, details }): Row => [
    textCell(label),
    textCell(currency),
    amountCell(before?.psaAmount ?? null),
    amountCell(before?.accountingAmount ?? null),
    amountCell(after?.psaAmount ?? null),
    amountCell(after?.accountingAmount ?? null),
    textCell(details.join('; ')),
  ]),
];

function signOff({ close, signatures, decisions }: FileFacts): Row[] {
  const openPoints = openPointsOf(close.proof, decisions.values());
  return [
    heads('What', 'Who', 'When (UTC)', 'Remark'),
    [textCell('Prepared'), textCell(close.preparedBy), textCell(close.preparedAt), textCell(`SHA-256 ${close.sha256}`)],
    ...signatures.map(({ as, by, at, reason }): Row => [
      textCell(`Signed as ${as}`),
      textCell(by),
      textCell(at),
      textCell(reason),
    ]),
    [],
    heads('Checklist'),
    ...checklistOf(close.proof).map(({ label }): Row => [textCell(label)]),
    [],
    heads(openPoints.length === 0 ? 'No open points' : 'Open points'),
    ...openPoints.map(({ label, currency, amount }): Row => [textCell(label), textCell(currency), amountCell(amount)]),
  ];
}

const rows = ({ close }: FileFacts): Row[] => [
  heads(
    'Kind',
    'PSA id',
    'PSA number',
    'Company',
    'PSA date',
    'Currency',
    'QuickBooks type',
    'QuickBooks id',
    'Number',
    'Customer',
    'Date',
    'PSA amount',
    'QuickBooks amount',
    'Difference',
  ),
  ...close.proof.rows.map((row, index): Row => [
    textCell(row.kind),
    row.psa === null ? null : { type: Number, value: row.psa.id },
    textCell(row.psa?.number ?? null),
    textCell(row.psa?.party.name ?? null),
    textCell(row.psa?.datedOn ?? null),
    textCell(row.currency),
    textCell(row.accounting?.type ?? null),
    textCell(row.accounting?.id ?? null),
    textCell(row.accounting?.number ?? null),
    textCell(row.accounting?.party.name ?? null),
    textCell(row.accounting?.datedOn ?? null),
    amountCell(row.psaAmount),
    amountCell(row.accountingAmount),
    formulaCell(rounded(`M${index + 2}-L${index + 2}`)),
  ]),
];

const findings = ({ close }: FileFacts): Row[] => [
  heads('Document', 'Kind', 'Currency', 'Class', 'Amount'),
  ...close.proof.rows.flatMap((row) =>
    row.findings.map(({ class: of, amount }): Row => [
      textCell(rowKey(row)),
      textCell(row.kind),
      textCell(row.currency),
      textCell(of),
      amountCell(amount),
    ]),
  ),
];
