import { unanswered, type In } from '#core/attempt.ts';
import { documentCommand } from '#core/planning/plan.ts';
import type { AdvanceEffects } from '#core/records/attempts.ts';
import { assert } from '#core/values/assert.ts';
import { requestIdOf } from './request-id.ts';
import type { DocumentContext } from './context.ts';

/** Returns the ledger row of a plan before anything is sent. Its last command creates the document. */
export function openedPosting(
  { run, flow }: DocumentContext,
  facts: unknown,
  attempt: In<'posting'>,
): NonNullable<AdvanceEffects['opensPosting']> {
  assert(facts !== undefined, 'a document with a plan was read');
  const { plan } = attempt;
  const posted = plan.commands.slice(1).map(() => unanswered);
  return {
    requestId: requestIdOf(run.context.tenantId, { ...attempt, posted }),
    // Without what users entered in QuickBooks, so that the next update finds what the PSA changed.
    body: run.accounting.preview(documentCommand(plan), []),
    psaTotal: flow.psaTotal(facts, plan),
  };
}
