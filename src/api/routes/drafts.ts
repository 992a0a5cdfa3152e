import type { BodyOf } from '#contract/define.ts';
import type { approveDrafts as approveRoute, DraftReply } from '#contract/drafts.ts';
import { inParallel } from '#core/in-parallel.ts';
import { changesOfView } from '#core/planning/plan-view.ts';
import type { Draft } from '#core/records/drafts.ts';
import { actorOf, type Principal } from '#flows/access/principal.ts';
import { approveDrafts, approverOf, rejectDrafts, type ChosenDrafts } from '#flows/approval/decide.ts';
import { listDrafts, readDraft, readRun } from '#flows/approval/read.ts';
import type { TenantContext } from '#flows/context.ts';
import { serve, type Serving } from '../serve.ts';
import { toEntry, toSummary, toView } from './planned.ts';
import { toDocumentHead, toJobReply } from './wire.ts';

export function draftRoutes(serving: Serving): void {
  serve(serving, 'listDrafts', async ({ context, principal, query }) => {
    const [{ drafts, waiting, total }, toReply] = await inParallel([
      listDrafts(context, { page: query.page, pageSize: query.page_size }),
      replyFor(context, principal),
    ]);
    return { data: { drafts: drafts.map(toReply), waiting, total } };
  });

  serve(serving, 'readRun', async ({ context }) => {
    const { approved, summary, fingerprint, needTwo } = await readRun(context);
    return {
      data: {
        run: fingerprint,
        on_their_way: approved.length,
        needs_two: needTwo,
        ...toSummary(summary),
        warnings: summary.warnings.map(({ code, message, draftIds }) => ({ code, message, draft_ids: draftIds })),
      },
    };
  });

  serve(serving, 'readDraft', async ({ context, principal, params }) => {
    const [found, toReply] = await inParallel([readDraft(context, params.id), replyFor(context, principal)]);
    return {
      data: { draft: toReply(found), document: toView(found.view), entries: found.effect.entries.map(toEntry) },
    };
  });

  serve(serving, 'approveDrafts', async ({ context, principal, body }) => {
    const { jobs, posting, first } = await approveDrafts(context, actorOf(principal), chosenOf(body));
    return { data: { jobs: jobs.map(toJobReply), posting, first_of_two: first } };
  });

  serve(serving, 'rejectDrafts', async ({ context, principal, body }) => ({
    data: {
      rejected: await rejectDrafts(context, actorOf(principal), { ids: body.draft_ids, reason: body.reason }),
    },
  }));
}

/** The schema ensures that exactly one of the two is set. */
const chosenOf = ({ run, draft_ids: ids }: BodyOf<typeof approveRoute>): ChosenDrafts =>
  run === undefined ? { ids: ids ?? [] } : { run };

/** Returns drafts as the caller sees them, with the effect of the caller's approval. */
async function replyFor(context: TenantContext, principal: Principal): Promise<(draft: Draft) => DraftReply> {
  const stepOf = await approverOf(context, actorOf(principal));
  return (draft) => {
    const step = stepOf(draft);
    const { replaces } = draft;
    return {
      id: draft.id,
      type: draft.kind,
      entityid: draft.psaId,
      ...toDocumentHead(draft.about),
      currency: draft.about.currency ?? draft.homeCurrency,
      state: draft.state,
      warnings: draft.warnings.map((one) => ({ ...one, repairs: [...(one.repairs ?? [])] })),
      replaces: [...(draft.view.replaces ?? [])],
      prepared_by: draft.preparedBy,
      prepared_at: draft.preparedAt,
      first_approved_by: draft.firstApprovedBy,
      decided_by: draft.decidedBy,
      decided_at: draft.decidedAt,
      reason: draft.reason,
      approval: step.is === 'refused' ? step.why : step.is,
      changed:
        replaces === null
          ? null
          : {
              after_approval: replaces.state === 'changed',
              in_psa: replaces.psaHash !== draft.psaHash,
              by: replaces.decidedBy,
              changes: [...changesOfView(replaces.view, draft.view)],
            },
    };
  };
}
