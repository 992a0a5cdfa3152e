import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { App } from '#flows/context.ts';
import { onConnectionClosed } from './connection-closed.ts';

/** Runs work after the response is sent, so that neither the response nor its timing reveals the work. */
export type AfterResponse = (reply: FastifyReply, what: string, work: () => Promise<void>) => void;

/**
 * Logs work that fails, because no caller waits for it. Closing the server waits for work in progress.
 *
 * @param withinMs the work starts after a random delay of at most this long, so that the timing of the next request
 * does not reveal it; the default is no delay. Closing the server skips the delay.
 */
export function afterResponse(server: FastifyInstance, { logger }: Pick<App, 'logger'>, withinMs = 0): AfterResponse {
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  server.addHook('onClose', async () => {
    closing.abort();
    await Promise.all(underWay);
  });
  const randomDelay = (): Promise<void> =>
    withinMs === 0
      ? Promise.resolve()
      : delay(randomInt(withinMs), undefined, { signal: closing.signal }).catch(() => undefined);
  return (reply, what, work) => {
    onConnectionClosed(reply, () => {
      const run: Promise<void> = randomDelay()
        .then(work)
        .catch((error: unknown) => logger.error({ err: error, what }, 'work after a request failed'))
        .finally(() => underWay.delete(run));
      underWay.add(run);
    });
  };
}
