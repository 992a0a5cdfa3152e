import fastify, { type FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import type { Job } from '#core/records/jobs.ts';
import { eventually } from '#test/support/eventually.ts';
import { silentLogger } from '#test/support/logger.ts';
import { afterResponse, type AfterResponse } from './after-response.ts';
import { jobWatcher, streamJob } from './job-events.ts';
import { onConnectionClosed } from './connection-closed.ts';

/** Starts a server whose response starts immediately, or only after the caller has disconnected. */
async function serving(answer: (reply: FastifyReply, after: AfterResponse) => Promise<unknown>, isLate: boolean) {
  const server = fastify();
  const after = afterResponse(server, { logger: silentLogger });
  let arrived: () => void = () => undefined;
  const arrival = new Promise<void>((resolve) => (arrived = resolve));
  server.get('/', async (_request, reply) => {
    arrived();
    if (isLate) await new Promise<void>((left) => reply.raw.once('close', () => left()));
    return answer(reply, after);
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  const leaving = new AbortController();
  const response = fetch(url, { signal: leaving.signal }).then(
    (found) => found.text(),
    () => 'left',
  );
  await arrival;
  if (isLate) leaving.abort();
  return { server, response, leave: () => leaving.abort() };
}

test.each([false, true])('reports a closed connection once, even if it closed earlier: %s', async (isLate) => {
  let times = 0;
  const { server, response } = await serving(async (reply) => {
    onConnectionClosed(reply, () => (times += 1));
    return 'answered';
  }, isLate);
  expect(await response).toBe(isLate ? 'left' : 'answered');
  await eventually(() => expect(times).toBe(1));
  await server.close();
  expect(times).toBe(1);
});

test('runs work after a response whose caller already disconnected', async () => {
  const done: string[] = [];
  const { server } = await serving((reply, after) => {
    after(reply, 'tell', async () => void done.push('told'));
    return Promise.resolve('unread');
  }, true);
  await eventually(() => expect(done).toEqual(['told']));
  await server.close();
});

test('ends an event stream at once when its caller already disconnected', async () => {
  const readJob = async () => ({ status: 'running', results: [] }) as unknown as Job;
  const watcher = jobWatcher({ store: { forTenant: () => ({ readJob }) } } as never);
  let hasEnded = false;
  const { server } = await serving(async (reply) => {
    const isAlive = async () => true;
    await streamJob(reply, watcher, { tenantId: 'tenant', id: 'job' }, isAlive, new AbortController().signal);
    hasEnded = true;
  }, true);
  await eventually(() => expect(hasEnded).toBe(true));
  await server.close();
});
