import type { FastifyReply } from 'fastify';

/**
 * Calls once the connection of an answer is over: the answer has left, or its caller has. At once when it is over
 * already: a caller may leave while it is found out who they are, and a listener that comes later hears of nothing.
 *
 * @param then must not throw.
 */
export function whenClosed({ raw }: Pick<FastifyReply, 'raw'>, then: () => void): void {
  if (raw.destroyed) then();
  else raw.once('close', then);
}
