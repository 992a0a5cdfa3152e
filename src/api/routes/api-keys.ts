import { apiKeyReply } from '#contract/api-keys.ts';
import type { ApiKey } from '#core/records/api-keys.ts';
import type { Instant } from '#core/values/dates.ts';
import { createApiKey, listApiKeys, revokeApiKey } from '#flows/access/api-keys.ts';
import { serve, type Serving } from '../serve.ts';
import { toWire } from '../to-wire.ts';

export function apiKeyRoutes(serving: Serving): void {
  const { app } = serving;

  serve(serving, 'listApiKeys', async ({ context }) => ({
    data: { keys: (await listApiKeys(context)).map((key) => toReply(key, context.clock.now())) },
  }));

  serve(serving, 'createApiKey', async ({ context, principal, body }) => {
    const { key, secret } = await createApiKey(app, context, principal, body);
    return { data: { key: toReply(key, context.clock.now()), secret } };
  });

  serve(serving, 'revokeApiKey', async ({ context, principal, params }) => {
    await revokeApiKey(context, principal, params.id);
    return { data: null };
  });
}

const toReply = (key: ApiKey, now: Instant) => toWire(apiKeyReply, { ...key, isExpired: key.endsAt <= now });
