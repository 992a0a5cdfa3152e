import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signIn } from '#test/support/api-client.ts';

/** A product whose database is unavailable for a number of requests. */
let server: Server;
let url = '';
let away = 0;
beforeEach(async () => {
  server = createServer(({ url: path }, answer) => {
    const isAway = path !== '/auth/login' && away > 0;
    if (isAway) away -= 1;
    const body = isAway ? { success: false, error: 'service_unavailable' } : { success: true, data: { token: 'x' } };
    answer.writeHead(isAway ? 503 : 200, { 'retry-after': '0' }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
});
afterEach(() => new Promise((done) => server.close(done)));

const entered = async (waits: string[]) =>
  signIn(url, undefined, undefined, { tries: 3, onWait: (path) => void waits.push(path) });

test('a read that is answered by 503 is asked again, and counted', async () => {
  const waits: string[] = [];
  const api = await entered(waits);
  away = 2;
  expect(await api.data('GET', '/api/my/jobs')).toEqual({ token: 'x' });
  expect(waits).toEqual(['/api/my/jobs', '/api/my/jobs']);
});

test('a product that stays away fails, and so does a write at once', async () => {
  const waits: string[] = [];
  const api = await entered(waits);
  away = 3;
  await expect(api.data('GET', '/api/my/jobs')).rejects.toThrow('service_unavailable');
  away = 1;
  await expect(api.data('POST', '/api/my/settings/', {})).rejects.toThrow('service_unavailable');
  expect(waits).toHaveLength(2);
});

test('nobody else is patient unless told to be', async () => {
  const api = await signIn(url);
  away = 1;
  await expect(api.data('GET', '/api/my/jobs')).rejects.toThrow('service_unavailable');
});
