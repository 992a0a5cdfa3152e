import { z } from 'zod';
import { route } from './define.ts';
import { instantText, uuid } from './fields.ts';

export const sessionReply = z.strictObject({
  id: z.string(),
  device: z.string().describe('Browser and system as the browser reports them, e.g. “Firefox on Windows”.'),
  address: z.string().describe('IP address of the login.'),
  client: z
    .string()
    .nullable()
    .describe('Name of the client that a system administrator masquerades as in this session.'),
  signed_in_at: instantText,
  last_used_at: instantText.describe('Accurate to one minute.'),
  ends_at: instantText,
  is_this: z.boolean().describe('True for the session of this request.'),
});
export type SessionReply = z.output<typeof sessionReply>;

export const listSessions = route({
  method: 'GET',
  path: '/api/my/sessions',
  summary: 'Lists the sessions of the caller, newest first.',
  roles: 'any',
  client: 'optional',
  tenantIds: [],
  reply: z.strictObject({ sessions: z.array(sessionReply) }),
});

export const endSession = route({
  method: 'DELETE',
  path: '/api/my/sessions/:id',
  summary: 'Ends another session of the caller. Use POST /auth/logout to end the current session.',
  event: 'session.ended',
  roles: 'any',
  client: 'optional',
  tenantIds: ['params.id'],
  params: z.strictObject({ id: uuid }),
  reply: z.null(),
});

export const endOtherSessions = route({
  method: 'POST',
  path: '/api/my/sessions/end-others',
  summary: 'Ends every session of the caller except the current one.',
  event: 'session.ended',
  roles: 'any',
  client: 'optional',
  tenantIds: [],
  reply: z.strictObject({ ended: z.int() }),
});
