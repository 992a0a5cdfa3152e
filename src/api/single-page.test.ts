import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { servePages } from './single-page.ts';

const folder = await mkdtemp(join(tmpdir(), 'tallybridge-pages-'));
const web = join(folder, 'web');
await mkdir(join(web, 'assets'), { recursive: true });
await mkdir(join(folder, '.git'));
await writeFile(join(folder, '.git', 'config'), 'repositoryformatversion = 0');
await writeFile(join(folder, 'package.json'), '{"dependencies":{}}');
await writeFile(join(web, 'assets', 'a-script.js'), '');
await writeFile(join(web, 'index.html'), '<!doctype html><title>the application</title>');
await mkdir(join(folder, 'help', 'assets'), { recursive: true });
await mkdir(join(folder, 'help', 'guide'));
await writeFile(join(folder, 'help', 'assets', 'a.js'), '');
await writeFile(join(folder, 'help', 'index.html'), 'the help');
await writeFile(join(folder, 'help', '404.html'), 'article not found');
await writeFile(join(folder, 'help', 'guide', 'start.html'), 'an article');
const server = fastify({ routerOptions: { ignoreTrailingSlash: true } });
await servePages(server, web);
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

const endpoint = '/webhooks/9b8f0f5e-0000-4000-8000-000000000000';

test.each(['/', '/my', '/connections?reload=qbo', '/register', '/autotask-error', '/logs/', '/webhooks', endpoint])(
  'serves %s as a screen, also when opened directly',
  async (url) => {
    const answer = await server.inject({ url });
    expect([answer.statusCode, answer.body]).toEqual([200, expect.stringContaining('the application')]);
  },
);

test('lets search engines index the login page only', async () => {
  const robots = async (url: string) => (await server.inject({ url })).headers['x-robots-tag'];
  for (const url of ['/', '/my', '/login']) expect(await robots(url)).toBeUndefined();
  for (const url of ['/password/a-token', '/invitation/a-token', '/register', '/logs', '/login/', '/anything'])
    expect(await robots(url)).toBe('noindex');
});

test('serves the help without a login, at addresses without extension', async () => {
  const get = async (url: string) => {
    const { statusCode, body, headers } = await server.inject({ url });
    return [statusCode, headers.location ?? body];
  };
  expect(await get('/help')).toEqual([302, '/help/']);
  expect(await get('/help/')).toEqual([200, 'the help']);
  expect(await get('/help/guide/start')).toEqual([200, 'an article']);
  expect(await get('/help/guide/start?from=setup')).toEqual([200, 'an article']);
  expect(await get('/help/guide/unknown')).toEqual([404, 'article not found']);
  const { headers } = await server.inject({ url: '/help/assets/a.js' });
  expect(headers['cache-control']).toMatch(/immutable/);
  expect((await server.inject({ url: '/help/guide/start' })).headers['cache-control']).toBe('no-cache');
});

test.each(['/api/unknown', '/auth/unknown', '/connect/unknown', '/register/unknown', '/webhooks/unknown', '/x.js'])(
  'returns 404 for %s',
  async (url) => {
    expect((await server.inject({ url })).statusCode).toBe(404);
  },
);

test.each([
  '/assets',
  '/assets/',
  '/.git/config',
  '/.git/',
  '/..%2f..%2fpackage.json',
  '/%2e%2e/package.json',
  '/../package.json',
  '/../.git/config',
  '/help/../package.json',
  '/help/..%2f..%2fpackage.json',
  '/help/assets/',
])('shows no folder or file outside the built pages for %s', async (url) => {
  const { statusCode, body } = await server.inject({ url });
  if (statusCode === 200) expect(body).toContain('the application');
  else expect([400, 403, 404]).toContain(statusCode);
  expect(body).not.toMatch(/dependencies|repositoryformatversion|a-script|index\.html/);
});
