import { z } from 'zod';
import { forUsers, route } from './define.ts';
import { instantText, paging, searchText } from './fields.ts';

export const auditEvent = z.strictObject({
  id: z.string(),
  at: instantText,
  username: z.string(),
  masquerader: z.string().nullable().describe('The system administrator who acted as this client.'),
  action: z.string().describe('Noun and verb, e.g. `settings.saved`.'),
  subject: z.string().nullable(),
  before: z.unknown().describe('A list has its first 1,000 entries; the data export has all.'),
  after: z.unknown(),
});
export type AuditEventReply = z.output<typeof auditEvent>;

export const listAudit = route({
  method: 'GET',
  path: '/api/my/audit',
  summary: 'Lists changes with user, time, old and new values, newest first.',
  ...forUsers,
  query: z.strictObject({
    ...paging(20),
    q: searchText.optional().describe('Matches the action, its subject and its values.'),
    person: searchText.optional().describe('Part of the user’s name.'),
  }),
  reply: z.strictObject({
    events: z.array(auditEvent),
    total: z.int().describe('Number of matching events, counted up to 10,000.'),
    more: z.boolean().describe('Whether more events match than the total.'),
  }),
});
