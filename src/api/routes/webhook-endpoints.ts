import type { WebhookDeliveryReply, WebhookEndpointReply } from '#contract/webhook-endpoints.ts';
import type { WebhookDelivery, WebhookEndpoint } from '#core/ports/webhook-endpoints.ts';
import {
  addWebhookEndpoint,
  changeWebhookEvents,
  listWebhookDeliveries,
  listWebhookEndpoints,
  pauseWebhookEndpoint,
  removeWebhookEndpoint,
  resendWebhook,
  rotateWebhookSecret,
  testWebhookEndpoint,
} from '#flows/webhooks/endpoints.ts';
import { webhookIdOf } from '#flows/webhooks/message.ts';
import { serve, type Serving } from '../serve.ts';

export function webhookEndpointRoutes(serving: Serving): void {
  const { app } = serving;

  serve(serving, 'listWebhookEndpoints', async ({ context }) => ({
    data: { endpoints: (await listWebhookEndpoints(context)).map(toReply) },
  }));

  serve(serving, 'addWebhookEndpoint', async ({ context, principal, body }) => {
    const { endpoint, secret } = await addWebhookEndpoint(app, context, principal, body);
    return { data: { endpoint: toReply(endpoint), secret } };
  });

  serve(serving, 'changeWebhookEndpoint', async ({ context, principal, params, body }) => ({
    data: toReply(await changeWebhookEvents(context, principal, params.id, body.events)),
  }));

  serve(serving, 'pauseWebhookEndpoint', async ({ context, principal, params, body }) => ({
    data: toReply(await pauseWebhookEndpoint(context, principal, params.id, body.paused)),
  }));

  serve(serving, 'rotateWebhookSecret', async ({ context, principal, params }) => {
    const { endpoint, secret } = await rotateWebhookSecret(context, principal, params.id);
    return { data: { endpoint: toReply(endpoint), secret } };
  });

  serve(serving, 'removeWebhookEndpoint', async ({ context, principal, params }) => {
    await removeWebhookEndpoint(context, principal, params.id);
    return { data: null };
  });

  serve(serving, 'testWebhookEndpoint', async ({ context, principal, params }) => ({
    data: deliveryReply(context.tenantId, await testWebhookEndpoint(app, context, principal, params.id)),
  }));

  serve(serving, 'listWebhookDeliveries', async ({ context, params, query }) => {
    const filter = { page: query.page, pageSize: query.page_size, isFailed: query.failed };
    const { deliveries, total } = await listWebhookDeliveries(context, params.id, filter);
    return { data: { deliveries: deliveries.map((one) => deliveryReply(context.tenantId, one)), total } };
  });

  serve(serving, 'resendWebhook', async ({ context, params }) => ({
    data: deliveryReply(context.tenantId, await resendWebhook(context, params.id)),
  }));
}

const toReply = (endpoint: WebhookEndpoint): WebhookEndpointReply => ({
  id: endpoint.id,
  address: endpoint.shownAddress,
  events: [...endpoint.events],
  state: endpoint.state,
  created_by: endpoint.createdBy,
  created_at: endpoint.createdAt,
  delivered_at: endpoint.deliveredAt,
  failed_at: endpoint.failedAt,
  failing_since: endpoint.failingSince,
});

const deliveryReply = (tenantId: string, delivery: WebhookDelivery): WebhookDeliveryReply => ({
  id: delivery.id,
  webhook_id: webhookIdOf(tenantId, delivery.source),
  event: delivery.event,
  subject: delivery.subject,
  created_at: delivery.createdAt,
  attempts: delivery.tries,
  tried_at: delivery.triedAt,
  next_try_at: delivery.nextTryAt,
  is_delivered: delivery.isDelivered,
  status: delivery.status,
  answer: delivery.answer,
});
