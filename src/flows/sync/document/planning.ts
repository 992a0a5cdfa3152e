import type { Attempt, In } from '#core/attempt.ts';
import { updateMessages } from '#core/planning/messages.ts';
import { lastCommand, type Plan } from '#core/planning/plan.ts';
import { assert, never } from '#core/values/assert.ts';
import type { Decision, KindFlow } from '../kinds/kind.ts';
import { adopt, differencesOf, findAdoptable } from './adopt.ts';
import { awaitApproval } from './awaiting-approval.ts';
import type { DocumentContext } from './context.ts';
import { openedPosting } from './opened-posting.ts';
import { refuse, skip } from './outcomes.ts';
import { linkedMessage, relink } from './relink.ts';
import { end, save } from './save.ts';
import { decideUpdate } from './revision.ts';
import type { StepResult } from './step.ts';
import { updatePsa } from './update-psa.ts';

/** Decides what is to be done about a document, and does it as far as it sends no command. */
export async function planning(doc: DocumentContext, attempt: In<'planning'>): Promise<StepResult> {
  const decision = await decide(doc, attempt);
  const known = await described(doc, attempt, decision);
  return decision.outcome === 'plan' ? planned(doc, known, decision) : carryOut(doc, known, decision);
}

/** The attempt with what logs and lists call its document, once it was read. */
async function described(doc: DocumentContext, attempt: In<'planning'>, decision: Decision): Promise<In<'planning'>> {
  const facts = await doc.facts();
  if (facts === undefined) return attempt;
  const plan = decision.outcome === 'plan' ? decision.plan : null;
  return { ...attempt, about: doc.flow.describe(await doc.shared(), facts, plan) };
}

/** What is to be done about a document, by what was read for it; decided once, unless lists have changed since. */
export async function decide(doc: DocumentContext, attempt: In<'planning'>): Promise<Decision> {
  const { run, flow } = doc;
  const facts = await doc.facts();
  if (facts === undefined) return flow.whenMissing(run, attempt.psaId);
  const shared = await doc.shared();
  if (doc.decided?.books === shared.books) return doc.decided.decision;
  // What was posted before may be more than one document by now.
  const obstacle = attempt.generation > 1 ? ((await flow.findObstacle?.(run, attempt.psaId)) ?? null) : null;
  if (obstacle !== null) return { outcome: 'refuse', problems: [obstacle], notes: [], mark: null };
  const decision =
    attempt.revises === true
      ? decideUpdate(doc, shared, facts, attempt)
      : flow.decide(run, shared, facts, attempt, doc.known);
  doc.decided = { books: shared.books, decision };
  return decision;
}

/** Carries out a decision that sends nothing to the books. */
async function carryOut(
  doc: DocumentContext,
  attempt: In<'planning'>,
  decision: Exclude<Decision, { outcome: 'plan' }>,
): Promise<StepResult> {
  const { run, flow } = doc;
  switch (decision.outcome) {
    case 'skip':
      return { saved: await skip(doc, attempt, decision) };
    case 'relink': {
      // Only the same document is linked; of another one a person is asked.
      const { posting, mark, notes } = decision;
      const problems = (await flow.findDifferences?.(run, await doc.shared(), await doc.facts(), posting)) ?? [];
      return problems.length > 0
        ? { saved: await refuse(doc, attempt, { problems, mark, notes }) }
        : relink(doc, attempt, decision);
    }
    case 'update_psa':
      return updatePsa(doc, attempt, decision);
    case 'refuse': {
      const against = decision.problems.find(({ treatment }) => treatment === 'stops_run');
      // One document says so; the others are not begun after all.
      if (against !== undefined && !doc.stopRun(against)) return 'deferred';
      return { saved: await refuse(doc, attempt, decision) };
    }
    default:
      return never(decision);
  }
}

/** The first command of a new plan is ready; a test ends here. */
async function planned(
  doc: DocumentContext,
  attempt: In<'planning'>,
  { plan, mark, running }: Extract<Decision, { outcome: 'plan' }>,
): Promise<StepResult> {
  const { run } = doc;
  const { notes, warnings } = plan;
  const to: In<'posting'> = {
    ...attempt,
    warnings,
    state: 'posting',
    plan,
    mark,
    posted: [],
    sentAt: null,
    ...(running && { running }),
  };
  if (attempt.mode === 'test') return { saved: await simulated(doc, attempt, to) };
  const waits = await awaitApproval(doc, attempt, plan);
  if (waits !== null) return { saved: waits };
  const effects = { opensPosting: openedPosting(doc, await doc.facts(), to) };
  // What the PSA is told before anything is sent has to be known to whoever takes the document up.
  if (running !== undefined) return { saved: await save(run, attempt, to, { notes, effects }) };
  const known = await findAdoptable(doc, to);
  if (known === null) return { send: { from: attempt, to, effects, notes } };
  const opened = await save(run, attempt, to, { notes, effects });
  assert(opened.state === 'posting', 'what was saved is what was asked for');
  return { saved: await adopt(doc, opened, known) };
}

/** Ends a test with what the live sync would do. */
async function simulated(doc: DocumentContext, attempt: In<'planning'>, planned: In<'posting'>): Promise<Attempt> {
  const { run, flow } = doc;
  const { plan, warnings } = planned;
  const known = await findAdoptable(doc, planned);
  const problems = known === null ? [] : await differencesOf(doc, known);
  if (problems.length > 0) return refuse(doc, attempt, { problems, mark: null, notes: [] });
  const ended = {
    success: true,
    message:
      known === null
        ? testMessageOf(flow, attempt.psaId, plan)
        : linkedMessage(flow, attempt.psaId, flow.referenceOf(known)),
    problems: [],
    document: known?.document ?? run.accounting.preview(lastCommand(plan), []),
  };
  return end(run, { ...attempt, warnings }, 'simulated', ended, { notes: plan.notes });
}

const testMessageOf = (flow: KindFlow<unknown>, psaId: number, plan: Plan): string =>
  lastCommand(plan).do === 'update' ? updateMessages.wouldBeUpdated(flow.name(psaId)) : flow.testMessage(psaId, plan);
