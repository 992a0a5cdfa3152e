import { z } from 'zod';
import type {
  AgedDocuments,
  AccountingReport,
  AccountingTaxes,
  LedgerAccount,
  LedgerEntry,
  ReportContents,
  ReportName,
  ReportPeriod,
  SalesTotals,
  TrialBalanceRow,
} from '#core/documents/accounting-report.ts';
import { calendarDate, dayText, isCalendarDate, type CalendarDate } from '#core/values/dates.ts';
import { decimal, equals, isDecimal, negate, plus, sum, zero, type Decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { QuickbooksApi } from './api.ts';
import { wrongShape } from './errors.ts';
import { listOf, readShape, text } from './wire.ts';

/** A cell of a report: its text, and the id of the record that it names. */
const cell = z.object({ value: text, id: text });
const cells = z.object({ ColData: z.array(cell) });
type Cells = readonly z.infer<typeof cell>[];

/** Rows are nested: a section has a header, rows and a sum. */
interface ReportRow {
  readonly ColData?: Cells | undefined;
  readonly Header?: { readonly ColData: Cells } | undefined;
  readonly Summary?: { readonly ColData: Cells } | undefined;
  readonly Rows?: { readonly Row?: readonly ReportRow[] | null | undefined } | undefined;
  readonly group?: string | null | undefined;
}
const reportRow: z.ZodType<ReportRow> = z.lazy(() =>
  z.object({
    ColData: z.array(cell).optional(),
    Header: cells.optional(),
    Summary: cells.optional(),
    Rows: z.object({ Row: z.array(reportRow).nullish() }).optional(),
    group: z.string().nullish(),
  }),
);

const qboReport = z.object({
  Header: z.object({
    ReportName: z.string(),
    Currency: text,
    StartPeriod: text,
    EndPeriod: text,
    ReportBasis: text,
    Option: listOf(z.object({ Name: z.string(), Value: text })),
  }),
  // A report without data may leave out its columns and rows.
  Columns: z
    .object({
      Column: listOf(
        z.object({
          ColTitle: text,
          ColType: text,
          MetaData: z.array(z.object({ Name: z.string(), Value: text })).nullish(),
        }),
      ),
    })
    .default({ Column: [] }),
  Rows: z.object({ Row: listOf(reportRow) }).optional(),
});
type QboReport = z.infer<typeof qboReport>;
const rowsOf = ({ Rows }: QboReport): readonly ReportRow[] => Rows?.Row ?? [];

/**
 * Columns of the general ledger. With multi-currency on, the home amounts are in separate columns, and the others are
 * empty or foreign.
 */
const ledgerColumns = [
  'tx_date',
  'txn_type',
  'doc_num',
  'name',
  'memo',
  'subt_nat_amount',
  'rbal_nat_amount',
  'subt_nat_home_amount',
  'rbal_nat_home_amount',
] as const;

/** Path and parameters of each report; all on the accrual basis, which matches the dates of documents. */
const reports: {
  readonly [Name in ReportName]: {
    readonly path: string;
    readonly query: (period: ReportPeriod) => Readonly<Record<string, string>>;
    readonly toContent: (report: QboReport, period: ReportPeriod) => ReportContents[Name];
  };
} = {
  trial_balance: {
    path: 'TrialBalance',
    query: ({ from, through }) => ({ start_date: from, end_date: through, accounting_method: 'Accrual' }),
    toContent: toTrialBalance,
  },
  general_ledger: {
    path: 'GeneralLedger',
    query: ({ from, through, hasClasses = false }) => ({
      start_date: from,
      end_date: through,
      accounting_method: 'Accrual',
      columns: [...ledgerColumns, ...(hasClasses ? ['klass_name'] : [])].join(','),
    }),
    toContent: toGeneralLedger,
  },
  aged_receivables: { path: 'AgedReceivableDetail', query: agedBy, toContent: toAged },
  aged_payables: { path: 'AgedPayableDetail', query: agedBy, toContent: toAged },
  customer_sales: {
    path: 'CustomerSales',
    query: ({ from, through }) => ({ start_date: from, end_date: through, accounting_method: 'Accrual' }),
    toContent: toSales,
  },
};

function agedBy({ through }: ReportPeriod): Readonly<Record<string, string>> {
  return { report_date: through, aging_method: 'Report_Date' };
}

/** Reads one report. The result contains the complete answer and the parsed content. */
export async function readReport<Name extends ReportName>(
  api: QuickbooksApi,
  name: Name,
  period: ReportPeriod,
): Promise<AccountingReport<ReportContents[Name]>> {
  const { path, query, toContent } = reports[name];
  const operation = `read report ${path}`;
  const answer = await api.read({ operation, path: `reports/${path}`, query: query(period) });
  // An answer parsed from JSON is JSON.
  const content = understood(operation, path, () => {
    const report = readShape(operation, qboReport, answer);
    checkHead(report, period);
    return toContent(report, period);
  });
  return { content, raw: answer as JsonObject };
}

/** A part of a report could not be parsed reliably. */
class NotUnderstood extends Error {}

/**
 * Parses a report.
 *
 * @throws ServiceError if a part of it is not understood: a misread amount must never be signed
 */
function understood<T>(operation: string, path: string, read: () => T, effect = 'the month cannot be proved'): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    throw wrongShape(
      operation,
      `QuickBooks’ report ${path} was not understood, so ${effect}: ${error.message}. Try again; if this remains, contact support.`,
      { name: `report ${path}`, answer: undefined },
    );
  }
}

