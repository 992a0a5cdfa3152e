import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { routeNames, routes } from '#contract/routes.ts';
import { maintenanceText } from '#core/records/maintenance.ts';
import { maintenanceRetrySeconds, notFound, sendFailure } from './errors.ts';
import { maintenancePage } from './pages.ts';
import type { Serving } from './serve.ts';

/** Paths of the server; every other path of a browser is a screen. */
const serverPaths = /^\/(api|auth|r1c|webhooks\/[a-z]+|connect|register\/[^/]+|healthz|readyz|metrics|demo|help)(\/|$)/;

/** The screen that stays open during maintenance. */
const loginPath = '/login';

/** Returns true for the login screen, and for the redirect of a finished sign-on, whose code the screens exchange. */
const isLogin = (path: string, url: string): boolean =>
  path === loginPath || new URLSearchParams(url.slice(path.length)).has('kiss');

/** Screens that search engines may index: visitors see the login there. Links in emails are excluded. */
const found: ReadonlySet<string> = new Set(['/', '/my', loginPath]);

const patterns = routeNames.map((name) => ({
  method: routes[name].method,
  pattern: new RegExp(`^${routes[name].path.replace(/\/$/, '').replace(/:\w+/g, '[^/]+')}/?$`),
}));

/** Returns the methods that exist for a path. */
export function methodsOf(path: string): readonly string[] {
  const found = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method as string);
  return [...new Set(found.includes('GET') ? [...found, 'HEAD'] : found)];
}

/** Serves the built help at `/help/`; `/help` redirects there. */
async function serveHelp(server: FastifyInstance, helpFolder: string): Promise<void> {
  await server.register(fastifyStatic, {
    root: helpFolder,
    prefix: '/help/',
    redirect: true,
    // Addresses of pages have no extension.
    extensions: ['html'],
    decorateReply: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const isHashed = path.startsWith(join(helpFolder, 'assets'));
      void reply.header('cache-control', isHashed ? immutable : 'no-cache').header('x-robots-tag', 'noindex');
    },
  });
  // The router ignores a slash at the end, but the links of the pages need it.
  server.get('/help', { schema: { hide: true } }, async ({ url }, reply) =>
    url.split('?', 1)[0] === '/help'
      ? reply.redirect('/help/')
      : reply.headers({ 'cache-control': 'no-cache', 'x-robots-tag': 'noindex' }).sendFile('index.html', helpFolder),
  );
}

/** Built files with a hash in their names never change. */
const immutable = 'public, max-age=31536000, immutable';

/**
 * Serves the built web application and the help beside it, and answers requests without a route: 405 if only the method
 * is wrong, the application's page for paths of screens, otherwise 404.
 *
 * @param webFolder output of the web build; the help is in the folder `help` beside it.
 * @param serving during maintenance, browsers get its page, apart from those of system administrators.
 */
export async function servePages(
  server: FastifyInstance,
  webFolder: string | null,
  serving?: Pick<Serving, 'maintenance' | 'sessions'>,
): Promise<void> {
  const folder = webFolder !== null && existsSync(join(webFolder, 'index.html')) ? webFolder : null;
  if (folder !== null) {
    await server.register(fastifyStatic, {
      root: folder,
      prefix: '/',
      index: false,
      // Only existing files get routes; the handler below answers `/` and screens.
      wildcard: false,
      // The build compresses them with Brotli and gzip.
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply, path) => {
        // Built files have a hash in their names; other files may change with each release.
        const isHashed = path.startsWith(join(folder, 'assets'));
        void reply.header('cache-control', isHashed ? immutable : 'no-cache');
      },
    });
  }

  const help = folder === null ? null : join(folder, '..', 'help');
  const helpFolder = help !== null && existsSync(join(help, 'index.html')) ? help : null;
  if (helpFolder !== null) await serveHelp(server, helpFolder);

  server.setNotFoundHandler(async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    const isScreen = isReading && !serverPaths.test(path) && !/\.\w{1,8}$/.test(path);
    const now = serving?.maintenance.current() ?? null;
    if (
      isScreen &&
      now !== null &&
      !isLogin(path, request.url) &&
      (await serving?.sessions.isOperator(request)) !== true
    )
      return reply
        .code(503)
        .header('retry-after', maintenanceRetrySeconds)
        .type('text/html; charset=utf-8')
        .send(maintenancePage(maintenanceText(now)));
    if (isScreen && folder !== null) {
      if (!found.has(path)) void reply.header('x-robots-tag', 'noindex');
      return reply.sendFile('index.html', folder);
    }
    if (isReading && helpFolder !== null && path.startsWith('/help/'))
      return reply.code(404).header('cache-control', 'no-cache').sendFile('404.html', helpFolder);
    const methods = methodsOf(path);
    if (methods.length > 0 && !methods.includes(request.method)) {
      void reply.header('allow', methods.join(', '));
      return sendFailure(reply, {
        status: 405,
        code: 'method_not_allowed',
        message: `${request.method} is not possible here.`,
      });
    }
    return sendFailure(reply, notFound());
  });
}
