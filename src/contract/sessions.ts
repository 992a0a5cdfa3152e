import { z } from 'zod';
import { route } from './define.ts';
import { instantText, uuid } from './fields.ts';

export const sessionReply = z.strictObject({
  id: z.string(),
  device: z.string().describe('In plain words, e.g. “Firefox on Windows”; what the browser says of itself.'),
  address: z.string().describe('Where on the network it was begun from.'),
  client: z.string().nullable().describe('Name of the client that a system administrator acts as with it.'),
  signed_in_at: instantText,
  last_used_at: instantText.describe('To the minute.'),
  ends_at: instantText,
  is_this: z.boolean().describe('The one that asks.'),
});
export type SessionReply = z.output<typeof sessionReply>;

export const listSessions = route({
  method: 'GET',
  path: '/api/my/sessions',
  summary: 'Where the person who asks is logged in; newest first.',
  roles: 'any',
  client: 'optional',
  tenantIds: [],
  reply: z.strictObject({ sessions: z.array(sessionReply) }),
});

export const endSession = route({
  method: 'DELETE',
  path: '/api/my/sessions/:id',
  summary: 'Ends another session of the person who asks; their present one ends with POST /auth/logout.',
  roles: 'any',
  client: 'optional',
  tenantIds: ['params.id'],
  params: z.strictObject({ id: uuid }),
  reply: z.null(),
});

export const endOtherSessions = route({
  method: 'POST',
  path: '/api/my/sessions/end-others',
  summary: 'Ends every session of the person who asks but the present one.',
  roles: 'any',
  client: 'optional',
  tenantIds: [],
  reply: z.strictObject({ ended: z.int() }),
});
