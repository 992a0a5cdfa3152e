import { Refusal } from '#core/refusal.ts';
import { serve, type Serving } from '../serve.ts';

export function alertRoutes(serving: Serving): void {
  const { store } = serving.app;

  serve(serving, 'readAlertChoice', async ({ principal }) => ({
    data: { receives: principal.masquerader === null && (await store.receivesAlerts(principal.userId)) },
  }));

  serve(serving, 'saveAlertChoice', async ({ principal, body }) => {
    if (principal.masquerader !== null)
      throw new Refusal('conflict', 'masquerading', 'These mails go to the administrators of the client, not to you.');
    await store.setReceivesAlerts(principal.userId, body.receives);
    return { data: body };
  });
}
