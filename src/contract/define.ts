import type { z } from 'zod';
import type { ApiKeyScope } from '#core/api-key.ts';
import type { Role } from '#core/roles.ts';
import type { SecurityEvent } from '#core/security-event.ts';

/**
 * Header set to `yes` when a connected service was too slow. The response then has cached data, or is a 503. The server
 * continues to read: after a few seconds, the same request without `refresh` returns the result.
 */
export const stillReadingHeader = 'still-reading';

/**
 * Defines one HTTP call. The server validates requests with it, the OpenAPI document is generated from it, and the web
 * application calls the server with it.
 */
export interface RouteDefinition {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Path parameters are written as `:name`. */
  readonly path: string;
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  /** Roles that may make the call; one of them is enough. `any`: every logged-in user. `public`: no session needed. */
  readonly roles: readonly Role[] | 'any' | 'public';
  /**
   * `required`: the session must name a client (a system administrator masquerades first). `optional`: it may name one.
   * Undefined if the call concerns no client. The client always comes from the session, never from the request.
   */
  readonly client?: 'required' | 'optional';
  /** True for a call that changes nothing although its method could. A suspended client may make it too. */
  readonly reads?: true;
  /** Security event of a success: the call changes who may do what, or who gets data. */
  readonly event?: SecurityEvent;
  /** True for a call that users may make during maintenance, too. System administrators may make every call then. */
  readonly inMaintenance?: true;
  /** Scope that an API key needs for the call. Undefined if the call accepts only sessions. */
  readonly apiKey?: ApiKeyScope;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /**
   * Maximum size of the body in bytes. Needed if the schema does not limit it; the default is at most 16 kB without a
   * session and 64 kB with one.
   */
  readonly bodyBytes?: number;
  /**
   * The call affects people outside the client. It is rejected until the caller's email address is verified: `always`,
   * or only when the body requests live mode.
   */
  readonly needsProof?: 'always' | 'live';
  /** Schema of `data` in a success. `browser`, `events` and `file` routes have none. */
  readonly reply: z.ZodType;
  /**
   * Format of the response; the default is `json`. `browser`: pages and redirects. `events`: server-sent events.
   * `text`: plain text. `file`: a file. All but `browser` report errors as JSON.
   */
  readonly speaks?: 'json' | 'browser' | 'events' | 'text' | 'file';
  /**
   * Places of the request with ids that belong to one tenant, e.g. `params.id` or `body.xrefs[].id`. An id of another
   * tenant gets the same response as an id that does not exist. Empty: the request has none.
   */
  readonly tenantIds: readonly string[];
}

/**
 * A call as the browser makes it. The schemas stay on the server: the browser needs only the types that TypeScript infers
 * from them.
 */
export interface Call<R extends RouteDefinition> {
  readonly method: R['method'];
  readonly path: R['path'];
  /** For the compiler only; never set. */
  readonly route?: R;
}

/** A call for administrators of a client whose request has no ids of a tenant. */
export const forAdmins = { roles: ['clientadmin'], client: 'required', tenantIds: [] } as const;
/** The same for all users of a client. */
export const forUsers = { ...forAdmins, roles: ['clientadmin', 'accountant'] } as const;

/** Declares a call of the browser; the compiler checks that it is the method and path of the route. */
export const call = <R extends RouteDefinition>(method: R['method'], path: R['path']): Call<R> => ({ method, path });

/** Declares a call; the types of request and reply are inferred from its schemas. */
export const route = <const Definition extends RouteDefinition>(definition: Definition): Definition => definition;

/**
 * Declares a variant of a call whose reply depends on the query: same method and path, narrower types. Only the
 * original is in the route table.
 */
export const narrowed = <const Definition extends RouteDefinition, Query extends z.ZodType, Reply extends z.ZodType>(
  original: Definition,
  parts: { readonly query: Query; readonly reply: Reply },
): Omit<Definition, 'query' | 'reply'> & { readonly query: Query; readonly reply: Reply } => ({
  ...original,
  ...parts,
});

/** Path parameters as the handler gets them. */
export type ParamsOf<R extends RouteDefinition> = R extends { readonly params: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** The query as the handler gets it: coerced, with defaults. */
export type QueryOf<R extends RouteDefinition> = R extends { readonly query: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** The body as the handler gets it. */
export type BodyOf<R extends RouteDefinition> = R extends { readonly body: infer S extends z.ZodType }
  ? z.output<S>
  : undefined;

/** Type of `data`. */
export type DataOf<R extends RouteDefinition> = z.output<R['reply']>;

/** The query as a caller writes it: numbers and booleans are typed, defaults are optional. */
type QueryToSend<S extends z.ZodType> = {
  [Key in keyof z.input<S>]: Key extends keyof z.output<S> ? z.output<S>[Key] : never;
};

type Part<Name extends string, Value> =
  Partial<Value> extends Value ? { readonly [Key in Name]?: Value } : { readonly [Key in Name]: Value };

/** Input of a call: `params`, `query` and `body`, where the call has them. */
export type RequestOf<R extends RouteDefinition> = (R extends { readonly params: infer S extends z.ZodType }
  ? Part<'params', z.input<S>>
  : unknown) &
  (R extends { readonly query: infer S extends z.ZodType } ? Part<'query', QueryToSend<S>> : unknown) &
  (R extends { readonly body: infer S extends z.ZodType } ? Part<'body', z.input<S>> : unknown);

/**
 * Returns the URL of a call: path parameters are filled in and percent-encoded, the query is appended without
 * `undefined` values.
 *
 * @throws Error when a path parameter is missing, which is a bug in the caller.
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

/** Values that a URL can carry. */
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>;
