import type { FastifyReply } from 'fastify';

/**
 * Calls `then` when the response is sent or the caller has disconnected. Calls it immediately if that has already
 * happened: a caller may disconnect during authentication, and a listener added later gets no event.
 *
 * @param then must not throw.
 */
export function onConnectionClosed({ raw }: Pick<FastifyReply, 'raw'>, then: () => void): void {
  if (raw.destroyed) then();
  else raw.once('close', then);
}