/** Checks that the report is the requested one. */
function checkHead({ Header, Rows }: QboReport, { from, through }: ReportPeriod): void {
  const { StartPeriod, EndPeriod, ReportBasis, Option } = Header;
  if (Rows === undefined && !Option.some(({ Name, Value }) => Name === 'NoReportData' && Value === 'true'))
    throw new NotUnderstood('it has no rows');
  const days = [
    ['start', StartPeriod, from],
    ['end', EndPeriod, through],
  ] as const;
  for (const [name, cellText, requested] of days)
    if (cellText !== undefined && cellText !== null && cellText !== '' && dayOf(cellText) !== requested)
      throw new NotUnderstood(`its period has the ${name} “${cellText}” instead of ${requested}`);
  if (ReportBasis === 'Cash') throw new NotUnderstood('it is on the cash basis instead of the accrual basis');
}

/** No company's accounting begins earlier. */
const firstDayOfAll = '1990-01-01';

/** Reads the general ledger of one account from its first entry to a day. */
export async function readAccountLedger(
  api: QuickbooksApi,
  accountId: string,
  through: CalendarDate,
): Promise<AccountingReport<Pick<LedgerAccount, 'opening' | 'entries'>>> {
  const { path, query } = reports.general_ledger;
  const operation = `read report ${path}`;
  const answer = await api.read({
    operation,
    path: `reports/${path}`,
    query: { ...query({ from: calendarDate(firstDayOfAll), through }), account: accountId },
  });
  const content = understood(operation, path, () => {
    const period = { from: calendarDate(firstDayOfAll), through };
    const accounts = toGeneralLedger(readShape(operation, qboReport, answer), period);
    // Only this account was requested, so the one without an id is a sub-account that is named alone.
    const own = accounts.filter((one) => one.accountId === accountId);
    const found = own.length > 0 ? own : accounts.filter((one) => one.accountId === null);
    if (found.length > 1) throw new NotUnderstood('several accounts have no id');
    return found[0] ?? { opening: zero, entries: [] };
  });
  return { content, raw: answer as JsonObject };
}

/** Reads the open documents of some customers that are dated up to a day. */
export async function readOpenReceivables(
  api: QuickbooksApi,
  customerIds: readonly string[],
  through: CalendarDate,
): Promise<AgedDocuments> {
  const { path, query } = reports.aged_receivables;
  const operation = `read report ${path}`;
  const period = { from: through, through };
  const answer = await api.read({
    operation,
    path: `reports/${path}`,
    query: { ...query(period), customer: customerIds.join(',') },
  });
  const read = () => toAged(readShape(operation, qboReport, answer));
  return understood(operation, path, read, 'no payment can be created');
}

