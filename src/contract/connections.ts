import { z } from 'zod';
import { client } from './clients.ts';
import { forAdmins, route } from './define.ts';
import { wasOf } from './fields.ts';
import { accountingSegment, psaSegment, serviceKey } from './services.ts';

export const connectPsaPage = route({
  method: 'GET',
  path: `/connect/${psaSegment}`,
  summary: 'Browser: shows the form for the API user of the PSA.',
  roles: 'public',
  speaks: 'browser',
  tenantIds: [],
  query: z.object({
    token: z.string().max(2_000).optional().describe('One-time ticket.'),
    tenant_id: z.string().max(50).optional(),
    resource_id: z.string().max(50).optional(),
  }),
  reply: z.null(),
});

export const connectPsaForm = route({
  method: 'POST',
  path: `/connect/${psaSegment}`,
  summary: 'Browser: receives the form for the API user, tests the connection and returns to Connections.',
  event: 'connection.changed',
  roles: 'public',
  speaks: 'browser',
  tenantIds: [],
  // The PSA connector's descriptor adds its own fields.
  body: z.object({ form: z.string().max(200), confirm: z.literal('yes').optional() }).catchall(z.string().max(254)),
  reply: z.null(),
});

export const connectAccounting = route({
  method: 'GET',
  path: `/connect/${accountingSegment}`,
  summary: 'Browser: redirects to the consent page of the accounting service.',
  roles: 'public',
  speaks: 'browser',
  tenantIds: [],
  query: z.object({ token: z.string().max(2_000).optional().describe('One-time ticket.') }),
  reply: z.null(),
});

export const connectAccountingCallback = route({
  method: 'GET',
  path: `/connect/${accountingSegment}/callback`,
  summary: 'Browser: returns from the consent page.',
  event: 'connection.changed',
  roles: 'public',
  speaks: 'browser',
  tenantIds: [],
  query: z.object({
    state: z.string().max(200).optional(),
    code: z.string().max(4_000).optional(),
    realmId: z.string().max(50).optional(),
    error: z.string().max(200).optional(),
    again: z
      .literal('1')
      .optional()
      .describe('Set after a redirect from a Tallybridge page, which lets the browser send its session cookie.'),
  }),
  reply: z.null(),
});

const seenCompany = z.strictObject({ was: wasOf(['name']).optional() }).nullish();

export const disconnectAccounting = route({
  method: 'PUT',
  path: `/api/my/${accountingSegment}/disconnect/`,
  summary:
    'Disconnects the accounting service, unless another company was connected meanwhile (409), and deletes its cached data.',
  event: 'connection.changed',
  ...forAdmins,
  body: seenCompany,
  reply: z.null(),
});

export const disconnectPsa = route({
  method: 'PUT',
  path: `/api/my/${psaSegment}/disconnect/`,
  summary: 'Disconnects the PSA, unless another company was connected meanwhile (409), and deletes its cached data.',
  event: 'connection.changed',
  ...forAdmins,
  body: seenCompany,
  reply: z.null(),
});

export const findAccountingCompany = route({
  method: 'GET',
  path: `/api/${accountingSegment}/companies/:realm_id`,
  summary: 'Compares a QuickBooks company with the company that the client of the session is connected to.',
  roles: ['clientadmin', 'accountant', 'sysadmin'],
  client: 'optional',
  tenantIds: [],
  params: z.strictObject({ realm_id: z.string().regex(/^\d{1,30}$/) }),
  reply: z.strictObject({
    company: z
      .enum(['yours', 'other', 'none'])
      .describe('`none`: the client was never connected to QuickBooks, or the company has no known client.'),
    client: client.nullable().describe('The client of another company, for system administrators only.'),
  }),
});

export const testConnection = route({
  method: 'PUT',
  path: '/api/my/connections/:service/test',
  summary: 'Tests a connection.',
  ...forAdmins,
  params: z.strictObject({ service: serviceKey }),
  reply: z.strictObject({ is_connected: z.boolean(), message: z.string(), error: z.string().nullable() }),
});
