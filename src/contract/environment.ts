import { z } from 'zod';
import { route } from './define.ts';

/** Facts about the deployment that the web application needs before login. One build serves every deployment. */
export const readEnvironment = route({
  method: 'GET',
  path: '/api/environment',
  inMaintenance: true,
  summary: 'Returns the label, flags and names of this deployment.',
  roles: 'public',
  tenantIds: [],
  reply: z.strictObject({
    environment_label: z.string().describe('Empty: no badge.'),
    voids_enabled: z.boolean(),
    is_demo: z.boolean(),
    registration_open: z.boolean().describe('Companies may register themselves.'),
    demo_users: z.array(z.strictObject({ username: z.string(), password: z.string(), label: z.string() })),
    demo_registration: z
      .strictObject({
        company: z.string(),
        api_user: z.string(),
        api_secret: z.string(),
        first_name: z.string(),
        last_name: z.string(),
        email: z.string(),
      })
      .nullable()
      .describe('A demo company for trying the registration; null outside a demo.'),
    version: z.string(),
    psa: z.strictObject({
      key: z.string(),
      label: z.string(),
      api_user_steps: z.array(z.string()).describe('How to create the API user in the PSA.'),
    }),
    accounting: z.strictObject({
      key: z.string(),
      label: z.string(),
      short_label: z.string(),
      lists: z
        .record(z.string(), z.string().nullable())
        .describe('Page that shows the documents of each kind in the service; null if unknown.'),
    }),
  }),
});
