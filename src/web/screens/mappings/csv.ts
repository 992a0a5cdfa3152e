import Papa from 'papaparse';
import type { MappingRowReply } from '#contract/mappings.ts';
import { withoutFormulaMarks } from '#core/values/csv.ts';
import { toCsv as tableCsv } from '../../lib/csv.ts';
import type { Choice } from '../../ui/type-ahead.tsx';
import { targetOf as targetNameOf } from './rows.ts';
import type { Assignment } from './assignment.ts';

/** Heads of the columns of a file; the ids decide, the names are for people and stand in when an id is empty. */
const heads = ['PSA id', 'PSA name', 'QuickBooks id', 'QuickBooks name'] as const;

/** A file of all rows. */
export const toCsv = (rows: readonly MappingRowReply[]): string =>
  tableCsv(
    [
      [heads[0], (row) => row.source_value],
      [heads[1], (row) => row.label],
      [heads[2], (row) => row.xref?.target_value ?? null],
      [heads[3], targetNameOf],
    ],
    rows,
  );

/** The changes that a file would make, and its errors by line. */
export interface CsvPreview {
  readonly changes: readonly Assignment[];
  readonly unchanged: number;
  readonly errors: readonly { readonly line: number; readonly text: string }[];
}

/** More lines than this are no file of mappings. */
const mostLines = 20_000;

/** Reads a file against the rows and targets as they are now; nothing is changed by it. */
export function fromCsv(text: string, rows: readonly MappingRowReply[], targets: readonly Choice[]): CsvPreview {
  const { data, errors: faults } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''));
  const failed = (line: number, why: string): CsvPreview => ({
    changes: [],
    unchanged: 0,
    errors: [{ line, text: why }],
  });
  // From a mark that is never closed on, everything is one cell: what would look like emptied cells was never read.
  const fault = faults.find(({ type }) => type === 'Quotes');
  if (fault !== undefined) return failed((fault.row ?? 0) + 1, 'The quotation marks do not match.');
  // Counted as a spreadsheet counts its rows: empty ones too, and a name with line breaks is one.
  const [[, head] = [0, []], ...lines] = data
    .map((cells, index) => [index + 1, cells] as const)
    .filter(([, cells]) => cells.some((cell) => cell.trim() !== ''));
  const at = Object.fromEntries(heads.map((name) => [name, head.findIndex((one) => one.trim() === name)]));
  const missing = heads.filter((name) => at[name] === -1 && (name === 'PSA id' || name === 'QuickBooks id'));
  if (missing.length > 0) return failed(1, `The column “${missing.join('” and “')}” is missing.`);
  if (lines.length > mostLines) return failed(mostLines, `At most ${mostLines} lines are read.`);
  const rowOf = new Map(rows.map((row) => [row.source_value, row]));
  const targetOf = new Map(targets.map((one) => [one.value, one]));
  const named = Map.groupBy(targets, (one) => folded(one.text));
  const seen = new Set<string>();
  const changes: Assignment[] = [];
  const errors: { line: number; text: string }[] = [];
  let unchanged = 0;
  for (const [line, cells] of lines) {
    const cell = (name: (typeof heads)[number]): string => plain(cells[at[name] ?? -1] ?? '');
    const row = rowOf.get(cell('PSA id'));
    if (row === undefined) {
      errors.push({ line, text: `There is no record with the id “${cell('PSA id')}”.` });
      continue;
    }
    if (seen.has(row.source_value)) {
      errors.push({ line, text: `“${row.label}” is named twice.` });
      continue;
    }
    seen.add(row.source_value);
    if (cells.length <= (at['QuickBooks id'] ?? 0)) {
      errors.push({ line, text: 'The line ends before the column “QuickBooks id”.' });
      continue;
    }
    const [id, name] = [cell('QuickBooks id'), (cells[at['QuickBooks name'] ?? -1] ?? '').trim()];
    const found = id === '' && name === '' ? null : findTarget(id, name, targetOf, named);
    if (isAsItIs(row, id, name)) unchanged += 1;
    else if (typeof found === 'string') errors.push({ line, text: found });
    else if ((row.xref?.target_value ?? null) === (found?.value ?? null)) unchanged += 1;
    else changes.push({ row, target: found });
  }
  return { changes, unchanged, errors };
}

/** True when a line names the target that the row has, also one that could not be chosen any more. */
const isAsItIs = (row: MappingRowReply, id: string, name: string): boolean =>
  row.xref !== null && (id === '' ? name !== '' && isCalled(name, targetNameOf(row)) : id === row.xref.target_value);

/** The target of a line, or what is wrong. */
function findTarget(
  id: string,
  name: string,
  targetOf: ReadonlyMap<string, Choice>,
  named: ReadonlyMap<string, readonly Choice[]>,
): Choice | string {
  if (id !== '') return targetOf.get(id) ?? `QuickBooks has nothing with the id “${id}” that could be chosen here.`;
  const found = named.get(folded(name)) ?? named.get(folded(plain(name))) ?? [];
  const [only] = found;
  if (only === undefined) return `QuickBooks has nothing called “${name}” that could be chosen here.`;
  return found.length === 1 ? only : `QuickBooks has several called “${name}”; write the id.`;
}

const folded = (text: string): string => text.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();

/** True when a cell names this, with or without the marks of formulas. */
const isCalled = (cell: string, name: string): boolean =>
  [cell, plain(cell)].some((one) => folded(one) === folded(name));

/** A cell without the apostrophes that our own files put before formulas. */
const plain = (cell: string): string => withoutFormulaMarks(cell.trim());
