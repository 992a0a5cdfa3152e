import type { Attempt, AttemptBase } from '#core/attempt.ts';
import { documentName } from '#core/kinds.ts';
import { planUpdate } from '#core/planning/plan-update.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import type { Plan } from '#core/planning/plan.ts';
import { createNames } from '#core/planning/plan-view.ts';
import { indexAccounting } from '#core/planning/reference-index.ts';
import type { RecordList } from '#core/planning/update-merge.ts';
import { problem, type Problem } from '#core/problems.ts';
import type { Decision, Shared } from '../kinds/kind.ts';
import type { DocumentContext } from './context.ts';

/**
 * Decides how to update a document in QuickBooks to match the PSA. Plans it like a new document, by the same rules, and
 * turns the plan into a change. Writes nothing to the PSA if the change is not possible.
 *
 * @param withRate adds the exchange rate to a plan in a foreign currency
 */
export async function decideUpdate(
  doc: DocumentContext,
  shared: Shared,
  facts: unknown,
  attempt: AttemptBase,
  withRate: (decision: Decision) => Promise<Decision>,
): Promise<Decision> {
  const { run, flow, known } = doc;
  const { posting, current } = known;
  const name = documentName(attempt.kind, attempt.psaId);
  if (posting === null || current === undefined) {
    const problems = [problem('CANNOT_UPDATE', { name, psa: run.psa.describe.label, because: 'gone' })];
    return { outcome: 'refuse', problems, notes: [], mark: null };
  }
  // The document's own number and its reference in the PSA must not block the new plan.
  const made = flow.decide(run, shared, facts, attempt, { posting: null, gone: posting, current });
  // The rate is part of the comparison.
  const decision = await withRate(made);
  if (decision.outcome === 'refuse') {
    // A document that waits is picked up again automatically, but a change is requested once.
    const isClosed = decision.problems.some(({ code }) => code === 'PERIOD_CLOSED');
    const closed = [problem('CANNOT_UPDATE', { name, psa: run.psa.describe.label, because: 'closed' })];
    return { ...decision, mark: null, ...(isClosed && { problems: closed }) };
  }
  if (decision.outcome !== 'plan') return decision;
  const { plan } = decision;
  const base = { ...current.base, prefers: doc.prefers };
  const update = planUpdate({
    name,
    plan,
    current,
    postedNumber: posting.number,
    base,
    merge: (to) => run.accounting.mergeUpdate(to, base, recordNames(plan, shared.books)),
    closedThrough: shared.books.preferences.closedThrough,
    psaLabel: run.psa.describe.label,
  });
  return update.outcome === 'plan' ? { ...update, mark: null } : update;
}

/** Returns the names of QuickBooks' records by list and id. */
function recordNames(plan: Plan, books: AccountingLists) {
  const names = createNames(plan, books);
  const locations = indexAccounting(books).locationNames;
  const nameIn: Readonly<Record<RecordList, (id: string) => string | null>> = {
    customer: (id) => names.customer({ id }),
    vendor: (id) => names.vendor({ id }),
    item: (id) => names.item({ id }),
    account: (id) => names.account(id),
    class: (id) => names.className(id),
    location: (id) => locations.get(id) ?? null,
    term: (id) => names.term(id),
    'tax code': (id) => names.tax(id),
  };
  return (list: RecordList, id: string) => nameIn[list](id);
}

/** Returns the problem of a late change: the document has changed since the user saw it. */
export const changedMeanwhile = ({ run }: DocumentContext, { kind, psaId }: Attempt): Problem =>
  problem('CANNOT_UPDATE', { name: documentName(kind, psaId), psa: run.psa.describe.label, because: 'changed' });
