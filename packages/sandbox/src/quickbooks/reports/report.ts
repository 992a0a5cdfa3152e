import { type Exact, zero } from '../amounts.ts';
import type { Company } from '../company.ts';
import { type Doc, isDoc, listAt, refAt, textAt } from '../doc.ts';
import { fault } from '../faults.ts';
import { addDays, dayOfMonth, isDate, pacificTime } from '../times.ts';

/** One request for a report: company and parameters. */
export interface ReportQuery {
  readonly company: Company;
  /** Returns a parameter of the address; undefined when it is missing or empty. */
  readonly param: (name: string) => string | undefined;
}

/** One cell; `id` is the id of its record. */
export interface Cell {
  readonly value: string;
  readonly id?: string | undefined;
}

/** A column as in reports. */
export interface Column {
  readonly title: string;
  readonly type: string;
  /** The name for requesting the column; some reports return it. */
  readonly key?: string | undefined;
}

/** The contents of a report; common members of the header are added to `header`. */
export interface ReportBody {
  readonly header: Doc;
  readonly options?: readonly (readonly [name: string, value: string])[];
  readonly columns: readonly Column[];
  readonly rows: Doc[];
}

/** Maximum cells of one report (quickbooks reference, limits of reports). */
const maxCells = 400_000;

const colData = (cells: readonly Cell[]): Doc[] =>
  cells.map(({ value, id }): Doc => (id === undefined ? { value } : { value, id }));

/** Returns a line of a report. */
export function dataRow(cells: readonly Cell[], options: { readonly isTyped?: boolean } = {}): Doc {
  return options.isTyped === false ? { ColData: colData(cells) } : { ColData: colData(cells), type: 'Data' };
}

/** Returns a section: its header, rows and total. */
export function section(parts: {
  readonly head?: readonly Cell[];
  readonly rows?: readonly Doc[];
  readonly summary?: readonly Cell[];
  readonly group?: string;
}): Doc {
  const row: Doc = {};
  if (parts.head !== undefined) row['Header'] = { ColData: colData(parts.head) };
  if (parts.rows !== undefined) row['Rows'] = { Row: [...parts.rows] };
  if (parts.summary !== undefined) row['Summary'] = { ColData: colData(parts.summary) };
  row['type'] = 'Section';
  if (parts.group !== undefined) row['group'] = parts.group;
  return row;
}

/** Returns a text cell. */
export const text = (value: string | undefined, id?: string): Cell => ({ value: value ?? '', id });

/** Returns an amount with two decimals; negative zero becomes zero. */
export const money = (amount: Exact): Cell => ({ value: (amount.isZero() ? zero : amount).toFixed(2) });

/** Returns an amount, or a blank cell for zero. */
export const moneyOrBlank = (amount: Exact): Cell => (amount.isZero() ? { value: '' } : money(amount));

/** Returns a number of empty cells. */
export const blanks = (count: number): Cell[] => Array.from({ length: Math.max(0, count) }, () => ({ value: '' }));

function cellsOf(rows: readonly Doc[]): number {
  let count = 0;
  for (const row of rows) {
    if (Array.isArray(row['ColData'])) count += row['ColData'].length;
    const inner = row['Rows'];
    if (typeof inner === 'object' && inner !== null && !Array.isArray(inner) && Array.isArray(inner['Row']))
      count += cellsOf(inner['Row'] as Doc[]);
  }
  return count;
}

const tooMuch = 'Unable to display more data. Please reduce the date range.';

/** Reports whose rows, or whose sections, are accounts. */
const ofAccounts: ReadonlySet<string> = new Set(['TrialBalance', 'BalanceSheet', 'ProfitAndLoss']);

