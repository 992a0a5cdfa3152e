import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client';

/**
 * Measures the process: memory, handles, timer delays. It wakes the process 100 times a second, so a process without a
 * metrics endpoint does not use it.
 */
export const measureProcess = (registry: Registry): void => collectDefaultMetrics({ register: registry });

/** Measures the duration of each call by route pattern, so that ids do not become labels. */
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
