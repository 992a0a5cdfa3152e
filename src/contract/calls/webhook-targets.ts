import { call } from '../define.ts';
import type * as routes from '../webhook-targets.ts';

export const listWebhookTargets = call<typeof routes.listWebhookTargets>('GET', '/api/my/webhooks');
export const addWebhookTarget = call<typeof routes.addWebhookTarget>('POST', '/api/my/webhooks');
export const changeWebhookTarget = call<typeof routes.changeWebhookTarget>('PUT', '/api/my/webhooks/:id');
export const removeWebhookTarget = call<typeof routes.removeWebhookTarget>('DELETE', '/api/my/webhooks/:id');
export const testWebhookTarget = call<typeof routes.testWebhookTarget>('POST', '/api/my/webhooks/:id/test');