/** Returns the rows, without the ids of sub-accounts when the switch drops them. */
function withAccountIds(company: Company, name: string, rows: readonly Doc[]): Doc[] {
  const isLedger = name === 'GeneralLedger';
  if (company.behaviour.get('report_subaccount_ids') || !(isLedger || ofAccounts.has(name))) return [...rows];
  const bare = (cells: readonly Doc[]): Doc[] =>
    cells.map((cell, at) => {
      const account = at === 0 ? company.find('Account', textAt(cell, 'id')) : undefined;
      return account === undefined || refAt(account.body, 'ParentRef') === undefined
        ? cell
        : { value: cell['value'] ?? '' };
    });
  return rows.map((row) => {
    const changed: Doc = { ...row };
    for (const part of ['Header', 'Summary'])
      if (isDoc(row[part])) changed[part] = { ...row[part], ColData: bare(listAt(row[part], 'ColData')) };
    // Lines of the general ledger are transactions.
    if (!isLedger && row['ColData'] !== undefined) changed['ColData'] = bare(listAt(row, 'ColData'));
    if (isDoc(row['Rows'])) changed['Rows'] = { Row: withAccountIds(company, name, listAt(row['Rows'], 'Row')) };
    return changed;
  });
}

/** Returns whether the modernized Reports service is active. */
export const isModernized = ({ behaviour }: Company): boolean => behaviour.get('reports_service') === 'modernized';

const isTotal = (row: Doc): boolean => row['group'] === 'GrandTotal';
const titleCase = (title: string): string =>
  title.toLowerCase().replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());

/** Returns the rows in the format of the modernized Reports service. */
function modernized(rows: readonly Doc[]): Doc[] {
  const emptied = (cells: readonly Doc[]): Doc[] =>
    cells.map((cell) => (cell['value'] === '0.00' || cell['value'] === '-Split-' ? { ...cell, value: '' } : cell));
  return rows.map((row) => {
    const changed: Doc = { ...row };
    if (row['ColData'] !== undefined) changed['ColData'] = emptied(listAt(row, 'ColData'));
    for (const part of ['Header', 'Summary'])
      if (isDoc(row[part])) changed[part] = { ...row[part], ColData: emptied(listAt(row[part], 'ColData')) };
    if (isDoc(row['Rows'])) changed['Rows'] = { Row: modernized(listAt(row['Rows'], 'Row')) };
    return changed;
  });
}

/** Returns the rows in another order; totals of the whole report remain last. */
const reordered = (rows: readonly Doc[]): Doc[] => [
  ...rows.filter((row) => !isTotal(row)).reverse(),
  ...rows.filter((row) => isTotal(row)),
];

/** Returns the whole response. */
export function report(query: ReportQuery, name: string, { header, options, columns, rows }: ReportBody): Doc {
  const { company } = query;
  const fits = cellsOf(rows) <= maxCells;
  const isNew = isModernized(company);
  const answered = withAccountIds(company, name, isNew ? modernized(reordered(rows)) : rows);
  const hasData = rows.some((row) => row['group'] !== 'GrandTotal');
  const allOptions = [...(options ?? []), ['NoReportData', String(!hasData)] as const];
  return {
    Header: {
      Time: pacificTime(company.clock.now()),
      ReportName: name,
      ...header,
      Currency: company.preferences.homeCurrency,
      Option: allOptions.map(([Name, Value]) => ({ Name, Value })),
    },
    Columns: {
      Column: columns.map(({ title, type, key }): Doc => ({
        ColTitle: isNew ? titleCase(title) : title,
        ColType: type,
        ...(key === undefined ? {} : { MetaData: [{ Name: 'ColKey', Value: key }] }),
      })),
    },
    Rows: { Row: fits ? answered : [dataRow([text(tooMuch)])] },
  };
}

/** Parses a date parameter. @throws ServiceFault 2060 when it is invalid */
export function dateParam({ param }: ReportQuery, name: string): string | undefined {
  const value = param(name);
  if (value !== undefined && !isDate(value)) throw fault.badDate(value, name);
  return value;
}

/** Parses ids separated by commas; undefined when the parameter is missing. */
export function idsParam({ param }: ReportQuery, name: string): ReadonlySet<string> | undefined {
  const value = param(name);
  return value === undefined ? undefined : new Set(value.split(',').map((id) => id.trim()));
}

