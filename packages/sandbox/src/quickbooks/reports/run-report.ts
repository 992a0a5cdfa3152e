import type { Doc } from '../doc.ts';
import { agingDetail, agingSummary } from './aging.ts';
import { generalLedgerReport, transactionList } from './general-ledger.ts';
import { type ReportBody, type ReportQuery, report } from './report.ts';
import { customerSales, taxSummary } from './sales-and-tax.ts';
import { balanceSheet, profitAndLoss } from './statements.ts';
import { trialBalance } from './trial-balance.ts';

const reports: Readonly<Record<string, (query: ReportQuery) => ReportBody>> = {
  TrialBalance: trialBalance,
  GeneralLedger: generalLedgerReport,
  AgedReceivableDetail: (query) => agingDetail(query, 'receivable'),
  AgedPayableDetail: (query) => agingDetail(query, 'payable'),
  AgedReceivables: (query) => agingSummary(query, 'receivable'),
  AgedPayables: (query) => agingSummary(query, 'payable'),
  ProfitAndLoss: profitAndLoss,
  BalanceSheet: balanceSheet,
  CustomerSales: customerSales,
  TaxSummary: taxSummary,
  TransactionList: transactionList,
};

/** The reports that the sandbox knows, by the names of the API. */
export const reportNames: readonly string[] = Object.keys(reports);

/** Runs one report; undefined for an unknown name. */
export function runReport(name: string, query: ReportQuery): Doc | undefined {
  const make = Object.hasOwn(reports, name) ? reports[name] : undefined;
  return make === undefined ? undefined : report(query, name, make(query));
}
