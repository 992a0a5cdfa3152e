import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import { isWithdrawnReport, type ExpenseReport, type ExpenseReportHead } from '#core/documents/expense-report.ts';
import type { Company } from '#core/documents/party.ts';
import { inParallel } from '#core/in-parallel.ts';
import { isReportEligible, syncedReportReference, thresholdOf } from '#core/planning/eligibility.ts';
import { differencesOfReportLink } from '#core/planning/link-differences.ts';
import { expenseReportMessages } from '#core/planning/messages.ts';
import { billsByMonth, describeDocument, planExpenseReport, reimbursed } from '#core/planning/plan-expense-report.ts';
import { ofDocument, problem, type Problem } from '#core/problems.ts';
import type { Posting } from '#core/records/postings.ts';
import type { Drift } from '#core/reconciliation/drift.ts';
import { errorMark, inProcessSentinel } from '#core/sync-status.ts';
import { addDays, type CalendarDate, type Instant } from '#core/values/dates.ts';
import { compare, equals, format, isPositive, isZero, zero } from '#core/values/decimal.ts';
import { fingerprintOf, isUnchanged } from '../fingerprint.ts';
import { reasonOf, suppressionOfProblems } from '../suppression.ts';
import { relinkOrSkip } from './already-synced.ts';
import { changedPurchase, comparePurchases, newlyChanged, withdrawnPurchase } from './changed-purchases.ts';
import { type KindFlow, referenceOfPosting, type Searcher, unlessGone } from './kind.ts';

/** Facts of one expense report, in addition to those that a job shares. */
export interface ExpenseReportRead {
  readonly report: ExpenseReport;
  /** The day on which its bill was fully paid; null if it is not paid or does not exist. */
  readonly paidOn: CalendarDate | null;
  /** The companies of its billable items. */
  readonly companies: readonly Company[];
  /** How its bill was changed in QuickBooks. */
  readonly drift: readonly Drift[];
  /** Whether all its bills are deleted in QuickBooks. */
  readonly isDeleted: boolean;
}

