import { z } from 'zod';
import { subscriptionStatuses } from '#core/tenant.ts';
import { route } from './define.ts';
import { instantText, uuid } from './fields.ts';

export const client = z.strictObject({ id: z.string(), name: z.string() });
export type Client = z.output<typeof client>;

export const listClients = route({
  method: 'GET',
  path: '/api/clients',
  summary: 'Lists every client, for choosing whom to masquerade as.',
  roles: ['sysadmin'],
  tenantIds: [],
  reply: z.strictObject({ clients: z.array(client) }),
});

export const readMeteredReads = route({
  method: 'GET',
  path: '/api/metered-reads',
  summary: 'Counts this month’s read calls to QuickBooks, which Intuit limits for the whole application.',
  roles: ['sysadmin'],
  tenantIds: [],
  reply: z.strictObject({
    month: z.string().describe('In US Pacific time, e.g. 2026-11.'),
    reads: z.int(),
    limit: z.int().nullable().describe('Null: the application has no limit.'),
    percent: z.int().nullable().describe('Used share of the limit, rounded down.'),
    blocked_until: z.iso
      .date()
      .nullable()
      .describe('Intuit blocks reads until this day; null if reads are not blocked.'),
    clients: z
      .array(z.strictObject({ id: z.string(), name: z.string(), reads: z.int() }))
      .describe('The 100 clients with the most reads, in descending order.'),
  }),
});

export const clientDetail = z.strictObject({
  id: z.string(),
  name: z.string(),
  status: z.enum(subscriptionStatuses),
  reason: z.string().nullable().describe('Why it was suspended or cancelled.'),
  time_zone: z.string(),
  created_at: instantText,
  users: z.int().describe('Active users.'),
  last_sign_in_at: instantText.nullable(),
});
export type ClientDetail = z.output<typeof clientDetail>;

const byId = z.strictObject({ id: uuid });

export const readClient = route({
  method: 'GET',
  path: '/api/clients/:id',
  summary: 'Returns one client: its subscription and user counts, without its documents.',
  roles: ['sysadmin'],
  tenantIds: [],
  params: byId,
  reply: clientDetail,
});

export const changeClientStatus = route({
  method: 'PUT',
  path: '/api/clients/:id/status',
  summary: 'Suspends, cancels or reactivates a subscription.',
  roles: ['sysadmin'],
  tenantIds: [],
  params: byId,
  body: z.strictObject({
    status: z.enum(['active', 'suspended', 'cancelled']),
    reason: z.string().trim().min(1, 'Say why.').max(500),
  }),
  reply: clientDetail,
});

export const deleteClient = route({
  method: 'POST',
  path: '/api/clients/:id/delete',
  summary: 'Permanently deletes a client and all its data.',
  roles: ['sysadmin'],
  tenantIds: [],
  params: byId,
  body: z.strictObject({ name: z.string().max(500).describe('The name of the client, as typed by the user.') }),
  reply: z.strictObject({ rows: z.int() }),
});

export const exportData = route({
  method: 'GET',
  path: '/api/my/export',
  summary: 'Exports all data of the client as a ZIP of JSON lines; works while the subscription is suspended.',
  roles: ['clientadmin', 'accountant'],
  client: 'required',
  tenantIds: [],
  speaks: 'file',
  reply: z.null(),
});
