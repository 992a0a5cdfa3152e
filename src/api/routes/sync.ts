import type { BodyOf } from '#contract/define.ts';
import { type KindSegment, type submitInvoices } from '#contract/sync.ts';
import type { PaymentChoice } from '#core/planning/payment-choice.ts';
import { type Kind, kindNames, kinds, type SubmittableKind, submittableKinds } from '#core/kinds.ts';
import type { Job } from '#core/records/jobs.ts';
import { Refusal } from '#core/refusal.ts';
import { actorOf, type Principal } from '#flows/access/principal.ts';
import type { TenantContext } from '#flows/context.ts';
import { listUnderWay } from '#flows/jobs/jobs.ts';
import { submit, submittedMessage, type SubmitRequest } from '#flows/sync/job/submit.ts';
import { describeDocuments } from '#flows/sync/job/describe.ts';
import { readEligible } from '#flows/sync/job/eligible.ts';
import { serve, type Serving } from '../serve.ts';
import { toDocumentHead, toJobReply } from './wire.ts';

export function syncRoutes(serving: Serving): void {
  serve(serving, 'submitAll', async ({ context, params, body, principal }) => {
    const { mode, force, confirmed } = body;
    const actor = actorOf(principal);
    const kind = kindOf(params.kind);
    if (kind === 'void') assertVoids(serving);
    return submitted(
      await submit(context, { kind, mode, force, psaIds: null, actor, ...(confirmed !== undefined && { confirmed }) }),
    );
  });

  serve(serving, 'listUnderWay', async ({ context, params }) => ({
    data: { entityids: [...(await listUnderWay(context, kindOf(params.kind)))] },
  }));

  serve(serving, 'listEligible', async ({ context, params, query }) => {
    const documents = await readEligible(context, searchedKind(params.kind), { force: query.force });
    return { data: { documents: documents.map((one) => ({ entityid: one.psaId, ...toDocumentHead(one) })) } };
  });

  serve(serving, 'describeDocuments', async ({ context, params, body }) => {
    const documents = await describeDocuments(context, searchedKind(params.kind), body.ids);
    return {
      data: {
        documents: documents.map(({ psaId, awaitsApproval, isOnHold, ...rest }) => ({
          entityid: psaId,
          ...rest,
          awaits_approval: awaitsApproval,
          on_hold: isOnHold,
        })),
      },
    };
  });

  serve(serving, 'submitInvoices', ({ context, body, principal }) =>
    submitChosen(context, principal, { kind: 'invoice', psaIds: body.invoice_ids }, body),
  );

  serve(serving, 'submitPurchaseOrders', ({ context, body, principal }) =>
    submitChosen(context, principal, { kind: 'purchase_order', psaIds: body.po_ids }, body),
  );

  serve(serving, 'submitExpenseReports', ({ context, body, principal }) =>
    submitChosen(context, principal, { kind: 'expense_report', psaIds: body.expense_report_ids }, body),
  );

  serve(serving, 'submitPayments', ({ context, body, principal }) =>
    submitChosen(context, principal, { kind: 'payment', psaIds: body.invoice_ids }, body),
  );

  serve(serving, 'submitDifferences', ({ context, body, principal }) =>
    submitChosen(context, principal, { kind: 'difference', psaIds: body.invoice_ids }, body),
  );

  serve(serving, 'submitVoids', ({ context, body, principal }) => {
    assertVoids(serving);
    return submitChosen(context, principal, { kind: 'void', psaIds: body.invoice_ids }, body);
  });
}

/** @throws Refusal if the deployment has voids turned off (contract section 2). */
function assertVoids({ app }: Serving): void {
  if (!app.config.voidsEnabled)
    throw new Refusal('conflict', 'voids_off', 'Voids are switched off in this installation.');
}

/** Fields that the three calls for chosen documents share. */
type Chosen = Pick<BodyOf<typeof submitInvoices>, 'subscription_id' | 'log_level' | 'mode' | 'force' | 'reviewed'> & {
  readonly update?: boolean;
  readonly prefers?: SubmitRequest['prefers'];
  readonly choice?: PaymentChoice | undefined;
};

async function submitChosen(
  context: TenantContext,
  principal: Principal,
  documents: Pick<SubmitRequest, 'kind' | 'psaIds'>,
  {
    subscription_id: subscriptionId,
    log_level: logLevel,
    mode,
    force,
    reviewed,
    update = false,
    prefers,
    choice,
  }: Chosen,
) {
  // The session decides the client. The id of another client gets the same response as an unknown id.
  if (subscriptionId !== undefined && subscriptionId !== context.tenantId)
    throw new Refusal('not_found', 'not_found', 'Subscription not found.');
  if (update && (documents.kind === 'payment' || documents.kind === 'void'))
    throw new Refusal('invalid', 'validation_failed', 'Only documents that exist in QuickBooks are updated.');
  const actor = actorOf(principal);
  return submitted(
    await submit(context, {
      ...documents,
      mode,
      force,
      revises: update,
      ...(prefers !== undefined && { prefers }),
      ...(choice !== undefined && { choice }),
      actor,
      ...(logLevel && { logLevel }),
      ...(reviewed !== undefined && { reviewed }),
    }),
  );
}

function submitted(job: Job) {
  const message = submittedMessage(job);
  return { data: { job: toJobReply(job), message }, message };
}

function kindOf(segment: KindSegment): Kind {
  const kind = kindNames.find((one) => kinds[one].segment === segment);
  if (kind === undefined) throw new Error(`Impossible: ${segment} is the segment of no kind`);
  return kind;
}

function searchedKind(segment: KindSegment): SubmittableKind {
  const kind = submittableKinds.find((one) => kinds[one].segment === segment);
  if (kind === undefined) throw new Error(`Impossible: ${segment} is not a kind with a search`);
  return kind;
}
