import { call } from '../define.ts';
import type * as routes from '../webhook-endpoints.ts';

const path = '/api/my/webhook-endpoints';
const byId = `${path}/:id`;

export const listWebhookEndpoints = call<typeof routes.listWebhookEndpoints>('GET', path);
export const addWebhookEndpoint = call<typeof routes.addWebhookEndpoint>('POST', path);
export const changeWebhookEndpoint = call<typeof routes.changeWebhookEndpoint>('PUT', byId);
export const pauseWebhookEndpoint = call<typeof routes.pauseWebhookEndpoint>('PUT', `${byId}/paused`);
export const rotateWebhookSecret = call<typeof routes.rotateWebhookSecret>('POST', `${byId}/secret`);
export const removeWebhookEndpoint = call<typeof routes.removeWebhookEndpoint>('DELETE', byId);
export const testWebhookEndpoint = call<typeof routes.testWebhookEndpoint>('POST', `${byId}/test`);
export const listWebhookDeliveries = call<typeof routes.listWebhookDeliveries>('GET', `${byId}/deliveries`);
export const resendWebhook = call<typeof routes.resendWebhook>('POST', '/api/my/webhook-deliveries/:id/resend');
