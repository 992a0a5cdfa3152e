import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';

/** A registry with the figures of the process itself. */
export function newRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Measures how long each call takes, by route pattern, so that no id becomes a label. */
export function measureRequests(server: FastifyInstance, registry: Registry): void {
  const name = 'tallybridge_http_request_seconds';
  registry.removeSingleMetric(name);
  const seconds = new Histogram({
    name,
    help: 'Duration of HTTP requests in seconds.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  server.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    seconds.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
  });
}
