import { z } from 'zod';
import type {
  AgedDocuments,
  BooksReport,
  BooksTaxes,
  LedgerAccount,
  LedgerEntry,
  ReportContents,
  ReportName,
  ReportPeriod,
  SalesTotals,
  TrialBalanceRow,
} from '#core/documents/books-report.ts';
import { calendarDate, isCalendarDate, type CalendarDate } from '#core/values/dates.ts';
import { decimal, isDecimal, plus, sum, zero, type Decimal } from '#core/values/decimal.ts';
import type { JsonObject } from '#core/values/json.ts';
import type { QuickbooksApi } from './api.ts';
import { readShape, text } from './wire.ts';

/** A cell of a report: text, and the id of the record that it names. */
const cell = z.object({ value: text, id: text });
const cells = z.object({ ColData: z.array(cell) });
type Cells = readonly z.infer<typeof cell>[];

/** Rows are nested: a section has a head, rows of its own and a sum. */
interface ReportRow {
  readonly ColData?: Cells | undefined;
  readonly Header?: { readonly ColData: Cells } | undefined;
  readonly Summary?: { readonly ColData: Cells } | undefined;
  readonly Rows?: { readonly Row?: readonly ReportRow[] | undefined } | undefined;
  readonly group?: string | null | undefined;
}
const reportRow: z.ZodType<ReportRow> = z.lazy(() =>
  z.object({
    ColData: z.array(cell).optional(),
    Header: cells.optional(),
    Summary: cells.optional(),
    Rows: z.object({ Row: z.array(reportRow).optional() }).optional(),
    group: z.string().nullish(),
  }),
);

const qboReport = z.object({
  Header: z.object({ ReportName: z.string(), Currency: text }),
  Columns: z.object({
    Column: z.array(
      z.object({
        ColTitle: text,
        ColType: text,
        MetaData: z.array(z.object({ Name: z.string(), Value: text })).nullish(),
      }),
    ),
  }),
  Rows: z.object({ Row: z.array(reportRow).optional() }),
});
type QboReport = z.infer<typeof qboReport>;

