import type { App } from '#flows/context.ts';
import { sendWebhooks, tenantsWithChatMessages } from '#flows/notices/send-webhooks.ts';
import { dispatchWebhooks, tenantsWithWebhookWork } from '#flows/webhooks/dispatch.ts';
import { startConsumer } from './consumer.ts';

/** Maximum clients whose messages one process sends at once on each channel. A receiver is waited for at most 10 seconds. */
const permits = 20;
/** Milliseconds that a stop waits for the deliveries in progress. */
const stopTimeoutMs = 12_000;

/** What is sent to receivers that users have entered. */
const channels = {
  webhooks: { tenants: tenantsWithWebhookWork, send: dispatchWebhooks },
  chats: { tenants: tenantsWithChatMessages, send: sendWebhooks },
} as const;

/**
 * Sends the webhooks or chat messages of clients, each client separately, so that slow receivers of one client delay no
 * other client.
 */
export function startWebhooks(app: App, channel: keyof typeof channels): { stop(): Promise<void> } {
  const { logger } = app;
  const { tenants, send } = channels[channel];
  const stopping = new AbortController();
  const consumer = startConsumer({
    permits,
    look: (limit) => tenants(app, limit),
    async handle(tenantId) {
      try {
        await send(app, tenantId, stopping.signal);
      } catch (error) {
        logger.warn({ tenantId, channel, error }, 'the messages of a client could not be sent');
        throw error;
      }
    },
    onError: (error) => logger.warn({ channel, error }, 'the tables could not be asked for messages'),
  });
  return {
    async stop() {
      stopping.abort();
      await consumer.stop(stopTimeoutMs);
    },
  };
}
