import { webhookTargetReply } from '#contract/webhook-targets.ts';
import type { WebhookTarget } from '#core/ports/webhook-targets.ts';
import {
  addWebhookTarget,
  changeWebhookTarget,
  listWebhookTargets,
  removeWebhookTarget,
  testWebhookTarget,
} from '#flows/notices/webhook-targets.ts';
import { serve, type Serving } from '../serve.ts';
import { toWire } from '../to-wire.ts';

export function webhookTargetRoutes(serving: Serving): void {
  const { app } = serving;

  serve(serving, 'listWebhookTargets', async ({ context }) => ({
    data: { webhooks: (await listWebhookTargets(context)).map(toReply) },
  }));

  serve(serving, 'addWebhookTarget', async ({ context, principal, body }) => ({
    data: toReply(await addWebhookTarget(app, context, principal, body)),
  }));

  serve(serving, 'changeWebhookTarget', async ({ context, principal, params, body }) => ({
    data: toReply(await changeWebhookTarget(context, principal, params.id, body, body.was)),
  }));

  serve(serving, 'removeWebhookTarget', async ({ context, principal, params, body }) => {
    await removeWebhookTarget(context, principal, params.id, body?.was);
    return { data: null };
  });

  serve(serving, 'testWebhookTarget', async ({ context, principal, params }) => ({
    data: { error: await testWebhookTarget(app, context, principal, params.id) },
  }));
}

const toReply = (target: WebhookTarget) => toWire(webhookTargetReply, target);