/**
 * Columns of the general ledger. With multi-currency on, the home amounts stand in columns of their own, and the others
 * are empty or foreign.
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

/** Address and parameters of each report; all on the accrual basis, which is how documents are dated. */
const reports: {
  readonly [Name in ReportName]: {
    readonly path: string;
    readonly query: (period: ReportPeriod) => Readonly<Record<string, string>>;
    readonly toContent: (report: QboReport) => ReportContents[Name];
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

/** Reads one report. The whole answer is kept beside what was understood of it. */
export async function readReport<Name extends ReportName>(
  api: QuickbooksApi,
  name: Name,
  period: ReportPeriod,
): Promise<BooksReport<ReportContents[Name]>> {
  const { path, query, toContent } = reports[name];
  const operation = `read report ${path}`;
  const answer = await api.read({ operation, path: `reports/${path}`, query: query(period) });
  // An answer that was parsed from JSON is JSON.
  return { content: toContent(readShape(operation, qboReport, answer)), raw: answer as JsonObject };
}

/** No books begin earlier. */
const firstDayOfAll = '1990-01-01';

/** The general ledger of one account from its first entry to a day. */
export async function readAccountLedger(
  api: QuickbooksApi,
  accountId: string,
  through: CalendarDate,
): Promise<BooksReport<Pick<LedgerAccount, 'opening' | 'entries'>>> {
  const { path, query } = reports.general_ledger;
  const operation = `read report ${path}`;
  const answer = await api.read({
    operation,
    path: `reports/${path}`,
    query: { ...query({ from: calendarDate(firstDayOfAll), through }), account: accountId },
  });
  const accounts = toGeneralLedger(readShape(operation, qboReport, answer));
  const content = accounts.find((one) => one.accountId === accountId) ?? { opening: zero, entries: [] };
  return { content, raw: answer as JsonObject };
}

/** The tax of each rate of one agency, by the sum that stands under the rate's head. */
export async function readTaxSummary(
  api: QuickbooksApi,
  agencyId: string,
  { from, through }: ReportPeriod,
): Promise<Omit<BooksTaxes['summaries'][number], 'agencyId'>> {
  const operation = 'read report TaxSummary';
  const query = { agency_id: agencyId, start_date: from, end_date: through, accounting_method: 'Accrual' };
  const answer = await api.read({ operation, path: 'reports/TaxSummary', query });
  const report = readShape(operation, qboReport, answer);
  const place = Math.max(report.Columns.Column.length - 1, 1);
  const rates = (report.Rows.Row ?? []).flatMap(({ Header: top, Summary }) => {
    const rateId = top === undefined ? null : idAt(top.ColData, 0);
    return rateId === null || Summary === undefined ? [] : [{ rateId, tax: amountAt(Summary.ColData, place) }];
  });
  return { rates, raw: answer as JsonObject };
}

/** Places of the columns by their key, as far as the report says it, otherwise by their title. */
function columnsOf({ Columns }: QboReport): (...names: readonly string[]) => number {
  const keys = Columns.Column.map(({ ColTitle, ColType, MetaData }) => {
    const key = MetaData?.find(({ Name }) => Name === 'ColKey')?.Value;
    return [key, ColType, ColTitle].flatMap((one) => (one === undefined || one === null ? [] : [one.toLowerCase()]));
  });
  return (...names) => {
    for (const name of names) {
      const place = keys.findIndex((own) => own.includes(name));
      if (place !== -1) return place;
    }
    return -1;
  };
}

const textAt = (row: Cells, place: number): string | null => row[place]?.value ?? null;
const idAt = (row: Cells, place: number): string | null => row[place]?.id ?? null;

/** An amount of a report; an empty cell is nothing. Thousands may be set apart. */
function amountAt(row: Cells, place: number): Decimal {
  const value = (textAt(row, place) ?? '').replaceAll(',', '');
  return isDecimal(value) ? decimal(value) : zero;
}

function dayAt(row: Cells, place: number): CalendarDate | null {
  const value = textAt(row, place) ?? '';
  return isCalendarDate(value) ? value : null;
}

/** The rows that are not sums, with the heads that they stand under, outermost first. */
function* dataRows(rows: readonly ReportRow[] = [], heads: readonly Cells[] = []): Generator<DataRow> {
  for (const row of rows) {
    if (row.ColData !== undefined && row.Rows === undefined) yield { cells: row.ColData, heads };
    if (row.Rows !== undefined)
      yield* dataRows(row.Rows.Row, row.Header === undefined ? heads : [...heads, row.Header.ColData]);
  }
}
interface DataRow {
  readonly cells: Cells;
  readonly heads: readonly Cells[];
}

function toTrialBalance(report: QboReport): readonly TrialBalanceRow[] {
  const column = columnsOf(report);
  const [debit, credit] = [column('debit'), column('credit')];
  return [...dataRows(report.Rows.Row)].map(({ cells: row }) => ({
    accountId: idAt(row, 0),
    name: textAt(row, 0) ?? '',
    debit: amountAt(row, debit),
    credit: amountAt(row, credit),
  }));
}

function toGeneralLedger(report: QboReport): readonly LedgerAccount[] {
  const column = columnsOf(report);
  const at = {
    date: column('tx_date', 'date'),
    type: column('txn_type', 'transaction type'),
    number: column('doc_num', 'num'),
    name: column('name'),
    memo: column('memo', 'memo/description'),
    class: column('klass_name', 'class'),
    amount: [column('subt_nat_home_amount'), column('subt_nat_amount', 'amount')],
    balance: [column('rbal_nat_home_amount'), column('rbal_nat_amount', 'balance')],
  };
  /** The first of the columns that says anything. */
  const amountOf = (row: Cells, places: readonly number[]): Decimal =>
    amountAt(row, places.find((place) => (textAt(row, place) ?? '') !== '') ?? -1);
  const accounts = new Map<string, { account: Omit<LedgerAccount, 'entries'>; entries: LedgerEntry[] }>();
  for (const { cells: row, heads } of dataRows(report.Rows.Row)) {
    const head = heads.at(-1);
    if (head === undefined) continue;
    const [accountId, name] = [idAt(head, 0), textAt(head, 0) ?? ''];
    const key = accountId ?? name;
    const known = accounts.get(key) ?? { account: { accountId, name, opening: zero }, entries: [] };
    accounts.set(key, known);
    if (dayAt(row, at.date) === null) {
      // The first row of an account is its balance before the period: no day, and an amount in the last column alone.
      known.account = { ...known.account, opening: plus(known.account.opening, amountOf(row, at.balance)) };
      continue;
    }
    known.entries.push({
      datedOn: dayAt(row, at.date),
      type: textAt(row, at.type) ?? '',
      id: idAt(row, at.type),
      number: textAt(row, at.number),
      partyName: textAt(row, at.name),
      memo: textAt(row, at.memo),
      ...(at.class === -1 ? {} : { className: textAt(row, at.class) }),
      amount: amountOf(row, at.amount),
    });
  }
  return [...accounts.values()].map(({ account, entries }) => ({ ...account, entries }));
}

function toAged(report: QboReport): AgedDocuments {
  const column = columnsOf(report);
  const at = {
    date: column('tx_date', 'date'),
    type: column('txn_type', 'transaction type'),
    number: column('doc_num', 'num'),
    name: column('cust_name', 'vend_name', 'name', 'customer', 'vendor'),
    due: column('due_date', 'due date'),
    open: column('subt_open_bal', 'open_bal', 'open balance'),
  };
  const documents = [...dataRows(report.Rows.Row)].map(({ cells: row }) => ({
    type: textAt(row, at.type) ?? '',
    id: idAt(row, at.type),
    number: textAt(row, at.number),
    partyName: textAt(row, at.name) ?? '',
    datedOn: dayAt(row, at.date),
    dueOn: dayAt(row, at.due),
    open: amountAt(row, at.open),
  }));
  return { documents, total: grandTotal(report, at.open) ?? sum(documents.map(({ open }) => open)) };
}

/** The sum of the whole report as it says it itself: that of the last row, which stands under no head. */
function grandTotal(report: QboReport, place: number): Decimal | null {
  const last = (report.Rows.Row ?? []).findLast(
    ({ Summary, group }) => Summary !== undefined && group === 'GrandTotal',
  );
  return last?.Summary === undefined ? null : amountAt(last.Summary.ColData, place);
}

function toSales(report: QboReport): SalesTotals {
  const place = Math.max(report.Columns.Column.length - 1, 1);
  const customers = [...dataRows(report.Rows.Row)].map(({ cells: row }) => ({
    name: textAt(row, 0) ?? '',
    amount: amountAt(row, place),
  }));
  return { customers, total: grandTotal(report, place) ?? sum(customers.map(({ amount }) => amount)) };
}
