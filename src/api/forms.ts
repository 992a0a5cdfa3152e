import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '#core/refusal.ts';
import { publicBodyLimit } from './bodies.ts';

/** Maximum number of fields of a Tallybridge form, including some that a browser adds. */
const maxFields = 20;

/** Lets the routes of this scope accept forms of Tallybridge pages; all other routes accept only JSON. */
export function acceptForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: publicBodyLimit },
    async (_request: FastifyRequest, body: string) => {
      if (body.split('&', maxFields + 1).length > maxFields)
        throw new Refusal('invalid', 'validation_failed', 'The form has too many fields.');
      return Object.fromEntries(new URLSearchParams(body));
    },
  );
}

/**
 * Rejects a form that another site sends.
 *
 * @throws Refusal `wrong_browser` (403).
 */
export function refuseForeignForm({ headers }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin')
    throw new Refusal('forbidden', 'wrong_browser', 'The form must be sent from its own page.');
}
