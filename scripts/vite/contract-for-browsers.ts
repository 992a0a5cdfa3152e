import type { Plugin } from 'vite';

/** Fields of a call's description that a browser does not need: only the server validates and authorizes. */
const onlyForServers = new Set(['summary', 'roles', 'client', 'tenantIds', 'params', 'query', 'body', 'reply']);
const descriptions = new Set(['route', 'narrowed']);

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/** Yields every object that is an argument of a call's description. */
function* described(node: Node): Generator<Node> {
  const callee = node['callee'];
  if (node.type === 'CallExpression' && isNode(callee) && descriptions.has(String(callee['name'])))
    for (const argument of node['arguments'] as readonly Node[])
      if (argument.type === 'ObjectExpression') yield argument;
  for (const value of Object.values(node))
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value])
      if (isNode(child)) yield* described(child);
}

/**
 * Marks values that a contract module computes when it loads, e.g. a schema made from a table of settings, as free of
 * side effects. The bundler then drops the unused ones with their tables.
 */
function unusedAreLeftOut(parse: (code: string) => unknown, code: string): string {
  const { body } = parse(code) as { readonly body: readonly Node[] };
  const computed = body
    .map((node) => (node.type === 'ExportNamedDeclaration' ? node['declaration'] : node))
    .flatMap((node) => (isNode(node) && node.type === 'VariableDeclaration' ? (node['declarations'] as Node[]) : []))
    .flatMap(({ init }) => (isNode(init) && computing.has(init.type) ? [init] : []));
  return computed
    .toSorted((one, other) => other.start - one.start)
    .reduce(
      (text, { start, end }) =>
        `${text.slice(0, start)}/*#__PURE__*/ (() => (${text.slice(start, end)}))()${text.slice(end)}`,
      code,
    );
}

const computing = new Set([
  'CallExpression',
  'NewExpression',
  'MemberExpression',
  'ArrayExpression',
  'ObjectExpression',
]);

/**
 * Reduces the contract to what a caller needs: method and path of each call. Schemas, sentences and roles stay out of
 * the browser's files.
 */
export const contractForBrowsers = (): Plugin => ({
  name: 'contract-for-browsers',
  apply: 'build',
  transform: {
    filter: { id: /\/src\/contract\/[\w-]+\.ts$/ },
    handler(code) {
      const surplus = [...described(this.parse(code) as unknown as Node)]
        .flatMap((object) => object['properties'] as readonly Node[])
        .filter(({ key }) => isNode(key) && onlyForServers.has(String(key['name'])));
      const kept = surplus
        .toSorted((one, other) => other.start - one.start)
        .reduce((text, { start, end }) => text.slice(0, start) + text.slice(end).replace(/^\s*,/, ''), code);
      return { code: unusedAreLeftOut(this.parse.bind(this), kept), map: null };
    },
  },
});
