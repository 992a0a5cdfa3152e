import { z } from 'zod';
import { testEvent, webhookEndpointStates, webhookEvents } from '#core/webhook-event.ts';
import { forAdmins, route } from './define.ts';
import { instantText, ownerReply, paging, queryBoolean, uuid, wasOf } from './fields.ts';

const events = z.array(z.enum(webhookEvents)).min(1, 'Choose at least one event.').max(webhookEvents.length);

export const webhookEndpointReply = z.strictObject({
  id: z.string(),
  address: z.string().describe('Host and last characters of the address. The address itself is never returned.'),
  events: z.array(z.enum(webhookEvents)),
  state: z
    .enum(webhookEndpointStates)
    .describe(
      '`paused`: by a user. `failing`: automatically, after 3 days without a successful delivery, or after the status 410.',
    ),
  created_by: z.string(),
  owner: ownerReply,
  created_at: instantText,
  delivered_at: instantText.nullable().describe('Last successful attempt.'),
  failed_at: instantText.nullable().describe('Last failed attempt.'),
  old_secret_ends_at: instantText.nullable().describe('Until then the previous secret signs too; null without one.'),
  failing_since: instantText.nullable().describe('First failed attempt since the last success.'),
});
export type WebhookEndpointReply = z.output<typeof webhookEndpointReply>;

export const webhookDeliveryReply = z.strictObject({
  id: z.string(),
  webhook_id: z.string().describe('Id of the event, which the receiver gets as `webhook-id`.'),
  event: z.enum([...webhookEvents, testEvent]),
  subject: z.string().describe('The document or month.'),
  created_at: instantText,
  attempts: z.int(),
  tried_at: instantText.nullable().describe('Last attempt.'),
  next_try_at: instantText.nullable().describe('Next attempt; null after the last one.'),
  is_delivered: z.boolean(),
  status: z.int().nullable().describe('HTTP status of the last attempt; null without an answer.'),
  answer: z.string().nullable().describe('Beginning of the last answer, or why there was none.'),
});
export type WebhookDeliveryReply = z.output<typeof webhookDeliveryReply>;

const byId = { tenantIds: ['params.id'], params: z.strictObject({ id: uuid }) } as const;
const withSecret = z.strictObject({
  endpoint: webhookEndpointReply,
  secret: z.string().describe('The secret, `whsec_…`.'),
});

export const listWebhookEndpoints = route({
  method: 'GET',
  path: '/api/my/webhook-endpoints',
  summary: 'Lists the addresses that get signed events.',
  ...forAdmins,
  reply: z.strictObject({ endpoints: z.array(webhookEndpointReply) }),
});

export const addWebhookEndpoint = route({
  method: 'POST',
  path: '/api/my/webhook-endpoints',
  summary:
    'Adds an address that gets signed events. The response is the only one with the secret. A client has at most ten.',
  event: 'webhooks.changed',
  ...forAdmins,
  needsProof: 'always',
  body: z.strictObject({ address: z.string().max(2_000).describe('An https address; stored encrypted.'), events }),
  reply: withSecret,
});

export const changeWebhookEndpoint = route({
  method: 'PUT',
  path: '/api/my/webhook-endpoints/:id',
  summary: 'Changes the events that an endpoint gets, unless they changed meanwhile (409).',
  event: 'webhooks.changed',
  ...forAdmins,
  ...byId,
  body: z.strictObject({ events, was: wasOf(['events']).optional() }),
  reply: webhookEndpointReply,
});

export const pauseWebhookEndpoint = route({
  method: 'PUT',
  path: '/api/my/webhook-endpoints/:id/paused',
  summary:
    'Pauses or resumes an endpoint. A resumed one gets the missed events of the last 30 days. Nothing changes if another user paused it meanwhile (409).',
  event: 'webhooks.changed',
  ...forAdmins,
  ...byId,
  body: z.strictObject({ paused: z.boolean(), was: wasOf(['paused']).optional() }),
  reply: webhookEndpointReply,
});

export const rotateWebhookSecret = route({
  method: 'POST',
  path: '/api/my/webhook-endpoints/:id/secret',
  summary: 'Replaces the secret of an endpoint. The old one signs too for 24 hours.',
  event: 'webhooks.changed',
  ...forAdmins,
  ...byId,
  needsProof: 'always',
  body: z.strictObject({ was: wasOf(['old_secret_ends_at']).optional() }).nullish(),
  reply: withSecret,
});

export const removeWebhookEndpoint = route({
  method: 'DELETE',
  path: '/api/my/webhook-endpoints/:id',
  summary: 'Deletes an endpoint with its deliveries, unless it changed meanwhile (409).',
  event: 'webhooks.changed',
  ...forAdmins,
  ...byId,
  body: z.strictObject({ was: wasOf(['events']).optional() }).nullish(),
  reply: z.null(),
});

export const testWebhookEndpoint = route({
  method: 'POST',
  path: '/api/my/webhook-endpoints/:id/test',
  summary: 'Queues a test event, at most one in 10 seconds. The deliveries show the result.',
  ...forAdmins,
  ...byId,
  reply: webhookDeliveryReply,
});

export const listWebhookDeliveries = route({
  method: 'GET',
  path: '/api/my/webhook-endpoints/:id/deliveries',
  summary: 'Lists the deliveries of an endpoint, newest first.',
  ...forAdmins,
  ...byId,
  query: z.strictObject({
    failed: queryBoolean.prefault('false').describe('Only those whose last attempt failed.'),
    ...paging(20),
  }),
  reply: z.strictObject({ deliveries: z.array(webhookDeliveryReply), total: z.int() }),
});

export const resendWebhook = route({
  method: 'POST',
  path: '/api/my/webhook-deliveries/:id/resend',
  summary: 'Sends a delivery again, with the same `webhook-id`.',
  ...forAdmins,
  ...byId,
  reply: webhookDeliveryReply,
});
