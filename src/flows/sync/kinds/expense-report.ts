import type { ExpenseReport } from '#core/documents/expense-report.ts';
import type { Company } from '#core/documents/party.ts';
import { isReportEligible, syncedReportReference, thresholdOf } from '#core/planning/eligibility.ts';
import { expenseReportMessages } from '#core/planning/messages.ts';
import { describeDocument, planExpenseReport } from '#core/planning/plan-expense-report.ts';
import { verify } from '#core/planning/verify.ts';
import { errorMark, inProcessSentinel } from '#core/sync-status.ts';
import { isPositive } from '#core/values/decimal.ts';
import { fingerprintOf } from '../fingerprint.ts';
import type { KindFlow } from './kind.ts';
import { missingInPsa } from './missing.ts';
import { unlessGone } from './replaced.ts';

/** What one expense report adds to the facts that a job shares. */
export interface ExpenseReportRead {
  readonly report: ExpenseReport;
  /** The companies that its billable items are for. */
  readonly companies: readonly Company[];
}

/** Expense reports: from the PSA to the books as bills, by the rules of domain reference 10. */
export const expenseReportFlow: KindFlow<ExpenseReportRead> = {
  kind: 'expense_report',
  name: (psaId) => `Expense report ${psaId}`,

  async findCandidates(run, settings, { force, startOn }) {
    const { clock, store } = run.context;
    const from = thresholdOf(clock.now(), run.tenant.timeZone, settings.exp_max_age_days, startOn);
    const found = await run.psa.findExpenseReports({ submittedFrom: from });
    // Only what says that it runs may be under way.
    const saysSo = found.some(({ reference }) => reference.trim() === inProcessSentinel);
    const busy = new Set(saysSo ? await store.listBusy('expense_report') : []);
    const eligible = found.filter((report) => isReportEligible(report, { from, force }, busy.has(report.id)));
    // A report with nothing to reimburse is found by every search: it is looked at again once something has changed.
    const fingerprint = fingerprintOf(run, settings, [found, [...busy]]);
    return { ids: eligible.map((report) => report.id).sort((a, b) => a - b), isSettled: true, fingerprint };
  },

  async gather(run, _shared, psaIds) {
    const reports = await run.psa.readExpenseReports(psaIds);
    const idsOf = ({ items }: ExpenseReport) =>
      new Set(items.flatMap(({ isBillable, companyId }) => (isBillable && companyId !== null ? [companyId] : [])));
    const companies = await run.psa.readCompanies([...new Set(reports.flatMap((report) => [...idsOf(report)]))]);
    return new Map(
      reports.map((report) => {
        const ids = idsOf(report);
        return [report.id, { report, companies: companies.filter(({ id }) => ids.has(id)) }];
      }),
    );
  },

  decide(run, shared, { report, companies }, wish, { posting, gone }) {
    const told = unlessGone(syncedReportReference(report), gone, (one) => expenseReportFlow.referenceOf(one));
    const known =
      posting === null ? told : expenseReportFlow.referenceOf({ number: posting.number, id: posting.targetId ?? '' });
    if (known !== null && !wish.force)
      return posting !== null && told !== known
        ? { outcome: 'relink', posting, mark: null, notes: [] }
        : {
            outcome: 'skip',
            reason: 'already_synced',
            message: expenseReportMessages.alreadySynced(known),
            isLoggedOnce: false,
            notes: [],
          };
    const decision = planExpenseReport({
      report,
      companies,
      settings: shared.settings,
      mappings: shared.mappings,
      psa: shared.psa,
      books: shared.books,
      psaLabel: run.psa.describe.label,
      now: run.context.clock.now(),
      mode: wish.mode,
      trigger: wish.trigger,
      generation: wish.generation,
    });
    if (decision.outcome !== 'plan') return decision;
    return {
      outcome: 'plan',
      plan: decision.plan,
      mark: errorMark('expense_report', { reference: report.reference }, false),
      running: { mark: inProcessSentinel, before: told ?? '' },
    };
  },

  describe: ({ books }, { report }) => describeDocument({ report, books }),

  // What stands in its reference is our own word by now: it says that it runs.
  async lookAgain(run, _settings, documents) {
    const heads = await run.psa.findExpenseReports({ ids: documents.map(({ psaId }) => psaId) });
    const message = expenseReportMessages.notApproved(run.psa.describe.label);
    return new Map(heads.map(({ id, status }) => [id, status === 'approved' ? null : message]));
  },

  whenMissing: (run, psaId) => missingInPsa(run, expenseReportFlow.name(psaId)),
  // One of several bills stands for the report: it comes to what its own lines come to.
  psaTotal: ({ report }, plan) => {
    const bills = plan.commands.filter((command) => command.do === 'create_bill');
    return bills.length === 1 && report.amountDue !== null && isPositive(report.amountDue)
      ? report.amountDue
      : plan.expected.subtotal;
  },
  verify: (run, plan, posted) => verify(plan, posted, run.psa.describe.label),
  // The number is ours and says nothing that the PSA does not know; the id leads to the bill (domain reference 5.2).
  referenceOf: ({ id }) => id,
  writeBack: (run, psaId, reference) => run.psa.writeExpenseReport(psaId, { reference: reference.number }),
  writeMark: (run, psaId, mark) => run.psa.writeExpenseReport(psaId, { reference: mark }),
  successMessage: (psaId, _plan, reference) => expenseReportMessages.created(psaId, reference.number),
  testMessage: (psaId, plan) => expenseReportMessages.wouldBeCreated(psaId, plan),
  info: (psaId, posted) => ({ at_expense_report_id: psaId, qbo_bill_id: posted.id }),
};
