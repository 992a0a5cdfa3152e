import type { Attempt, In } from '#core/attempt.ts';
import type { AccountingLists } from '#core/documents/reference-data.ts';
import { testMessage } from '#core/planning/messages.ts';
import { type Command, lastCommand, type Plan } from '#core/planning/plan.ts';
import { indexAccounting } from '#core/planning/reference-index.ts';
import type { Problem } from '#core/problems.ts';
import { referenceOf } from '#core/sync-status.ts';
import { never } from '#core/values/assert.ts';
import type { Decision } from '../kinds/kind.ts';
import { RunStopped, type StepResult } from '../run.ts';
import { awaitApproval } from './awaiting-approval.ts';
import type { DocumentContext } from './context.ts';
import { decide } from './decide.ts';
import { differencesOf, differencesOfLinked, findAdoptable } from './find-adoptable.ts';
import { refuse, skip } from './outcomes.ts';
import { reviewablePreviewOf } from './preview.ts';
import { openedPosting } from './save.ts';
import { withSuccessors } from './successors.ts';
import { linkedMessage, relink, updatePsa } from './update-psa.ts';

/** Decides what to do about a document, and does everything that sends no command. */
export async function planning(doc: DocumentContext, attempt: In<'planning'>): Promise<StepResult> {
  const decision = await decide(doc, attempt);
  const known = await described(doc, attempt, decision);
  return decision.outcome === 'plan' ? planned(doc, known, decision) : carryOut(doc, known, decision);
}

/** Adds the document's display data to the attempt, once it was read. */
async function described(doc: DocumentContext, attempt: In<'planning'>, decision: Decision): Promise<In<'planning'>> {
  const facts = await doc.facts();
  if (facts === undefined) return attempt;
  const plan = decision.outcome === 'plan' ? decision.plan : null;
  return { ...attempt, about: doc.flow.describe(await doc.shared(), facts, plan) };
}

/** Carries out a decision that sends nothing to QuickBooks. */
async function carryOut(
  doc: DocumentContext,
  attempt: In<'planning'>,
  decision: Exclude<Decision, { outcome: 'plan' }>,
): Promise<StepResult> {
  switch (decision.outcome) {
    case 'skip': {
      const problems = decision.reason === 'already_synced' ? await stillMissing(doc, attempt) : [];
      return problems.length > 0 ? refuse(attempt, { problems, mark: null, notes: [] }) : skip(attempt, decision);
    }
    case 'relink': {
      // Links only the same document; a different one becomes a problem for a user.
      const { posting, mark, notes } = decision;
      const problems = await differencesOfLinked(doc, posting);
      return problems.length > 0 ? refuse(attempt, { problems, mark, notes }) : relink(doc, attempt, decision);
    }
    case 'update_psa':
      return updatePsa(doc, attempt, decision);
    case 'refuse': {
      const against = decision.problems.find(({ treatment }) => treatment === 'stops_run');
      const refused = refuse(attempt, { ...decision, problems: await withSuccessors(doc, decision.problems) });
      return against === undefined ? refused : { ...refused, stop: new RunStopped(against) };
    }
    default:
      return never(decision);
  }
}

/**
 * Returns problems of a document that only the PSA shows as posted, while QuickBooks does not have it. A document
 * reported as missing stays reported and does not count as synced.
 */
async function stillMissing({ run, flow, known }: DocumentContext, { psaId }: Attempt): Promise<readonly Problem[]> {
  if (known.posting !== null) return [];
  const problems = await run.context.store.readNewestProblems(flow.kind, psaId);
  const number = problems.find(({ code }) => code === 'MISSING_IN_BOOKS')?.document?.number ?? null;
  if (number === null) return [];
  return (await run.accounting.findNumbered([number])).length > 0 ? [] : problems;
}

/** Prepares the first command of a new plan; a test ends here. */
async function planned(
  doc: DocumentContext,
  attempt: In<'planning'>,
  { plan, mark, running }: Extract<Decision, { outcome: 'plan' }>,
): Promise<StepResult> {
  const { notes, warnings } = plan;
  const to: In<'posting'> = {
    ...attempt,
    warnings,
    state: 'posting',
    // The transcript contains the notes from now on.
    plan: { ...plan, notes: [] },
    mark,
    posted: [],
    sentAt: null,
    ...(running && { running }),
  };
  if (attempt.mode === 'test') return simulated(doc, attempt, plan, to);
  const waits = await awaitApproval(doc, attempt, plan);
  if (waits !== null) return waits;
  const effects = { opensPosting: openedPosting(doc, await doc.facts(), to) };
  // Another worker must know the PSA's status text before it is written, and a linked document needs its ledger row
  // first.
  const isSavedFirst = running !== undefined || (await findAdoptable(doc, to)) !== null;
  const ready = { from: attempt, to, effects, notes };
  return isSavedFirst ? ready : { send: ready };
}

/** Ends a test with what a live sync would do. */
async function simulated(
  doc: DocumentContext,
  attempt: In<'planning'>,
  plan: Plan,
  planned: In<'posting'>,
): Promise<StepResult> {
  const { run } = doc;
  const { warnings } = planned;
  const known = await findAdoptable(doc, planned);
  const problems = known === null ? [] : await differencesOf(doc, attempt, known);
  if (problems.length > 0) return refuse(attempt, { problems, mark: null, notes: [] });
  const { accounting } = await doc.shared();
  const ended = {
    success: true,
    message:
      known === null ? testMessage({ ...attempt, plan }) : linkedMessage(attempt, referenceOf(attempt.kind, known)),
    problems: [],
    document: known?.document ?? run.accounting.preview(withShippingAddress(lastCommand(plan), plan, accounting), []),
  };
  return {
    from: { ...attempt, warnings },
    state: 'simulated',
    ended,
    notes: plan.notes,
    // A document that is only linked again posts nothing.
    ...(known === null &&
      attempt.about !== undefined && { preview: reviewablePreviewOf(plan, accounting, attempt.about) }),
  };
}

/**
 * Returns the command as a test shows it: QuickBooks uses the customer's shipping address for a sales document without
 * one, so the test shows that, too.
 */
function withShippingAddress(command: Command, plan: Plan, accounting: AccountingLists): Command {
  if (command.do !== 'create_invoice' && command.do !== 'create_credit_memo') return command;
  const { document } = command;
  if (document.shippingAddress !== null) return command;
  const { customer } = document;
  const created = 'fromCommand' in customer ? plan.commands[customer.fromCommand] : undefined;
  const shippingAddress =
    'fromCommand' in customer
      ? created?.do === 'create_customer'
        ? created.customer.shippingAddress
        : null
      : (indexAccounting(accounting).customersById.get(customer.id)?.shippingAddress ?? null);
  return { ...command, document: { ...document, shippingAddress } };
}
