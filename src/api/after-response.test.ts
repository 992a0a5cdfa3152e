import fastify from 'fastify';
import { expect, test } from 'vitest';
import { silentLogger } from '#test/support/logger.ts';
import { afterResponse } from './after-response.ts';
import { eventually } from '#test/support/eventually.ts';

/** Starts a server that works after each response, and records the completed work. */
async function working(withinMs: number) {
  const server = fastify();
  const done: string[] = [];
  const after = afterResponse(server, { logger: silentLogger }, withinMs);
  server.get('/:name', async (request, reply) => {
    after(reply, 'tell', async () => void done.push(request.url));
    return { said: request.url };
  });
  const url = await server.listen({ port: 0, host: '127.0.0.1' });
  return { server, done, ask: async (name: string) => (await fetch(`${url}/${name}`)).json() };
}

test('work runs after the response at an unpredictable time', async () => {
  const { server, done, ask } = await working(50);
  const names = Array.from({ length: 40 }, (_, index) => `/${String(index).padStart(2, '0')}`);
  for (const name of names) await ask(name.slice(1));
  await eventually(() => expect(done.toSorted()).toEqual(names));
  expect(done).not.toEqual(names);
  await server.close();
});

test('a closing server completes pending work at once', async () => {
  const { server, done, ask } = await working(3_600_000);
  expect(await ask('late')).toEqual({ said: '/late' });
  await server.close();
  expect(done).toEqual(['/late']);
});