/** Expense reports: posted from the PSA to QuickBooks as bills, by the rules of domain reference 10. */
export const expenseReportFlow: KindFlow<ExpenseReportRead> = {
  kind: 'expense_report',

  async findCandidates(run, settings, { force, startOn }) {
    const { clock, store } = run.context;
    const from = thresholdOf(clock.now(), run.tenant.timeZone, settings.exp_max_age_days, startOn);
    const watchedFrom = thresholdOf(clock.now(), run.tenant.timeZone, watchedDays);
    const found = await run.psa.findExpenseReports({ submittedFrom: from < watchedFrom ? from : watchedFrom });
    // Only reports with the in-process text can be in progress.
    const saysSo = found.some(({ reference }) => reference.trim() === inProcessSentinel);
    const busy = new Set(saysSo ? await store.listBusy('expense_report') : []);
    const eligible = found.filter((report) => isReportEligible(report, { from, force }, busy.has(report.id)));
    // Every search finds reports without a reimbursable amount; they are evaluated again only after a change.
    const changed = force ? [] : await newlyChanged(run, 'expense_report');
    const fingerprint = fingerprintOf(run, settings, [found, [...busy], changed]);
    // The fingerprint changes daily, so the bills are checked daily and after changes in the PSA.
    const paid = force || isUnchanged(run, 'expense_report', fingerprint) ? [] : await newlyPaid(run, found);
    const withdrawn =
      force || isUnchanged(run, 'expense_report', fingerprint) ? [] : await newlyWithdrawn(run, found, watchedFrom);
    const ids = [...new Set([...eligible.map(({ id }) => id), ...paid, ...changed, ...withdrawn])].sort(
      (a, b) => a - b,
    );
    return { ids, isSettled: true, fingerprint };
  },

  async gather(run, _settings, psaIds) {
    const reports = await run.psa.readExpenseReports(psaIds);
    const idsOf = ({ items }: ExpenseReport) =>
      new Set(items.flatMap(({ isBillable, companyId }) => (isBillable && companyId !== null ? [companyId] : [])));
    const companies = await run.psa.readCompanies([...new Set(reports.flatMap((report) => [...idsOf(report)]))]);
    const [paid, compared] = await inParallel([
      syncedBills(run, psaIds).then((bills) => paidDays(run, bills)),
      comparePurchases(run, 'expense_report', psaIds),
    ]);
    return new Map(
      reports.map((report) => {
        const ids = idsOf(report);
        const paidOn = paid.get(report.id) ?? null;
        const { drift = [], isDeleted = false } = compared.get(report.id) ?? {};
        return [report.id, { report, paidOn, companies: companies.filter(({ id }) => ids.has(id)), drift, isDeleted }];
      }),
    );
  },

  decide(run, shared, { report, companies, paidOn, drift, isDeleted }, request, { posting, gone }) {
    const reference = syncedReportReference(report);
    const about = describeDocument({ report, accounting: shared.accounting });
    const posted = posting ?? (isWithdrawnReport(report) ? gone : null);
    const isWatched = posted !== null && !request.force && request.revises !== true;
    const withdrawn = isWatched ? withdrawnProblem(run, report, posted) : null;
    if (withdrawn !== null && posted !== null) {
      const [named = withdrawn] = ofDocument([withdrawn], about);
      const message = expenseReportMessages.gone(posted.number ?? posted.targetId ?? '', run.psa.describe.label);
      const isSettled = isWithdrawnReport(report) && (isDeleted || posting === null);
      return withdrawnPurchase(posted, named, isSettled ? 'deleted' : null, message);
    }
    const changed = changedPurchase(run, { kind: 'expense_report', about, drift }, request, {
      posting,
      gone: reference === null ? null : gone,
    });
    if (changed !== null) return changed;
    const psaReference = unlessGone('expense_report', reference, gone);
    const known = posting === null ? psaReference : referenceOfPosting('expense_report', posting);
    if (known !== null && psaReference === known && !request.force && paidOn !== null && report.status === 'approved')
      return {
        outcome: 'skip',
        reason: paidReason,
        message: expenseReportMessages.paid(report.id, known, paidOn, run.psa.describe.label),
        isLoggedOnce: true,
        notes: [],
      };
    if (known !== null && !request.force) return relinkOrSkip(posting, known, psaReference);
    const decision = planExpenseReport({
      report,
      companies,
      settings: shared.settings,
      mappings: shared.mappings,
      psa: shared.psa,
      accounting: shared.accounting,
      psaLabel: run.psa.describe.label,
      now: run.context.clock.now(),
      mode: request.mode,
      trigger: request.trigger,
      generation: request.generation,
    });
    if (decision.outcome !== 'plan') return decision;
    return {
      outcome: 'plan',
      plan: decision.plan,
      mark: errorMark('expense_report', { reference: report.reference }, false),
      running: { mark: inProcessSentinel, before: psaReference ?? '' },
    };
  },

  describe: ({ accounting }, { report }, plan) => describeDocument({ report, accounting, isPlanned: plan !== null }),

  findDifferences(psaLabel, { accounting, mappings, settings }, { report }, document, postedTotal) {
    const about = describeDocument({ report, accounting });
    const parts = about.on === null ? [] : billsByMonth(report, reimbursed(report), about.on);
    const last = parts.at(-1);
    // The setting may have changed since the report was posted.
    const isLastPart = postedTotal !== null && last !== undefined && equals(postedTotal, last.total);
    // If the expenses of a week that spans two months are all of the first month, so is the bill.
    const isOfWeek = last !== undefined && about.on !== null && about.on <= addDays(last.on, weekDays);
    const on = isOfWeek && last.on === document.datedOn ? last.on : about.on;
    return differencesOfReportLink({
      report,
      about: { ...about, on },
      isWhole: parts.length <= 1 || !(settings.exp_split_month_end || isLastPart),
      document,
      postedTotal,
      accounting,
      mappings,
      psaLabel,
    });
  },

  // One of several bills represents the report; its total is the sum of its lines.
  psaTotal: ({ report }, plan) => {
    const bills = plan.commands.filter((command) => command.do === 'create_bill');
    return bills.length === 1 && report.amountDue !== null && isPositive(report.amountDue)
      ? report.amountDue
      : plan.expected.subtotal;
  },

  statusField: {
    read: async (run, _settings, ids) =>
      new Map(
        (await run.psa.findExpenseReports({ ids })).map((head) => {
          const stale = head.status === 'approved' ? null : expenseReportMessages.notApproved(run.psa.describe.label);
          // Right before sending, the field contains our own in-process text.
          return [head.id, { reference: syncedReportReference(head), stale, alreadySynced: null }];
        }),
      ),
    write: (psa, psaId, reference) => psa.writeExpenseReport(psaId, { reference }),
  },
};

const weekDays = 7;
/** Days after submission for which a report's bill is watched. Later, it is paid or never will be. */
const watchedDays = 90;
const paidReason = 'paid_in_accounting';

/** Returns the existing bills of expense reports. */
async function syncedBills({ context }: Searcher, psaIds: readonly number[]): Promise<readonly Posting[]> {
  const postings = psaIds.length === 0 ? [] : await context.store.listPostings('expense_report', psaIds);
  return postings.filter(
    ({ status, targetId }) => (status === 'synced' || status === 'unconfirmed') && targetId !== null,
  );
}

