import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { instant } from '#core/values/dates.ts';
import { certificateFor } from '#test/support/certificate.ts';
import { clockAt, keepingLogger } from '#test/support/fake-ports.ts';
import { startFakeService, type FakeService, type Received, type Reply } from '#test/support/fake-service.ts';
import { type CallRecord, callService, type HttpCall, retryAfterMs, scrub } from './http-client.ts';

const clock = clockAt('2025-03-03T15:00:00Z');
const services: FakeService[] = [];
const ends: (() => void)[] = [];

async function service(answer: (request: Received) => Reply): Promise<FakeService> {
  const started = await startFakeService(answer);
  services.push(started);
  return started;
}
afterEach(async () => {
  await Promise.all(services.splice(0).map((one) => one.stop()));
  for (const end of ends.splice(0)) end();
});

const callTo = (url: string, more: Partial<HttpCall> = {}): HttpCall => ({
  service: 'accounting',
  operation: 'try',
  method: 'GET',
  url: new URL(url),
  headers: {},
  timeoutMs: 5_000,
  ...more,
});
const egress = (url: string) => ({
  allowedHosts: [new URL(url).host],
  logger: keepingLogger(),
  now: () => clock.now(),
});

describe('the result of a call', () => {
  test('returns the complete response with any status, trace ID, and wait', async () => {
    const { url } = await service(() => ({
      status: 429,
      headers: { intuit_tid: '1-abc', 'Retry-After': '7' },
      text: 'busy',
    }));
    expect(await callService(callTo(url), egress(url))).toMatchObject({
      isAnswered: true,
      status: 429,
      text: 'busy',
      traceId: '1-abc',
      waitMs: 7_000,
    });
  });

  test('reports that nothing was sent when no server listens', async () => {
    const stopped = await startFakeService(() => ({ text: '' }));
    await stopped.stop();
    expect(await callService(callTo(stopped.url), egress(stopped.url))).toMatchObject({
      isAnswered: false,
      isUnsent: true,
    });
  });

  test('reports a possible arrival when no response comes in time', async () => {
    const { url, received } = await service(() => ({ raw: () => undefined }));
    const result = await callService(callTo(url, { method: 'POST', body: '{}', timeoutMs: 150 }), egress(url));
    expect(result).toMatchObject({ isAnswered: false, isUnsent: false, reason: 'no answer within 0.15 s' });
    expect(received).toHaveLength(1);
  });

  test('reports a possible arrival when the connection is cut before the response', async () => {
    const { url } = await service(() => ({ raw: (response) => response.socket?.resetAndDestroy() }));
    const result = await callService(callTo(url, { method: 'POST', body: '{}' }), egress(url));
    expect(result).toMatchObject({ isAnswered: false, isUnsent: false });
  });

  test('treats an incomplete body as no response', async () => {
    const { url } = await service(() => ({
      raw(response) {
        response.writeHead(200, { 'Content-Length': '1000', intuit_tid: '1-cut' });
        response.write('{"Invoice":', () => response.socket?.destroy());
      },
    }));
    const result = await callService(callTo(url), egress(url));
    expect(result).toMatchObject({ isAnswered: false, isUnsent: false, status: 200, traceId: '1-cut' });
  });

  test('treats invalid gzip as no response', async () => {
    const { url } = await service(() => ({ headers: { 'Content-Encoding': 'gzip' }, text: 'garbage' }));
    expect(await callService(callTo(url), egress(url))).toMatchObject({ isAnswered: false, isUnsent: false });
  });

  test('aborts a response of 30 MB', async () => {
    const { url } = await service(() => ({ text: 'x'.repeat(30 * 1024 * 1024) }));
    const result = await callService(callTo(url), egress(url));
    expect(result).toMatchObject({ isAnswered: false, isUnsent: false });
    expect(result).toHaveProperty('reason', expect.stringMatching(/larger than/));
  });

  test.each([301, 302, 307, 308])(
    'does not follow a redirect with status %i, so no credentials leave',
    async (status) => {
      const other = await service(() => ({ json: {} }));
      const { url } = await service(() => ({ status, headers: { Location: `${other.url}/steal` }, text: '' }));
      const result = await callService(callTo(url, { headers: { Authorization: 'Bearer secret' } }), egress(url));
      expect(result).toMatchObject({ isAnswered: true, status });
      expect(other.received).toEqual([]);
    },
  );
});

