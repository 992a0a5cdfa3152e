import type { Registry } from 'prom-client';
import { sendFailure } from '../errors.ts';
import { serve, serveRaw, type Serving } from '../serve.ts';

export function healthRoutes(serving: Serving, registry: Registry): void {
  const { app } = serving;

  serve(serving, 'alive', async () => ({ data: { alive: true, version: app.config.version } }));

  serveRaw(serving, 'ready', async ({ reply }) => {
    const isReady = await app.store.ready().catch(() => false);
    if (isReady) return reply.send({ success: true, data: { ready: true } });
    return sendFailure(reply, { status: 503, code: 'not_ready', message: 'The database is not ready.' });
  });

  serveRaw(serving, 'metrics', async ({ reply }) => reply.type(registry.contentType).send(await registry.metrics()));
}