/** Reads the tax of each rate of one agency, from the sum below the rate's header. */
export async function readTaxSummary(
  api: QuickbooksApi,
  agencyId: string,
  { from, through }: ReportPeriod,
): Promise<Omit<AccountingTaxes['summaries'][number], 'agencyId'>> {
  const operation = 'read report TaxSummary';
  const query = { agency_id: agencyId, start_date: from, end_date: through, accounting_method: 'Accrual' };
  const answer = await api.read({ operation, path: 'reports/TaxSummary', query });
  const rates = understood(operation, 'TaxSummary', () => {
    const report = readShape(operation, qboReport, answer);
    const place = Math.max(report.Columns.Column.length - 1, 1);
    return rowsOf(report).flatMap(({ Header: top, Summary }) => {
      const rateId = top === undefined ? null : idAt(top.ColData, 0);
      return rateId === null || Summary === undefined ? [] : [{ rateId, tax: amountAt(Summary.ColData, place) }];
    });
  });
  return { rates, raw: answer as JsonObject };
}

/** Returns a function that finds a column by key, by type or by title. It throws if two columns have the title. */
function columnsOf({ Columns }: QboReport): (...names: readonly string[]) => number {
  const keys = Columns.Column.map(({ ColTitle, ColType, MetaData }) => {
    const key = MetaData?.find(({ Name }) => Name === 'ColKey')?.Value;
    return [key, ColType, ColTitle].flatMap((one) => (one === undefined || one === null ? [] : [one.toLowerCase()]));
  });
  return (...names) => {
    for (const name of names) {
      const place = keys.findIndex((own) => own.includes(name));
      if (place === -1) continue;
      const titled = Columns.Column.filter(({ ColTitle }) => ColTitle?.toLowerCase() === name);
      if (titled.length > 1) throw new NotUnderstood(`the column ${titled[0]?.ColTitle ?? ''} occurs twice`);
      return place;
    }
    return -1;
  };
}

const textAt = (row: Cells, place: number): string | null => row[place]?.value ?? null;
const idAt = (row: Cells, place: number): string | null => row[place]?.id ?? null;

/**
 * Parses an amount of a report; an empty cell is 0. Supports thousands separators, and parentheses for negative
 * amounts.
 */
function amountAt(row: Cells, place: number): Decimal {
  const cellText = (textAt(row, place) ?? '').trim();
  if (cellText === '') return zero;
  const bare = cellText.replaceAll(/[$\s]/g, '');
  const inside = /^\(([^-].*)\)$/.exec(bare)?.[1];
  const [, sign = '', whole = '', cents = ''] = /^(-?)(\d*|\d{1,3}(?:,\d{3})+)(\.\d+)?$/.exec(inside ?? bare) ?? [];
  const digits = `${sign}${whole === '' ? '0' : whole.replaceAll(',', '')}${cents}`;
  if (`${whole}${cents}` === '' || !isDecimal(digits)) throw new NotUnderstood(`“${cellText}” is not an amount`);
  return inside === undefined ? decimal(digits) : negate(decimal(digits));
}

/** Parses `YYYY-MM-DD` or `MM/DD/YYYY`; returns null for anything else. */
function dayOf(cellText: string): CalendarDate | null {
  const [, month = '', day = '', year = ''] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(cellText) ?? [];
  const iso = year === '' ? cellText : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return isCalendarDate(iso) ? iso : null;
}

function dayAt(row: Cells, place: number): CalendarDate | null {
  const cellText = (textAt(row, place) ?? '').trim();
  const day = dayOf(cellText);
  if (cellText !== '' && day === null) throw new NotUnderstood(`“${cellText}” is not a date`);
  return day;
}

