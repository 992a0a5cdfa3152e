import type { FastifyInstance } from 'fastify';

/** A route of a server. */
export interface ServerRoute {
  /** For example `GET`. */
  readonly method: string;
  /** With parameters as `:name`. */
  readonly path: string;
}

/** Returns all routes of a server that is ready. */
export function routesOf(server: FastifyInstance): readonly ServerRoute[] {
  const above: string[] = [];
  return server
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, lead = '', part = '', methods] = /^([│ ]*[├└]── )(\S*)(?: \(([A-Z, -]+)\))?/.exec(line) ?? [];
      if (lead === '') return [];
      const depth = lead.length / 4;
      const path = `${above[depth - 1] ?? ''}${part}`;
      above[depth] = path;
      return methods === undefined ? [] : methods.split(', ').map((method) => ({ method, path }));
    });
}
