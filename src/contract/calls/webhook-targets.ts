import type { Call } from '../define.ts';
import type * as routes from '../webhook-targets.ts';

export const listWebhookTargets: Call<typeof routes.listWebhookTargets> = { method: 'GET', path: '/api/my/webhooks' };
export const addWebhookTarget: Call<typeof routes.addWebhookTarget> = { method: 'POST', path: '/api/my/webhooks' };
export const changeWebhookTarget: Call<typeof routes.changeWebhookTarget> = {
  method: 'PUT',
  path: '/api/my/webhooks/:id',
};
export const removeWebhookTarget: Call<typeof routes.removeWebhookTarget> = {
  method: 'DELETE',
  path: '/api/my/webhooks/:id',
};
export const testWebhookTarget: Call<typeof routes.testWebhookTarget> = {
  method: 'POST',
  path: '/api/my/webhooks/:id/test',
};
