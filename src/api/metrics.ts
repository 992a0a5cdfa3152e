import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
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

/** Calls of monitors, which would fill the traces. */
const untraced = ['/healthz', '/readyz', '/metrics'];

/** Makes a span of each request, to which the calls to services belong; without a collector it does nothing. */
export function traceRequests(server: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, ReturnType<ReturnType<typeof trace.getTracer>['startSpan']>>();
  server.addHook('onRequest', (request, _reply, done) => {
    const { method, routeOptions } = request;
    const route = routeOptions.url ?? 'unknown';
    if (untraced.includes(route)) return done();
    const attributes = { 'http.request.method': method, 'http.route': route, 'tallybridge.request_id': request.id };
    const span = trace.getTracer('tallybridge').startSpan(`${method} ${route}`, { kind: SpanKind.SERVER, attributes });
    spans.set(request, span);
    context.with(trace.setSpan(context.active(), span), done);
  });
  server.addHook('onResponse', async (request, reply) => {
    const span = spans.get(request);
    span?.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
  });
}
