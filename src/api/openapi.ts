import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { jsonSchemaTransform } from 'fastify-type-provider-zod';
import { escaped } from '#core/values/html.ts';
import { page } from './pages.ts';

/** Creates the OpenAPI document of all routes registered afterward, and a page to read it. */
export async function describeApi(server: FastifyInstance, version: string): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tallybridge',
        version,
        description:
          'Syncs a PSA with QuickBooks Online. Every success is `{success: true, data, message?}`, every failure `{success: false, message, error, errors?}` with a 4xx or 5xx status. The header `still-reading: yes` means that a connected service was too slow, so the answer has stored data. Send the request again after a few seconds, without `refresh`, to get the new data.',
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
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'tbk_…',
            description:
              'An API key of the client, created on the screen API Keys. Each call that accepts keys names the scope it needs; the scope `sync` includes `read`.',
          },
        },
      },
    },
    transform: jsonSchemaTransform,
  });
  const document: PreparedPage = {
    path: '/api/openapi.json',
    type: 'application/json; charset=utf-8',
    of: JSON.stringify,
  };
  const docs: PreparedPage = { path: '/api/docs', type: 'text/html; charset=utf-8', of: docsPage };
  for (const page of [document, docs]) servePrepared(server, page);
}

interface PreparedPage {
  readonly path: string;
  readonly type: string;
  /** Writes the page; called once. */
  readonly of: (document: Document) => string;
}

/** Serves a page that is written and compressed once, for the first request, with an ETag. */
function servePrepared(server: FastifyInstance, { path, type, of }: PreparedPage): void {
  const prepare = async () => {
    const text = Buffer.from(of(server.swagger()));
    const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`;
    return { etag, bytes: { br: await brotli(text), gzip: await zip(text), identity: text } };
  };
  let prepared: ReturnType<typeof prepare> | undefined;
  server.get(path, { schema: { hide: true } }, async ({ headers }, reply) => {
    const { etag, bytes } = await (prepared ??= prepare());
    void reply.headers({ 'cache-control': 'no-cache', etag, vary: 'accept-encoding' });
    if (headers['if-none-match']?.includes(etag) === true) return reply.code(304).send();
    const accepted = headers['accept-encoding'] ?? '';
    const encoding = (['br', 'gzip'] as const).find((one) => new RegExp(`\\b${one}\\b`).test(accepted)) ?? 'identity';
    if (encoding !== 'identity') void reply.header('content-encoding', encoding);
    return reply.type(type).send(bytes[encoding]);
  });
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

type Document = Exclude<ReturnType<FastifyInstance['swagger']>, string>;

const methods = ['get', 'post', 'put', 'delete'] as const;

/** Returns the OpenAPI document as a page without scripts or external resources. */
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
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: unknown;
  readonly requestBody?: unknown;
  readonly responses?: unknown;
}

function accessText({ security }: Operation): string {
  if (security === undefined) return 'No session needed.';
  const scope = security.find((one) => 'apiKey' in one)?.['apiKey']?.[0];
  return scope === undefined
    ? 'Needs a session.'
    : `Needs a session, or an API key with the scope <code>${escaped(scope)}</code>.`;
}

function operationPart(method: string, path: string, operation: Operation): string {
  const shown = (title: string, value: unknown) =>
    value === undefined ? '' : `<h3>${title}</h3><pre>${escaped(JSON.stringify(value, null, 2))}</pre>`;
  return `<details id="${escaped(operation.operationId ?? path)}"><summary><span class="method">${method.toUpperCase()}</span> <code>${escaped(path)}</code> ${escaped(operation.summary ?? '')}</summary>
<p>${accessText(operation)}</p>
${shown('Parameters', operation.parameters)}${shown('Body', operation.requestBody)}${shown('Answers', operation.responses)}
</details>`;
}
