import type { App } from '#flows/context.ts';
import { dispatchWebhooks, tenantsWithWebhookWork } from '#flows/webhooks/dispatch.ts';
import { startConsumer } from './consumer.ts';

/** Maximum clients whose webhooks one process sends at once. A receiver is waited for at most 10 seconds. */
const permits = 20;
/** Milliseconds that a stop waits for the deliveries in progress. */
const stopTimeoutMs = 12_000;

/** Sends the webhooks of clients, each separately, so that slow receivers of one client delay no other client. */
export function startWebhooks(app: App): { stop(): Promise<void> } {
  const { logger } = app;
  const stopping = new AbortController();
  const consumer = startConsumer({
    permits,
    look: (limit) => tenantsWithWebhookWork(app, limit),
    async handle(tenantId) {
      try {
        await dispatchWebhooks(app, tenantId, stopping.signal);
      } catch (error) {
        logger.warn({ tenantId, error }, 'the webhooks of a client could not be sent');
        throw error;
      }
    },
    onError: (error) => logger.warn({ error }, 'the tables could not be asked for webhooks'),
  });
  return {
    async stop() {
      stopping.abort();
      await consumer.stop(stopTimeoutMs);
    },
  };
}
