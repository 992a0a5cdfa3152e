import { z } from 'zod';
import { submittableKinds } from '#core/kinds.ts';
import { route } from './define.ts';

/** Whether documents of a kind can succeed. */
export const kindReadiness = z.strictObject({
  kind: z.enum(submittableKinds),
  is_on: z.boolean().describe('It is synced by itself.'),
  missing: z
    .array(z.strictObject({ text: z.string(), path: z.string() }))
    .describe('What has to be chosen before what waits can be synced, and where; empty: it is ready.'),
});

export const readDetected = route({
  method: 'GET',
  path: '/api/my/setup/detected',
  summary: 'What both systems say of a client’s settings, what follows, and what accepting it would save.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  reply: z.strictObject({
    detected: z.array(
      z.strictObject({
        title: z.string(),
        says: z.string(),
        follows: z.string(),
        proposal: z.strictObject({ key: z.string(), value: z.string() }).nullable(),
      }),
    ),
  }),
});
