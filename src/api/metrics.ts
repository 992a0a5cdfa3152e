import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Histogram, type Registry } from 'prom-client';

/**
 * Measures the process itself: memory, handles, how late its timers are. Not free: it wakes the process a hundred times a
 * second, so a process that nobody can ask for its figures does without.
 */
export const measureProcess = (registry: Registry): void => collectDefaultMetrics({ register: registry });

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
