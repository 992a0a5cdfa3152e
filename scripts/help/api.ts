import fastify from 'fastify';
import { serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod';
import { describeApi } from '#api/openapi.ts';
import { describe } from '#api/serve.ts';
import { routeNames, routes } from '#contract/routes.ts';

/** The members of a JSON schema that the pages show. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}
interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly { readonly apiKey?: readonly string[] }[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema?: Schema;
    readonly description?: string;
  }[];
  readonly requestBody?: Content;
  readonly responses?: Readonly<Record<string, Content>>;
}

/** Deeper fields are left to the OpenAPI document. */
const maxDepth = 4;

/** Returns the pages of the API reference, from the OpenAPI document of the contract. */
export async function apiPages(): Promise<ReadonlyMap<string, string>> {
  const server = fastify();
  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  await describeApi(server, '');
  for (const name of routeNames) server.route({ ...describe(name, routes[name]), handler: async () => null });
  await server.ready();
  const { info, paths } = server.swagger() as unknown as {
    readonly info: { readonly description: string };
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  await server.close();
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const byTag = Map.groupBy(calls, ({ operation }) => operation.tags[0] ?? 'other');
  const tags = [...byTag].toSorted(([a], [b]) => a.localeCompare(b));
  const list = tags.flatMap(([tag, found]) =>
    found.map(
      ({ method, path, operation }) =>
        `| [\`${method} ${path}\`](./${tag}.md#${operation.operationId}) | ${cell(operation.summary)} | ${scopeOf(operation) ?? '–'} |`,
    ),
  );
  const overview = [
    '# API',
    cell(info.description),
    'Programs send an [API key](../guide/screens.md#api-keys), or the token of [POST /auth/login](./auth.md#login), as `Authorization: Bearer …`. The last column has the scope of the key that a call needs; the scope `sync` includes `read`. The same reference as a document: <a href="/api/openapi.json" target="_self">openapi.json</a>.',
    ['| Call | Does | API key |', '|---|---|---|', ...list].join('\n'),
  ];
  return new Map([
    ['api/index.md', overview.join('\n\n')],
    ...tags.map(([tag, found]): [string, string] => [
      `api/${tag}.md`,
      [`# API: ${tag}`, ...found.map(({ method, path, operation }) => callPart(method, path, operation))].join('\n\n'),
    ]),
  ]);
}

function callPart(method: string, path: string, operation: Operation): string {
  const { parameters = [], requestBody, responses = {} } = operation;
  const given = parameters.map(
    ({ name, in: place, schema = {}, required, description }) =>
      `| \`${name}\` | ${place}, ${typeOf(schema)}${required === true ? '' : ', optional'} | ${cell(description ?? schema.description ?? '')} |`,
  );
  const data = schemaOf(responses['2XX'])?.properties?.['data'];
  return [
    `## ${cell(operation.summary)} {#${operation.operationId}}`,
    `\`${method} ${path}\` · ${accessOf(operation)}`,
    ...tableOf('Parameters', given),
    ...tableOf('Body', fieldsOf(schemaOf(requestBody))),
    ...tableOf('Response, in data', fieldsOf(data)),
  ].join('\n\n');
}

function accessOf({ security = [] }: Operation): string {
  if (security.length === 0) return 'no session needed';
  const scope = scopeOf({ security });
  return scope === undefined ? 'needs a session' : `needs a session, or an API key with the scope \`${scope}\``;
}

/** Returns the scope of API keys that the call accepts; undefined: none. */
const scopeOf = ({ security = [] }: Pick<Operation, 'security'>): string | undefined =>
  security.flatMap(({ apiKey = [] }) => apiKey)[0];

const tableOf = (title: string, rows: readonly string[]): readonly string[] =>
  rows.length === 0 ? [] : [`**${title}**`, [`| Name | Type | Meaning |`, '|---|---|---|', ...rows].join('\n')];

const schemaOf = (content: Content | undefined): Schema | undefined => Object.values(content?.content ?? {})[0]?.schema;

/** Returns a row for each field of an object, with the fields inside it. */
function fieldsOf(schema: Schema | undefined, prefix = '', depth = 1): readonly string[] {
  const object = objectIn(schema);
  if (object?.properties === undefined || depth > maxDepth) return [];
  const isList = schema?.type === 'array' && depth === 1 ? '[].' : '';
  return Object.entries(object.properties).flatMap(([name, field]) => {
    const path = `${prefix}${isList}${name}`;
    const isOptional = object.required?.includes(name) !== true;
    const row = `| \`${path}\` | ${typeOf(field)}${isOptional ? ', optional' : ''} | ${cell(field.description ?? '')} |`;
    const suffix = field.type === 'array' ? '[].' : '.';
    return [row, ...fieldsOf(field, `${path}${suffix}`, depth + 1)];
  });
}

/** Returns the object that a schema describes: itself, the items of a list, or its first alternative with fields. */
function objectIn(schema: Schema | undefined): Schema | undefined {
  if (schema === undefined) return undefined;
  if (schema.properties !== undefined) return schema;
  if (schema.items !== undefined) return objectIn(schema.items);
  return (schema.anyOf ?? schema.oneOf ?? []).map(objectIn).find((one) => one !== undefined);
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${cell(JSON.stringify(schema.const))}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${cell(String(value))}\``).join(', ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options !== undefined) return [...new Set(options.map(typeOf))].join(' or ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  const type = typeof schema.type === 'string' ? schema.type : (schema.type ?? ['any']).join(' or ');
  return schema.format === undefined ? type : `${type} (${schema.format})`;
}

/** Escapes a text for a table, except in code. */
const cell = (text: string): string =>
  text
    .replaceAll('\n', ' ')
    .replaceAll('|', '\\|')
    .split('`')
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('&', '&amp;').replaceAll('<', '&lt;')))
    .join('`');
