import {
  reportNames,
  type AccountingTaxes,
  type ReportAnswers,
  type ReportContents,
  type ReportName,
  type ReportPeriod,
} from '#core/documents/accounting-report.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { Accounting } from '#core/ports/accounting.ts';
import { keyOf, type CompletenessFacts } from '#core/reconciliation/completeness.ts';
import { type CalendarDate } from '#core/values/dates.ts';
import type { JsonObject } from '#core/values/json.ts';
import { loadCachedLists } from '../connections/cached-lists.ts';
import type { TenantContext } from '../context.ts';

type Reports = { readonly [Name in ReportName]: { readonly content: ReportContents[Name]; readonly raw: JsonObject } };

/** Reads all reports of a period: their contents, and QuickBooks’ answers for the stored proof. @throws ServiceError */
export async function readReports(accounting: Accounting, period: ReportPeriod): Promise<Reports> {
  const entries = await inParallel(
    reportNames.map(async (name) => [name, await accounting.readReport(name, period)] as const),
  );
  // Each name is stored with its report.
  return Object.fromEntries(entries) as unknown as Reports;
}

export const rawOf = (reports: Reports): ReportAnswers =>
  Object.fromEntries(reportNames.map((name) => [name, reports[name].raw]));

export const contentOf = (reports: Reports): ReportContents => ({
  trial_balance: reports.trial_balance.content,
  general_ledger: reports.general_ledger.content,
  aged_receivables: reports.aged_receivables.content,
  aged_payables: reports.aged_payables.content,
  customer_sales: reports.customer_sales.content,
});

export const summaryAnswers = ({ summaries }: AccountingTaxes): ReportAnswers =>
  Object.fromEntries(summaries.map(({ agencyId, raw }) => [`tax_summary_${agencyId}`, raw]));

/** Returns the lists; reads them again if a report names a class or customer that they lack, for example after a rename. */
export async function withCurrentNames(
  context: TenantContext,
  lists: AccountingLists,
  { general_ledger: ledger, aged_receivables: { documents } }: ReportContents,
): Promise<AccountingLists> {
  const classes = new Set(lists.classes.map(({ fullyQualifiedName }) => fullyQualifiedName));
  const customers = new Set(lists.customers.map(({ displayName }) => displayName));
  const isUnknown = (known: ReadonlySet<string>, name: string): boolean =>
    name !== '' && !name.endsWith(' (deleted)') && !known.has(name) && !known.has(name.split(':').at(-1) ?? name);
  const isOutdated =
    ledger.some(({ entries }) => entries.some(({ className }) => isUnknown(classes, className ?? ''))) ||
    documents.some(({ partyName }) => isUnknown(customers, partyName));
  return isOutdated ? loadCachedLists(context, { maxAgeSeconds: 0 }) : lists;
}

/** Returns the day on which paid states are compared, and what the aging report of the month's last day has as open. */
export function paidFacts(
  today: CalendarDate,
  through: CalendarDate,
  { documents }: ReportContents['aged_receivables'],
): Pick<CompletenessFacts, 'openKeys'> & { readonly asOf: CalendarDate } {
  const asOf = today < through ? today : through;
  const keys = documents.flatMap(({ type, id }) => (id === null ? [] : [keyOf(type.replaceAll(' ', ''), id)]));
  return keys.length === documents.length ? { asOf, openKeys: new Set(keys) } : { asOf };
}
