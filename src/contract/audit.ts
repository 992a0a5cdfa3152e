import { z } from 'zod';
import { route } from './define.ts';
import { instantText, paging, searchText } from './fields.ts';

export const auditEvent = z.strictObject({
  id: z.string(),
  at: instantText,
  username: z.string(),
  masquerader: z.string().nullable().describe('The system administrator who acted as this client.'),
  action: z.string().describe('Noun and verb, e.g. `settings.saved`.'),
  subject: z.string().nullable(),
  before: z.unknown(),
  after: z.unknown(),
});
export type AuditEventReply = z.output<typeof auditEvent>;

export const listAudit = route({
  method: 'GET',
  path: '/api/my/audit',
  summary: 'Who changed what, when, from what to what; newest first.',
  roles: ['clientadmin', 'accountant'],
  client: 'required',
  tenantIds: [],
  query: z.strictObject({
    ...paging(20),
    q: searchText.optional().describe('Matches what was done, to what, and its values.'),
    person: searchText.optional().describe('Part of the name of who did it.'),
  }),
  reply: z.strictObject({
    events: z.array(auditEvent),
    total: z.int().describe('Events that pass the filters, counted up to 10,000.'),
    more: z.boolean().describe('There are more than the total.'),
  }),
});
