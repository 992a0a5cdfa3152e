import { z } from 'zod';
import { guideStates, subscriptionStatuses } from '#core/tenant.ts';
import { client } from './clients.ts';
import { forAdmins, route } from './define.ts';
import { instantText, refreshQuery } from './fields.ts';
import { job } from './jobs.ts';
import { serviceKey } from './services.ts';
import { kindReadiness } from './setup.ts';
import { itemSettingsSchema, settingsSchema } from './settings.ts';

/** A connection for the screens, without any secrets. */
export const connection = z.strictObject({
  service: serviceKey,
  label: z.string(),
  status: z.enum(['active', 'inactive']),
  name: z.string().describe('Name of the connected company; empty before the first successful connection.'),
  user: z.string().nullable(),
  connected_at: instantText.nullable(),
  problem: z
    .string()
    .nullable()
    .describe('Why the connection is inactive, or what to fix in the service if it is active.'),
  consent_ends_at: instantText
    .nullable()
    .describe('When the access expires unless it is used or renewed; null if it does not expire.'),
});
export type ConnectionReply = z.output<typeof connection>;

/** When each kind was last searched and last synced; `*_info` is JSON text about the last document. */
export const subscriptionState = z.strictObject({
  last_inv_poll: instantText.nullable(),
  last_inv_sync: instantText.nullable(),
  last_inv_info: z.string().nullable(),
  last_po_poll: instantText.nullable(),
  last_po_sync: instantText.nullable(),
  last_po_info: z.string().nullable(),
  last_exp_poll: instantText.nullable(),
  last_exp_sync: instantText.nullable(),
  last_exp_info: z.string().nullable(),
});
export type SubscriptionState = z.output<typeof subscriptionState>;

export const subscription = z.strictObject({
  status: z.enum(subscriptionStatuses),
  connections: z.array(connection),
  settings: settingsSchema,
  item_settings: itemSettingsSchema,
  settings_valid: z.boolean(),
  kinds: z.array(kindReadiness),
  state: subscriptionState,
  stopped: z
    .array(job)
    .describe(
      'Syncs that stopped as a whole within the last day and whose reason may remain; at most one of each type.',
    ),
  stalled_since: instantText
    .nullable()
    .describe('Since when the client’s work is stalled by an error in Tallybridge; null if it is not.'),
  pauses: z
    .array(
      z.strictObject({
        service: serviceKey,
        label: z.string(),
        since: instantText.describe('Time of the first failed call in the current run of failures.'),
        next_try_at: instantText.nullable().describe('Null if the service did not specify a delay.'),
        code: z.string().describe('A code of the error catalogue.'),
        reason: z.string(),
        data_from: instantText
          .nullable()
          .describe('When the stored data on the screens was read; null if there is none.'),
      }),
    )
    .describe('Services that limit the calls of the client, refuse reads, or fail; empty when all calls succeed.'),
  left_company: z
    .strictObject({
      at: instantText,
      turned_off: z.array(z.string()).describe('Settings of the automatic syncs that have been off since then.'),
    })
    .nullable()
    .describe('The last change to another company, until every sync that it turned off is on again.'),
  guide: z.enum(guideStates).describe('The setup: new until a user closes it, or opens it again.'),
  client,
  time_zone: z.string().describe('IANA name of the client’s time zone, which is the PSA’s time zone.'),
});
export type Subscription = z.output<typeof subscription>;

export const readSubscription = route({
  method: 'GET',
  path: '/api/my',
  apiKey: 'read',
  summary: 'Returns the subscription; null for a system administrator who is not masquerading.',
  roles: ['clientadmin', 'accountant', 'sysadmin'],
  client: 'optional',
  tenantIds: [],
  query: refreshQuery,
  reply: subscription.nullable(),
});

export const saveGuide = route({
  method: 'PUT',
  path: '/api/my/guide',
  summary: 'Closes the setup for all users of the client, or opens it again.',
  ...forAdmins,
  body: z.strictObject({ guide: z.enum(['open', 'closed']) }),
  reply: z.strictObject({ guide: z.enum(guideStates) }),
});
