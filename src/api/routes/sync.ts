import { kindSegments, type KindSegment } from '#contract/sync.ts';
import { kinds, submittableKinds, type SubmittableKind } from '#core/kinds.ts';
import type { Job } from '#core/ports/store.ts';
import { Refusal } from '#core/refusal.ts';
import { actorOf } from '#flows/access/principal.ts';
import { submit, submittedMessage } from '#flows/sync/submit.ts';
import { notBuilt, sendFailure } from '../errors.ts';
import { serve, serveRaw, type Serving } from '../serve.ts';
import { toJobReply } from './wire.ts';

/** Kinds whose sync is built. */
const builtKinds: readonly SubmittableKind[] = ['invoice'];

export function syncRoutes(serving: Serving): void {
  serveRaw(serving, 'submitAll', async ({ context, params, body, principal, reply }) => {
    const kind = kindOf(params.kind);
    if (!builtKinds.includes(kind)) return sendFailure(reply, notBuilt());
    const { mode, force } = body;
    const job = await submit(context, { kind, mode, force, psaIds: null, actor: actorOf(principal) });
    return reply.send({ success: true, ...submitted(job) });
  });

  serve(serving, 'submitInvoices', async ({ context, body, principal }) => {
    // The session decides whose documents these are; another client's id is answered like one that does not exist.
    if (body.subscription_id !== undefined && body.subscription_id !== context.tenantId)
      throw new Refusal('not_found', 'not_found', 'There is no such subscription.');
    const { mode, force, log_level: logLevel, invoice_ids: psaIds } = body;
    const actor = actorOf(principal);
    return submitted(
      await submit(context, { kind: 'invoice', mode, force, psaIds, actor, ...(logLevel && { logLevel }) }),
    );
  });
}

function submitted(job: Job) {
  const message = submittedMessage(job);
  return { data: { job: toJobReply(job), message }, message };
}

function kindOf(segment: KindSegment): SubmittableKind {
  const kind = submittableKinds.find((one) => kinds[one].segment === segment);
  if (kind === undefined) throw new Error(`Impossible: ${segment} is none of ${kindSegments.join(', ')}`);
  return kind;
}
