import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { App } from '#flows/context.ts';
import { whenClosed } from './when-closed.ts';

/** Does something once a request has been answered, so that the answer tells nothing of it, not even by its time. */
export type Afterwards = (reply: FastifyReply, what: string, work: () => Promise<void>) => void;

/**
 * Work that fails is logged, for nobody waits for it any more; closing the server waits for what is under way.
 *
 * @param withinMs the work begins at any moment within so long, so that not even the next request tells of it by its
 *   time; at once unless told. Closing the server does not wait for the moment.
 */
export function afterwards(server: FastifyInstance, { logger }: Pick<App, 'logger'>, withinMs = 0): Afterwards {
  const underWay = new Set<Promise<void>>();
  const closing = new AbortController();
  server.addHook('onClose', async () => {
    closing.abort();
    await Promise.all(underWay);
  });
  const itsMoment = (): Promise<void> =>
    withinMs === 0
      ? Promise.resolve()
      : delay(randomInt(withinMs), undefined, { signal: closing.signal }).catch(() => undefined);
  return (reply, what, work) => {
    whenClosed(reply, () => {
      const run: Promise<void> = itsMoment()
        .then(work)
        .catch((error: unknown) => logger.error({ err: error, what }, 'work after a request failed'))
        .finally(() => underWay.delete(run));
      underWay.add(run);
    });
  };
}
