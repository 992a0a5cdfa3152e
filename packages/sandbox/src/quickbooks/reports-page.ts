/** The reports page for people: any report of the API, as a table. */
import { html, type Html } from '../kit/html.ts';
import { pageMoney, pageTable, type TableCell } from '../kit/tables.ts';
import type { Company } from './company.ts';
import { type Doc, docAt, listAt, textAt } from './doc.ts';
import { reportNames, runReport } from './reports/run-report.ts';

const shownRows = 400;
const indent = '\u2003';

/** Formats `AgedReceivableDetail` as `Aged Receivable Detail`. */
const titleOf = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');

/** Returns the rows of a report in display order, sections with their header and total. */
function flatRows(
  rows: readonly Doc[],
  depth = 0,
): readonly { readonly cells: readonly Doc[]; readonly depth: number }[] {
  return rows.flatMap((row) => {
    const own = listAt(row, 'ColData');
    const head = listAt(docAt(row, 'Header'), 'ColData');
    const total = listAt(docAt(row, 'Summary'), 'ColData');
    return [
      ...(own.length === 0 ? [] : [{ cells: own, depth }]),
      ...(head.length === 0 ? [] : [{ cells: head, depth }]),
      ...flatRows(listAt(docAt(row, 'Rows'), 'Row'), depth + 1),
      ...(total.length === 0 ? [] : [{ cells: total, depth }]),
    ];
  });
}

/**
 * Renders one report of the year so far, with links to the others.
 *
 * @param wanted name in the API; by default, or when it is unknown, the income statement.
 */
export function reportsPage(company: Company, wanted: string | undefined): Html {
  const name = wanted !== undefined && reportNames.includes(wanted) ? wanted : 'ProfitAndLoss';
  const today = company.today();
  const parameters: Readonly<Record<string, string>> = {
    start_date: `${today.slice(0, 4)}-01-01`,
    end_date: today,
    report_date: today,
  };
  const body = runReport(name, { company, param: (parameter) => parameters[parameter] });
  const rows = flatRows(listAt(docAt(body, 'Rows'), 'Row'));
  // Reports name column types inconsistently: a column with only amounts is an amount column.
  const columns = listAt(docAt(body, 'Columns'), 'Column').map((column, at) => {
    const values = rows.flatMap(({ cells }) => textAt(cells[at], 'value') || []);
    return {
      title: textAt(column, 'ColTitle') ?? '',
      isAmount: values.length > 0 && values.every((value) => /^-?\d+\.\d\d$/.test(value)),
    };
  });
  const cellOf = (cell: Doc | undefined, at: number, depth: number): TableCell => {
    const value = textAt(cell, 'value') ?? '';
    if (columns[at]?.isAmount === true && value !== '') return { text: pageMoney(Number(value)) };
    return { text: `${at === 0 ? indent.repeat(depth) : ''}${value}` };
  };
  return html`<p class="companies">
      ${reportNames.map(
        (each) =>
          html`<a
            href="/__sandbox?view=reports&report=${each}&realmId=${company.realmId}"
            ${each === name && html`aria-current="page"`}
            >${titleOf(each)}</a
          > `,
      )}
    </p>
    ${pageTable({
      title: `${titleOf(name)}, ${parameters['start_date']} to ${today}${rows.length > shownRows ? ` (${shownRows} of ${rows.length} rows)` : ''}`,
      columns,
      rows: rows.slice(0, shownRows).map(({ cells, depth }) => columns.map((_, at) => cellOf(cells[at], at, depth))),
      none: 'Nothing to report yet.',
    })}`;
}
