import { webhookDeliveryReply, webhookEndpointReply } from '#contract/webhook-endpoints.ts';
import type { WebhookDelivery, WebhookEndpoint } from '#core/records/webhook-endpoints.ts';
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
import { toWire } from '../to-wire.ts';

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
    data: toReply(await changeWebhookEvents(context, principal, params.id, body.events, body.was)),
  }));

  serve(serving, 'pauseWebhookEndpoint', async ({ context, principal, params, body }) => ({
    data: toReply(await pauseWebhookEndpoint(context, principal, params.id, body.paused, body.was)),
  }));

  serve(serving, 'rotateWebhookSecret', async ({ context, principal, params, body }) => {
    const { endpoint, secret } = await rotateWebhookSecret(context, principal, params.id, body?.was);
    return { data: { endpoint: toReply(endpoint), secret } };
  });

  serve(serving, 'removeWebhookEndpoint', async ({ context, principal, params, body }) => {
    await removeWebhookEndpoint(context, principal, params.id, body?.was);
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
    data: deliveryReply(context.tenantId, await resendWebhook(app, context, params.id)),
  }));
}

const toReply = (endpoint: WebhookEndpoint) =>
  toWire(webhookEndpointReply, { ...endpoint, address: endpoint.shownAddress });

const deliveryReply = (tenantId: string, delivery: WebhookDelivery) =>
  toWire(webhookDeliveryReply, {
    ...delivery,
    webhookId: webhookIdOf(tenantId, delivery.source),
    attempts: delivery.tries,
  });