interface DataRow {
  readonly cells: Cells;
  /** Headers of the sections around the row, outermost first. */
  readonly heads: readonly Cells[];
}

const hasText = (row: Cells, place: number): boolean => (textAt(row, place) ?? '').trim() !== '';

/**
 * Returns the rows that are not sums, after checking each sum of the report against them.
 *
 * @param amounts positions of the amount columns
 * @param hasTotal false for a ledger, whose accounts have different signs
 * @throws NotUnderstood if a sum differs from its rows, which means that a row was misread
 */
function dataRows(report: QboReport, amounts: readonly number[], hasTotal = true): readonly DataRow[] {
  const width = report.Columns.Column.length;
  const addsUp = (rows: readonly DataRow[], total: Cells): boolean =>
    amounts.every((place) => equals(sum(rows.map(({ cells: row }) => amountAt(row, place))), amountAt(total, place)));

  function allIn(rows: readonly ReportRow[], heads: readonly Cells[]): readonly DataRow[] {
    const found: DataRow[] = [];
    for (const row of rows) for (const one of rowsIn(row, heads, found)) found.push(one);
    return found;
  }

  function rowsIn(row: ReportRow, heads: readonly Cells[], before: readonly DataRow[]): readonly DataRow[] {
    const { ColData, Header, Summary } = row;
    const head = Header?.ColData;
    if (ColData !== undefined && row.Rows === undefined) {
      if (ColData.length === 1 && width > 1)
        throw new NotUnderstood(`QuickBooks returned “${textAt(ColData, 0) ?? ''}”`);
      return [{ cells: ColData, heads }];
    }
    const total = Summary?.ColData;
    if (head === undefined && row.Rows === undefined) {
      if (total !== undefined && hasTotal && !addsUp(before, total)) throw new NotUnderstood(differs(total));
      return [];
    }
    const inner = allIn(row.Rows?.Row ?? [], head === undefined ? heads : [...heads, head]);
    // The header row of a parent account can have a separate amount.
    const own = head !== undefined && amounts.some((place) => hasText(head, place)) ? [{ cells: head, heads }] : [];
    const all = [...own, ...inner];
    if (total === undefined || addsUp(all, total)) return all;
    // The header may repeat the sum, and a sum may leave out the sub-accounts.
    const direct = inner.filter((one) => one.heads.length === heads.length + 1);
    if (addsUp(inner, total) || (own.length === 0 && addsUp(direct, total))) return inner;
    throw new NotUnderstood(differs(total));
  }
  return allIn(rowsOf(report), []);
}

const differs = (total: Cells): string => `its rows do not add up to “${textAt(total, 0) ?? 'the total'}”`;

/**
 * Returns the column's position.
 * @throws NotUnderstood if a report with rows does not have the column
 */
function needed(report: QboReport, name: string, place: number): number {
  if (place === -1 && rowsOf(report).length > 0) throw new NotUnderstood(`the column ${name} is missing`);
  return place;
}

/** Returns the full name of a nested account, e.g. `Income:Labor`. */
const fullName = (heads: readonly Cells[]): string =>
  heads.reduce((path, head) => {
    const name = (textAt(head, 0) ?? '').trim();
    return path === '' || name.startsWith(`${path}:`) ? name : `${path}:${name}`;
  }, '');

function toTrialBalance(report: QboReport): readonly TrialBalanceRow[] {
  const column = columnsOf(report);
  const debit = needed(report, 'Debit', column('debit'));
  const credit = needed(report, 'Credit', column('credit'));
  const found = dataRows(report, [debit, credit]).map(({ cells: row, heads }) => ({
    accountId: idAt(row, 0),
    name: fullName([...heads, row]),
    debit: amountAt(row, debit),
    credit: amountAt(row, credit),
  }));
  if (!equals(sum(found.map((row) => row.debit)), sum(found.map((row) => row.credit))))
    throw new NotUnderstood('its debits and credits differ');
  return found;
}

