import type { Attempt, In } from '#core/attempt.ts';
import { inParallel } from '#core/in-parallel.ts';
import type { AdvanceEffects } from '#core/ports/attempts.ts';
import { never } from '#core/values/assert.ts';
import { skip, save, end, missing } from './save.ts';
import type { Decision } from '../kinds/kind.ts';
import type { Ready } from '../batching/coordinator.ts';
import { refuse } from './refuse.ts';
import { requestIdOf } from '../batching/request-id.ts';
import { type DocumentContext, unanswered, lastCommand } from './context.ts';
import { appendNotes, type Run, type Shared } from '../run.ts';
import { relink, tell } from './write-back.ts';

/**
 * Decides what is to be done about a document.
 *
 * @returns the attempt as it was saved, or a command that is ready to be sent; null when another document has stopped the
 * run, so that this one was not begun after all.
 */
export async function planning(
  run: Run,
  doc: DocumentContext,
  attempt: In<'planning'>,
): Promise<Attempt | Ready | null> {
  const { flow } = doc;
  const [shared, facts] = await inParallel([doc.shared(), doc.facts()]);
  if (facts === undefined) {
    const gone = missing(run, flow.name(attempt.psaId));
    return end(run, attempt, 'refused', {
      success: false,
      message: gone.message,
      problems: [gone],
      document: null,
    });
  }
  const decision = await decide(run, doc, attempt, shared, facts);
  switch (decision.outcome) {
    case 'skip':
      return skip(run, attempt, decision);
    case 'relink':
      return relink(run, doc, attempt, decision);
    case 'tell':
      return tell(run, doc, attempt, decision);
    case 'refuse': {
      const against = decision.problems.find(({ treatment }) => treatment === 'stops_run');
      if (against !== undefined && !doc.slot.stop(against)) return null;
      return refuse(
        run,
        { ...attempt, transcript: appendNotes(run, attempt, ...decision.notes) },
        decision.problems,
        decision.mark,
        decision,
      );
    }
    case 'plan':
      break;
    default:
      return never(decision);
  }
  const { plan, mark, running } = decision;
  const planned = { ...attempt, warnings: plan.warnings, transcript: appendNotes(run, attempt, ...plan.notes) };
  const document = run.accounting.preview(lastCommand(plan), []);
  if (attempt.mode === 'test')
    return end(run, planned, 'simulated', {
      success: true,
      message: flow.testMessage(attempt.psaId, plan),
      problems: [],
      document,
    });
  const next: In<'posting'> = {
    ...planned,
    state: 'posting',
    plan,
    mark,
    posted: [],
    sentAt: null,
    ...(running && { running }),
  };
  const effects = { opensPosting: opened(run, doc, facts, next) };
  // What the PSA is told before anything is sent has to be known to whoever takes the document up.
  return running === undefined ? { from: attempt, to: next, effects } : save(run, attempt, next, effects);
}

/** A document that needs a record which another one is making is decided on once more when that one is through. */
async function decide(
  run: Run,
  { flow, posting, slot }: DocumentContext,
  attempt: In<'planning'>,
  shared: Shared,
  facts: unknown,
): Promise<Decision> {
  for (;;) {
    const decision = flow.decide(run, shared, facts, attempt, posting);
    if (decision.outcome !== 'plan' || attempt.mode === 'test') return decision;
    const reserved = slot.reserve(decision.plan);
    if (reserved === null) return decision;
    await slot.awaitReservation(reserved);
  }
}

/** The ledger's row of a plan, before anything of it is sent: its last command makes the document. */
export const opened = (
  run: Run,
  doc: DocumentContext,
  facts: unknown,
  attempt: In<'posting'>,
): NonNullable<AdvanceEffects['opensPosting']> => {
  const { plan } = attempt;
  const posted = plan.commands.slice(1).map(() => unanswered);
  return {
    requestId: requestIdOf(run.context.tenantId, { ...attempt, posted }),
    body: run.accounting.preview(lastCommand(plan), []),
    psaTotal: doc.flow.psaTotal(facts, plan),
  };
};
