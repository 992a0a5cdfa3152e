import type { FastifyInstance, FastifyReply } from 'fastify';
import type { App } from '#flows/context.ts';

/** Does something once a request has been answered, so that the answer tells nothing of it, not even by its time. */
export type Afterwards = (reply: FastifyReply, what: string, work: () => Promise<void>) => void;

/** Work that fails is logged, for nobody waits for it any more; closing the server waits for what is under way. */
export function afterwards(server: FastifyInstance, { logger }: Pick<App, 'logger'>): Afterwards {
  const underWay = new Set<Promise<void>>();
  server.addHook('onClose', async () => void (await Promise.all(underWay)));
  return (reply, what, work) => {
    reply.raw.once('close', () => {
      const run: Promise<void> = work()
        .catch((error: unknown) => logger.error({ err: error, what }, 'work after a request failed'))
        .finally(() => underWay.delete(run));
      underWay.add(run);
    });
  };
}
