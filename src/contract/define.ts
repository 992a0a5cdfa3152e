import type { z } from 'zod';
import type { Role } from '#core/roles.ts';

/**
 * Header (`yes`) of an answer that a connected service was too slow for: it has stored data in it, or is a refusal with
 * 503. The reading goes on: after some seconds the same request, without `refresh`, gets what it has found.
 */
export const stillReadingHeader = 'still-reading';

/** One HTTP call as data. The server validates by it, the OpenAPI document is made of it, the web application calls it. */
export interface RouteDefinition {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path parameters are written `:name`. */
  readonly path: string;
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  /** Roles that may call it, one of them is enough; `any`: whoever has a session; `public`: no session needed. */
  readonly roles: readonly Role[] | 'any' | 'public';
  /**
   * `required`: the session must name a client (a sysadmin masquerades first); `optional`: it may; absent: the call
   * concerns no client. The client always comes from the session, never from the request.
   */
  readonly client?: 'required' | 'optional';
  /** True for a call that changes nothing although its method may: a suspended client may make it too. */
  readonly reads?: true;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Largest body in bytes, where the schema does not bound it: by default at most 16 kB without a session, 64 kB with one. */
  readonly bodyBytes?: number;
  /**
   * The call reaches others, so it waits until somebody has proved the address of the caller: always, or when the body
   * says that it is to be done live.
   */
  readonly needsProof?: 'always' | 'live';
  /** Schema of `data` in a success; `browser`, `events` and `file` routes answer otherwise and have none. */
  readonly reply: z.ZodType;
  /**
   * `json` unless told: `browser` answers with pages and redirects, `events` with server-sent events, `text` with plain
   * text, `file` with a file. All but `browser` say what went wrong as JSON.
   */
  readonly speaks?: 'json' | 'browser' | 'events' | 'text' | 'file';
  /**
   * Places of the request that hold ids which belong to one tenant, e.g. `params.id` or `body.xrefs[].id`. Somebody
   * else's id there is answered exactly as one that does not exist. Empty: no such id.
   */
  readonly tenantIds: readonly string[];
}

/** Declares a call; the types of request and reply follow from its schemas. */
export const route = <const Definition extends RouteDefinition>(definition: Definition): Definition => definition;

/**
 * A second, narrower look at a call that answers differently by its query: the same method and path, other types. Only
 * the original is in the table of routes.
 */
export const narrowed = <const Definition extends RouteDefinition, Query extends z.ZodType, Reply extends z.ZodType>(
  original: Definition,
  parts: { readonly query: Query; readonly reply: Reply },
): Omit<Definition, 'query' | 'reply'> & { readonly query: Query; readonly reply: Reply } => ({
  ...original,
  ...parts,
});

/** Path parameters as the handler receives them. */
export type ParamsOf<R extends RouteDefinition> = R extends { readonly params: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** The query as the handler receives it: coerced, with defaults. */
export type QueryOf<R extends RouteDefinition> = R extends { readonly query: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** The body as the handler receives it. */
export type BodyOf<R extends RouteDefinition> = R extends { readonly body: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** Type of `data`. */
export type DataOf<R extends RouteDefinition> = z.output<R['reply']>;

/** The query as a caller writes it: numbers and booleans as such, defaults may be left out. */
type QueryToSend<S extends z.ZodType> = {
  [Key in keyof z.input<S>]: Key extends keyof z.output<S> ? z.output<S>[Key] : never;
};

type Part<Name extends string, Value> =
  Partial<Value> extends Value ? { readonly [Key in Name]?: Value } : { readonly [Key in Name]: Value };

/** Input of a caller: `params`, `query` and `body` as far as the call has them. */
export type RequestOf<R extends RouteDefinition> = (R extends { readonly params: infer S extends z.ZodType }
  ? Part<'params', z.input<S>>
  : unknown) &
  (R extends { readonly query: infer S extends z.ZodType } ? Part<'query', QueryToSend<S>> : unknown) &
  (R extends { readonly body: infer S extends z.ZodType } ? Part<'body', z.input<S>> : unknown);

/**
 * The address of a call: path parameters filled in and percent-encoded, query appended; `undefined` values are left out.
 *
 * @throws Error when a path parameter is missing, which is a defect of the caller.
 */
export function addressOf(
  definition: Pick<RouteDefinition, 'path'>,
  request: { readonly params?: Fields; readonly query?: Fields } = {},
): string {
  const path = definition.path.replace(/:(\w+)/g, (_, name: string) => {
    const value = request.params?.[name];
    if (value === undefined) throw new Error(`Impossible: no value for :${name} of ${definition.path}`);
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(request.query ?? {}))
    if (value !== undefined) query.set(key, String(value));
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** Values that an address can carry. */
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;
