import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signIn } from '#test/support/api-client.ts';
import { eventually } from '#test/support/eventually.ts';
import { newProcessFixture, type ProcessFixture } from '#test/support/process-fixture.ts';
import { readConfig } from './config.ts';

interface Received {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly text: string;
}

const received: Received[] = [];
const collector = createServer((request, response) => {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    received.push({ path: request.url ?? '', authorization: request.headers.authorization, text });
    response.setHeader('content-type', 'application/json').end('{}');
  });
});
let fixture: ProcessFixture;
let port: number;

beforeAll(async () => {
  fixture = await newProcessFixture();
  await new Promise<void>((listening) => collector.listen(0, '127.0.0.1', listening));
  const address = collector.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(async () => {
  await fixture.close();
  collector.close();
});

const sent = (path: string) => received.filter((one) => one.path === path).map(({ text }) => text);

interface Traces {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly { readonly name: string; readonly spanId: string; readonly parentSpanId?: string }[];
    }[];
  }[];
}

test('sends traces and the metrics of /metrics to a collector, and what is left at the end', async () => {
  const product = await fixture.start({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20Y2FuYXJ5',
  });
  const user = await signIn(product.url, 'admin@northwind-msp.example', 'Demo-Passw0rd!');
  await user.connectQuickBooks();
  await user.data('POST', '/api/my/settings/', { inv_default_income_account: '2' });
  const before = await fixture.autotask.lastRequest();
  await user.data('POST', '/api/my/invoices/sync/submit', { invoice_ids: [48_213], mode: 'test' });
  await eventually(async () => expect(await fixture.autotask.lastRequest()).toBeGreaterThan(before));
  await user.data('GET', '/api/my/logs?q=canary');
  await fetch(`${product.url}/healthz`);
  await product.stop();

  const spans = sent('/v1/traces').flatMap((text) =>
    (JSON.parse(text) as Traces).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  );
  expect(spans.map(({ name }) => name)).toContain('GET /api/my/logs');
  expect(spans.map(({ name }) => name)).not.toContain('GET /healthz');
  const work = new Set(spans.filter(({ name }) => name === 'work for a client').map(({ spanId }) => spanId));
  expect(
    spans.filter(({ name, parentSpanId }) => name.startsWith('psa: ') && work.has(parentSpanId ?? '')),
  ).not.toEqual([]);

  const metrics = sent('/v1/metrics').join('\n');
  for (const name of ['tallybridge_build_info', 'tallybridge_http_request_seconds', 'tallybridge_outside_calls_total'])
    expect(metrics).toContain(`"name":"${name}"`);
  expect(new Set(received.map(({ authorization }) => authorization))).toEqual(new Set(['Basic Y2FuYXJ5']));
  expect(received.map(({ text }) => text).join('\n')).not.toContain('canary');
});

test('a collector that does not answer delays neither start nor stop', async () => {
  const product = await fixture.start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  expect((await fetch(`${product.url}/healthz`)).status).toBe(200);
  await product.stop();
  expect(await product.ended).toBe(0);
});

test.each(['no-value', 'name=%zz'])('the headers "%s" are refused with the fix', (headers) => {
  expect(() => readConfig({ DEMO: 'true', OTEL_EXPORTER_OTLP_HEADERS: headers })).toThrow(
    'OTEL_EXPORTER_OTLP_HEADERS (must be name=value, percent-encoded, several separated by commas)',
  );
});