/** Returns the days on which bills were fully paid, by report: the latest date of their payments. */
async function paidDays(
  { accounting, context }: Searcher,
  bills: readonly Posting[],
): Promise<ReadonlyMap<number, CalendarDate>> {
  if (bills.length === 0) return new Map();
  const earlier = await context.store.listEarlierBills({ psaIds: bills.map(({ psaId }) => psaId) });
  const own = Map.groupBy(
    [...earlier, ...bills.map(({ psaId, targetId }) => ({ psaId, id: targetId ?? '' }))],
    ({ psaId }) => psaId,
  );
  const references = [...own.values()].flat().map(({ id }) => ({ type: 'Bill', id }));
  // Nothing is known about a bill or a payment that QuickBooks cannot read.
  const unreadable = new Set<string>();
  const skip = ({ type, id }: { readonly type: string; readonly id: string }) => unreadable.add(`${type} ${id}`);
  const read = (await accounting.readDocuments(references, skip)).filter(({ isVoided }) => !isVoided);
  // A bill of 0.00 has nothing to pay.
  const empty = new Set(read.flatMap(({ id, total }) => (isPositive(total) ? [] : [id])));
  const documents = read.filter(({ id, balance }) => isZero(balance) && !empty.has(id));
  // A bill's links call a payment by card a check, too (quickbooks reference 5.6).
  const paymentsOf = ({ links }: AccountingDocument) =>
    links.flatMap(({ type, id }) => (type.startsWith('BillPayment') ? [{ type: 'BillPayment', id }] : []));
  const dates = await accounting.readDates(documents.flatMap(paymentsOf), skip);
  const days = new Map(dates.map(({ id, datedOn }) => [id, datedOn]));
  const isKnown = (bill: AccountingDocument) =>
    paymentsOf(bill).every(({ type, id }) => !unreadable.has(`${type} ${id}`));
  const byBill = new Map(
    documents.filter(isKnown).map((bill) => {
      const on = paymentsOf(bill).flatMap(({ id }) => days.get(id) ?? []);
      return [bill.id, on.sort().at(-1) ?? bill.datedOn];
    }),
  );
  return new Map(
    [...own].flatMap(([psaId, all]): [number, CalendarDate][] => {
      const payable = all.filter(({ id }) => !empty.has(id));
      const paid = payable.flatMap(({ id }) => byBill.get(id) ?? []);
      const last = paid.toSorted().at(-1);
      return last === undefined || paid.length < payable.length ? [] : [[psaId, last]];
    }),
  );
}

/** Returns the problem of a report that was withdrawn, in full or in part, after its bill was posted; null: it was not. */
function withdrawnProblem(
  run: Pick<Searcher, 'psa'>,
  head: ExpenseReportHead,
  { number, targetId, psaTotal }: Posting,
): Problem | null {
  const about = { psa: run.psa.describe.label, number: number ?? targetId ?? '', before: format(psaTotal ?? zero) };
  const { status, amountDue } = head;
  if (isWithdrawnReport(head)) return problem('REPORT_WITHDRAWN', { ...about, now: null });
  const isLess =
    status === 'approved' &&
    amountDue !== null &&
    psaTotal !== null &&
    isPositive(amountDue) &&
    compare(amountDue, psaTotal) < 0;
  return isLess ? problem('REPORT_WITHDRAWN', { ...about, now: format(amountDue) }) : null;
}

/**
 * Returns reports that were withdrawn after their bill was posted and not logged yet, and logged ones that are approved
 * again.
 *
 * @param found approved reports
 */
async function newlyWithdrawn(
  run: Searcher,
  found: readonly ExpenseReportHead[],
  watchedFrom: Instant,
): Promise<readonly number[]> {
  const { store } = run.context;
  const posted = await store.listPostedSince('expense_report', watchedFrom);
  if (posted.length === 0) return [];
  const approved = new Map(found.map((head) => [head.id, head]));
  const others = posted.filter((id) => !approved.has(id));
  const [read, postings, suppressions] = await inParallel([
    others.length === 0 ? [] : run.psa.findExpenseReports({ ids: others }),
    syncedBills(run, posted),
    store.listSuppressions('expense_report', posted),
  ]);
  const heads = new Map([...approved, ...read.map((head) => [head.id, head] as const)]);
  const restored: number[] = [];
  const unlogged = postings.flatMap((posting) => {
    const head = heads.get(posting.psaId);
    if (head === undefined) return [];
    const withdrawn = withdrawnProblem(run, head, posting);
    const logged = suppressions.get(posting.psaId);
    if (withdrawn === null && reasonOf(logged) === 'REPORT_WITHDRAWN') restored.push(posting.psaId);
    return withdrawn !== null && logged !== suppressionOfProblems([withdrawn]) ? [posting.psaId] : [];
  });
  await store.clearSuppressions(['expense_report'], restored);
  return [...unlogged, ...restored];
}

/** Returns reports that the PSA does not show as paid although their bills are, and that were not logged yet. */
async function newlyPaid(run: Searcher, found: readonly ExpenseReportHead[]): Promise<readonly number[]> {
  const ids = found.map(({ id }) => id);
  const suppressions = ids.length === 0 ? new Map() : await run.context.store.listSuppressions('expense_report', ids);
  const bills = await syncedBills(
    run,
    ids.filter((id) => reasonOf(suppressions.get(id)) !== paidReason),
  );
  return [...(await paidDays(run, bills)).keys()].sort((a, b) => a - b);
}
