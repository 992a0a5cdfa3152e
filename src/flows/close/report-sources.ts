import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import { isWithdrawnReport, type ExpenseReportHead } from '#core/documents/expense-report.ts';
import { originOf, originText } from '#core/documents/origin.ts';
import { inParallel } from '#core/in-parallel.ts';
import { thresholdOf } from '#core/planning/eligibility.ts';
import { billNumberOf, billsByMonth } from '#core/planning/plan-expense-report.ts';
import type { LastOutcome } from '#core/records/closes.ts';
import type { EarlierBill } from '#core/records/postings.ts';
import type { PostedDocument, PsaDocument } from '#core/reconciliation/completeness.ts';
import { missingClass } from '#core/reconciliation/missing.ts';
import { firstDay, lastDay, monthOf, nextMonth } from '#core/reconciliation/month.ts';
import type { CalendarDate } from '#core/values/dates.ts';
import { addDays } from '#core/values/dates.ts';
import { equals, isPositive, isZero, round2, zero, type Decimal } from '#core/values/decimal.ts';
import type { Shared } from './shared.ts';
import { inMonth, loadPostings, psaIdsOf, type Sources } from './sources.ts';

/** Days after a month in which an earlier part's bill is searched if the month does not contain it. */
const maxDaysLater = 62;

/** Days after a month in which an expense of the month may be reported. */
const maxDaysReported = 184;

const dayOf = (head: ExpenseReportHead) => head.weekEndingOn ?? head.approvedOn ?? head.submittedOn;

/** An expense report with the facts about its bills. */
interface Report {
  readonly report: ExpenseReportHead;
  readonly expenses: Awaited<ReturnType<Shared['psa']['readReimbursedExpenses']>>;
  readonly on: CalendarDate;
  readonly posting: PostedDocument | null;
  /** Its bills other than the last one. */
  readonly earlier: readonly EarlierBill[];
}

/** One bill that an expense report has or will have. */
interface Bill {
  readonly of: Report;
  readonly on: CalendarDate;
  readonly total: Decimal;
  /** Whether it has amounts, also if an advance covers them. */
  readonly hasAmounts: boolean;
  /** Null for a report with a single bill. */
  readonly part: string | null;
  readonly isLast: boolean;
}

/** Returns the expense reports of the month, one source for each bill, and those whose bill is dated in the month. */
export async function reportSources(shared: Shared, approved: readonly ExpenseReportHead[]): Promise<Sources> {
  const { psa, month } = shared;
  const documents = shared.documents.filter(({ type }) => type === 'Bill');
  const known = new Map(approved.map((head) => [head.id, head]));
  const posted = await psaIdsOf(shared, 'expense_report', documents);
  const unknown = [...new Set([...posted, ...notedIds(shared, documents)])].filter((id) => !known.has(id));
  if (unknown.length > 0) for (const head of await psa.findExpenseReports({ ids: unknown })) known.set(head.id, head);
  const last = monthOf(addDays(lastDay(month), maxDaysReported));
  const wanted = new Set([...posted, ...unknown, ...notedIds(shared, documents)]);
  const heads = [...known.values()].filter((head) => {
    const on = dayOf(head);
    return on !== null && (wanted.has(head.id) || (monthOf(on) >= month && monthOf(on) <= last));
  });
  const ids = heads.map(({ id }) => id);
  if (ids.length === 0) return { kind: 'expense_report', sources: [], documents, postings: [] };
  const [expenses, earlier, postings] = await inParallel([
    psa.readReimbursedExpenses(ids),
    shared.context.store.listEarlierBills({ psaIds: ids }),
    loadPostings(
      shared,
      'expense_report',
      ids.map((id) => ({ id })),
    ),
  ]);
  const own = Map.groupBy(expenses, ({ reportId }) => reportId);
  const bills = heads.flatMap((report) => {
    const on = dayOf(report);
    const posting = postings.findLast(({ psaId }) => psaId === report.id) ?? null;
    const others = earlier.filter(({ psaId }) => psaId === report.id);
    const of = { report, expenses: own.get(report.id) ?? [], posting, earlier: others };
    return on === null ? [] : billsOf({ ...of, on }, documents, shared);
  });
  const all = [...documents, ...(await laterBills(shared, bills, documents))];
  const isInMonth = (bill: Bill): boolean =>
    bill.isLast
      ? documents.some(({ id }) => postings.some((posting) => posting.psaId === bill.of.report.id && posting.id === id))
      : findEarlier(bill, documents, shared) !== undefined;
  const chosen = bills.filter((bill) => inMonth(month, bill.on) || isInMonth(bill));
  return {
    kind: 'expense_report',
    sources: await toSources(shared, chosen),
    documents: all,
    postings: chosen.flatMap((bill) => postingsOf(bill, postings, all, shared)),
  };
}

