import type { FastifyRequest } from 'fastify';
import { notSigned, receiveWebhook } from '#flows/connections/receive-webhook.ts';
import { serve, type Serving } from '../serve.ts';

/** An HMAC-SHA256 in base64. */
const signatureShape = /^[\w+/]{43}=$/;

export function webhookRoutes(serving: Serving): void {
  void serving.server.register(async (scope) => {
    // The signature stands over the very bytes, so nothing may look at them first, whoever sent them.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    // Without one not even the body is read.
    scope.addHook('onRequest', async (request) => {
      if (!signatureShape.test(signatureOf(request))) throw notSigned();
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
