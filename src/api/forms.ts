import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '#core/refusal.ts';
import { publicBodyLimit } from './bodies.ts';

/** Fields of the longest form of ours, and some that a browser adds. */
const mostFields = 20;

/** Lets the routes of this scope take forms of our own pages; everywhere else only JSON is accepted. */
export function acceptForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: publicBodyLimit },
    async (_request: FastifyRequest, body: string) => {
      if (body.split('&', mostFields + 1).length > mostFields)
        throw new Refusal('invalid', 'validation_failed', 'The form has too many fields.');
      return Object.fromEntries(new URLSearchParams(body));
    },
  );
}

/**
 * Refuses a form that another site sends.
 *
 * @throws Refusal `wrong_browser` (403).
 */
export function refuseForeignForm({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin')
    throw new Refusal('forbidden', 'wrong_browser', 'The form must be sent from its own page.');
}
