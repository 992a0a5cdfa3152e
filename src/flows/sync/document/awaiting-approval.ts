import { createHash } from 'node:crypto';
import type { Attempt, In } from '#core/attempt.ts';
import { isOverLimit, needsApproval } from '#core/approval.ts';
import { canonicalPlan, isSamePlan } from '#core/planning/canonical-plan.ts';
import { ledgerEffect } from '#core/planning/ledger-effect.ts';
import type { Plan } from '#core/planning/plan.ts';
import { viewOf } from '#core/planning/plan-view.ts';
import type { BooksReferenceData } from '#core/documents/reference-data.ts';
import type { NewDraft } from '#core/ports/drafts.ts';
import type { AdvanceEffects } from '#core/ports/attempts.ts';
import { assert } from '#core/values/assert.ts';
import type { Note } from '#core/transcript.ts';
import type { DocumentContext } from './context.ts';
import { end } from './save.ts';

/** What is kept of a document whose plan waits for approval, or was rejected: the same while it posts the same. */
export const suppressionOfDraft = (plan: Plan, books: BooksReferenceData): string => `draft ${hashOf(plan, books)}`;

/** The same for plans that post the same. */
const hashOf = (plan: Plan, books: BooksReferenceData): string => {
  const { document, records } = canonicalPlan(plan, books);
  return digest([document, ...[...records].toSorted(([a], [b]) => a.localeCompare(b, 'en'))]);
};

const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/**
 * Keeps a live plan from being sent until it is approved. What was approved is sent as it was approved: when it has come
 * out differently since, it waits again, beside what it was.
 *
 * Invariant: nothing of a document that needs approval is sent before exactly this was approved.
 *
 * @param notes told of the attempt so far
 * @returns the attempt, ended with its draft saved; null when the plan may be sent
 */
export async function awaitApproval(
  doc: DocumentContext,
  attempt: In<'planning'> | In<'posting'>,
  plan: Plan,
  notes: readonly Note[] = [],
): Promise<Attempt | null> {
  const { run, approval } = doc;
  const { draft, isRelease } = approval;
  const { books, settings } = await doc.shared();
  if (draft === null && !isRelease && !settings.require_approval) return null;
  const isSame = draft !== null && isSamePlan(draft.plan, plan, books);
  if (draft?.state === 'approved' && isSame) return null;
  const facts = await doc.facts();
  const about = facts === undefined ? attempt.about : doc.flow.describe(await doc.shared(), facts, plan);
  const stop = (message: string, effects: AdvanceEffects): Promise<Attempt> =>
    end(
      run,
      { ...attempt, ...(about !== undefined && { about }), warnings: plan.warnings },
      'skipped',
      { success: true, message, problems: [], document: null },
      {
        notes: [...notes, ...plan.notes],
        effects: {
          ...effects,
          ...(attempt.state === 'posting' && { abandonsPosting: true }),
          remembers: suppressionOfDraft(plan, books),
        },
      },
    );
  if (draft?.state === 'rejected' && isSame && attempt.trigger === 'automatic')
    return stop(`${draft.decidedBy ?? 'Somebody'} rejected it: ${draft.reason ?? ''}`, { keepsDraft: true });
  const homeCurrency = books.preferences.homeCurrency;
  const of = { amount: about?.amount ?? null, currency: about?.currency ?? null, homeCurrency };
  const wasApproved = draft?.state === 'approved';
  // What a release takes up is sent as it was approved, or not at all.
  if (!isRelease && !wasApproved && !needsApproval({ ...of, trigger: attempt.trigger }, settings)) return null;
  assert(about !== undefined, 'a document with a plan was read');
  if (draft?.state === 'waiting' && isSame) return stop(waits(false), { keepsDraft: true });
  const fresh: NewDraft = {
    kind: attempt.kind,
    psaId: attempt.psaId,
    force: attempt.force,
    ...(attempt.revises === true && { revises: true }),
    plan,
    planHash: hashOf(plan, books),
    psaHash: digest(facts),
    about,
    homeCurrency,
    view: viewOf(plan, books, about),
    effect: ledgerEffect(plan, books, about),
    warnings: plan.warnings,
    preparedBy: wasApproved ? draft.preparedBy : approval.preparedBy,
    preparedAt: run.context.clock.now(),
  };
  if (isRelease || wasApproved)
    return stop('It would be posted differently from what was approved, so it waits for approval once more.', {
      draft: fresh,
    });
  return stop(waits(isOverLimit(of, settings)), { draft: fresh });
}

const waits = (needsTwo: boolean): string => `Waits for approval${needsTwo ? ' by two people' : ''}.`;
