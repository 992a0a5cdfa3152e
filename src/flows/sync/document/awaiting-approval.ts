import type { Ended, In } from '#core/attempt.ts';
import { isOverLimit, needsApproval } from '#core/approval.ts';
import { isSamePlan } from '#core/planning/canonical-plan.ts';
import { ledgerEffect } from '#core/planning/ledger-effect.ts';
import type { Plan } from '#core/planning/plan.ts';
import { changesOfView, viewOf, type ViewChange, type ViewedDocument } from '#core/planning/plan-view.ts';
import { isSamePrint, amountInQuickBooks } from '#core/planning/preview.ts';
import type { NewDraft } from '#core/records/drafts.ts';
import type { AdvanceEffects } from '#core/records/attempts.ts';
import { assert } from '#core/values/assert.ts';
import type { Note } from '#core/transcript.ts';
import { digest, fingerprintOfPlan, suppressionOfDraft } from '../suppression.ts';
import type { Ending } from '../run.ts';
import type { DocumentContext } from './context.ts';
import { reviewablePreviewOf } from './preview.ts';

/** Maximum changes listed in a message; the document's next test shows the others. */
const maxNamed = 3;

/** A document that was never read has no details. */
const unnamed: ViewedDocument = { party: null, number: null, on: null, amount: null, currency: null };

/**
 * Holds a live plan until it is approved. An approved plan is sent as approved. If it is different now, it waits again,
 * and the draft shows both versions.
 *
 * Invariant: a document that needs approval is sent only after exactly this plan was approved.
 *
 * @param notes notes about the attempt so far
 * @returns the end of the attempt, with its draft; null if the plan may be sent
 */
export async function awaitApproval(
  doc: DocumentContext,
  attempt: In<'planning'> | In<'posting'>,
  plan: Plan,
  notes: readonly Note[] = [],
): Promise<Ending | null> {
  const { run, approval } = doc;
  const { draft, isRelease } = approval;
  const { accounting, settings } = await doc.shared();
  if (approval.reviewed !== null) {
    const differs = await holdToReview(doc, attempt, plan, attempt.about ?? unnamed, notes);
    if (differs !== null) return differs;
  }
  if (draft === null && !isRelease && !settings.require_approval) return null;
  const isSame = draft !== null && isSamePlan(draft.plan, plan, accounting);
  if (draft?.state === 'approved' && isSame) return null;
  const facts = await doc.facts();
  const described = facts === undefined ? attempt.about : doc.flow.describe(await doc.shared(), facts, plan);
  const stop = (
    message: string,
    effects: AdvanceEffects,
    awaits: Pick<Ended, 'awaitsApproval'> = awaiting,
  ): Ending => ({
    from: { ...attempt, ...(described !== undefined && { about: described }), warnings: plan.warnings },
    state: 'skipped',
    ended: { success: true, message, problems: [], document: null, ...awaits },
    notes: [...notes, ...plan.notes],
    effects: {
      ...effects,
      ...(attempt.state === 'posting' && { abandonsPosting: true }),
      suppression: suppressionOfDraft(plan, accounting),
    },
  });
  if (draft?.state === 'rejected' && isSame && attempt.trigger === 'automatic')
    return stop(`${draft.decidedBy ?? 'A user'} rejected it: ${draft.reason ?? ''}`, { keepsDraft: true }, {});
  const homeCurrency = accounting.preferences.homeCurrency;
  const view = viewOf(plan, accounting, described ?? unnamed);
  // Limits and sums use the amount and currency in QuickBooks, not those of the PSA's head. A plan to void has no
  // amount: an unknown one must stay above every limit.
  const amount =
    view.form === 'void'
      ? { amount: described?.amount ?? null, currency: described?.currency ?? null }
      : amountInQuickBooks({ view, homeCurrency });
  const of = { ...amount, homeCurrency };
  const wasApproved = draft?.state === 'approved';
  // A release sends a document exactly as approved, or not at all.
  if (!isRelease && !wasApproved && !needsApproval({ ...of, trigger: attempt.trigger }, settings)) return null;
  assert(described !== undefined, 'a document with a plan was read');
  if (draft?.state === 'waiting' && isSame) return stop(waits(false), { keepsDraft: true });
  const fresh: NewDraft = {
    kind: attempt.kind,
    psaId: attempt.psaId,
    force: attempt.force,
    ...(attempt.revises === true && { revises: true }),
    plan,
    planHash: fingerprintOfPlan(plan, accounting),
    psaHash: digest(JSON.stringify(facts)),
    about: { ...described, amount: of.amount, currency: of.currency },
    homeCurrency,
    view,
    effect: ledgerEffect(plan, accounting, described),
    warnings: plan.warnings,
    preparedBy: wasApproved ? draft.preparedBy : approval.preparedBy,
    preparedAt: run.context.clock.now(),
  };
  if (isRelease || wasApproved)
    return stop('It would be posted differently from the approved version, so it waits for approval again.', {
      draft: fresh,
    });
  return stop(waits(isOverLimit(of, settings)), { draft: fresh });
}

const awaiting = { awaitsApproval: true } as const;

const waits = (needsTwo: boolean): string => `Waiting for approval${needsTwo ? ' by two people' : ''}.`;

/**
 * Holds a live plan that differs from the one reviewed before the sync was requested. Stores nothing about it; the next
 * sync decides again.
 *
 * Invariant: a sync with a review sends exactly the plans of that review.
 *
 * @param about display data of the document
 * @returns the end of the attempt, with the changes; null if the plan may be sent
 */
async function holdToReview(
  doc: DocumentContext,
  attempt: In<'planning'> | In<'posting'>,
  plan: Plan,
  about: ViewedDocument,
  notes: readonly Note[],
): Promise<Ending | null> {
  const { reviewed } = doc.approval;
  if (reviewed === null) return null;
  const { accounting } = await doc.shared();
  const fresh = reviewablePreviewOf(plan, accounting, about);
  if (isSamePrint(reviewed.seen?.print, fresh.print)) return null;
  const changes = reviewed.seen === null ? [] : changesOfView(reviewed.seen.view, fresh.view);
  return {
    from: { ...attempt, warnings: plan.warnings },
    state: 'skipped',
    ended: { success: true, message: changedMessage(changes), problems: [], document: null },
    notes: [...notes, ...plan.notes],
    preview: fresh,
    effects: attempt.state === 'posting' ? { abandonsPosting: true } : {},
  };
}

/** Returns the changes since the review as a message. */
function changedMessage(changes: readonly ViewChange[]): string {
  const named = changes.slice(0, maxNamed).map(({ what, was, is }) => `${what}: ${was} → ${is}`);
  const more = changes.length > maxNamed ? [`${changes.length - maxNamed} more`] : [];
  const which = named.length === 0 ? '' : ` ${[...named, ...more].join('; ')}.`;
  return `It would be posted differently from the review, so it was not posted.${which} Review it again.`;
}