describe('connections', () => {
  /** Starts a server that records the connection of each request. */
  async function counting(more: { readonly closesAtReuse?: boolean } = {}) {
    const connections = new Map<Socket, number>();
    const used: number[] = [];
    const server = createServer((request, response) => {
      const { socket } = request;
      const isKnown = connections.has(socket);
      if (!isKnown) connections.set(socket, connections.size + 1);
      used.push(connections.get(socket) ?? 0);
      request.resume();
      if (isKnown && more.closesAtReuse === true) socket.resetAndDestroy();
      else response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ends.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, used };
  }

  test('are reused for repeatable calls', async () => {
    const { url, used } = await counting();
    for (let turn = 0; turn < 3; turn += 1) await callService(callTo(url), egress(url));
    expect(used).toEqual([1, 1, 1]);
  });

  test('N12 are separate for a call that must not be sent twice, and closed afterward', async () => {
    const { url, used } = await counting({ closesAtReuse: true });
    const write = callTo(url, { method: 'POST', body: '{}', isOnce: true });
    expect(await callService(callTo(url), egress(url))).toMatchObject({ isAnswered: true });
    expect(await callService(write, egress(url))).toMatchObject({ isAnswered: true });
    expect(await callService(write, egress(url))).toMatchObject({ isAnswered: true });
    expect(used).toEqual([1, 2, 3]);
  });

  test('N12 leave the arrival unknown when the server closes one at reuse', async () => {
    const { url, used } = await counting({ closesAtReuse: true });
    await callService(callTo(url), egress(url));
    expect(await callService(callTo(url), egress(url))).toMatchObject({ isAnswered: false, isUnsent: false });
    expect(used).toEqual([1, 1]);
  });

  test.each(['new', 'reused'])(
    'D8 send no byte of a call that may no longer leave, on a %s connection',
    async (connection) => {
      const { url, received } = await service(() => ({ json: {} }));
      await callService(callTo(url), egress(url));
      const isOnce = connection === 'new';
      const late = callTo(url, { method: 'POST', body: '{}', isOnce, mayLeave: () => false });
      expect(await callService(late, egress(url))).toMatchObject({ isAnswered: false, isUnsent: true });
      expect(await callService({ ...late, mayLeave: () => true }, egress(url))).toMatchObject({ isAnswered: true });
      expect(received.map(({ method }) => method)).toEqual(['GET', 'POST']);
    },
  );

  test('N12 to an unknown host are never opened, so nothing is sent', async () => {
    const result = await callService(callTo('https://unknown.invalid/'), egress('https://unknown.invalid/'));
    expect(result).toMatchObject({ isAnswered: false, isUnsent: true });
  });

  test("N12 to a service with another host's certificate send nothing", async () => {
    const certificate = certificateFor('other.example');
    let requests = 0;
    const server = createTlsServer(certificate, (_request, response) => {
      requests += 1;
      response.end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const before = getCACertificates('default');
    setDefaultCACertificates([certificate.cert]);
    try {
      const url = `https://localhost:${(server.address() as AddressInfo).port}/`;
      const write = callTo(url, { method: 'POST', body: 'canary', isOnce: true });
      expect(await callService(write, egress(url))).toEqual({
        isAnswered: false,
        isUnsent: true,
        reason: 'ERR_TLS_CERT_ALTNAME_INVALID',
        status: undefined,
        traceId: undefined,
      });
      expect(requests).toBe(0);
    } finally {
      setDefaultCACertificates(before);
      server.closeAllConnections();
      server.close();
    }
  });

  test('to addresses that are not public are refused unless the configuration allows the host', async () => {
    const { url, received } = await service(() => ({ json: {} }));
    const closed = { ...egress(url), allowedHosts: [] };
    const byName = url.replace('127.0.0.1', 'localhost');
    for (const target of [url, byName, url.replace('127.0.0.1', '[::1]'), 'http://169.254.169.254/'])
      expect(await callService(callTo(target, { headers: { Authorization: 'canary' } }), closed)).toMatchObject({
        isAnswered: false,
        isUnsent: true,
        reason: expect.stringMatching(/not public/),
      });
    expect(received).toEqual([]);
    expect(await callService(callTo(url), egress(url))).toMatchObject({ isAnswered: true });
  });
});

test.each([
  ['gzip', gzipSync('{"a":1}')],
  ['deflate', deflateSync('{"a":1}')],
  ['br', brotliCompressSync('{"a":1}')],
])('decompresses a response with %s', async (encoding, packed) => {
  const { url } = await service(() => ({
    raw(response) {
      response.writeHead(200, { 'Content-Encoding': encoding });
      response.end(packed);
    },
  }));
  expect(await callService(callTo(url), egress(url))).toMatchObject({ isAnswered: true, text: '{"a":1}' });
});

test('treats an unrequested compression, or a response that decompresses to 30 MB, as no response', async () => {
  const bomb = gzipSync('x'.repeat(30 * 1024 * 1024));
  const replies = [
    { encoding: 'zstd', body: Buffer.from('content') },
    { encoding: 'gzip', body: bomb },
    { encoding: 'gzip', body: bomb.subarray(0, 500) },
  ];
  const { url } = await service(() => ({
    raw(response) {
      const { encoding = '', body } = replies.shift() ?? {};
      response.writeHead(200, { 'Content-Encoding': encoding });
      response.end(body);
    },
  }));
  for (let turn = 0; turn < 3; turn += 1)
    expect(await callService(callTo(url), egress(url))).toMatchObject({
      isAnswered: false,
      isUnsent: false,
      status: 200,
    });
});

test('logs a call without query, headers, and bodies', async () => {
  const { url } = await service(() => ({ status: 500, headers: { intuit_tid: '1-x' }, text: 'canary-answer' }));
  const logger = keepingLogger();
  const calls: CallRecord[] = [];
  await callService(
    callTo(`${url}/v3/company/9341000000000001/query?query=canary-query`, {
      method: 'POST',
      headers: { Authorization: 'Bearer canary-token' },
      body: 'canary-body',
      document: 'invoice 48213',
    }),
    { ...egress(url), logger, onCall: (call) => calls.push(call) },
  );
  expect(logger.lines).toHaveLength(1);
  expect(logger.lines[0]?.fields).toMatchObject({
    service: 'accounting',
    operation: 'try',
    method: 'POST',
    path: '/v3/company/…/query',
    status: 500,
    traceId: '1-x',
    document: 'invoice 48213',
  });
  expect(JSON.stringify(logger.lines)).not.toMatch(/canary|9341000000000001/);
  expect(calls).toMatchObject([{ service: 'accounting', operation: 'try', method: 'POST', status: 500 }]);
});

describe('Retry-After', () => {
  const now = instant('2025-03-03T15:00:00Z');
  const read = (value: string, date?: string) =>
    retryAfterMs(new Headers({ 'Retry-After': value, ...(date !== undefined && { Date: date }) }), now);

  test('reads seconds and dates and ignores other values', () => {
    expect(read('0')).toBe(0);
    expect(read('60')).toBe(60_000);
    expect(read('Mon, 03 Mar 2025 15:00:30 GMT')).toBe(30_000);
    expect(read('Mon, 03 Mar 2025 14:00:00 GMT')).toBe(0);
    expect(read('soon')).toBeUndefined();
    expect(retryAfterMs(new Headers(), now)).toBeUndefined();
  });

  test("measures a date by the service's clock", () => {
    expect(read('Mon, 03 Mar 2025 17:00:30 GMT', 'Mon, 03 Mar 2025 17:00:00 GMT')).toBe(30_000);
  });

  test('returns at least zero and at most one hour', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.nat().map(String),
          fc.date({ noInvalidDate: true }).map((at) => at.toUTCString()),
        ),
        (value) => {
          const wait = read(value);
          expect(wait === undefined || (wait >= 0 && wait <= 3_600_000)).toBe(true);
        },
      ),
      { seed: 1 },
    );
  });
});

test("replaces a secret in a service's message", () => {
  expect(scrub('token abc.def is bad: abc.def', ['abc.def', ''])).toBe('token … is bad: …');
});
