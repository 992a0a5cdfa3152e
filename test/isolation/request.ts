import { addressOf, type Fields, type RouteDefinition } from '#contract/define.ts';
import type { RouteName } from '#contract/routes.ts';
import { sampleAt, sentAlways } from './id-catalogue.ts';
import { requestValuesOf, type RequestValue } from './request-values.ts';

/** A request as data: what stands at which place. */
export interface Made {
  readonly method: string;
  readonly address: string;
  readonly body?: unknown;
}

/** Names nothing, wherever it stands. */
export const unknownId = '00000000-0000-4000-8000-000000000000';

type Tree = { [key: string]: unknown };

/**
 * Makes a request that the schemas of a call take.
 *
 * @param named what stands at places that name something, by place; of a list `[]` each value gets an entry of its own.
 *   Without it an id of nothing stands there, if anything must.
 * @param odd one place at which something stands that the schemas may not take.
 * @throws Error for a place that the matrix does not know.
 */
export function requestOf(
  name: RouteName,
  definition: RouteDefinition,
  named: Readonly<Record<string, readonly string[]>> = {},
  odd?: { readonly at: string; readonly value: unknown },
): Made {
  const tree: Tree = {};
  const places = requestValuesOf(definition).map((place) => ({ ...place, sample: sampleAt(name, definition, place) }));
  const isSent = ({ at, isRequired }: RequestValue) => isRequired || sentAlways.some((ending) => at.endsWith(ending));
  for (const place of places) if (isSent(place)) put(tree, place.at, place.sample ?? unknownId);
  for (const [at, values] of Object.entries(named)) {
    const list = /^(.*?)\[\](?:\.(.*))?$/.exec(at);
    const [, before, inside] = list ?? [];
    if (before === undefined) put(tree, at, values[0]);
    else {
      const entries = take(tree, before);
      const entry: unknown = Array.isArray(entries) ? entries[0] : undefined;
      const made = values.map((value) =>
        inside === undefined ? value : { ...(typeof entry === 'object' ? entry : {}), [inside]: value },
      );
      put(tree, before, made);
    }
  }
  if (odd !== undefined) put(tree, odd.at, odd.value);
  const { params, query, body } = tree as { params?: Fields; query?: Fields; body?: unknown };
  const address = addressOf(definition, { ...(params && { params }), ...(query && { query }) });
  return { method: definition.method, address, ...(definition.body === undefined ? {} : { body: body ?? {} }) };
}

function take(tree: Tree, at: string): unknown {
  return at.split('.').reduce<unknown>((found, key) => (found as Tree | undefined)?.[key], tree);
}

/** Puts a value at a place; `[]` is the first entry of a list. */
function put(tree: Tree, at: string, value: unknown): void {
  const keys = at.split('.');
  let here: Tree = tree;
  keys.forEach((key, index) => {
    const isLast = index === keys.length - 1;
    const name = key.replace(/\[\]$/, '');
    if (!key.endsWith('[]')) {
      if (isLast) here[name] = value;
      else here = (here[name] ??= {}) as Tree;
      return;
    }
    const list: unknown[] = Array.isArray(here[name]) ? here[name] : (here[name] = []);
    if (isLast) list[0] = value;
    else here = (list[0] ??= {}) as Tree;
  });
}
