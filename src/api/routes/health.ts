import type { FastifyRequest } from 'fastify';
import type { Registry } from 'prom-client';
import { Refusal } from '#core/refusal.ts';
import { hashOf, matches } from '#flows/access/secrets.ts';
import { isReady } from '#flows/ready.ts';
import { sendFailure } from '../errors.ts';
import { serve, serveRaw, type Serving } from '../serve.ts';

export function healthRoutes(
  serving: Serving,
  registry: Registry,
  metricsToken: string | undefined,
  stopping: AbortSignal | undefined,
): void {
  const { app } = serving;

  const readiness = sharedFor(readySeconds, () => isReady(app));

  serve(serving, 'alive', async () => ({ data: { alive: true, version: app.config.version } }));

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
    if (!isOpen && !brings(request, metricsToken))
      throw new Refusal('unauthorized', 'unauthorized', 'The metrics are for whoever brings METRICS_TOKEN.');
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

/** Seconds for which one database check answers all requests. */
const readySeconds = 1;

/** Shares one result among all callers for a while, also while it is pending. */
function sharedFor<T>(seconds: number, ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | null = null;
  let askedAt = 0;
  return () => {
    const now = performance.now();
    if (answer === null || now - askedAt >= seconds * 1_000) {
      answer = ask();
      askedAt = now;
    }
    return answer;
  };
}

const brings = ({ headers }: FastifyRequest, token: string | undefined): boolean =>
  token !== undefined && matches(/^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null, hashOf(token));
