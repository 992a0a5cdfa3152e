import { byKind } from '#core/kinds.ts';
import { saveGuide } from '#flows/connections/save-guide.ts';
import { readSubscription } from '#flows/connections/subscription.ts';
import { listClients } from '#flows/tenants/list-clients.ts';
import { serve, type Serving } from '../serve.ts';
import { toSubscription } from './wire.ts';

export function subscriptionRoutes(serving: Serving): void {
  const { app } = serving;

  serve(serving, 'listClients', async () => {
    const tenants = await listClients(app);
    return { data: { clients: tenants.map(({ id, name }) => ({ id, name })) } };
  });

  serve(serving, 'saveGuide', async ({ context, body }) => ({
    data: { guide: await saveGuide(context, body.guide) },
  }));

  serve(serving, 'readSubscription', async ({ context, query }) => ({
    data: context === null ? null : toSubscription(await readSubscription(app, context, query), app.descriptors),
  }));

  serve(serving, 'readEnvironment', async () => {
    const { config, descriptors, documentPages } = app;
    return {
      data: {
        environment_label: config.environmentLabel,
        voids_enabled: config.voidsEnabled,
        is_demo: config.isDemo,
        registration_open: config.isRegistrationOpen,
        demo_users: config.demoUsers.map(({ username, password, label }) => ({ username, password, label })),
        demo_registration: config.demoRegistration,
        version: config.version,
        psa: {
          key: descriptors.psa.key,
          label: descriptors.psa.label,
          api_user_steps: descriptors.psa.apiUserSteps,
        },
        accounting: {
          key: descriptors.accounting.key,
          label: descriptors.accounting.label,
          short_label: descriptors.accounting.shortLabel,
          lists: byKind((kind) => documentPages.listInAccounting(kind)),
        },
      },
    };
  });
}
