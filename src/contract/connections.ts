import { z } from 'zod';
import { client } from './clients.ts';
import { route } from './define.ts';
import { booksSegment, psaSegment, serviceKey } from './services.ts';

/** Codes in the `error` parameter of the redirect back to Connections, each with its message for the user. */
export const connectProblems = {
  link_expired: 'The link to connect has expired. Please try again.',
  consent_refused: 'The connection was not allowed at QuickBooks. Nothing was changed.',
  session_ended: 'Your session ended before the connection was finished. Log in and connect again.',
  subscription_suspended: 'The subscription is suspended or cancelled: nothing was connected. Please talk to support.',
  wrong_browser: 'The connection must be finished in the browser in which it was begun. Please try again.',
  company_taken: 'This company is connected to another subscription already. Disconnect it there first.',
  different_company:
    'This is another company than the one that was connected before. If you connect it, mappings and chosen accounts are forgotten, documents that are synced keep their references, and documents on their way wait for you as errors. Queued jobs end, drafts are closed, and automatic syncs are turned off until you turn them on again.',
  not_accepted: 'The service did not accept the connection. Please try again.',
} as const;
export type ConnectProblem = keyof typeof connectProblems;

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
  roles: 'public',
  speaks: 'browser',
  tenantIds: [],
  // The PSA connector's descriptor adds its own fields.
  body: z.object({ form: z.string().max(200), confirm: z.literal('yes').optional() }).catchall(z.string().max(254)),
  reply: z.null(),
});

export const connectBooks = route({
  method: 'GET',
  path: `/connect/${booksSegment}`,
  summary: 'Browser: redirects to the consent page of the accounting service.',
  roles: 'public',
  speaks: 'browser',
  tenantIds: [],
  query: z.object({ token: z.string().max(2_000).optional().describe('One-time ticket.') }),
  reply: z.null(),
});

export const connectBooksCallback = route({
  method: 'GET',
  path: `/connect/${booksSegment}/callback`,
  summary: 'Browser: returns from the consent page.',
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

export const disconnectBooks = route({
  method: 'PUT',
  path: `/api/my/${booksSegment}/disconnect/`,
  summary: 'Disconnects the accounting service and deletes its cached data.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  reply: z.null(),
});

export const disconnectPsa = route({
  method: 'PUT',
  path: `/api/my/${psaSegment}/disconnect/`,
  summary: 'Disconnects the PSA and deletes its cached data.',
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  reply: z.null(),
});

export const findBooksCompany = route({
  method: 'GET',
  path: `/api/${booksSegment}/companies/:realm_id`,
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
  roles: ['clientadmin'],
  client: 'required',
  tenantIds: [],
  params: z.strictObject({ service: serviceKey }),
  reply: z.strictObject({ is_connected: z.boolean(), message: z.string(), error: z.string().nullable() }),
});