/** Returns the id of the expense report in a bill number that Tallybridge made; null for other numbers. */
export const reportOfNumber = (number: string | null): number | null => {
  const id = /^EXP-(\d{1,15})(?:-\d{4}-\d\d)?$/.exec(number ?? '')?.[1];
  return id === undefined ? null : Number(id);
};

/** Returns the expense report ids in the private notes of bills. */
const notedIds = ({ psa }: Shared, documents: readonly AccountingDocument[]): number[] =>
  documents.flatMap(({ privateNote }) => {
    const id = Number(/ expense report (\d+)/.exec(originOf(privateNote) ?? '')?.[1]);
    return originOf(privateNote) === originText(psa.describe.label, 'expense report', id) ? [id] : [];
  });

/** Returns the bills of a report: one, or one for each month of its expenses if it is split. */
function billsOf(of: Report, documents: readonly AccountingDocument[], shared: Shared): readonly Bill[] {
  const { settings } = shared;
  const { report, on, posting } = of;
  const hasAmounts = of.expenses.some(({ amount }) => !isZero(round2(amount)));
  const parts = billsByMonth(report, of.expenses, on).map((part): Bill => ({
    of,
    on: part.on,
    total: part.total,
    hasAmounts,
    part: monthOf(part.on),
    isLast: part.isLast,
  }));
  const due = report.amountDue ?? posting?.psaTotal ?? zero;
  // A bill is never negative: the rest of an advance stays in its account.
  const whole: Bill = { of, on, total: isPositive(due) ? due : zero, hasAmounts, part: null, isLast: true };
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) {
    const postedOn = posting?.fingerprint?.datedOn;
    const isDatedEarlier = postedOn === undefined ? settings.exp_split_month_end : postedOn === first.on;
    return [isDatedEarlier ? { ...whole, on: first.on } : whole];
  }
  const then = posting?.psaTotal ?? null;
  const hasEarlier = parts.some((bill) => !bill.isLast && findEarlier(bill, documents, shared) !== undefined);
  const isSplit = hasEarlier || (then === null ? settings.exp_split_month_end : !equals(then, whole.total));
  return isSplit ? parts : [whole];
}

/** Returns whether a bill's note names the report and the month of an earlier part. */
const isNoted = (
  { id, number, datedOn, privateNote }: AccountingDocument,
  { of, on }: Bill,
  psaLabel: string,
): boolean =>
  originOf(privateNote) === originText(psaLabel, 'expense report', of.report.id) &&
  (number === billNumberOf(of.report.id, on) ||
    (monthOf(datedOn) === monthOf(on) && id !== of.posting?.id && reportOfNumber(number) === null));

/** Returns the record of the bill of an earlier month; undefined for bills of earlier versions. */
const storedOf = ({ of, on }: Bill): EarlierBill | undefined =>
  of.earlier.find(({ number }) => number === billNumberOf(of.report.id, on));

/**
 * Returns the bill that we posted for an earlier month of a report, identified by its note, else by its number if it is
 * for the vendor of the employee.
 */
function findEarlier(
  bill: Bill,
  documents: readonly AccountingDocument[],
  { psa, mappings }: Shared,
): AccountingDocument | undefined {
  const { report } = bill.of;
  const stored = storedOf(bill);
  if (stored !== undefined) return documents.find(({ type, id }) => type === 'Bill' && id === stored.id);
  const vendors = mappings.flatMap((mapping) =>
    mapping.namespace === 'Employee' && mapping.sourceValue === String(report.submitterId) ? [mapping.targetValue] : [],
  );
  const isTheirs = ({ party }: AccountingDocument): boolean => vendors.length === 0 || vendors.includes(party.id);
  const noted = documents.filter((document) => isNoted(document, bill, psa.describe.label));
  const isNumbered = ({ number }: AccountingDocument): boolean => number === billNumberOf(report.id, bill.on);
  return noted.find(isNumbered) ?? noted[0] ?? documents.find((document) => isNumbered(document) && isTheirs(document));
}

