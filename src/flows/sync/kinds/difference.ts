import type { AccountingDocument } from '#core/documents/accounting-document.ts';
import type { SalesReference } from '#core/documents/sales-state.ts';
import { inParallel } from '#core/in-parallel.ts';
import { documentName } from '#core/kinds.ts';
import { isCreditMemo } from '#core/planning/messages.ts';
import { differenceSource, planDifference } from '#core/planning/plan-difference.ts';
import type { Plan } from '#core/planning/plan.ts';
import type { Posting } from '#core/records/postings.ts';
import { problem } from '#core/problems.ts';
import { addDays, dateIn } from '#core/values/dates.ts';
import { negate, plus, type Decimal } from '#core/values/decimal.ts';
import { invoiceFlow, type InvoiceRead } from './invoice.ts';
import type { KindFlow, Searcher } from './kind.ts';
import { referencesOf } from './current-differences.ts';

/** Facts of one difference, in addition to those that a job shares. */
export interface DifferenceRead {
  readonly read: InvoiceRead;
  /** The ledger row of the invoice. */
  readonly posting: Posting | null;
  /** The invoice's document as it is now; null if it was deleted. */
  readonly current: AccountingDocument | null;
  /** Documents that bill earlier differences of the invoice. */
  readonly earlier: readonly AccountingDocument[];
}

/** A difference is a new document, so nothing is merged. */
const noBase = { found: {}, posted: null, answered: null };

/** Maximum days ahead for the date of a difference document, needed when QuickBooks is closed through a future day. */
const daysAhead = 400;

/**
 * Differences: a separate document bills what has changed in an invoice since it was posted, when a user requests it
 * (month-end proof, C). Each request creates another document; what is already billed counts as posted. Existing
 * documents may change at any moment, and the amount depends on their present state.
 */
export const differenceFlow: KindFlow<DifferenceRead> = {
  kind: 'difference',
  findCandidates: () => Promise.resolve({ ids: [], isSettled: true }),

  async gather(run, settings, psaIds) {
    const [reads, posted, billed] = await inParallel([
      invoiceFlow.gather(run, settings, psaIds),
      run.context.store.listPostings('invoice', psaIds),
      run.context.store.listPostings('difference', psaIds),
    ]);
    const newest = new Map(posted.map((posting) => [posting.psaId, posting]));
    const facts = new Map<number, DifferenceRead>();
    for (const [psaId, read] of reads) {
      const posting = newest.get(psaId) ?? null;
      const [current = null] = posting === null ? [] : await run.accounting.readDocuments(referencesOf([posting]));
      const known = referencesOf(billed.filter((one) => one.psaId === psaId));
      const earlier = current === null ? [] : await readEarlier(run, psaId, current, known);
      facts.set(psaId, { read, posting, current, earlier });
    }
    return facts;
  },

  decide(run, shared, { read, posting, current, earlier }, request) {
    const today = dateIn(run.context.clock.now(), run.tenant.timeZone);
    const { closedThrough } = shared.accounting.preferences;
    const openOn = closedThrough !== null && today <= closedThrough ? addDays(closedThrough, 1) : today;
    const name = documentName('difference', read.invoice.id);
    const psaLabel = run.psa.describe.label;
    // The month of the invoice may be closed.
    const dated = { ...read, invoice: { ...read.invoice, invoicedOn: openOn } };
    const known =
      current === null ? {} : { current: { syncToken: '', emailStatus: null, document: current, base: noBase } };
    const decision = invoiceFlow.decide(
      run,
      shared,
      dated,
      { ...request, force: false },
      { posting: null, gone: posting, ...known },
    );
    if (decision.outcome === 'refuse') return { ...decision, mark: null };
    if (decision.outcome !== 'plan') {
      const because = read.invoice.isVoided ? 'voided' : 'form';
      const problems = [problem('CANNOT_BILL_DIFFERENCE', { name, psa: psaLabel, because })];
      return { outcome: 'refuse', problems, notes: [], mark: null };
    }
    const difference = planDifference({
      invoice: read.invoice,
      name,
      plan: decision.plan,
      current,
      earlier,
      ordinal: request.generation,
      accounting: shared.accounting,
      psaLabel,
    });
    return difference.outcome === 'plan' ? { ...difference, mark: null } : difference;
  },

  describe(shared, { read, current }, plan) {
    const document = invoiceFlow.describe(shared, read, null);
    return {
      ...document,
      number: current?.number ?? document.number,
      ...(plan === null ? {} : { what: isCreditMemo(plan) ? 'Credit memo' : 'Invoice', amount: amountOf(plan) }),
    };
  },

  psaTotal: (_facts, plan) => amountOf(plan),

  // The invoice counts as paid only when its difference is paid, too.
  afterPosting: async (run, psaId) => {
    await markGone(run, psaId);
    return { effects: { payment: { psaId, isDue: true } } };
  },
};

/** Records which earlier difference documents no longer exist: the new one bills their amounts again. */
async function markGone({ context: { store }, accounting }: Searcher, psaId: number): Promise<void> {
  const posted = await store.listPostings('difference', [psaId]);
  const found = await accounting.readDocuments(referencesOf(posted));
  for (const posting of posted.filter(({ status }) => status === 'synced')) {
    const document = found.find(({ type, id }) => type === posting.targetType && id === posting.targetId);
    if (document?.isVoided !== false)
      await store.markPosting(posting.id, document === undefined ? 'deleted_in_accounting' : 'voided');
  }
}

/** Returns the signed amount that the plan adds to the invoice; negative for a credit memo. */
const amountOf = (plan: Plan): Decimal => {
  const total = plus(plan.expected.subtotal, plan.expected.tax);
  return isCreditMemo(plan) ? negate(total) : total;
};

/**
 * Reads earlier differences from the ledger, and by note from the customer's documents, because a restored ledger may
 * lack some.
 */
async function readEarlier(
  run: Searcher,
  psaId: number,
  { party, datedOn }: AccountingDocument,
  known: readonly SalesReference[],
): Promise<readonly AccountingDocument[]> {
  const today = dateIn(run.context.clock.now(), run.tenant.timeZone);
  const days = { from: datedOn, through: addDays(today, daysAhead) };
  const [own, listed] = await inParallel([
    known.length === 0 ? [] : run.accounting.readDocuments(known),
    run.accounting.listDocuments(days, ['Invoice', 'CreditMemo'], party.id),
  ]);
  const noted = listed.filter(({ privateNote }) => differenceSource(privateNote, run.psa.describe.label) === psaId);
  return [...new Map([...own, ...noted].map((one) => [`${one.type} ${one.id}`, one])).values()];
}
