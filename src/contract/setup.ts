import { z } from 'zod';
import { submittableKinds } from '#core/kinds.ts';
import { forAdmins, route } from './define.ts';

/** Whether documents of a kind can be synced. */
export const kindReadiness = z.strictObject({
  kind: z.enum(submittableKinds),
  is_on: z.boolean().describe('Whether the automatic sync of this kind is on.'),
  missing: z
    .array(z.strictObject({ text: z.string(), path: z.string() }))
    .describe('Settings that must be chosen before waiting documents can sync, with their screens; empty when ready.'),
});

export const readDetected = route({
  method: 'GET',
  path: '/api/my/setup/detected',
  summary: 'Settings that Tallybridge detected in both systems, their effects, and the values it suggests.',
  ...forAdmins,
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
