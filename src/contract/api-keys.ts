import { z } from 'zod';
import { apiKeyScopes } from '#core/api-key.ts';
import { forAdmins, route } from './define.ts';
import { instantText, ownerReply, uuid } from './fields.ts';

export const apiKeyReply = z.strictObject({
  id: z.string(),
  name: z.string(),
  scope: z.enum(apiKeyScopes).describe('`read` lists and reads; `sync` also starts and cancels syncs.'),
  created_by: z.string(),
  owner: ownerReply,
  created_at: instantText,
  ends_at: instantText,
  is_expired: z.boolean(),
  last_used_at: instantText.nullable().describe('Accurate to one minute; null before the first use.'),
});
export type ApiKeyReply = z.output<typeof apiKeyReply>;

const missingName = 'Enter a name.';

export const listApiKeys = route({
  method: 'GET',
  path: '/api/my/api-keys',
  summary: 'Lists the API keys of the client, newest first.',
  ...forAdmins,
  reply: z.strictObject({ keys: z.array(apiKeyReply) }),
});

export const createApiKey = route({
  method: 'POST',
  path: '/api/my/api-keys',
  summary:
    'Creates an API key. The response is the only one with the key. Programs send it as `Authorization: Bearer tbk_…`.',
  event: 'api_keys.changed',
  ...forAdmins,
  needsProof: 'always',
  body: z.strictObject({
    name: z.string({ error: missingName }).trim().min(1, missingName).max(60, 'Use at most 60 characters.'),
    scope: z.enum(apiKeyScopes),
    days: z.int().min(1).max(365).describe('Days until the key expires.'),
  }),
  reply: z.strictObject({ key: apiKeyReply, secret: z.string().describe('The key, `tbk_…`.') }),
});

export const revokeApiKey = route({
  method: 'DELETE',
  path: '/api/my/api-keys/:id',
  summary: 'Revokes an API key, which stops working at once.',
  event: 'api_keys.changed',
  ...forAdmins,
  tenantIds: ['params.id'],
  params: z.strictObject({ id: uuid }),
  reply: z.null(),
});
