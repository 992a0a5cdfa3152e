import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servePages } from './single-page.ts';

let folder: string;
let server: FastifyInstance;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallybridge-pages-'));
  const web = join(folder, 'web');
  await mkdir(join(web, 'assets'), { recursive: true });
  await mkdir(join(folder, '.git'));
  await writeFile(join(folder, '.git', 'config'), 'repositoryformatversion = 0');
  await writeFile(join(folder, 'package.json'), '{"dependencies":{}}');
  await writeFile(join(web, 'assets', 'a-script.js'), '');
  await writeFile(join(web, 'index.html'), '<!doctype html><title>the application</title>');
  server = fastify();
  await servePages(server, web);
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

test.each(['/', '/my', '/connections', '/connections?reload=qbo', '/register', '/autotask-error', '/logs/'])(
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

test.each(['/api/unknown', '/auth/unknown', '/connect/unknown', '/register/unknown', '/missing.js'])(
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
])('shows no folder or file outside the built pages for %s', async (url) => {
  const { statusCode, body } = await server.inject({ url });
  if (statusCode === 200) expect(body).toContain('the application');
  else expect([400, 403, 404]).toContain(statusCode);
  expect(body).not.toMatch(/dependencies|repositoryformatversion|a-script|index\.html/);
});