/** Returns bills of earlier parts that are dated after the month because QuickBooks was closed or a user moved them. */
async function laterBills(
  shared: Shared,
  bills: readonly Bill[],
  documents: readonly AccountingDocument[],
): Promise<readonly AccountingDocument[]> {
  const { accounting, month } = shared;
  const missing = bills.filter(
    (bill) =>
      !bill.isLast &&
      bill.of.posting !== null &&
      storedOf(bill) === undefined &&
      inMonth(month, bill.on) &&
      findEarlier(bill, documents, shared) === undefined,
  );
  if (missing.length === 0) return [];
  const from = firstDay(nextMonth(month));
  const later = await accounting.listDocuments({ from, through: addDays(lastDay(month), maxDaysLater) }, ['Bill']);
  const found = new Set(missing.map((bill) => findEarlier(bill, later, shared)));
  return later.filter((document) => found.has(document));
}

/** Returns what was posted for a bill. Our ledger has only the last bill of a report; the others are found by name. */
function postingsOf(
  bill: Bill,
  postings: readonly PostedDocument[],
  documents: readonly AccountingDocument[],
  shared: Shared,
): readonly PostedDocument[] {
  const { of, part, isLast, on } = bill;
  const own = postings.filter(({ psaId }) => psaId === of.report.id);
  if (part === null) return own;
  if (isLast) return own.map((document) => ({ ...document, part }));
  const found = findEarlier(bill, documents, shared);
  if (found === undefined && of.posting === null) return [];
  const number = billNumberOf(of.report.id, on);
  const stored = storedOf(bill);
  return [
    {
      psaId: of.report.id,
      part,
      type: 'Bill',
      id: found?.id ?? stored?.id ?? number,
      ...(found === undefined && stored === undefined && { isGone: true }),
      number,
      // Without a record of what this bill was posted with, its present lines are compared.
      total: stored?.total ?? null,
      tax: null,
      psaTotal: null,
      psaTax: null,
      fingerprint: stored?.fingerprint ?? null,
    },
  ];
}

/** Returns the names of employees by resource id: the PSA's, else the mapping's, else the vendor's of a posted bill. */
async function employeeNames(
  { psa, mappings, documents }: Shared,
  bills: readonly Bill[],
): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>();
  for (const { of } of bills) {
    const vendor = documents.find(({ id }) => id === of.posting?.id)?.party.name ?? null;
    if (vendor !== null) names.set(of.report.submitterId, vendor);
  }
  for (const { namespace, sourceValue, sourceLabel } of mappings)
    if (namespace === 'Employee' && sourceLabel !== null) names.set(Number(sourceValue), sourceLabel);
  const ids = [...new Set(bills.map(({ of }) => of.report.submitterId))];
  for (const { id, name } of await psa.readEmployeeNames(ids)) names.set(id, name);
  return names;
}

async function toSources(shared: Shared, bills: readonly Bill[]): Promise<readonly PsaDocument[]> {
  const { context, settings, timeZone } = shared;
  const outcomes: ReadonlyMap<number, LastOutcome> = await context.store.listLastOutcomes('expense_report', [
    ...new Set(bills.map(({ of }) => of.report.id)),
  ]);
  const people = await employeeNames(shared, bills);
  const vendors = new Map(
    shared.mappings.flatMap(({ namespace, sourceValue, targetValue }) =>
      namespace === 'Employee' ? [[Number(sourceValue), targetValue] as const] : [],
    ),
  );
  const now = context.clock.now();
  const window = thresholdOf(now, timeZone, settings.exp_max_age_days);
  const startsAt = thresholdOf(now, timeZone, settings.exp_max_age_days, settings.sync_start_date);
  return bills.map(({ of: { report, posting, earlier }, on, total, hasAmounts, part }): PsaDocument => ({
    id: report.id,
    ...(part !== null && { part }),
    number: report.name,
    party: { id: report.submitterId, name: people.get(report.submitterId) ?? `Resource ${report.submitterId}` },
    datedOn: on,
    dueOn: null,
    currency: shared.accountingLists.preferences.homeCurrency,
    total,
    tax: zero,
    linesNet: part === null ? null : total,
    isVoided: isWithdrawnReport(report) && (posting !== null || earlier.length > 0),
    ...(hasAmounts && { isPostedAtZero: true }),
    isHeldWhenClosed: settings.closed_period_policy === 'hold',
    mappedPartyId: vendors.get(report.submitterId) ?? null,
    ifMissing: missingClass({
      createdAt: report.submittedAt ?? now,
      outcome: outcomes.get(report.id) ?? null,
      window,
      startsAt,
      isSendable: report.status === 'approved',
    }),
  }));
}
