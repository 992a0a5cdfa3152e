import { z } from 'zod';
import { noticeGroups } from '#core/notice-preferences.ts';
import { chatKinds } from '#core/chat.ts';
import { forAdmins, route } from './define.ts';
import { instantText, ownerReply, uuid, wasOf } from './fields.ts';

const missingName = 'Enter a name.';
const groups = z.array(z.enum(noticeGroups)).min(1, 'Choose at least one kind of notice.').max(noticeGroups.length);
const name = z.string({ error: missingName }).trim().min(1, missingName).max(60, 'Use at most 60 characters.');

export const chatReply = z.strictObject({
  id: z.string(),
  kind: z.enum(chatKinds),
  name: z.string(),
  address_end: z.string().describe('Host and last characters of the address. The address itself is never returned.'),
  groups: z.array(z.enum(noticeGroups)),
  created_by: z.string(),
  owner: ownerReply,
  created_at: instantText,
  delivered_at: instantText.nullable().describe('Last successful delivery.'),
  failed_at: instantText.nullable().describe('Last failed delivery.'),
  error: z.string().nullable().describe('Why the last delivery failed; null after a success.'),
});
export type ChatReply = z.output<typeof chatReply>;

const byId = { tenantIds: ['params.id'], params: z.strictObject({ id: uuid }) } as const;

export const listChats = route({
  method: 'GET',
  path: '/api/my/webhooks',
  summary: 'Lists the chats that get notices.',
  ...forAdmins,
  reply: z.strictObject({ webhooks: z.array(chatReply) }),
});

export const addChat = route({
  method: 'POST',
  path: '/api/my/webhooks',
  summary: 'Adds a chat of Slack or Teams by the address of its incoming webhook. A client has at most five.',
  event: 'webhooks.changed',
  ...forAdmins,
  needsProof: 'always',
  body: z.strictObject({
    kind: z.enum(chatKinds),
    name,
    address: z.string().max(2_000).describe('The https address of the webhook; stored encrypted.'),
    groups,
  }),
  reply: chatReply,
});

export const changeChat = route({
  method: 'PUT',
  path: '/api/my/webhooks/:id',
  summary: 'Changes the name of a chat and the notices that it gets, unless they changed meanwhile (409).',
  event: 'webhooks.changed',
  ...forAdmins,
  ...byId,
  body: z.strictObject({ name: name.optional(), groups: groups.optional(), was: wasOf(['name', 'groups']).optional() }),
  reply: chatReply,
});

export const removeChat = route({
  method: 'DELETE',
  path: '/api/my/webhooks/:id',
  summary: 'Removes a chat with its waiting messages, unless it changed meanwhile (409).',
  event: 'webhooks.changed',
  ...forAdmins,
  ...byId,
  body: z.strictObject({ was: wasOf(['name', 'groups']).optional() }).nullish(),
  reply: z.null(),
});

export const testChat = route({
  method: 'POST',
  path: '/api/my/webhooks/:id/test',
  summary: 'Sends a test message, once.',
  ...forAdmins,
  ...byId,
  reply: z.strictObject({ error: z.string().nullable().describe('Why it failed; null after a success.') }),
});
