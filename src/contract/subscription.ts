import { z } from 'zod';
import { subscriptionStatuses } from '#core/tenant.ts';
import { client } from './clients.ts';
import { route } from './define.ts';
import { instantText, refreshQuery } from './fields.ts';
import { job } from './jobs.ts';
import { serviceKey } from './services.ts';
import { kindReadiness } from './setup.ts';
import { itemSettingsSchema, settingsSchema } from './settings.ts';

/** A connection as screens see it; no secret is ever part of it. */
export const connection = z.strictObject({
  service: serviceKey,
  label: z.string(),
  status: z.enum(['active', 'inactive']),
  name: z.string().describe('The company at the other side; empty before the first success.'),
  user: z.string().nullable(),
  connected_at: instantText.nullable(),
  problem: z
    .string()
    .nullable()
    .describe('Why it became inactive, or what somebody has to do in the service about an active one.'),
  consent_ends_at: instantText
    .nullable()
    .describe('When the access ends unless it is used or given anew; null when it does not end by itself.'),
});
export type ConnectionReply = z.output<typeof connection>;

/** When each kind was last looked for and last synced; `*_info` is JSON text about the last document. */
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
      'Syncs that were stopped as a whole within the last day, whose reason may still stand: at most one of each type.',
    ),
  standstill_since: instantText
    .nullable()
    .describe('Since when nothing of the client goes on, by a mistake of Tallybridge; null while it does.'),
  pauses: z
    .array(
      z.strictObject({
        service: serviceKey,
        label: z.string(),
        since: instantText.describe('The first of the calls in a row that failed.'),
        next_try_at: instantText.nullable().describe('Null when the service did not say how long to wait.'),
        code: z.string().describe('A code of the error catalogue.'),
        reason: z.string(),
      }),
    )
    .describe('Services that limit the calls of the client or do not respond; empty when all calls succeed.'),
  left_company: z
    .strictObject({
      at: instantText,
      turned_off: z.array(z.string()).describe('Settings of the automatic syncs that are off since.'),
    })
    .nullable()
    .describe('The last change to another company, until each sync that it turned off is on again.'),
  client,
  time_zone: z.string().describe('IANA name of the zone in which the client’s days begin; the PSA’s own.'),
});
export type Subscription = z.output<typeof subscription>;

export const readSubscription = route({
  method: 'GET',
  path: '/api/my',
  summary: 'The subscription; null for a system administrator who acts as nobody.',
  roles: ['clientadmin', 'accountant', 'sysadmin'],
  client: 'optional',
  tenantIds: [],
  query: refreshQuery,
  reply: subscription.nullable(),
});
