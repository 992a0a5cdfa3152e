import Papa from 'papaparse';
import type { MappingRowReply } from '#contract/mappings.ts';
import { withoutFormulaMarks } from '#core/values/csv.ts';
import { toCsv as tableCsv } from '../../data/csv.ts';
import { formatCount } from '../../data/format.ts';
import type { Choice } from '../../components/type-ahead.tsx';
import { targetOf as targetNameOf } from './rows.ts';
import type { Assignment } from './assignment.ts';

/** Column heads. The names are for people; a target name is used only if its id is empty. */
const heads = ['PSA id', 'PSA name', 'QuickBooks id', 'QuickBooks name'] as const;
/** The target at the time of the export. It shows which lines the user edited, and what another user changed since. */
const exportedHead = 'QuickBooks id at export';

export const toCsv = (rows: readonly MappingRowReply[]): string =>
  tableCsv(
    [
      [heads[0], (row) => row.source_value],
      [heads[1], (row) => row.label],
      [heads[2], (row) => row.xref?.target_value ?? null],
      [heads[3], targetNameOf],
      [exportedHead, (row) => row.xref?.target_value ?? null],
    ],
    rows,
  );

/** The changes and errors of a file. */
export interface CsvPreview {
  readonly changes: readonly Assignment[];
  readonly unchanged: number;
  /** Lines that the user did not edit, whose mappings another user changed after the export. They stay. */
  readonly kept: number;
  readonly errors: readonly { readonly line: number; readonly text: string }[];
}

const maxLines = 20_000;

/** Compares a file with the current rows and targets, without saving anything. */
export function fromCsv(text: string, rows: readonly MappingRowReply[], targets: readonly Choice[]): CsvPreview {
  const { data, errors: faults } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''));
  const failed = (line: number, why: string): CsvPreview => ({
    changes: [],
    unchanged: 0,
    kept: 0,
    errors: [{ line, text: why }],
  });
  // After an unclosed quotation mark, the rest of the file is one cell and its mappings would look deleted.
  const fault = faults.find(({ type }) => type === 'Quotes');
  if (fault !== undefined) return failed((fault.row ?? 0) + 1, 'The quotation marks do not match.');
  // Lines are numbered like spreadsheet rows: empty rows count, line breaks in a cell do not.
  const [[, head] = [0, []], ...lines] = data
    .map((cells, index) => [index + 1, cells] as const)
    .filter(([, cells]) => cells.some((cell) => cell.trim() !== ''));
  const at = Object.fromEntries(heads.map((name) => [name, head.findIndex((one) => one.trim() === name)]));
  const missing = heads.filter((name) => at[name] === -1 && (name === 'PSA id' || name === 'QuickBooks id'));
  if (missing.length > 0) return failed(1, `The column “${missing.join('” and “')}” is missing.`);
  if (lines.length > maxLines) return failed(maxLines, `The file has more than ${formatCount(maxLines)} lines.`);
  const rowOf = new Map(rows.map((row) => [row.source_value, row]));
  const targetOf = new Map(targets.map((one) => [one.value, one]));
  const named = Map.groupBy(targets, (one) => normalize(one.text));
  const seen = new Set<string>();
  const changes: Assignment[] = [];
  const errors: { line: number; text: string }[] = [];
  let [unchanged, kept] = [0, 0];
  const exportedAt = head.findIndex((one) => one.trim() === exportedHead);
  for (const [line, cells] of lines) {
    const cell = (name: (typeof heads)[number]): string => plain(cells[at[name] ?? -1] ?? '');
    const row = rowOf.get(cell('PSA id'));
    if (row === undefined) {
      errors.push({ line, text: `No record has the id “${cell('PSA id')}”.` });
      continue;
    }
    if (seen.has(row.source_value)) {
      errors.push({ line, text: `“${row.label}” appears twice.` });
      continue;
    }
    seen.add(row.source_value);
    if (cells.length <= (at['QuickBooks id'] ?? 0)) {
      errors.push({ line, text: 'The line ends before the column “QuickBooks id”.' });
      continue;
    }
    const [id, name] = [cell('QuickBooks id'), (cells[at['QuickBooks name'] ?? -1] ?? '').trim()];
    const found = id === '' && name === '' ? null : findTarget(id, name, targetOf, named);
    if (isUnchanged(row, id, name)) unchanged += 1;
    else if (typeof found === 'string') errors.push({ line, text: found });
    else if ((row.xref?.target_value ?? null) === (found?.value ?? null)) unchanged += 1;
    else if (exportedAt === -1) changes.push({ row, target: found });
    else {
      const exported = plain(cells[exportedAt] ?? '');
      const isEdited = exported !== (found?.value ?? '');
      const isSame = exported === (row.xref?.target_value ?? '');
      if (isSame) changes.push({ row, target: found });
      else if (isEdited) errors.push({ line, text: changedText(row) });
      else kept += 1;
    }
  }
  return { changes, unchanged, kept, errors };
}

const changedText = (row: MappingRowReply): string =>
  `Another user changed “${row.label}” to “${row.xref === null ? 'not mapped' : targetNameOf(row) || row.xref.target_value}” after this file was exported. Export again, or enter the present id under “${exportedHead}” to overwrite it.`;

/** Returns true if a line names the current target of the row, even if it is no longer available. */
const isUnchanged = (row: MappingRowReply, id: string, name: string): boolean =>
  row.xref !== null && (id === '' ? name !== '' && hasName(name, targetNameOf(row)) : id === row.xref.target_value);

/** Returns the target of a line, or an error message. */
function findTarget(
  id: string,
  name: string,
  targetOf: ReadonlyMap<string, Choice>,
  named: ReadonlyMap<string, readonly Choice[]>,
): Choice | string {
  if (id !== '') return targetOf.get(id) ?? `No QuickBooks record with the id “${id}” can be mapped here.`;
  const found = named.get(normalize(name)) ?? named.get(normalize(plain(name))) ?? [];
  const [only] = found;
  if (only === undefined) return `No QuickBooks record named “${name}” can be mapped here.`;
  return found.length === 1 ? only : `Several QuickBooks records are named “${name}”. Enter the id.`;
}

const normalize = (text: string): string => text.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();

/** Compares a name with and without the apostrophe that escapes formulas. */
const hasName = (cell: string, name: string): boolean =>
  [cell, plain(cell)].some((one) => normalize(one) === normalize(name));

/** Removes the apostrophe that our files put before formulas. */
const plain = (cell: string): string => withoutFormulaMarks(cell.trim());
