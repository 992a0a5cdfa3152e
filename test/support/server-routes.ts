import type { FastifyInstance } from 'fastify';

/** One address of a server. */
export interface ServerRoute {
  /** E.g. `GET`. */
  readonly method: string;
  /** Parameters are written `:name`. */
  readonly path: string;
}

/** Every route that a server answers, whoever registered it; the server must be ready. */
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
