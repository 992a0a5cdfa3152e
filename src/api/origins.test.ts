import { request } from 'node:http';
import { afterAll, expect, test } from 'vitest';
import { newApi, people } from '#test/support/api.ts';

const api = await newApi();
afterAll(() => api.close());

/** Sends a request with a custom host, which fetch does not allow. */
function sendTo(host: string, path: string, method = 'GET'): Promise<number> {
  return new Promise((done, fail) => {
    request(new URL(path, api.url), { method, headers: { host } }, (answer) => {
      answer.resume();
      done(answer.statusCode ?? 0);
    })
      .on('error', fail)
      .end();
  });
}

test.each(['evil.example', 'evil.example:3000', 'localhost.evil.example', '127.0.0.1.evil.example', 'evil.example.'])(
  'rejects a request to %s, because a foreign domain could point to this machine',
  async (host) => {
    expect(await sendTo(host, '/api/environment')).toBe(421);
    expect(await sendTo(host, '/')).toBe(421);
    expect(await sendTo(host, '/auth/login', 'POST')).toBe(421);
    expect(await sendTo(host, '/healthz')).toBe(200);
    expect(await sendTo(host, '/readyz')).toBe(200);
    expect(await sendTo(host, '/metrics'), 'metrics of a demo').toBe(421);
  },
);

test.each(['localhost', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000', '10.0.0.7', 'tallybridge', 'backend:8080'])(
  'serves a request to %s, which no foreign domain can use',
  async (host) => expect(await sendTo(host, '/api/environment')).toBe(200),
);

test.each([
  ['https://evil.example', 403],
  ['null', 403],
  ['http://localhost.evil.example:3000', 403],
  ['http://localhost:3000', 200],
])('a change from %s without Sec-Fetch-Site gets %d', async (origin, status) => {
  const logIn = { username: people.admin, password: 'Correct-Horse-9' };
  expect((await api.call('POST', '/auth/login', { body: logIn, headers: { origin } })).status).toBe(status);
  expect((await api.call('GET', '/api/environment', { headers: { origin } })).status).toBe(200);
});
