import { z } from 'zod';
import { tierNames } from '#core/metered-reads.ts';
import { subscriptionStatuses } from '#core/tenant.ts';
import { forUsers, route } from './define.ts';
import { instantText, paging, searchText, uuid, wasOf } from './fields.ts';

export const client = z.strictObject({ id: z.string(), name: z.string() });
export type Client = z.output<typeof client>;

export const listClients = route({
  method: 'GET',
  path: '/api/clients',
  summary: 'Lists all clients, to choose one to act as.',
  roles: ['sysadmin'],
  tenantIds: [],
  reply: z.strictObject({ clients: z.array(client) }),
});

const connection = z.enum(['active', 'inactive']).nullable().describe('Null: never connected.');

export const clientState = z.strictObject({
  id: z.string(),
  name: z.string(),
  status: z.enum(subscriptionStatuses),
  needs_help: z.boolean().describe('Active, but syncs stopped or a service is not connected.'),
  stalled_since: instantText.nullable().describe('Since when a defect stops its syncs.'),
  psa: connection,
  accounting: connection,
  consent_ends_at: instantText.nullable().describe('When QuickBooks’ consent ends.'),
  last_synced_at: instantText.nullable(),
  failed: z.int().describe('Documents that failed in the last 24 hours.'),
  held: z.int().describe('Documents that were held in the last 24 hours.'),
  posted_by_day: z
    .array(z.int())
    .describe('Synced documents in each of the last 14 periods of 24 hours, oldest first.'),
});
export type ClientState = z.output<typeof clientState>;

export const listClientStates = route({
  method: 'GET',
  path: '/api/client-states',
  summary: 'Lists clients with their last sync, failures and connections; clients that need help come first.',
  roles: ['sysadmin'],
  tenantIds: [],
  query: z.strictObject({
    ...paging(25),
    q: searchText.default('').describe('Part of the name.'),
    needs_help: z.enum(['true', 'false']).default('false').describe('Only clients that need help.'),
  }),
  reply: z.strictObject({
    clients: z.array(clientState),
    total: z.int().describe('Clients with this name.'),
    needing_help: z.int().describe('Those of them that need help.'),
  }),
});

export const readMeteredReads = route({
  method: 'GET',
  path: '/api/metered-reads',
  summary: 'Counts this month’s metered calls to QuickBooks, which Intuit limits or bills for the whole application.',
  roles: ['sysadmin'],
  tenantIds: [],
  reply: z.strictObject({
    month: z.string().describe('In US Pacific time, e.g. 2026-11.'),
    reads: z.int().describe('Metered calls: reads, and each item of a batch.'),
    tier: z.enum(tierNames).describe('Tier of the Intuit App Partner Program. Only Builder blocks further calls.'),
    limit: z.int().nullable().describe('Calls that the tier includes. Null: the operator set no limit.'),
    percent: z.int().nullable().describe('Used part of the limit, rounded down.'),
    cost_beyond: z
      .number()
      .nullable()
      .describe('US dollars for the calls beyond the limit; null if they are blocked or have no published price.'),
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
  event: 'client.changed',
  roles: ['sysadmin'],
  tenantIds: [],
  params: byId,
  body: z.strictObject({
    status: z.enum(['active', 'suspended', 'cancelled']),
    reason: z.string().trim().min(1, 'Say why.').max(500),
    was: wasOf(['status']).optional(),
  }),
  reply: clientDetail,
});

export const deleteClient = route({
  method: 'POST',
  path: '/api/clients/:id/delete',
  summary: 'Permanently deletes a client and all its data.',
  event: 'client.changed',
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
  event: 'data.exported',
  ...forUsers,
  speaks: 'file',
  reply: z.null(),
});
