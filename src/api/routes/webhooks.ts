import { takeNotice } from '#flows/connections/take-notice.ts';
import { serve, type Serving } from '../serve.ts';

export function webhookRoutes(serving: Serving): void {
  void serving.server.register(async (scope) => {
    // The signature stands over the very bytes, so nothing may read them first.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    serve({ ...serving, server: scope }, 'booksWebhook', async ({ body, request }) => {
      const signature = request.headers['intuit-signature'];
      const bytes = body instanceof Uint8Array ? body : new Uint8Array();
      await takeNotice(serving.app, bytes, typeof signature === 'string' ? signature : undefined);
      return { data: null };
    });
  });
}
