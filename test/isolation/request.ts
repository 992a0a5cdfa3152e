import { addressOf, type Fields, type RouteDefinition } from '#contract/define.ts';
import type { RouteName } from '#contract/routes.ts';
import { sampleAt, alwaysSent } from './id-catalogue.ts';
import { requestValuesOf, type RequestValue } from './request-values.ts';

/** A generated request. */
export interface SampleRequest {
  readonly method: string;
  readonly address: string;
  readonly body?: unknown;
}

/** An id of no record. */
export const unknownId = '00000000-0000-4000-8000-000000000000';

type Tree = { [key: string]: unknown };

/**
 * Generates a request that matches the schemas of a call.
 *
 * @param named ids by place; a list `[]` gets one entry per id. Default: an unknown id, if required.
 * @param override an override at one place, which may violate the schema.
 * @throws Error for an unknown place.
 */
export function requestOf(
  name: RouteName,
  definition: RouteDefinition,
  named: Readonly<Record<string, readonly string[]>> = {},
  override?: { readonly at: string; readonly value: unknown },
): SampleRequest {
  const tree: Tree = {};
  const places = requestValuesOf(definition).map((place) => ({ ...place, sample: sampleAt(name, definition, place) }));
  const isSent = ({ at, isRequired }: RequestValue) => isRequired || alwaysSent.some((ending) => at.endsWith(ending));
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
  if (override !== undefined) put(tree, override.at, override.value);
  const { params, query, body } = tree as { params?: Fields; query?: Fields; body?: unknown };
  const address = addressOf(definition, { ...(params && { params }), ...(query && { query }) });
  return { method: definition.method, address, ...(definition.body === undefined ? {} : { body: body ?? {} }) };
}

function take(tree: Tree, at: string): unknown {
  return at.split('.').reduce<unknown>((found, key) => (found as Tree | undefined)?.[key], tree);
}

/** Sets a value at a place; `[]` means the first entry of a list. */
function put(tree: Tree, at: string, value: unknown): void {
  const keys = at.split('.');
  let here: Tree = tree;
  keys.forEach((key, index) => {
    const isDestructive = index === keys.length - 1;
    const name = key.replace(/\[\]$/, '');
    if (!key.endsWith('[]')) {
      if (isDestructive) here[name] = value;
      else here = (here[name] ??= {}) as Tree;
      return;
    }
    const list: unknown[] = Array.isArray(here[name]) ? here[name] : (here[name] = []);
    if (isDestructive) list[0] = value;
    else here = (list[0] ??= {}) as Tree;
  });
}