/** Parses a whole number of at least `min`. @throws ServiceFault 2090 */
export function numberParam({ param }: ReportQuery, name: string, standard: number, min: number): number {
  const value = param(name);
  if (value === undefined) return standard;
  if (!/^\d+$/.test(value) || Number(value) < min) throw fault.badNumber(value, name);
  return Number(value);
}

/** Returns the first day of a date's fiscal year. */
export function fiscalYearStart(company: Company, date: string): string {
  const months = 'January February March April May June July August September October November December'.split(' ');
  const first = Math.max(0, months.indexOf(textAt(company.info, 'FiscalYearStartMonth') ?? 'January')) + 1;
  const [year = 1970, month = 1] = date.split('-').map(Number);
  return `${month >= first ? year : year - 1}-${String(first).padStart(2, '0')}-01`;
}

const macros: Readonly<Record<string, (company: Company, today: string) => readonly [from: string, to: string]>> = {
  today: (_company, today) => [today, today],
  yesterday: (_company, today) => [addDays(today, -1), addDays(today, -1)],
  'this month': (_company, today) => [dayOfMonth(today, 1, 0), dayOfMonth(today, 31, 0)],
  'this month-to-date': (_company, today) => [dayOfMonth(today, 1, 0), today],
  'last month': (_company, today) => [dayOfMonth(today, 1, -1), dayOfMonth(today, 31, -1)],
  'this fiscal year': (company, today) => {
    const from = fiscalYearStart(company, today);
    return [from, addDays(dayOfMonth(from, 1, 12), -1)];
  },
  'this fiscal year-to-date': (company, today) => [fiscalYearStart(company, today), today],
  'last fiscal year': (company, today) => {
    const to = addDays(fiscalYearStart(company, today), -1);
    return [fiscalYearStart(company, to), to];
  },
};

/** The days of a report, both included, and their description in the header. */
export interface Period {
  readonly from: string;
  readonly to: string;
  readonly header: Doc;
}

/**
 * Returns the period of a report: `start_date` and `end_date`, otherwise `date_macro`, otherwise the report's default.
 *
 * @throws ServiceFault for invalid dates or order, and for an unknown macro
 */
export function periodOf(query: ReportQuery, standard: string): Period {
  const [start, end] = [dateParam(query, 'start_date'), dateParam(query, 'end_date')];
  const today = query.company.today();
  const name = (query.param('date_macro') ?? standard).toLowerCase();
  const macro = macros[name];
  if (macro === undefined) throw fault.badEnum(name, 'date_macro');
  const [macroFrom, macroTo] = macro(query.company, today);
  const to = end ?? (start === undefined ? macroTo : today);
  const from = start ?? (end === undefined ? macroFrom : fiscalYearStart(query.company, end));
  if (from > to) throw fault.business('The start date must be before the end date.', 'start_date');
  const isMacro = start === undefined && end === undefined;
  return { from, to, header: { ...(isMacro ? { DateMacro: name } : {}), StartPeriod: from, EndPeriod: to } };
}

/**
 * Returns the basis of a report. The sandbox only supports accruals.
 *
 * @throws ServiceFault 5030 for Cash instead of wrong figures
 */
export function basisOf({ param }: ReportQuery): Doc {
  const method = param('accounting_method') ?? 'Accrual';
  if (method === 'Cash') throw fault.feature('This sandbox has no reports on a cash basis.');
  if (method !== 'Accrual') throw fault.badEnum(method, 'accounting_method');
  return { ReportBasis: 'Accrual' };
}

const filterMembers: readonly (readonly [param: string, member: string])[] = [
  ['customer', 'Customer'],
  ['vendor', 'Vendor'],
  ['item', 'Item'],
  ['class', 'Class'],
  ['department', 'Department'],
];

/** Returns the requested filters, as the header repeats them. */
export function filterHeader({ param }: ReportQuery): Doc {
  const found: Doc = {};
  for (const [name, member] of filterMembers) if (param(name) !== undefined) found[member] = param(name);
  return found;
}
