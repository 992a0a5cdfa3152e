import type { App } from '#flows/context.ts';
import { dueLanes, sendOutbox } from '#flows/outbox/send.ts';
import { dispatchWebhooks, tenantsWithWebhookWork } from '#flows/webhooks/dispatch.ts';
import { startConsumer } from './consumer.ts';

/** Maximum lanes on which one process sends at once in each channel. A receiver is waited for at most 10 seconds. */
const permits = 20;
/** Milliseconds that a stop waits for the deliveries in progress: longer than a mail server may take for one email. */
const stopTimeoutMs = 65_000;

/** What is sent, and by which lanes: webhooks by client, emails and chat messages as {@link sendOutbox} says. */
const channels = {
  webhooks: { lanes: tenantsWithWebhookWork, send: dispatchWebhooks },
  outbox: { lanes: dueLanes, send: sendOutbox },
} as const;

/**
 * Sends the messages of a channel, each lane separately, so that slow receivers of one client delay no other client.
 */
export function startMessages(app: App, channel: keyof typeof channels): { stop(): Promise<void> } {
  const { logger } = app;
  const { lanes, send } = channels[channel];
  const stopping = new AbortController();
  const consumer = startConsumer({
    permits,
    look: (limit) => lanes(app, limit),
    async handle(lane) {
      try {
        await send(app, lane, stopping.signal);
      } catch (error) {
        logger.warn({ lane, channel, error }, 'the messages of a lane could not be sent');
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
