import type { Registry } from 'prom-client';
import { Refusal } from '#core/refusal.ts';
import { isReady } from '#flows/ready.ts';
import { sendFailure } from '../errors.ts';
import { hasBearerToken, sharedReadiness } from '../monitoring.ts';
import { serve, serveRaw, type Serving } from '../serve.ts';

export function healthRoutes(
  serving: Serving,
  registry: Registry,
  metricsToken: string | undefined,
  stopping: AbortSignal | undefined,
): void {
  const { app } = serving;

  const readiness = sharedReadiness(() => isReady(app));

  serve(serving, 'alive', async ({ request }) => ({
    data: { alive: true, version: app.config.version, caller: request.ip },
  }));

  serveRaw(serving, 'ready', async ({ reply }) => {
    const canServe = stopping?.aborted !== true && (await readiness());
    if (canServe) return reply.send({ success: true, data: { ready: true } });
    return sendFailure(reply, {
      status: 503,
      code: 'not_ready',
      message: stopping?.aborted === true ? 'The server stops.' : 'The database is not ready.',
    });
  });

  serveRaw(serving, 'metrics', async ({ request, reply }) => {
    // The metrics reveal the load and the number of failed logins.
    const isOpen = metricsToken === undefined && app.config.isDemo && !app.config.isExposedDemo;
    if (!isOpen && !hasBearerToken(request.headers.authorization, metricsToken))
      throw new Refusal('unauthorized', 'unauthorized', 'Send METRICS_TOKEN as the bearer token.');
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}
