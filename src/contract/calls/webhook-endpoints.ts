import type { Call } from '../define.ts';
import type * as routes from '../webhook-endpoints.ts';

const path = '/api/my/webhook-endpoints';
const byId = `${path}/:id`;

export const listWebhookEndpoints: Call<typeof routes.listWebhookEndpoints> = { method: 'GET', path };
export const addWebhookEndpoint: Call<typeof routes.addWebhookEndpoint> = { method: 'POST', path };
export const changeWebhookEndpoint: Call<typeof routes.changeWebhookEndpoint> = { method: 'PUT', path: byId };
export const pauseWebhookEndpoint: Call<typeof routes.pauseWebhookEndpoint> = { method: 'PUT', path: `${byId}/paused` };
export const rotateWebhookSecret: Call<typeof routes.rotateWebhookSecret> = { method: 'POST', path: `${byId}/secret` };
export const removeWebhookEndpoint: Call<typeof routes.removeWebhookEndpoint> = { method: 'DELETE', path: byId };
export const testWebhookEndpoint: Call<typeof routes.testWebhookEndpoint> = { method: 'POST', path: `${byId}/test` };
export const listWebhookDeliveries: Call<typeof routes.listWebhookDeliveries> = {
  method: 'GET',
  path: `${byId}/deliveries`,
};
export const resendWebhook: Call<typeof routes.resendWebhook> = {
  method: 'POST',
  path: '/api/my/webhook-deliveries/:id/resend',
};
