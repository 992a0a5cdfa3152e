import { z } from 'zod';
import { route } from './define.ts';

/** What the deployment tells the web application before anybody signs in, so that one build serves every deployment. */
export const readEnvironment = route({
  method: 'GET',
  path: '/api/environment',
  summary: 'Label, flags and names of this deployment.',
  roles: 'public',
  tenantIds: [],
  reply: z.strictObject({
    environment_label: z.string().describe('Empty: no badge.'),
    voids_enabled: z.boolean(),
    is_demo: z.boolean(),
    demo_users: z.array(z.strictObject({ username: z.string(), password: z.string(), label: z.string() })),
    version: z.string(),
    psa: z.strictObject({ key: z.string(), label: z.string() }),
    accounting: z.strictObject({ key: z.string(), label: z.string(), short_label: z.string() }),
  }),
});
