import { diag, DiagLogLevel, SpanKind, SpanStatusCode, trace, ValueType, type HrTime } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes, type Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  MeterProvider,
  PeriodicExportingMetricReader,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { Registry } from 'prom-client';
import type { CallRecord } from '#connectors/http-client.ts';
import type { Logger } from '#core/ports/logger.ts';
import { withoutTrailing } from '#core/values/text.ts';
import type { Collector } from './config.ts';

/** Traces and metrics of this process on their way to a collector. */
export interface Telemetry {
  /** Adds a call to a service to the trace of its request or session. */
  noteCall(call: CallRecord): void;
  /** Sends what is left. */
  stop(): Promise<void>;
}

/** A stop waits no longer for a collector. */
const exportTimeoutMs = 2_000;
const metricsEveryMs = 60_000;

/**
 * Sends traces and the metrics of a registry to a collector (OpenTelemetry protocol over HTTP). A collector that fails
 * slows nothing down: what cannot be sent is dropped.
 */
export function startTelemetry(parts: {
  readonly collector: Collector;
  readonly registry: Registry;
  readonly version: string;
  readonly role: string;
  readonly logger: Logger;
}): Telemetry {
  const { collector, registry, version, role, logger } = parts;
  const warn = (message: string) => logger.warn({ reason: message.slice(0, 300) }, 'telemetry could not be sent');
  const ignore = () => undefined;
  diag.setLogger({ error: warn, warn: ignore, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.ERROR);
  const resource = resourceFromAttributes({
    'service.name': 'tallybridge',
    'service.version': version,
    'service.instance.id': `${role} ${process.pid}`,
  });
  const to = (signal: 'traces' | 'metrics') => ({
    url: `${withoutTrailing(collector.endpoint, '/')}/v1/${signal}`,
    headers: { ...collector.headers },
    timeoutMillis: exportTimeoutMs,
  });
  const traces = new NodeTracerProvider({
    resource,
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter(to('traces')))],
  });
  traces.register();
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(to('metrics')),
    exportIntervalMillis: metricsEveryMs,
    exportTimeoutMillis: exportTimeoutMs,
    metricProducers: [producerOf(registry, resource)],
  });
  const metrics = new MeterProvider({ resource, readers: [reader] });
  return {
    noteCall({ service, operation, method, status, durationMs }) {
      const endedAt = Date.now();
      const span = trace.getTracer('tallybridge').startSpan(`${service}: ${operation}`, {
        kind: SpanKind.CLIENT,
        startTime: endedAt - durationMs,
        attributes: { 'http.request.method': method, 'http.response.status_code': status ?? undefined },
      });
      if (status === null || status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(endedAt);
    },
    async stop() {
      await Promise.allSettled([traces.shutdown(), metrics.shutdown()]);
      trace.disable();
      diag.disable();
    },
  };
}

/** Reads a registry for the SDK, so that each metric is defined once. */
function producerOf(registry: Registry, resource: Resource): MetricProducer {
  const startTime = timeOf(Date.now());
  return {
    async collect() {
      const times = { startTime, endTime: timeOf(Date.now()) };
      const metrics = (await registry.getMetricsAsJSON()).map(({ name, help, type, values }): MetricData => {
        const common = {
          descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
          aggregationTemporality: AggregationTemporality.CUMULATIVE,
        };
        const kind = String(type);
        if (kind === 'histogram')
          return {
            ...common,
            dataPointType: DataPointType.HISTOGRAM,
            dataPoints: histogramsOf(values).map((point) => ({ ...point, ...times })),
          };
        const dataPoints = values.map(({ labels, value }) => ({ attributes: labelsOf(labels), value, ...times }));
        return kind === 'counter'
          ? { ...common, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }
          : { ...common, dataPointType: DataPointType.GAUGE, dataPoints };
      });
      return { resourceMetrics: { resource, scopeMetrics: [{ scope: { name: 'tallybridge' }, metrics }] }, errors: [] };
    },
  };
}

/** Epoch milliseconds as seconds and nanoseconds. */
const timeOf = (ms: number): HrTime => [Math.floor(ms / 1_000), Math.round((ms % 1_000) * 1_000_000)];

type Labels = Readonly<Partial<Record<string, string | number>>>;

const labelsOf = (labels: Labels): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));

/** Turns the lines of a Prometheus histogram, whose counts include those of smaller buckets, into one point per series. */
function histogramsOf(
  lines: readonly { readonly labels: Labels; readonly value: number; readonly metricName?: string }[],
) {
  const series = Map.groupBy(lines, ({ labels }) => JSON.stringify({ ...labels, le: undefined }));
  return [...series.values()].map((own) => {
    const ending = (end: string) => own.filter(({ metricName }) => metricName?.endsWith(end));
    const buckets = ending('_bucket').toSorted((a, b) => boundOf(a.labels) - boundOf(b.labels));
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
    const [sum] = ending('_sum');
    return {
      attributes: labelsOf(sum?.labels ?? {}),
      value: {
        buckets: { boundaries: buckets.slice(0, -1).map((bucket) => boundOf(bucket.labels)), counts },
        sum: sum?.value ?? 0,
        count: ending('_count')[0]?.value ?? 0,
      },
    };
  });
}

/** Upper bound of a bucket; `+Inf` is the last one. */
const boundOf = ({ le }: Labels): number => (le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le));
