import type { FastifyInstance } from 'fastify';
import { addSeconds } from '#core/values/dates.ts';
import type { App } from '#flows/context.ts';

/** How long the file is valid after it is read; RFC 9116 recommends less than a year. */
const validSeconds = 90 * 86_400;

/**
 * Serves `/.well-known/security.txt` (RFC 9116).
 *
 * @param contact `mailto:` or `https:` URI; undefined: the file does not exist.
 */
export function securityText(server: FastifyInstance, app: App, contact: string | undefined): void {
  if (contact === undefined) return;
  const path = '/.well-known/security.txt';
  server.get(path, { schema: { hide: true } }, async (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .send(
        [
          `Contact: ${contact}`,
          `Expires: ${addSeconds(app.clock.now(), validSeconds)}`,
          'Preferred-Languages: en',
          `Canonical: ${app.config.appUrl}${path}`,
          '',
        ].join('\n'),
      ),
  );
}
