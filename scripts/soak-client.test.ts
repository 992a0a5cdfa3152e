import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { signIn } from '#test/support/api-client.ts';

/** A product whose database is unavailable for a number of requests. */
let server: Server;
let url = '';
let failures = 0;
beforeEach(async () => {
  server = createServer(({ url: path }, answer) => {
    const isFailing = path !== '/auth/login' && failures > 0;
    if (isFailing) failures -= 1;
    const body = isFailing ? { success: false, error: 'service_unavailable' } : { success: true, data: { token: 'x' } };
    answer.writeHead(isFailing ? 503 : 200, { 'retry-after': '0' }).end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
});
afterEach(() => new Promise((done) => server.close(done)));

const logIn = async (waits: string[]) =>
  signIn(url, undefined, undefined, { tries: 3, onWait: (path) => void waits.push(path) });

test('retries and counts a read with a 503 response', async () => {
  const waits: string[] = [];
  const api = await logIn(waits);
  failures = 2;
  expect(await api.data('GET', '/api/my/jobs')).toEqual({ token: 'x' });
  expect(waits).toEqual(['/api/my/jobs', '/api/my/jobs']);
});

test('fails when the product stays unavailable, and at once for a write', async () => {
  const waits: string[] = [];
  const api = await logIn(waits);
  failures = 3;
  await expect(api.data('GET', '/api/my/jobs')).rejects.toThrow('service_unavailable');
  failures = 1;
  await expect(api.data('POST', '/api/my/settings/', {})).rejects.toThrow('service_unavailable');
  expect(waits).toHaveLength(2);
});

test('does not retry by default', async () => {
  const api = await signIn(url);
  failures = 1;
  await expect(api.data('GET', '/api/my/jobs')).rejects.toThrow('service_unavailable');
});
