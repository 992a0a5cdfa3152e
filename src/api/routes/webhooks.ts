import type { FastifyRequest } from 'fastify';
import { notSigned, receiveWebhook } from '#flows/connections/receive-webhook.ts';
import { publicBodyLimit } from '../bodies.ts';
import { TooManyCalls } from '../rates.ts';
import { serve, type Serving } from '../serve.ts';
import { whenClosed } from '../when-closed.ts';

/** An HMAC-SHA256 in base64. */
const signatureShape = /^[\w+/]{43}=$/;

/** Messages over what other public calls take that are read at once. */
const mostLarge = 2;
/** The service repeats what it could not deliver after so long. */
const againAfterSeconds = 10;

export function webhookRoutes(serving: Serving): void {
  void serving.server.register(async (scope) => {
    // The signature stands over the very bytes, so nothing may look at them first, whoever sent them.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    let largeUnderWay = 0;
    // Without one not even the body is read, nor a third large one: it would have to be, before it proves anything.
    scope.addHook('onRequest', async (request, reply) => {
      if (!signatureShape.test(signatureOf(request))) throw notSigned();
      if (announcedBytes(request) <= publicBodyLimit) return;
      if (largeUnderWay >= mostLarge) throw new TooManyCalls(againAfterSeconds);
      largeUnderWay += 1;
      whenClosed(reply, () => (largeUnderWay -= 1));
    });
    serve({ ...serving, server: scope }, 'booksWebhook', async ({ body, request }) => {
      const bytes = body instanceof Uint8Array ? body : new Uint8Array();
      await receiveWebhook(serving.app, bytes, signatureOf(request));
      return { data: null };
    });
  });
}

function signatureOf({ headers }: FastifyRequest): string {
  const signature = headers['intuit-signature'];
  return typeof signature === 'string' ? signature : '';
}

/** Bytes that a body says it has; one that does not say may have any number. */
const announcedBytes = ({ headers }: FastifyRequest): number =>
  headers['content-length'] === undefined ? Number.POSITIVE_INFINITY : Number(headers['content-length']);
