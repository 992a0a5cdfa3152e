import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { escaped } from '#core/values/html.ts';
import { page } from './pages.ts';

/** Makes the OpenAPI document of the routes that are registered afterwards, and the page to read it. */
export async function describeApi(server: FastifyInstance, version: string): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tallybridge',
        version,
        description:
          'Keeps a PSA and the books in step. Every success is `{success: true, data, message?}`, every failure `{success: false, message, error, errors?}` with a 4xx or 5xx status.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: '/' }],
      components: {
        securitySchemes: {
          session: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: 'The token of POST /auth/login. Tokens that a browser got also need its cookie.',
          },
        },
      },
    },
    transform: jsonSchemaTransform,
  });
  server.get('/api/openapi.json', { schema: { hide: true } }, async (_, reply) => reply.send(server.swagger()));
  server.get('/api/docs', { schema: { hide: true } }, async (_, reply) =>
    reply.type('text/html; charset=utf-8').send(docsPage(server.swagger())),
  );
}

type Document = Exclude<ReturnType<FastifyInstance['swagger']>, string>;

const methods = ['get', 'post', 'put', 'delete'] as const;

/** The document as a page that needs no script and nothing from elsewhere. */
function docsPage(document: Document): string {
  const groups = new Map<string, string[]>();
  for (const [path, item] of Object.entries(document.paths ?? {}))
    for (const method of methods) {
      const operation = item?.[method];
      if (operation === undefined) continue;
      const tag = operation.tags?.[0] ?? '';
      groups.set(tag, [...(groups.get(tag) ?? []), operationPart(method, path, operation)]);
    }
  const parts = [...groups].map(([tag, list]) => `<h2>${escaped(tag)}</h2>\n${list.join('\n')}`);
  return page(
    'API',
    `<h1>Tallybridge API ${escaped(document.info.version)}</h1>
<p>${escaped(document.info.description ?? '')} The same as a document for programs: <a href="/api/openapi.json">openapi.json</a>.</p>
${parts.join('\n')}`,
    { isWide: true },
  );
}

interface Operation {
  readonly summary?: string;
  readonly operationId?: string;
  readonly security?: unknown;
  readonly parameters?: unknown;
  readonly requestBody?: unknown;
  readonly responses?: unknown;
}

function operationPart(method: string, path: string, operation: Operation): string {
  const shown = (title: string, value: unknown) =>
    value === undefined ? '' : `<h3>${title}</h3><pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;
  return `<details id="${escaped(operation.operationId ?? path)}"><summary><span class="method">${method.toUpperCase()}</span> <code>${escaped(path)}</code> ${escaped(operation.summary ?? '')}</summary>
<p>${operation.security === undefined ? 'No session needed.' : 'Needs a session.'}</p>
${shown('Parameters', operation.parameters)}${shown('Body', operation.requestBody)}${shown('Answers', operation.responses)}
</details>`;
}
