import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { routeNames, routes } from '#contract/routes.ts';
import { notFound, sendFailure } from './errors.ts';
import { pagePolicyOf } from './security-headers.ts';

/** Addresses that belong to the server; everything else that a browser asks for is a screen. */
const serverPaths = /^\/(api|auth|r1c|webhooks|connect|register\/[^/]+|healthz|readyz|metrics|demo)(\/|$)/;

/** Screens that a search engine may know: whoever has not logged in sees the login there. Links of mails are none of them. */
const found: ReadonlySet<string> = new Set(['/', '/my', '/login']);

const patterns = routeNames.map((name) => ({
  method: routes[name].method,
  pattern: new RegExp(`^${routes[name].path.replace(/\/$/, '').replace(/:\w+/g, '[^/]+')}/?$`),
}));

/** Methods under which an address exists. */
export function methodsOf(path: string): readonly string[] {
  const found = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method as string);
  return [...new Set(found.includes('GET') ? [...found, 'HEAD'] : found)];
}

/**
 * Serves the built web application, and answers whatever no call answers: 405 where only the method is wrong, the
 * application's page for addresses of screens, 404 otherwise.
 */
export async function servePages(server: FastifyInstance, webFolder: string | null): Promise<void> {
  const folder = webFolder !== null && existsSync(join(webFolder, 'index.html')) ? webFolder : null;
  if (folder !== null) {
    const page = join(folder, 'index.html');
    const pagePolicy = pagePolicyOf(readFileSync(page, 'utf8'));
    await server.register(fastifyStatic, {
      root: folder,
      prefix: '/',
      index: false,
      // Only files that exist are routes: `/` and screens come to the handler below.
      wildcard: false,
      // The build has written them with Brotli and gzip (scripts/vite/compressed-files.ts).
      preCompressed: true,
      cacheControl: false,
      setHeaders: (reply, path) => {
        // Built files carry a hash of their content in their names; anything else may change with the next release.
        const isHashed = path.startsWith(join(folder, 'assets'));
        void reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
        // Packed files are the same page under a longer name.
        if (path.startsWith(page)) void reply.header('content-security-policy', pagePolicy);
      },
    });
  }

  server.setNotFoundHandler(async (request: FastifyRequest, reply: FastifyReply) => {
    const path = request.url.split('?', 1)[0] ?? '/';
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    const isScreen = isReading && !serverPaths.test(path) && !/\.\w{1,8}$/.test(path);
    if (isScreen && folder !== null) {
      if (!found.has(path)) void reply.header('x-robots-tag', 'noindex');
      return reply.sendFile('index.html', folder);
    }
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