function toGeneralLedger(report: QboReport, { from, through }: ReportPeriod): readonly LedgerAccount[] {
  const column = columnsOf(report);
  const rows = dataRows(report, []);
  /** With multi-currency on, uses the home amounts, because the natural ones are empty or foreign. */
  const filled = (home: number, natural: number): number =>
    rows.some(({ cells: row }) => home !== -1 && hasText(row, home)) || natural === -1 ? home : natural;
  const at = {
    date: needed(report, 'Date', column('tx_date', 'date')),
    type: needed(report, 'Transaction Type', column('txn_type', 'transaction type')),
    number: column('doc_num', 'no.', 'num'),
    name: column('name'),
    memo: column('memo', 'memo/description'),
    class: column('klass_name', 'class'),
    amount: needed(report, 'Amount', filled(column('subt_nat_home_amount'), column('subt_nat_amount', 'amount'))),
    balance: needed(report, 'Balance', filled(column('rbal_nat_home_amount'), column('rbal_nat_amount', 'balance'))),
  };
  const accounts = new Map<string, { account: Omit<LedgerAccount, 'entries'>; entries: LedgerEntry[] }>();
  for (const { cells: row, heads } of dataRows(report, [at.amount], false)) {
    const head = heads.at(-1);
    if (head === undefined) throw new NotUnderstood(`the row “${textAt(row, 0) ?? ''}” belongs to no account`);
    const [accountId, name] = [idAt(head, 0), fullName(heads)];
    const key = accountId ?? `name ${name}`;
    const known = accounts.get(key) ?? { account: { accountId, name, opening: zero }, entries: [] };
    accounts.set(key, known);
    // The balance before the period has a text instead of a date, and an amount in the last column only.
    if (!hasText(row, at.type) && !hasText(row, at.amount) && dayOf(textAt(row, at.date) ?? '') === null) {
      known.account = { ...known.account, opening: plus(known.account.opening, amountAt(row, at.balance)) };
      continue;
    }
    const datedOn = dayAt(row, at.date);
    // This also detects a swapped day and month.
    if (datedOn !== null && (datedOn < from || datedOn > through))
      throw new NotUnderstood(`${dayText(datedOn)} is outside its period`);
    known.entries.push({
      datedOn,
      type: textAt(row, at.type) ?? '',
      id: idAt(row, at.type),
      number: textAt(row, at.number),
      partyName: textAt(row, at.name),
      memo: textAt(row, at.memo),
      ...(at.class === -1 ? {} : { className: textAt(row, at.class) }),
      amount: amountAt(row, at.amount),
    });
  }
  return [...accounts.values()].map(({ account, entries }) => ({ ...account, entries }));
}

function toAged(report: QboReport): AgedDocuments {
  const column = columnsOf(report);
  const at = {
    date: column('tx_date', 'date'),
    type: needed(report, 'Transaction Type', column('txn_type', 'transaction type')),
    number: column('doc_num', 'no.', 'num'),
    name: column('cust_name', 'vend_name', 'name', 'customer', 'vendor'),
    due: column('due_date', 'due date'),
    open: needed(report, 'Open Balance', column('subt_open_bal', 'open_bal', 'open balance')),
  };
  const documents = dataRows(report, [at.open]).map(({ cells: row }) => ({
    type: textAt(row, at.type) ?? '',
    id: idAt(row, at.type),
    number: textAt(row, at.number),
    partyName: textAt(row, at.name) ?? '',
    datedOn: dayAt(row, at.date),
    dueOn: dayAt(row, at.due),
    open: amountAt(row, at.open),
  }));
  return { documents, total: sum(documents.map(({ open }) => open)) };
}

function toSales(report: QboReport): SalesTotals {
  const place = needed(report, 'Total', columnsOf(report)('total'));
  const customers = dataRows(report, [place]).map(({ cells: row }) => ({
    name: textAt(row, 0) ?? '',
    amount: amountAt(row, place),
  }));
  return { customers, total: sum(customers.map(({ amount }) => amount)) };
}
